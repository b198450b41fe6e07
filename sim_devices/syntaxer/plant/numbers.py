"""Numbers of the plant that the geometry of the model does not have. Estimates throughout, none measured."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from station.devices.syntaxer.geometry import GeometryError, Syntaxer
from station.kernel import Floats1, Record, field


@dataclass(frozen=True, kw_only=True)
class PlantNumbers:
    """What moves, rubs, heats and sags; the model of the device knows nothing of it."""

    arm_gyration: float = 0.075  # radius of gyration of an arm with its sector, about the motor axis [m]
    handle_gyration: float = 0.025  # of plate and handle, about their centre of mass [m]
    arm_friction: float = 0.015  # dry, of bearings, gear and motor, at the arm [N·m]
    friction_shares: tuple[float, float, float] = (1.0, 1.0, 1.0)  # of the three arms, over `arm_friction`
    string_friction: float = 0.08  # dry, of drum and motor, at the string [N]
    string_damping: float = 0.5  # viscous, of drum and motor, at the string [N·s/m]
    stop_stiffness: float = 1500.0  # of all stops of arms and bars [N·m/rad]
    stop_damping: float = 3.0  # [N·m·s/rad]
    plate_stop_stiffness: float = 150.0  # of the ends of rotation [N·m/rad]
    plate_stop_damping: float = 0.15  # [N·m·s/rad]
    most_slack: float = 0.020  # of a string, until its spiral spring is wound up [m]
    current_lag: float = 0.0003  # time constant of the current loops [s]
    current_noise: float = 0.004  # of the measurement, as a part of the continuous current, one sigma
    source: float = 24.0  # supply without load [V]
    source_resistance: float = 0.3  # [Ω]
    source_lag: float = 0.004  # time constant by its capacitors [s]
    standby: float = 3.0  # taken by the electronics [W]
    ambient: float = 22.0  # [°C]
    arm_cooling: float = 17.0  # thermal resistance of an arm motor to the surroundings [K/W]
    arm_heat: float = 25.0  # its thermal mass: rotor and what warms with it [J/K]
    string_cooling: float = 40.0  # of a string motor [K/W]
    string_heat: float = 4.0  # [J/K]

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            values = value if isinstance(value, tuple) else (value,)
            if not all(math.isfinite(one) and one >= 0.0 for one in values):
                raise GeometryError(f"PlantNumbers: {name} is {value}; allowed: finite numbers from 0")
        for name in ("current_lag", "source_lag", "arm_cooling", "arm_heat", "string_cooling", "string_heat"):
            if not getattr(self, name) > 0.0:
                raise GeometryError(f"PlantNumbers: {name} is 0; allowed: numbers above 0")


class Physics(Record):
    """The same along the joints, for kernels: three arms [rad], three strings [m]; then what all share."""

    inertia: Floats1 = field("kg·m², kg", "turns with an arm, rotor and share of bars too; a drum with rotor", shape=6)
    bar: Floats1 = field("kg", "less than its mass at both ends, for relative motion of its ends", shape=3)
    friction: Floats1 = field("N·m, N", "dry", shape=6)
    damping: Floats1 = field("N·m·s/rad, N·s/m", "viscous", shape=6)
    per_ampere: Floats1 = field("N·m/A, N/A", "effort; a string current winds in, so it counts negative", shape=6)
    resistance: Floats1 = field("Ω", shape=6)
    cooling: Floats1 = field("K/W", shape=6)
    heat: Floats1 = field("J/K", shape=6)
    most_current: Floats1 = field("A", "that the amplifier gives, whatever is asked", shape=6)
    handle_gyration: float = field("m²", "squared")
    plate_damping: float = field("N·m·s/rad")
    plate_range: float = field("rad")
    stop_stiffness: float = field("N·m/rad")
    stop_damping: float = field("N·m·s/rad")
    plate_stiffness: float = field("N·m/rad")
    plate_stop_damping: float = field("N·m·s/rad")
    most_slack: float = field("m")
    current_lag: float = field("s")
    source_resistance: float = field("Ω")
    source_lag: float = field("s")
    standby: float = field("W")
    ambient: float = field("°C")


HEADROOM = 1.5  # of an amplifier beyond the peak current of its motor


def physics_of(geometry: Syntaxer, numbers: PlantNumbers) -> Physics:
    """Numbers of the kernels."""
    physics = Physics(
        handle_gyration=numbers.handle_gyration**2,
        plate_damping=geometry.paramat.damping,
        plate_range=geometry.paramat.range,
        stop_stiffness=numbers.stop_stiffness,
        stop_damping=numbers.stop_damping,
        plate_stiffness=numbers.plate_stop_stiffness,
        plate_stop_damping=numbers.plate_stop_damping,
        most_slack=numbers.most_slack,
        current_lag=numbers.current_lag,
        source_resistance=numbers.source_resistance,
        source_lag=numbers.source_lag,
        standby=numbers.standby,
        ambient=numbers.ambient,
    )
    _fill_arms(physics, geometry, numbers)
    _fill_strings(physics, geometry, numbers)
    return physics


def _fill_arms(physics: Physics, geometry: Syntaxer, numbers: PlantNumbers) -> None:
    motor = geometry.motor
    for i, chain in enumerate(geometry.chains):
        at_elbow = chain.bar_mass * (1.0 - chain.bar_centre) * chain.arm**2
        of_arm = chain.arm_mass * numbers.arm_gyration**2
        physics.inertia[i] = of_arm + at_elbow + motor.rotor_inertia * chain.ratio**2
        physics.bar[i] = chain.bar_mass * (1.0 / 12.0 - chain.bar_centre * (1.0 - chain.bar_centre))
        physics.friction[i] = numbers.friction_shares[i] * numbers.arm_friction
        physics.damping[i] = chain.damping
        physics.per_ampere[i] = motor.torque_constant * chain.motor_gain * chain.ratio
    physics.cooling[:3], physics.heat[:3] = numbers.arm_cooling, numbers.arm_heat
    physics.resistance[:3], physics.most_current[:3] = motor.resistance, HEADROOM * motor.peak


def _fill_strings(physics: Physics, geometry: Syntaxer, numbers: PlantNumbers) -> None:
    motor = geometry.paramat.motor
    for i, strut in enumerate(geometry.paramat.struts, start=3):
        physics.inertia[i] = motor.rotor_inertia * (strut.ratio / strut.drum_radius) ** 2
        physics.per_ampere[i] = -motor.torque_constant * strut.motor_gain * strut.ratio / strut.drum_radius
    physics.friction[3:], physics.damping[3:] = numbers.string_friction, numbers.string_damping
    physics.cooling[3:], physics.heat[3:] = numbers.string_cooling, numbers.string_heat
    physics.resistance[3:], physics.most_current[3:] = motor.resistance, HEADROOM * motor.peak
