"""The translation stage for estimates: places of the handle from counts, and how they change with every dimension.

Many places at once. From a bar of fixed length, bar·(dp - dc) = LB·dLB, follows how the handle moves when an elbow is
elsewhere or a bar is longer: three equations per place, no differences.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats
from station.devices.syntaxer import Syntaxer

NAMES = ("azimuth", "base_radius", "platform_radius", "arm", "bar", "zero", "ratio")  # of each chain, in this order
AZIMUTH, BASE, PLATFORM, ARM, BAR, ZERO, RATIO = range(len(NAMES))
COUNT = 3 * len(NAMES)


class Places(NamedTuple):
    """The translation stage at n sets of counts."""

    positions: Floats  # of the handle (n, 3) [m]
    angles: Floats  # of the arms (n, 3) [rad]
    bars: Floats  # from the elbows, moved inwards, to the handle (n, 3, 3), one row per chain [m]
    rates: Floats  # of the handle with the arms (n, 3, 3), one column per arm [m/rad]


def dimensions_of(geometry: Syntaxer) -> Floats:
    """All numbers that places depend on (3, 7), one row per chain [m, rad]."""
    return np.array([[getattr(chain, name) for name in NAMES] for chain in geometry.chains])


def names_of() -> list[str]:
    """Names of these numbers as in `station.devices.syntaxer.numbers_of`, in the order of the flattened array."""
    return [f"chains.{chain}.{name}" for chain in (1, 2, 3) for name in NAMES]


def turns_of(geometry: Syntaxer, counts: Floats) -> Floats:
    """Motor turns since home (n, 3) [rad]: what does not depend on anything to be estimated."""
    home = np.array(geometry.home[:3], dtype=np.float64)
    return np.asarray((counts[:, :3] - home) * (2.0 * np.pi / geometry.motor.counts))


def angles_of(dimensions: Floats, turns: Floats) -> Floats:
    """Arm angles (n, 3) [rad]."""
    return np.asarray(dimensions[:, ZERO] + turns / dimensions[:, RATIO])


def centres_of(dimensions: Floats, angles: Floats) -> tuple[Floats, Floats]:
    """Elbows, moved inwards by the radius of the platform (n, 3, 3) [m], and how they move with the arms [m/rad]."""
    sine, cosine = np.sin(dimensions[:, AZIMUTH]), np.cos(dimensions[:, AZIMUTH])
    arm = dimensions[:, ARM]
    out = dimensions[:, BASE] - dimensions[:, PLATFORM] + arm * np.cos(angles)
    inwards = -arm * np.sin(angles)
    centres = np.stack([arm * np.sin(angles), out * sine, out * cosine], axis=-1)
    return centres, np.stack([arm * np.cos(angles), inwards * sine, inwards * cosine], axis=-1)


def places_of(dimensions: Floats, turns: Floats) -> Places:
    """Where the handle is; a DataError if some counts belong to no place."""
    angles = angles_of(dimensions, turns)
    centres, swings = centres_of(dimensions, angles)
    bars = dimensions[:, BAR]
    a, b = centres[:, 1] - centres[:, 0], centres[:, 2] - centres[:, 0]
    half_a = 0.5 * (np.sum(a * a, axis=1) + bars[0] ** 2 - bars[1] ** 2)
    half_b = 0.5 * (np.sum(b * b, axis=1) + bars[0] ** 2 - bars[2] ** 2)
    normal = cross(b, a)
    squared = np.sum(normal * normal, axis=1)
    foot = (cross(normal, b) * half_a[:, None] + cross(a, normal) * half_b[:, None]) / squared[:, None]
    height = bars[0] ** 2 - np.sum(foot * foot, axis=1)
    if not bool((height > 0.0).all()):
        bad = int(np.argmin(np.where(np.isfinite(height), height, -np.inf)))
        raise DataError(f"observation {bad}: no place of the handle fits its counts; is it of this device?")
    positions = centres[:, 0] + foot + normal * np.sqrt(height / squared)[:, None]
    rods = positions[:, None, :] - centres
    drives = np.sum(rods * swings, axis=2)
    return Places(positions, angles, rods, inverse_of(rods) * drives[:, None, :])


def cross(a: Floats, b: Floats) -> Floats:
    """Cross products of vectors (n, 3): less than half the time of NumPy's, which asks for axes first."""
    x, y, z = a[:, 0], a[:, 1], a[:, 2]
    u, v, w = b[:, 0], b[:, 1], b[:, 2]
    out = np.empty_like(a)
    out[:, 0], out[:, 1], out[:, 2] = y * w - z * v, z * u - x * w, x * v - y * u
    return out


def inverse_of(rows: Floats) -> Floats:
    """Inverses of matrices (n, 3, 3), by cross products: many small ones, and each worth little by itself."""
    a, b, c = rows[:, 0], rows[:, 1], rows[:, 2]
    columns = np.stack([cross(b, c), cross(c, a), cross(a, b)], axis=-1)
    return np.asarray(columns / np.sum(a * columns[:, :, 0], axis=1)[:, None, None])


def place_slopes(dimensions: Floats, turns: Floats, at: Places) -> Floats:
    """How the handle moves with every dimension (n, 3, 21) [m/m, m/rad]."""
    count = len(turns)
    sine, cosine = np.sin(dimensions[:, AZIMUTH]), np.cos(dimensions[:, AZIMUTH])
    zero = np.zeros_like(at.angles)
    out = dimensions[:, BASE] - dimensions[:, PLATFORM] + dimensions[:, ARM] * np.cos(at.angles)
    outwards = np.stack([zero, zero + sine, zero + cosine], axis=-1)
    along = np.stack([np.sin(at.angles), np.cos(at.angles) * sine, np.cos(at.angles) * cosine], axis=-1)
    aside = np.stack([zero, out * cosine, -out * sine], axis=-1)
    swings = centres_of(dimensions, at.angles)[1]
    moves = np.zeros((count, 3, len(NAMES)))  # of the elbow, along the bar
    for number, move in ((AZIMUTH, aside), (BASE, outwards), (PLATFORM, -outwards), (ARM, along), (ZERO, swings)):
        moves[:, :, number] = np.sum(at.bars * move, axis=2)
    moves[:, :, BAR] = dimensions[:, BAR]
    moves[:, :, RATIO] = moves[:, :, ZERO] * (dimensions[:, ZERO] - at.angles) / dimensions[:, RATIO]
    slopes = (
        inverse_of(at.bars)[:, :, :, None] * moves[:, None, :, :]
    )  # along one bar, the others keeping their lengths
    return np.asarray(slopes.reshape(count, 3, COUNT))
