"""Touch points: joint values at which the tool touched a plane or a ball of unknown place, checked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats, Ints

PLANE, SPHERE = "plane", "sphere"
LEAST = {PLANE: 6, SPHERE: 8}  # touches of one surface


class Surface(NamedTuple):
    """Something that is touched."""

    name: str
    kind: str = PLANE
    radius: float | None = None  # of a ball, that of a ball at the tool's tip added [m]; None: not known


@dataclass(frozen=True, kw_only=True)
class TouchMeasurements:
    """Encoder values while the tool touched something."""

    encoders: tuple[int, ...]  # links, in the order of the columns of `joints`
    joints: Floats  # n × encoders, as the controller tells them [rad | m]
    surfaces: tuple[Surface, ...]
    touched: Ints  # n: which surface
    noise: float = 2e-5  # of the touch along the normal, standard deviation [m]

    def __post_init__(self) -> None:
        n = len(self.joints)
        if self.joints.shape != (n, len(self.encoders)) or self.touched.shape != (n,):
            raise DataError(f"joints have the shape {self.joints.shape}; allowed: ({n}, {len(self.encoders)})")
        if not np.isfinite(self.joints).all():
            bad = int(np.argwhere(~np.isfinite(self.joints))[0][0])
            raise DataError(f"joints of observation {bad} are not finite numbers")
        if not self.noise > 0.0:
            raise DataError("noise is a positive standard deviation; nothing is measured without")
        if not self.surfaces or not np.isin(self.touched, np.arange(len(self.surfaces))).all():
            raise DataError("every touch needs one of the surfaces; at least one surface is needed")
        for number, surface in enumerate(self.surfaces):
            if surface.kind not in LEAST:
                raise DataError(f"surface {surface.name} is a {surface.kind!r}; allowed: {', '.join(LEAST)}")
            if surface.radius is not None and not surface.radius > 0.0:
                raise DataError(f"surface {surface.name} has a radius of {surface.radius:g} m; allowed: more than 0")
            count, least = int((self.touched == number).sum()), LEAST[surface.kind]
            if count < least:
                raise DataError(f"{count} touches of {surface.name}; at least {least} are needed, far apart")

    def hash(self) -> str:
        """Of everything that was measured."""
        digest = hashlib.sha256(repr((self.encoders, self.surfaces, self.noise)).encode())
        digest.update(np.ascontiguousarray(self.joints, dtype="<f8").tobytes())
        digest.update(np.ascontiguousarray(self.touched, dtype="<i8").tobytes())
        return digest.hexdigest()
