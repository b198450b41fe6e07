"""One call per tick each way: counts → pose with all that follows from it, wrench → currents."""

from __future__ import annotations

import math

from station.devices.syntaxer.rotation import handle_weight, paramat_forward
from station.devices.syntaxer.state import Parts, Place, PlaceStatus, Struts, Vector
from station.devices.syntaxer.translation import arm_weights, delta_place
from station.kernel import Floats, Floats1, entry, kernel
from station.kernel.vectors import column, dot, row, solve_transposed

WORD = 1 << 32  # counters of the device have 32 bits and go round


@kernel
def from_home(count: int, home: int) -> int:
    """Counts since home, the shorter way round."""
    away = (count - home) % WORD
    return away - WORD if away >= WORD // 2 else away


@entry
def sense(parts: Parts, place: Place) -> PlaceStatus:
    """Joints, pose, Jacobians, weights and margin of a place from its counts; its status is returned, too."""
    chains, struts, joints, pose, weights = parts.chains, parts.struts, place.joints, place.pose, place.weights
    for i in range(3):
        joints[i] = chains.zero[i] + chains.angle_per_count[i] * from_home(place.counts[i], parts.home[i])
        away = from_home(place.counts[3 + i], parts.home[3 + i])
        joints[3 + i] = struts.neutral[i] + struts.length_per_count[i] * away
    status, place.margin = delta_place(chains, joints[:3], pose[:3, 3], place.arms)
    if status == PlaceStatus.OK:
        # `weights` is filled in last; until then its end is room for the lengths of the iteration.
        status = paramat_forward(struts, joints[3:], pose, weights[3:], place.strings)
    place.status = status
    if status != PlaceStatus.OK:
        for i in range(3):
            for j in range(4):
                pose[i, j] = math.nan
            for j in range(3):
                place.arms[i, j] = place.strings[i, j] = math.nan
            weights[i] = weights[3 + i] = 0.0
        return status
    arm_weights(chains, parts.loads, joints, place.arms, weights)
    handle_weight(parts.loads, pose, place.strings, weights)
    return status


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
def string_room(struts: Struts, limits: Floats, i: int) -> Vector:
    """Least and largest current of a string motor [A] within its limit and the tensions allowed; pull per ampere."""
    pull = struts.pull_per_ampere[i]
    low = max((struts.least[i] - struts.pretension[i]) / pull, -limits[3 + i])
    high = min((struts.most[i] - struts.pretension[i]) / pull, limits[3 + i])
    return low, high, pull


@entry
def drive(
    parts: Parts, place: Place, limits: Floats1, carry: float, wrench: Floats1, currents: Floats1
) -> tuple[float, float]:
    """Six currents [A] for a wrench on the hand [N, N·m] and `carry` times the weight; returns what share of each.

    Force and torque are shortened to what the limits [A] and the tensions leave, each as a whole, so that neither
    changes its direction. The weight comes first. A wrench or a place that is not a number gives no current at all.
    """
    chains, struts, arms, strings, weights = parts.chains, parts.struts, place.arms, place.strings, place.weights
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
        kept = min(kept, share_of(carry * weights[i] / chains.torque_per_ampere[i], 0.0, -limits[i], limits[i]))
    for i in range(3):
        wanted = dot(column(arms, i), force) / chains.torque_per_ampere[i]
        before = kept * carry * weights[i] / chains.torque_per_ampere[i]
        given_force = min(given_force, share_of(wanted, before, -limits[i], limits[i]))
        low, high, pull = string_room(struts, limits, i)
        held = min(max(carry * weights[3 + i] / pull, low), high)
        given_torque = min(given_torque, share_of(-change[i] / pull, held, low, high))
    for i in range(3):
        amperes = dot(column(arms, i), force) * given_force + kept * carry * weights[i]
        amperes /= chains.torque_per_ampere[i]
        currents[i] = min(max(amperes, -limits[i]), limits[i])
        low, high, pull = string_room(struts, limits, i)
        held = min(max(carry * weights[3 + i] / pull, low), high)
        currents[3 + i] = min(max(held - change[i] / pull * given_torque, low), high)
    share_force = given_force / size_force if most_force > 0.0 else 1.0
    share_torque = given_torque / size_torque if most_torque > 0.0 else 1.0
    return share_force, share_torque


@entry
def felt(parts: Parts, place: Place, currents: Floats1, wrench: Floats1) -> None:
    """The wrench on the hand [N, N·m] that currents [A] give, weight taken off, return springs left out."""
    chains, struts, arms, strings, weights = parts.chains, parts.struts, place.arms, place.strings, place.weights
    a = currents[0] * chains.torque_per_ampere[0] - weights[0]
    b = currents[1] * chains.torque_per_ampere[1] - weights[1]
    c = currents[2] * chains.torque_per_ampere[2] - weights[2]
    wrench[0], wrench[1], wrench[2] = solve_transposed(arms, (a, b, c))
    wrench[3], wrench[4], wrench[5] = 0.0, 0.0, 0.0
    for i in range(3):
        change = currents[3 + i] * struts.pull_per_ampere[i] - weights[3 + i]
        rate = row(strings, i)
        for j in range(3):
            wrench[3 + j] -= rate[j] * change
