"""What a device tells of itself, under the names that `station.devices.syntaxer.geometry_from` takes."""

from __future__ import annotations

from firmware_bridge.syntaxer.messages import Identity


def numbers_from(identity: Identity) -> dict[str, float | int]:
    """Geometry and motors by name, SI units; what a device does not tell is left out.

    The model knows one kind of motor per stage: the weakest of the three speaks for all.
    """
    numbers: dict[str, float | int] = {}
    for i, chain in enumerate(identity.chains, start=1):
        numbers |= {f"chains.{i}.{name}": value for name, value in chain._asdict().items()}
        numbers[f"chains.{i}.ratio"] = identity.motors[i - 1].ratio
    for i, strut in enumerate(identity.struts, start=1):
        for axis in range(3):
            numbers[f"paramat.struts.{i}.anchor.{axis + 1}"] = strut.anchor[axis]
            numbers[f"paramat.struts.{i}.point.{axis + 1}"] = strut.point[axis]
        numbers[f"paramat.struts.{i}.drum_radius"] = strut.drum_radius
        numbers[f"paramat.struts.{i}.ratio"] = identity.motors[i + 2].ratio
    for name, motors in (("motor", identity.motors[:3]), ("paramat.motor", identity.motors[3:])):
        numbers[f"{name}.torque_constant"] = motors[0].torque_constant
        numbers[f"{name}.continuous"] = min(motor.continuous for motor in motors)
        numbers[f"{name}.peak"] = min(motor.peak for motor in motors)
        numbers[f"{name}.counts"] = motors[0].counts_per_turn
    for i, motor in enumerate(identity.motors, start=1):
        numbers[f"home.{i}"] = motor.home
    return numbers
