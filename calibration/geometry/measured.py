"""Measurements of a robot's tool, checked for what people get wrong."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats, Ints

LEAST = 4  # observations


@dataclass(frozen=True, kw_only=True)
class ToolMeasurements:
    """Encoder values and where the tool was, as somebody beside the robot measured it."""

    encoders: tuple[int, ...]  # links, in the order of the columns of `joints`
    joints: Floats  # n × encoders, as the controller tells them [rad | m]
    positions: Floats  # n × 3 [m]
    rotations: Floats | None = None  # n × 3 × 3; None: only positions were measured
    position_noise: float = 5e-5  # standard deviation per axis [m]
    rotation_noise: float = 2e-4  # standard deviation per axis [rad]

    def __post_init__(self) -> None:
        n = len(self.joints)
        if n < LEAST:
            raise DataError(f"{n} observations; at least {LEAST} are needed, and three times the parameters is usual")
        shapes: dict[str, tuple[int, ...]] = {"joints": (n, len(self.encoders)), "positions": (n, 3)}
        if self.rotations is not None:
            shapes["rotations"] = (n, 3, 3)
        for name, shape in shapes.items():
            values = getattr(self, name)
            if values.shape != shape:
                raise DataError(f"{name} has the shape {values.shape}; allowed: {shape}")
            if not np.isfinite(values).all():
                bad = int(np.argwhere(~np.isfinite(values))[0][0])
                raise DataError(f"{name} of observation {bad} are not finite numbers")
        if not (self.position_noise > 0.0 and self.rotation_noise > 0.0):
            raise DataError("noise is a positive standard deviation; nothing is measured without")
        if self.rotations is not None:
            square = self.rotations @ np.swapaxes(self.rotations, 1, 2)
            if np.abs(square - np.eye(3)).max() > 1e-3 or np.linalg.det(self.rotations).min() < 0.0:
                raise DataError("rotations are not rotation matrices")

    def hash(self) -> str:
        """Of everything that was measured."""
        digest = hashlib.sha256(repr((self.encoders, self.position_noise, self.rotation_noise)).encode())
        for values in (self.joints, self.positions, self.rotations):
            if values is not None:
                digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
        return digest.hexdigest()

    def some(self, which: Ints) -> ToolMeasurements:
        """Some of the observations."""
        return ToolMeasurements(
            encoders=self.encoders,
            joints=self.joints[which],
            positions=self.positions[which],
            rotations=None if self.rotations is None else self.rotations[which],
            position_noise=self.position_noise,
            rotation_noise=self.rotation_noise,
        )
