"""What an emulated arm is like: every number with its unit, range and meaning; checked when it is made."""

from __future__ import annotations

from dataclasses import dataclass

from station.devices.parameter import check, parameter

DEFAULT_RATE = 1000.0  # setpoints per second, where neither the settings nor the scene say [Hz]
DEFAULT_WATCHDOG = 0.05  # [s]


@dataclass(frozen=True, kw_only=True)
class ArmSettings:
    """Servo loops, safety, senses and load of an emulated arm."""

    # Servo loops
    bandwidth: float = parameter(15.0, "of the position loop", "Hz", 0.5, 60.0)
    damping: float = parameter(1.0, "ratio of the position loop", "", 0.3, 2.0)
    integral: float = parameter(0.1, "of the loop, over its bandwidth; 0: none", "", 0.0, 0.5)
    delay: float = parameter(0.004, "from a setpoint's arrival to its effect", "s", 0.0, 1.0)
    torque_lag: float = parameter(0.001, "of the current loops, first order", "s", 0.0, 0.05)
    weight_known: float = parameter(1.0, "share of weight and centrifugal effort that the controller knows", "", 0, 1.5)
    rate: float = parameter(0.0, "setpoints per second; 0: as the scene says, else 1000", "Hz", 0.0, 4000.0)

    # Safety of its own
    watchdog: float = parameter(0.0, "stops after this silence; 0: as the scene says, else 0.05", "s", 0.0, 10.0)
    largest_jump: float = parameter(0.1, "between two setpoints of a joint that turns", "rad", 1e-4, 10.0)
    largest_slide: float = parameter(0.02, "between two setpoints of a joint that slides", "m", 1e-5, 1.0)
    speed_margin: float = parameter(1.2, "over the speed limit, at which it stops", "", 1.0, 10.0)
    acceleration_margin: float = parameter(2.0, "over the acceleration limit, at which it stops", "", 1.0, 100.0)
    following_turn: float = parameter(0.1, "error of a joint that turns, at which it stops", "rad", 1e-3, 10.0)
    following_slide: float = parameter(0.02, "error of a joint that slides, at which it stops", "m", 1e-4, 1.0)
    contact_force: float = parameter(150.0, "at the tool, at which it stops", "N", 1.0, 1e5)
    contact_torque: float = parameter(40.0, "at the tool, at which it stops", "N·m", 0.1, 1e5)
    least_supply: float = parameter(36.0, "below which drives switch off", "V", 0.0, 48.0)

    # Senses
    encoder_bits: int = parameter(20, "counts of a turn, as a power of two", "", 8, 44)
    encoder_length: float = parameter(1e-6, "of one count of a joint that slides", "m", 1e-13, 1e-3)
    speed_filter: float = parameter(0.002, "of measured speeds, first order", "s", 0.0, 0.1)
    force_noise: float = parameter(0.1, "standard deviation, per axis and sample", "N", 0.0, 100.0)
    torque_noise: float = parameter(0.005, "standard deviation, per axis and sample", "N·m", 0.0, 10.0)
    force_bias: float = parameter(0.5, "standard deviation over arms (seeds), constant", "N", 0.0, 100.0)
    torque_bias: float = parameter(0.02, "standard deviation over arms (seeds), constant", "N·m", 0.0, 10.0)
    wrench_filter: float = parameter(0.002, "of the tool sensor, first order", "s", 0.0, 0.1)

    # Load and truth
    payload: float = parameter(0.0, "held by the tool and unknown to the controller", "kg", 0.0, 500.0)
    tip_time: float = parameter(0.004, "in which a touch of the tool settles; rubber 0.02", "s", 0.002, 0.2)
    payload_at: tuple[float, float, float] = parameter((0.0, 0.0, 0.0), "its centre, from the tool", "m", -2.0, 2.0)
    wrong_length: float = parameter(0.0, "standard deviation of true lengths from the scene", "m", 0.0, 0.05)
    wrong_angle: float = parameter(0.0, "standard deviation of true angles from the scene", "rad", 0.0, 0.1)
    wrong_zero: float = parameter(0.0, "standard deviation of encoder zeros (slides: metres)", "rad", 0.0, 0.1)
    wrong_ratio: float = parameter(0.0, "standard deviation of gear ratios from 1", "", 0.0, 0.05)

    wrong_gain: float = parameter(0.0, "standard deviation of the tool sensor's gains, and between axes", "", 0.0, 0.2)
    wrong_tool_mass: float = parameter(0.0, "that the tool weighs more than its file says, about", "kg", 0.0, 50.0)
    wrong_tool_centre: float = parameter(0.02, "standard deviation of the place of that mass", "m", 0.0, 1.0)
    effort_noise: float = parameter(0.0, "standard deviation of efforts as told, over the largest", "", 0.0, 0.5)

    # Memory
    log_time: float = parameter(10.0, "that the log of ticks reaches back", "s", 0.1, 600.0)

    def __post_init__(self) -> None:
        check(self)
