"""Stops: stiff, dissipative, and never pulling.

Arms end at two angles, bars at two angles to their arm and at a lean out of its plane, the joystick at ±15° of each
part of its rotation vector. The elastic part goes to `effort`, the rest to `stops`, for the energy's sake.
"""

from __future__ import annotations

import math

from sim_devices.syntaxer.plant.numbers import Physics
from sim_devices.syntaxer.plant.state import PlantState, Work, handle_place
from station.devices.syntaxer.state import Chains, Vector
from station.devices.syntaxer.translation import sphere_centre, swing
from station.kernel import kernel
from station.kernel.so3 import write_log_rate, write_vector
from station.kernel.vectors import column, dot, length, minus, plus, three


@kernel
def press(work: Work, first: int, excess: float, stiffness: float, damping: float, way: float) -> float:
    """A stop that is pressed in by `excess`, which grows by `way` times `slope`; returns its energy [J]."""
    rate = 0.0
    for j in range(first, first + 3):
        rate += way * work.slope[j] * work.before[j]
    elastic = stiffness * excess
    rest = max(damping * rate, -elastic)
    for j in range(first, first + 3):
        work.effort[j] -= way * work.slope[j] * elastic
        work.stops[j] -= way * work.slope[j] * rest
    return 0.5 * elastic * excess


@kernel
def between(work: Work, first: int, value: float, low: float, high: float, stiffness: float, damping: float) -> float:
    """A value that stays between two stops; `slope` says how it grows with the joints. Returns energy [J]."""
    if value > high:
        return press(work, first, value - high, stiffness, damping, 1.0)
    if value < low:
        return press(work, first, low - value, stiffness, damping, -1.0)
    return 0.0


@kernel
def arm_stops(chains: Chains, physics: Physics, state: PlantState, work: Work) -> float:
    """Stops of the arms; returns the energy in them [J]."""
    energy = 0.0
    for i in range(3):
        low, high, angle = chains.motor_low[i], chains.motor_high[i], state.joints[i]
        if angle < low or angle > high:
            for j in range(3):
                work.slope[j] = 1.0 if i == j else 0.0
            energy += between(work, 0, angle, low, high, physics.stop_stiffness, physics.stop_damping)
    return energy


@kernel
def slope_of_bar(chains: Chains, state: PlantState, work: Work, i: int, gradient: Vector, with_arm: float) -> None:
    """`slope` of a quantity with this gradient along the bar, less `with_arm` times the angle of the arm."""
    for j in range(3):
        work.slope[j] = dot(gradient, column(work.arms, j))
    work.slope[i] -= dot(gradient, swing(chains, i, state.joints[i])) + with_arm


@kernel
def bar_stops(chains: Chains, physics: Physics, state: PlantState, work: Work) -> float:
    """Stops of the bars against their arms and sideways; returns the energy in them [J]."""
    stiffness, damping = physics.stop_stiffness, physics.stop_damping
    energy = 0.0
    for i in range(3):
        angle = state.joints[i]
        bar = minus(handle_place(state), sphere_centre(chains, i, angle))
        out_axis, side_axis = (0.0, chains.sine[i], chains.cosine[i]), (0.0, chains.cosine[i], -chains.sine[i])
        outwards, around = dot(bar, out_axis), dot(bar, side_axis)
        squared = bar[0] * bar[0] + outwards * outwards
        to_arm = math.atan2(bar[0], outwards) - angle
        to_arm = to_arm + 2.0 * math.pi if to_arm < -0.5 * math.pi else to_arm
        if to_arm < chains.bar_low[i] or to_arm > chains.bar_high[i]:
            gradient = plus((outwards / squared, 0.0, 0.0), out_axis, -bar[0] / squared)
            slope_of_bar(chains, state, work, i, gradient, 1.0)
            energy += between(work, 0, to_arm, chains.bar_low[i], chains.bar_high[i], stiffness, damping)
        in_plane, sideways = math.sqrt(squared), chains.sideways[i]
        lean = math.atan2(around, in_plane)
        if abs(lean) > sideways:
            whole = squared + around * around
            inwards = -around / (whole * in_plane)
            gradient = plus((inwards * bar[0], 0.0, 0.0), out_axis, inwards * outwards)
            slope_of_bar(chains, state, work, i, plus(gradient, side_axis, in_plane / whole), 0.0)
            energy += between(work, 0, lean, -sideways, sideways, stiffness, damping)
    return energy


@kernel
def plate_stops(physics: Physics, state: PlantState, work: Work) -> float:
    """Ends of the joystick's range; returns the energy in them [J].

    The rows of the rate of the rotation vector are how each part of it grows with the handle's spin.
    """
    end = physics.plate_range
    write_vector(state.pose, work.scratch)
    r, energy = three(work.scratch, 0), 0.0
    if length(r) <= end:
        return energy
    for axis in range(3):
        if abs(r[axis]) > end:
            write_log_rate(work.scratch, axis, work.scratch[3:6])
            gradient = three(work.scratch, 3)
            for j in range(3):
                work.slope[3 + j] = dot(gradient, column(work.turns, j))
            energy += between(work, 3, r[axis], -end, end, physics.plate_stiffness, physics.plate_stop_damping)
    return energy
