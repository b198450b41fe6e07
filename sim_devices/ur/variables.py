"""Names and types that RTDE knows, after Universal Robots' RTDE guide; what the emulator has no numbers for is zero."""

from __future__ import annotations

from firmware_bridge.ur.rtde import Value

_BY_TYPE = {
    "DOUBLE": (
        "timestamp actual_execution_time speed_scaling target_speed_fraction actual_momentum actual_main_voltage "
        "actual_robot_voltage actual_robot_current standard_analog_input0 standard_analog_input1 "
        "standard_analog_output0 standard_analog_output1 io_current tool_analog_input0 tool_analog_input1 "
        "tool_output_current tool_temperature tcp_force_scalar payload"
    ),
    "VECTOR6D": (
        "target_q target_qd target_qdd target_current target_moment actual_q actual_qd actual_qdd actual_current "
        "actual_current_as_torque actual_moment joint_control_output actual_TCP_pose actual_TCP_speed "
        "actual_TCP_force target_TCP_pose target_TCP_speed joint_temperatures actual_joint_voltage ft_raw_wrench "
        "payload_inertia tcp_offset"
    ),
    "VECTOR3D": "actual_tool_accelerometer elbow_position elbow_velocity payload_cog",
    "VECTOR6INT32": "joint_mode",
    "INT32": "robot_mode safety_mode safety_status tool_output_voltage",
    "UINT32": (
        "runtime_state robot_status_bits safety_status_bits analog_io_types tool_analog_input_types tool_mode "
        "output_bit_registers0_to_31 output_bit_registers32_to_63 input_bit_registers0_to_31 "
        "input_bit_registers32_to_63"
    ),
    "UINT64": "actual_digital_input_bits actual_digital_output_bits",
}
REGISTERS = 48

OUTPUT_TYPES: dict[str, str] = {name: kind for kind, names in _BY_TYPE.items() for name in names.split()}
OUTPUT_TYPES |= {
    f"{way}_{kind}_register_{number}": {"int": "INT32", "double": "DOUBLE"}[kind]
    for way in ("output", "input")
    for kind in ("int", "double")
    for number in range(REGISTERS)
}
INPUT_TYPES: dict[str, str] = {
    "speed_slider_mask": "UINT32",
    "speed_slider_fraction": "DOUBLE",
    "standard_digital_output_mask": "UINT8",
    "standard_digital_output": "UINT8",
    "configurable_digital_output_mask": "UINT8",
    "configurable_digital_output": "UINT8",
    "tool_digital_output_mask": "UINT8",
    "tool_digital_output": "UINT8",
    "standard_analog_output_mask": "UINT8",
    "standard_analog_output_type": "UINT8",
    "standard_analog_output_0": "DOUBLE",
    "standard_analog_output_1": "DOUBLE",
    "external_force_torque": "VECTOR6D",
    "input_bit_registers0_to_31": "UINT32",
    "input_bit_registers32_to_63": "UINT32",
    **{name: kind for name, kind in OUTPUT_TYPES.items() if name.startswith("input_")},
}


def zero_of(kind: str) -> Value:
    """What a value of this type is before anybody has set it."""
    if kind.startswith("VECTOR"):
        return (0.0 if kind.endswith("D") else 0,) * int(kind[6])
    return 0.0 if kind == "DOUBLE" else 0


ZEROS: dict[str, Value] = {name: zero_of(kind) for name, kind in (OUTPUT_TYPES | INPUT_TYPES).items()}
