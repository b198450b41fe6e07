"""What a tool sensor told at rest, in many orientations, checked for what people get wrong."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats, Ints
from station.kernel.so3 import cross_matrix

GRAVITY = 9.80665  # [m/s²]
LEAST = 4  # orientations
LEVEL = 0.05  # spread of the direction of gravity, below which the tool was not turned


class Load(NamedTuple):
    """A weight whose mass and place are known."""

    mass: float  # [kg]
    place: tuple[float, float, float]  # of its centre in the frame of the tool [m]


NO_LOAD = Load(0.0, (0.0, 0.0, 0.0))


@dataclass(frozen=True, kw_only=True)
class ForceReadings:
    """Means over a stand in each orientation; wrenches are about the tool, in its frame."""

    turns: Floats  # n × 3 × 3, the tool in the world
    wrenches: Floats  # n × 6, as told [N, N·m]
    loads: tuple[Load, ...] = ()  # that were hung on the tool besides
    load_of: Ints | None = None  # n: number of the load in each orientation, -1: none; None: none at all
    told: Load = NO_LOAD  # the tool whose weight the controller has already taken away
    force_noise: float = 0.01  # standard deviation of the means, per axis [N]
    torque_noise: float = 0.001  # [N·m]

    def __post_init__(self) -> None:
        n = len(self.turns)
        if n < LEAST:
            raise DataError(f"{n} orientations; at least {LEAST} are needed, 10 to 20 are usual")
        for name, values, shape in (("turns", self.turns, (n, 3, 3)), ("wrenches", self.wrenches, (n, 6))):
            if values.shape != shape:
                raise DataError(f"{name} have the shape {values.shape}; allowed: {shape}")
            if not np.isfinite(values).all():
                raise DataError(f"{name} of observation {int(np.argwhere(~np.isfinite(values))[0][0])} are not finite")
        if np.abs(self.turns @ np.swapaxes(self.turns, 1, 2) - np.eye(3)).max() > 1e-6:
            raise DataError("turns are not rotation matrices")
        if not (self.force_noise > 0.0 and self.torque_noise > 0.0):
            raise DataError("noise is a positive standard deviation; nothing is measured without")
        if self.load_of is not None and not (self.load_of.min() >= -1 and self.load_of.max() < len(self.loads)):
            raise DataError(f"an observation names a load that is not there; there are {len(self.loads)}")
        spread = np.linalg.svd(self.down - self.down.mean(axis=0), compute_uv=False)
        if spread[1] < LEVEL * GRAVITY:
            raise DataError("the tool was hardly turned against gravity, or about one axis only; turn it about two")

    @property
    def down(self) -> Floats:
        """Gravity in the frame of the tool (n, 3) [m/s²]."""
        return np.asarray(-GRAVITY * self.turns[:, 2, :])

    @property
    def noise(self) -> Floats:
        """Standard deviations of the six numbers [N, N·m]."""
        return np.repeat([self.force_noise, self.torque_noise], 3)

    def known(self) -> tuple[Floats, Floats]:
        """Mass (n) [kg] and first moment (n, 3) [kg·m] of the known loads in each orientation."""
        masses, moments = np.zeros(len(self.turns)), np.zeros((len(self.turns), 3))
        for number, load in enumerate(self.loads):
            chosen = np.zeros(len(masses), dtype=bool) if self.load_of is None else self.load_of == number
            masses[chosen], moments[chosen] = load.mass, load.mass * np.array(load.place)
        return masses, moments

    def hash(self) -> str:
        """Of everything that was measured."""
        digest = hashlib.sha256(repr((self.loads, self.told, self.force_noise, self.torque_noise)).encode())
        for values in (self.turns, self.wrenches, self.load_of):
            if values is not None:
                digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
        return digest.hexdigest()


def weights(down: Floats, masses: Floats | float, moments: Floats) -> Floats:
    """Wrench (…, 6) of a mass [kg] with a first moment (…, 3) [kg·m] in a gravity (…, 3) [m/s²]."""
    force = np.asarray(masses)[..., None] * down
    return np.concatenate([force, np.cross(moments, down)], axis=-1)


def rates_of_weight(down: Floats) -> Floats:
    """How the wrench changes with mass and first moment (n, 6, 4)."""
    rates = np.zeros((len(down), 6, 4))
    rates[:, :3, 0] = down
    rates[:, 3:, 1:] = -cross_matrix(down)
    return rates
