"""A syntaxer that is not what its handshake says: seeded errors of the size that workshops and assembly leave.

The emulated firmware tells, and lives by, the nominal numbers; the plant behind it has these. So whoever calibrates an
emulator does what has to be done at hardware, and a test can hold the result against the truth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim_devices.syntaxer.plant import PlantNumbers
from station.devices.syntaxer import Syntaxer, geometry_from, numbers_of

DEGREE = float(np.pi / 180.0)
MOST = 2.0  # an error is at most so many of its standard deviations

# Standard deviations of what is added, by the end of the name.
ADDED = {
    "chains.*.azimuth": 0.15 * DEGREE,
    "chains.*.base_radius": 0.3e-3,  # [m]
    "chains.*.platform_radius": 0.2e-3,
    "chains.*.arm": 0.2e-3,
    "chains.*.bar": 0.2e-3,
    "chains.*.zero": 0.8 * DEGREE,
    "chains.*.arm_centre": 3e-3,
    "paramat.handle_centre.*": 1.5e-3,
    "platform_mass": 0.015,  # [kg]
    "balancer.*": 0.08,  # [N]
    "stops.motor_low": 0.05 * DEGREE,
    "stops.motor_high": 0.05 * DEGREE,
}
# Standard deviations of what is multiplied with 1 + error.
SCALED = {
    "chains.*.ratio": 0.002,
    "chains.*.motor_gain": 0.04,
    "chains.*.damping": 0.2,
    "paramat.struts.*.drum_radius": 0.01,
    "paramat.struts.*.spring": 0.05,
    "paramat.struts.*.motor_gain": 0.04,
}
NEUTRAL = 70e-6  # of a string paid out at the count that is told as neutral [m]
FRICTION = 0.2  # of dry friction, as a share
LEAN = 0.5 * DEGREE  # of the base plate, to the side and forwards: where gravity points in its frame
LAGS = (0.0002, 0.0006)  # of the current loops [s]


class Truth(NamedTuple):
    """What an emulated syntaxer really is."""

    geometry: Syntaxer
    numbers: PlantNumbers


def planted(nominal: Syntaxer, seed: int) -> Truth:
    """A device that is near the nominal one, always the same for a seed."""
    random = np.random.default_rng([0x5717, seed])

    def error(size: float) -> float:
        return size * float(np.clip(random.standard_normal(), -MOST, MOST))

    numbers = numbers_of(nominal)
    for names, size in ADDED.items():
        for name in _matching(names, numbers):
            numbers[name] += error(size)
    for names, size in SCALED.items():
        for name in _matching(names, numbers):
            numbers[name] *= 1.0 + error(size)
    for number, strut in enumerate(nominal.paramat.struts, start=1):
        per_count = 2.0 * np.pi * strut.drum_radius / (nominal.paramat.motor.counts * strut.ratio)
        numbers[f"home.{3 + number}"] += round(error(NEUTRAL) / per_count)
    shares = (1.0 + error(FRICTION), 1.0 + error(FRICTION), 1.0 + error(FRICTION))
    lag = float(random.uniform(*LAGS))
    x, y, z = nominal.gravity
    down, across = np.array([x, y, z]), np.array([error(LEAN), error(LEAN), 0.0])
    leaning = down + float(np.linalg.norm(down)) * across
    leaning *= np.linalg.norm(down) / np.linalg.norm(leaning)
    numbers |= {f"gravity.{axis + 1}": float(leaning[axis]) for axis in range(3)}
    return Truth(geometry_from(numbers, nominal), PlantNumbers(friction_shares=shares, current_lag=lag))


def _matching(pattern: str, numbers: dict[str, float | int]) -> list[str]:
    """Names that fit, a star standing for one part of a name."""
    wanted = pattern.split(".")
    return [
        name
        for name in numbers
        if len(name.split(".")) == len(wanted)
        and all(part in ("*", own) for part, own in zip(wanted, name.split("."), strict=True))
    ]
