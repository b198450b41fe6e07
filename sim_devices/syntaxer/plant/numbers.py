"""Numbers of the plant that the geometry of the model does not have. Estimates throughout, none measured."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from station.devices.syntaxer.geometry import GeometryError, Syntaxer
from station.devices.syntaxer.kernels.layout import Floats


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


# Entries of `numbers`, one row per joint: three arms [rad], three strings [m].
INERTIA = 0  # that turns with an arm, rotor and share of bars included [kg·m²]; of a drum with rotor [kg]
BAR = 1  # what an even bar has less than its mass at both ends, for relative motion of its ends [kg]; strings: none
FRICTION = 2  # dry [N·m, N]
DAMPING = 3  # viscous [N·m·s/rad, N·s/m]
PER_AMPERE = 4  # effort along the joint [N·m/A, N/A]: a string current winds in, so it counts negative
RESISTANCE = 5  # [Ω]
COOLING = 6  # [K/W]
HEAT = 7  # [J/K]
MOST_CURRENT = 8  # that the amplifier gives, whatever is asked [A]
JOINT_COLUMNS = 9

# Entries of `common`.
HANDLE_GYRATION = 0  # squared [m²]
PLATE_DAMPING = 1  # [N·m·s/rad]
STOP_STIFFNESS, STOP_DAMPING = 2, 3
PLATE_STIFFNESS, PLATE_STOP_DAMPING = 4, 5
PLATE_RANGE = 6  # [rad]
MOST_SLACK = 7  # [m]
CURRENT_LAG = 8  # [s]
SOURCE_RESISTANCE, SOURCE_LAG, STANDBY = 9, 10, 11
AMBIENT = 12  # [°C]
COMMON_COLUMNS = 13

# Entries of the ledger of energy that went through [J].
DISSIPATED = 0  # friction, dampers, stops, strings that were caught
MOTOR_WORK = 1  # of the currents on the mechanics
HAND_WORK = 2
HEAT_SPENT = 3  # of the currents in the windings

HEADROOM = 1.5  # of an amplifier beyond the peak current of its motor


def pack_joints(geometry: Syntaxer, numbers: PlantNumbers) -> Floats:
    """One row per joint, columns as above."""
    rows = np.zeros((6, JOINT_COLUMNS))
    for row, chain, share in zip(rows[:3], geometry.chains, numbers.friction_shares, strict=True):
        motor = geometry.motor
        at_elbow = chain.bar_mass * (1.0 - chain.bar_centre) * chain.arm**2
        of_arm = chain.arm_mass * numbers.arm_gyration**2
        row[INERTIA] = of_arm + at_elbow + motor.rotor_inertia * chain.ratio**2
        row[BAR] = chain.bar_mass * (1.0 / 12.0 - chain.bar_centre * (1.0 - chain.bar_centre))
        row[FRICTION], row[DAMPING] = share * numbers.arm_friction, chain.damping
        row[PER_AMPERE] = motor.torque_constant * chain.motor_gain * chain.ratio
        row[COOLING], row[HEAT] = numbers.arm_cooling, numbers.arm_heat
        row[RESISTANCE], row[MOST_CURRENT] = motor.resistance, HEADROOM * motor.peak
    for row, strut in zip(rows[3:], geometry.paramat.struts, strict=True):
        motor = geometry.paramat.motor
        row[INERTIA] = motor.rotor_inertia * (strut.ratio / strut.drum_radius) ** 2
        row[FRICTION], row[DAMPING] = numbers.string_friction, numbers.string_damping
        row[PER_AMPERE] = -motor.torque_constant * strut.motor_gain * strut.ratio / strut.drum_radius
        row[COOLING], row[HEAT] = numbers.string_cooling, numbers.string_heat
        row[RESISTANCE], row[MOST_CURRENT] = motor.resistance, HEADROOM * motor.peak
    return rows


def pack_common(geometry: Syntaxer, numbers: PlantNumbers) -> Floats:
    """What all joints share, entries as above."""
    common = np.zeros(COMMON_COLUMNS)
    common[HANDLE_GYRATION] = numbers.handle_gyration**2
    common[PLATE_DAMPING], common[PLATE_RANGE] = geometry.paramat.damping, geometry.paramat.range
    common[STOP_STIFFNESS], common[STOP_DAMPING] = numbers.stop_stiffness, numbers.stop_damping
    common[PLATE_STIFFNESS], common[PLATE_STOP_DAMPING] = numbers.plate_stop_stiffness, numbers.plate_stop_damping
    common[MOST_SLACK], common[CURRENT_LAG] = numbers.most_slack, numbers.current_lag
    common[SOURCE_RESISTANCE], common[SOURCE_LAG] = numbers.source_resistance, numbers.source_lag
    common[STANDBY], common[AMBIENT] = numbers.standby, numbers.ambient
    return common
