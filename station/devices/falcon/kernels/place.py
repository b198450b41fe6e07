"""From the angles of the legs to the place of the grip: Newton's method on the closed form of `legs.py`."""

from __future__ import annotations

import math

from station.devices.device import Floats
from station.devices.falcon.geometry import FARTHEST
from station.devices.falcon.kernels.cache import kernel
from station.devices.falcon.kernels.legs import leg_angles, solve3

MOST_STEPS = 30
CLOSE = 1e-13  # largest difference of an angle that ends the search [rad]
ENOUGH = 1e-12  # the same, where rounding does not let it come closer [rad]


@kernel
def place(angles: Floats, position: Floats, work: Floats) -> bool:
    """Find the position [m] at which the legs have these angles [rad]; begins at `position` and puts the result there.

    `work` is room for 6×3 numbers. False, with the position as it was, if there is no such place.
    """
    x, y, z = position[0], position[1], position[2]
    if search(angles, position, work):
        return True
    position[0] = position[1] = position[2] = 0.0  # a poor beginning: once more from the centre
    if search(angles, position, work):
        return True
    position[0], position[1], position[2] = x, y, z
    return False


@kernel
def search(angles: Floats, position: Floats, work: Floats) -> bool:
    """Newton's method from `position`; steps that leave the workspace or make it worse are halved."""
    rates, step, now, trial = work[:3], work[3], work[4], work[5]
    if not leg_angles(position, now, rates):
        return False
    error = largest_difference(angles, now)
    for _ in range(MOST_STEPS):
        if error < CLOSE:
            return True
        for leg in range(3):
            step[leg] = angles[leg] - now[leg]
        if not solve3(rates, step, step):
            return False
        scale = 1.0
        better = False
        while scale > 1e-3 and not better:
            for axis in range(3):
                trial[axis] = position[axis] + scale * step[axis]
            if trial[0] ** 2 + trial[1] ** 2 + trial[2] ** 2 < FARTHEST**2 and leg_angles(trial, now, rates):
                new_error = largest_difference(angles, now)
                better = new_error < error
            scale *= 0.5
        if not better:
            return error < ENOUGH
        error = new_error
        position[:3] = trial
    return error < ENOUGH


@kernel
def largest_difference(first: Floats, second: Floats) -> float:
    """Largest difference of three numbers."""
    largest: float = max(abs(first[0] - second[0]), abs(first[1] - second[1]), abs(first[2] - second[2]))
    return largest


@kernel
def force_to_words(position: Floats, force: Floats, scale: float, limits: Floats, words: Floats, work: Floats) -> bool:
    """Motor words for a force [N] at a position [m]; `limits` are the largest force [N] and word.

    Torques are those that do the same work as the force: ratesᵀ τ = F. What is too much is made less in all three
    together, so that the direction stays. False, with zeros, where the legs cannot be or the force is not finite.
    """
    rates, turned, angles = work[:3], work[3], work[4]
    words[0] = words[1] = words[2] = 0.0
    size = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)
    if not math.isfinite(size) or not leg_angles(position, angles, rates):
        return False
    for row in range(3):
        for column in range(row):
            rates[row, column], rates[column, row] = rates[column, row], rates[row, column]
    if not solve3(rates, force, turned):
        return False
    gain = -scale * min(1.0, limits[0] / size) if size > 0.0 else 0.0
    largest = abs(gain) * max(abs(turned[0]), abs(turned[1]), abs(turned[2]))
    if largest > limits[1]:
        gain *= limits[1] / largest
    for leg in range(3):
        words[leg] = round(gain * turned[leg])
    return True


@kernel
def words_to_force(rates: Floats, words: Floats, scale: float, force: Floats) -> None:
    """Force [N] that motor words make where the legs have these rates [rad/m]: F = ratesᵀ τ."""
    for axis in range(3):
        total = 0.0
        for leg in range(3):
            total -= rates[leg, axis] * words[leg] / scale
        force[axis] = total
