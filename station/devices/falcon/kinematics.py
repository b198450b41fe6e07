"""Kinematics of the Falcon both ways, compiled: no allocation, no exception; what cannot be is told by the result.

From the place of the grip to the angles of the legs, and how fast these change with it, in closed form. A leg lies in a
plane that is turned by φ about the axis of the base. With u, v, w the place in that plane's axes, C the cosine of the
shin's tilt and L its length seen in the plane,

    C = (v + f) / b,    L = d + e + b √(1 − C²),    (u + c − a cos θ)² + (w − a sin θ)² = L²

so θ = atan2(w, u + c) − acos(K / 2aρ) with ρ² = (u + c)² + w² and K = ρ² + a² − L²; the other sign is an elbow that
bends the other way, which the device cannot do. The rates are the derivatives of the same equation. From the angles of
the legs to the place of the grip: Newton's method on that closed form.

`FalconModel` is the same for Python, and forces as motor words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from station.devices.falcon.geometry import (
    ANGLE_AT_ZERO,
    CENTRE,
    COUNT,
    FARTHEST,
    KNEE,
    LARGEST_WORD,
    LEG_ANGLES,
    MAX_FORCE,
    SHIN,
    SHOULDER,
    SHOULDER_SIDE,
    SIDE,
    THIGH,
    WORDS_PER_NEWTON_METRE,
    WRIST,
)
from station.kernel import Floats, Floats1, Floats2, Record, entry, field, kernel

MOST_STEPS = 30
CLOSE = 1e-13  # largest difference of an angle that ends the search [rad]
ENOUGH = 1e-12  # the same, where rounding does not let it come closer [rad]


class Work(Record):
    """Room for what is computed on the way."""

    rates: Floats2 = field("rad/m", "how the leg angles change with the place", shape=(3, 3))
    step: Floats1 = field("m", "of the search; or torques per force", shape=3)
    angles: Floats1 = field("rad", "of the legs", shape=3)
    trial: Floats1 = field("m", "a place that is tried", shape=3)


@entry(inline=True)
def leg_angles(position: Floats1, angles: Floats1, rates: Floats2) -> bool:
    """Angles [rad] of the thighs at a position [m, station frame], and their rates (3×3) [rad/m].

    False if no leg, or no leg with a rate, reaches there; then the results mean nothing.
    """
    across, up, out = position[1], position[2], position[0] + CENTRE
    for leg in range(3):
        cosine, sine = math.cos(LEG_ANGLES[leg]), math.sin(LEG_ANGLES[leg])
        u = cosine * across + sine * up - SHOULDER + WRIST
        v = -sine * across + cosine * up - SHOULDER_SIDE
        tilt = (v + SIDE) / SHIN
        if not -1.0 < tilt < 1.0:
            return False
        flat = math.sqrt(1.0 - tilt * tilt)
        length = 2.0 * KNEE + SHIN * flat
        distance = math.hypot(u, out)
        bend = (u * u + out * out + THIGH * THIGH - length * length) / (2.0 * THIGH * distance)
        if not -1.0 < bend < 1.0:
            return False
        angle = math.atan2(out, u) - math.acos(bend)
        along = u - THIGH * math.cos(angle)
        above = out - THIGH * math.sin(angle)
        lever = THIGH * (above * math.cos(angle) - along * math.sin(angle))
        if lever == 0.0:
            return False
        by_v = length * tilt / flat
        angles[leg] = angle
        rates[leg, 0] = above / lever
        rates[leg, 1] = (along * cosine - by_v * sine) / lever
        rates[leg, 2] = (along * sine + by_v * cosine) / lever
    return True


@kernel
def solve3(matrix: Floats, right: Floats, solution: Floats) -> bool:
    """Solve `matrix @ solution = right` by Cramer's rule; False if it cannot be solved. `right` may be `solution`."""
    a, b, c = matrix[0, 0], matrix[0, 1], matrix[0, 2]
    d, e, f = matrix[1, 0], matrix[1, 1], matrix[1, 2]
    g, h, i = matrix[2, 0], matrix[2, 1], matrix[2, 2]
    x, y, z = right[0], right[1], right[2]
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if determinant == 0.0 or not math.isfinite(determinant):
        return False
    solution[0] = (x * (e * i - f * h) + y * (c * h - b * i) + z * (b * f - c * e)) / determinant
    solution[1] = (x * (f * g - d * i) + y * (a * i - c * g) + z * (c * d - a * f)) / determinant
    solution[2] = (x * (d * h - e * g) + y * (b * g - a * h) + z * (a * e - b * d)) / determinant
    return True


@entry
def place(angles: Floats1, position: Floats1, work: Work) -> bool:
    """Find the position [m] at which the legs have these angles [rad]; begins at `position` and puts the result there.

    False, with the position as it was, if there is no such place.
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
def search(angles: Floats, position: Floats, work: Work) -> bool:
    """Newton's method from `position`; steps that leave the workspace or make it worse are halved."""
    rates, step, now, trial = work.rates, work.step, work.angles, work.trial
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


@entry
def force_to_words(position: Floats1, force: Floats1, scale: float, words: Floats1, work: Work) -> bool:
    """Motor words for a force [N] at a position [m]; `scale` is words per newton metre.

    Torques are those that do the same work as the force: ratesᵀ τ = F. What is too much is made less in all three
    together, so that the direction stays. False, with zeros, where the legs cannot be or the force is not finite.
    """
    rates, turned, angles = work.rates, work.step, work.angles
    words[0] = words[1] = words[2] = 0.0
    size = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)
    if not math.isfinite(size) or not leg_angles(position, angles, rates):
        return False
    for row in range(3):
        for column in range(row):
            rates[row, column], rates[column, row] = rates[column, row], rates[row, column]
    if not solve3(rates, force, turned):
        return False
    gain = -scale * min(1.0, MAX_FORCE / size) if size > 0.0 else 0.0
    largest = abs(gain) * max(abs(turned[0]), abs(turned[1]), abs(turned[2]))
    if largest > LARGEST_WORD:
        gain *= LARGEST_WORD / largest
    for leg in range(3):
        words[leg] = round(gain * turned[leg])
    return True


@entry(inline=True)
def words_to_force(rates: Floats2, words: Floats1, scale: float, force: Floats1) -> None:
    """Force [N] that motor words make where the legs have these rates [rad/m]: F = ratesᵀ τ."""
    for axis in range(3):
        total = 0.0
        for leg in range(3):
            total -= rates[leg, axis] * words[leg] / scale
        force[axis] = total


class FalconModel:
    """Where the grip is and what pushes it; all in the station's device frame.

    `words_per_newton_metre` is how much of a motor word makes a torque of 1 N·m at a thigh. The default is the number
    in libnifalcon; no measured one has been published, so forces in newtons are right only after a calibration.
    """

    def __init__(self, words_per_newton_metre: float = WORDS_PER_NEWTON_METRE) -> None:
        self.words_per_newton_metre = words_per_newton_metre
        self._near = np.zeros(3)  # where the last search ended [m]
        self._angles = np.zeros(3)
        self._words = np.zeros(3)
        self._work = Work()
        self.position_of_counts((0, 0, 0))  # compile or load now, not in the first tick
        self.words_for(np.zeros(3), np.zeros(3))

    def position_of_counts(self, counts: Sequence[float]) -> Floats | None:
        """Place of the grip [m] for three encoder counts; None if the mechanism cannot be so."""
        for leg in range(3):
            self._angles[leg] = ANGLE_AT_ZERO + COUNT * counts[leg]
        return self._near.copy() if place(self._angles, self._near, self._work) else None

    def position_of_angles(self, angles: Floats) -> Floats | None:
        """Place of the grip [m] for three leg angles [rad]; None if the mechanism cannot be so."""
        self._angles[:] = angles
        return self._near.copy() if place(self._angles, self._near, self._work) else None

    def angles(self, position: Floats) -> Floats | None:
        """Leg angles [rad] at a place [m]; None if it is out of reach."""
        result = np.zeros(3)
        return result if leg_angles(position, result, self._work.rates) else None

    def counts(self, position: Floats) -> Floats | None:
        """Encoder counts, not rounded, at a place [m]; None if it is out of reach."""
        angles = self.angles(position)
        return None if angles is None else (angles - ANGLE_AT_ZERO) / COUNT

    def rates(self, position: Floats) -> Floats | None:
        """3×3 [rad/m]: how the leg angles change with the place; its inverse is the jacobian of the mechanism."""
        result = np.zeros((3, 3))
        return result if leg_angles(position, self._angles, result) else None

    def words_for(self, position: Floats, force: Floats) -> tuple[int, int, int]:
        """Motor words that push with a force [N] at a place [m]; direction kept, zeros where it cannot be."""
        force_to_words(position, force, self.words_per_newton_metre, self._words, self._work)
        first, second, third = self._words
        return int(first), int(second), int(third)

    def force_of(self, position: Floats, words: Sequence[float]) -> Floats:
        """Force [N] that motor words make at a place [m]; zeros out of reach."""
        force = np.zeros(3)
        rates = self.rates(position)
        if rates is not None:
            words_to_force(rates, np.asarray(words, dtype=np.float64), self.words_per_newton_metre, force)
        return force
