"""One call per tick each way: counts → pose with all that follows from it, wrench → currents."""

from __future__ import annotations

import math

from station.devices.syntaxer.kernels.cache import kernel
from station.devices.syntaxer.kernels.delta import delta_place
from station.devices.syntaxer.kernels.layout import (
    ANGLE_PER_COUNT,
    LEAST,
    LENGTH_PER_COUNT,
    MOST,
    NEUTRAL,
    OK,
    PRETENSION,
    PULL_PER_AMPERE,
    TORQUE_PER_AMPERE,
    ZERO,
    Floats,
    Vector,
    Whole,
)
from station.devices.syntaxer.kernels.paramat import paramat_forward
from station.devices.syntaxer.kernels.statics import arm_weights, handle_weight
from station.devices.syntaxer.kernels.vectors import column, dot, row, solve_transposed

WORD = 1 << 32  # counters of the device have 32 bits and go round


@kernel
def from_home(count: int, home: int) -> int:
    """Counts since home, the shorter way round."""
    away = (count - home) % WORD
    return away - WORD if away >= WORD // 2 else away


@kernel
def sense(
    chains: Floats,
    struts: Floats,
    loads: Floats,
    home: Whole,
    counts: Whole,
    joints: Floats,
    pose: Floats,
    arms: Floats,
    strings: Floats,
    weights: Floats,
) -> tuple[int, float]:
    """Joints, pose, Jacobians and weights from six counts; returns a status and the margin to singularities.

    Written: `joints` 3 arm angles [rad], 3 string lengths [m]; `pose` 4×4 [m]; `arms` handle per arm [m/rad];
    `strings` string per rotation [m/rad]; `weights` 3 torques of the arms [N·m], 3 tensions [N] that carry the weight.
    """
    for i in range(3):
        joints[i] = chains[i, ZERO] + chains[i, ANGLE_PER_COUNT] * from_home(counts[i], home[i])
        away = from_home(counts[3 + i], home[3 + i])
        joints[3 + i] = struts[i, NEUTRAL] + struts[i, LENGTH_PER_COUNT] * away
    status, margin = delta_place(chains, joints[:3], pose[:3, 3], arms)
    if status == OK:
        # `weights` is filled in last; until then its end is room for the lengths of the iteration.
        status = paramat_forward(struts, joints[3:], pose, weights[3:], strings)
    if status != OK:
        for i in range(3):
            for j in range(4):
                pose[i, j] = math.nan
            for j in range(3):
                arms[i, j] = strings[i, j] = math.nan
            weights[i] = weights[3 + i] = 0.0
        return status, margin
    arm_weights(chains, loads, joints, arms, weights)
    handle_weight(loads, pose, strings, weights)
    return OK, margin


@kernel
def largest(a: Vector) -> float:
    """Size of the largest of three numbers."""
    return max(abs(a[0]), abs(a[1]), abs(a[2]))


@kernel
def share_of(wanted: float, before: float, low: float, high: float) -> float:
    """How many times `wanted` may be added to `before` until a limit is met."""
    if wanted > 0.0:
        return max(0.0, (high - before) / wanted)
    if wanted < 0.0:
        return max(0.0, (low - before) / wanted)
    return math.inf


@kernel
def string_room(struts: Floats, limits: Floats, i: int) -> Vector:
    """Least and largest current of a string motor [A] within its limit and the tensions allowed; pull per ampere."""
    pull = struts[i, PULL_PER_AMPERE]
    low = max((struts[i, LEAST] - struts[i, PRETENSION]) / pull, -limits[3 + i])
    high = min((struts[i, MOST] - struts[i, PRETENSION]) / pull, limits[3 + i])
    return low, high, pull


@kernel
def drive(
    chains: Floats,
    struts: Floats,
    arms: Floats,
    strings: Floats,
    weights: Floats,
    limits: Floats,
    carry: float,
    wrench: Floats,
    currents: Floats,
) -> tuple[float, float]:
    """Six currents [A] for a wrench on the hand [N, N·m] and `carry` times the weight; returns what share of each.

    Force and torque are shortened to what the limits [A] and the tensions leave, each as a whole, so that neither
    changes its direction. The weight comes first. A wrench or a place that is not a number gives no current at all.
    """
    for i in range(6):
        currents[i] = 0.0
    force, torque = (wrench[0], wrench[1], wrench[2]), (wrench[3], wrench[4], wrench[5])
    most_force, most_torque = largest(force), largest(torque)
    known = math.isfinite(arms[0, 0]) and math.isfinite(strings[0, 0]) and math.isfinite(carry)
    for i in range(6):
        known = known and math.isfinite(wrench[i])
    if not known:
        return 0.0, 0.0
    # Along the direction first, size afterwards: a huge wrench must not overflow on its way to being cut.
    size_force, size_torque = max(most_force, 1e-300), max(most_torque, 1e-300)
    force = (force[0] / size_force, force[1] / size_force, force[2] / size_force)
    torque = (torque[0] / size_torque, torque[1] / size_torque, torque[2] / size_torque)
    change = solve_transposed(strings, torque)
    given_force, given_torque = most_force, most_torque
    kept = 1.0  # of the weight, if it is more than the motors can carry
    for i in range(3):
        kept = min(kept, share_of(carry * weights[i] / chains[i, TORQUE_PER_AMPERE], 0.0, -limits[i], limits[i]))
    for i in range(3):
        wanted = dot(column(arms, i), force) / chains[i, TORQUE_PER_AMPERE]
        before = kept * carry * weights[i] / chains[i, TORQUE_PER_AMPERE]
        given_force = min(given_force, share_of(wanted, before, -limits[i], limits[i]))
        low, high, pull = string_room(struts, limits, i)
        held = min(max(carry * weights[3 + i] / pull, low), high)
        given_torque = min(given_torque, share_of(-change[i] / pull, held, low, high))
    for i in range(3):
        amperes = dot(column(arms, i), force) * given_force + kept * carry * weights[i]
        amperes /= chains[i, TORQUE_PER_AMPERE]
        currents[i] = min(max(amperes, -limits[i]), limits[i])
        low, high, pull = string_room(struts, limits, i)
        held = min(max(carry * weights[3 + i] / pull, low), high)
        currents[3 + i] = min(max(held - change[i] / pull * given_torque, low), high)
    share_force = given_force / size_force if most_force > 0.0 else 1.0
    share_torque = given_torque / size_torque if most_torque > 0.0 else 1.0
    return share_force, share_torque


@kernel
def felt(
    chains: Floats, struts: Floats, arms: Floats, strings: Floats, weights: Floats, currents: Floats, wrench: Floats
) -> None:
    """The wrench on the hand [N, N·m] that currents [A] give, weight taken off, return springs left out."""
    a = currents[0] * chains[0, TORQUE_PER_AMPERE] - weights[0]
    b = currents[1] * chains[1, TORQUE_PER_AMPERE] - weights[1]
    c = currents[2] * chains[2, TORQUE_PER_AMPERE] - weights[2]
    wrench[0], wrench[1], wrench[2] = solve_transposed(arms, (a, b, c))
    wrench[3], wrench[4], wrench[5] = 0.0, 0.0, 0.0
    for i in range(3):
        change = currents[3 + i] * struts[i, PULL_PER_AMPERE] - weights[3 + i]
        rate = row(strings, i)
        for j in range(3):
            wrench[3 + j] -= rate[j] * change
