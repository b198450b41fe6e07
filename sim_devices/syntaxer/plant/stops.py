"""Stops: stiff, dissipative, and never pulling.

Arms end at two angles, bars at two angles to their arm and at a lean out of its plane, the joystick at ±15° of each
part of its rotation vector. The elastic part goes to EFFORT, the rest to STOPS, for the energy's sake.
"""

from __future__ import annotations

import math

from sim_devices.syntaxer.plant.cache import kernel
from sim_devices.syntaxer.plant.memory import (
    ARMS,
    BEFORE,
    EFFORT,
    JOINTS,
    POSE,
    SCRATCH,
    SLOPE,
    STOPS,
    TURNS,
    column_of,
    handle_place,
    row_of,
)
from sim_devices.syntaxer.plant.numbers import (
    PLATE_RANGE,
    PLATE_STIFFNESS,
    PLATE_STOP_DAMPING,
    STOP_DAMPING,
    STOP_STIFFNESS,
)
from station.devices.syntaxer.kernels.delta import sphere_centre, swing
from station.devices.syntaxer.kernels.layout import (
    BAR_HIGH,
    BAR_LOW,
    COS,
    MOTOR_HIGH,
    MOTOR_LOW,
    SIDEWAYS,
    SIN,
    Floats,
    Vector,
)
from station.devices.syntaxer.kernels.vectors import cross, dot, minus, plus


@kernel
def press(work: Floats, first: int, excess: float, stiffness: float, damping: float, way: float) -> float:
    """A stop that is pressed in by `excess`, which grows by `way` times SLOPE; returns its energy [J]."""
    rate = 0.0
    for j in range(first, first + 3):
        rate += way * work[SLOPE, j] * work[BEFORE, j]
    elastic = stiffness * excess
    rest = max(damping * rate, -elastic)
    for j in range(first, first + 3):
        work[EFFORT, j] -= way * work[SLOPE, j] * elastic
        work[STOPS, j] -= way * work[SLOPE, j] * rest
    return 0.5 * elastic * excess


@kernel
def between(work: Floats, first: int, value: float, low: float, high: float, stiffness: float, damping: float) -> float:
    """A value that stays between two stops; SLOPE says how it grows with the joints. Returns energy [J]."""
    if value > high:
        return press(work, first, value - high, stiffness, damping, 1.0)
    if value < low:
        return press(work, first, low - value, stiffness, damping, -1.0)
    return 0.0


@kernel
def arm_stops(chains: Floats, common: Floats, state: Floats, work: Floats) -> float:
    """Stops of the arms; returns the energy in them [J]."""
    energy = 0.0
    for i in range(3):
        low, high, angle = chains[i, MOTOR_LOW], chains[i, MOTOR_HIGH], state[JOINTS, i]
        if angle < low or angle > high:
            for j in range(3):
                work[SLOPE, j] = 1.0 if i == j else 0.0
            energy += between(work, 0, angle, low, high, common[STOP_STIFFNESS], common[STOP_DAMPING])
    return energy


@kernel
def slope_of_bar(chains: Floats, state: Floats, work: Floats, i: int, gradient: Vector, with_arm: float) -> None:
    """SLOPE of a quantity with this gradient along the bar, less `with_arm` times the angle of the arm."""
    for j in range(3):
        work[SLOPE, j] = dot(gradient, column_of(work, ARMS, j))
    work[SLOPE, i] -= dot(gradient, swing(chains, i, state[JOINTS, i])) + with_arm


@kernel
def bar_stops(chains: Floats, common: Floats, state: Floats, work: Floats) -> float:
    """Stops of the bars against their arms and sideways; returns the energy in them [J]."""
    stiffness, damping = common[STOP_STIFFNESS], common[STOP_DAMPING]
    energy = 0.0
    for i in range(3):
        angle = state[JOINTS, i]
        bar = minus(handle_place(state), sphere_centre(chains, i, angle))
        out_axis, side_axis = (0.0, chains[i, SIN], chains[i, COS]), (0.0, chains[i, COS], -chains[i, SIN])
        outwards, around = dot(bar, out_axis), dot(bar, side_axis)
        squared = bar[0] * bar[0] + outwards * outwards
        to_arm = math.atan2(bar[0], outwards) - angle
        to_arm = to_arm + 2.0 * math.pi if to_arm < -0.5 * math.pi else to_arm
        if to_arm < chains[i, BAR_LOW] or to_arm > chains[i, BAR_HIGH]:
            gradient = plus((outwards / squared, 0.0, 0.0), out_axis, -bar[0] / squared)
            slope_of_bar(chains, state, work, i, gradient, 1.0)
            energy += between(work, 0, to_arm, chains[i, BAR_LOW], chains[i, BAR_HIGH], stiffness, damping)
        in_plane, sideways = math.sqrt(squared), chains[i, SIDEWAYS]
        lean = math.atan2(around, in_plane)
        if abs(lean) > sideways:
            whole = squared + around * around
            inwards = -around / (whole * in_plane)
            gradient = plus((inwards * bar[0], 0.0, 0.0), out_axis, inwards * outwards)
            slope_of_bar(chains, state, work, i, plus(gradient, side_axis, in_plane / whole), 0.0)
            energy += between(work, 0, lean, -sideways, sideways, stiffness, damping)
    return energy


@kernel
def rotation_vector(rotation: Floats, vector: Floats) -> float:
    """Rotation vector [rad] of a rotation by less than half a turn; returns the angle."""
    x, y = rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0]
    z = rotation[1, 0] - rotation[0, 1]
    twice_sine = math.sqrt(x * x + y * y + z * z)
    angle = math.atan2(twice_sine, rotation[0, 0] + rotation[1, 1] + rotation[2, 2] - 1.0)
    scale = angle / twice_sine if twice_sine > 1e-9 else 0.5
    vector[0], vector[1], vector[2] = scale * x, scale * y, scale * z
    return angle


@kernel
def plate_stops(common: Floats, state: Floats, work: Floats) -> float:
    """Ends of the joystick's range; returns the energy in them [J].

    The rotation vector r moves by (1 - r×/2 + c·r×r×)·ω; its rows are how each part of it grows.
    """
    end = common[PLATE_RANGE]
    angle = rotation_vector(state[POSE : POSE + 3], work[SCRATCH])
    energy = 0.0
    if angle <= end:
        return energy
    r = row_of(work, SCRATCH)
    factor = (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / (angle * angle)
    for axis in range(3):
        if abs(r[axis]) > end:
            unit = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
            crossed = cross(r, unit)  # the transpose of r× is -r×
            gradient = plus(plus(unit, crossed, 0.5), cross(r, crossed), factor)
            for j in range(3):
                work[SLOPE, 3 + j] = dot(gradient, column_of(work, TURNS, j))
            energy += between(work, 3, r[axis], -end, end, common[PLATE_STIFFNESS], common[PLATE_STOP_DAMPING])
    return energy
