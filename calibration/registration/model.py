"""A work-piece near a guess of its place, as a model to fit: tips of touches must lie on its features.

Rows are distances. A touch of a plane, a hole or a ball is one row, of an edge two, of a point three; each is an
observation of its own, and `touch_of` says of which touch.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from calibration.errors import DataError, UnitsError
from calibration.hand_eye.refine import small_pose, spin_rate
from calibration.parameters import Floats, Ints, Parameter, Rows
from calibration.registration.features import ROWS, Piece
from station.kernel.so3 import cross_matrix, rotation

AXES = ("x", "y", "z", "rx", "ry", "rz")
SHARPEST, BLUNTEST = 1e-4, 0.2  # radius of a tip that is round, and that anybody would touch with [m]
TYPICAL, TYPICAL_TURN, TYPICAL_TIP = 0.01, 0.1, 1e-3  # [m], [rad], [m]


def check_tip(radius: float) -> None:
    """A UnitsError for the radius of a tip that nobody touches with [m]; 0 is a sharp one."""
    if 0.0 < radius < SHARPEST:
        raise UnitsError(
            f"a tip of {1e3 * radius:g} mm radius: metres given for millimetres, {1e6 * radius:g} mm meant; "
            "0 if it is sharp"
        )
    if radius > BLUNTEST:
        raise UnitsError(f"a tip of {1e3 * radius:g} mm radius: {radius:g} mm meant, a factor of 1000 too large")


@dataclass(frozen=True, kw_only=True)
class Touches:
    """Points at which the centre of a round tip was, and what it touched."""

    points: Floats  # n × 3, in the world [m]
    features: tuple[str, ...]  # n names
    tip: float = 0.0  # radius of the tip [m]
    noise: float = 2e-5  # standard deviation per axis [m]

    def __post_init__(self) -> None:
        if self.points.shape != (len(self.features), 3):
            raise DataError(f"points have the shape {self.points.shape}; allowed: ({len(self.features)}, 3)")
        if not np.isfinite(self.points).all():
            raise DataError(f"touch {int(np.argwhere(~np.isfinite(self.points))[0][0])} is not finite")
        if not (0.0 < self.noise < np.inf and 0.0 <= self.tip < np.inf):
            raise DataError("noise is a positive standard deviation, the radius of a tip is not negative")
        check_tip(self.tip)

    def hash(self) -> str:
        """Of everything that was measured."""
        digest = hashlib.sha256(repr((self.features, self.tip, self.noise)).encode())
        digest.update(np.ascontiguousarray(self.points, dtype="<f8").tobytes())
        return digest.hexdigest()


class RegistrationModel:
    """Touches of a work-piece."""

    def __init__(self, piece: Piece, touches: Touches, guess: Floats, *, find_tip: bool = False) -> None:
        """Take touches.

        Args:
            piece: what was touched.
            touches: where.
            guess: about where the work-piece is (4, 4) [m].
            find_tip: the radius of the tip is to be estimated too.
        """
        unknown = [name for name in touches.features if name not in piece.features]
        if unknown:
            raise DataError(f"{piece.name} has no feature {unknown[0]!r}; there are: {', '.join(piece.features)}")
        self.piece, self.touches, self.guess, self.find_tip = piece, touches, guess, find_tip
        counts = [ROWS[piece.features[name].kind] for name in touches.features]
        self.touch_of: Ints = np.repeat(np.arange(len(counts)), counts)
        self._row = np.concatenate([np.arange(count) for count in counts]) if counts else np.zeros(0, dtype=np.int64)
        self._parameters = tuple(
            Parameter(
                name=f"place {axis}",
                unit="rad" if axis.startswith("r") else "m",
                nominal=0.0,
                typical=TYPICAL_TURN if axis.startswith("r") else TYPICAL,
            )
            for axis in AXES
        )
        if find_tip:
            radius = Parameter(name="tip radius", unit="m", nominal=touches.tip, typical=TYPICAL_TIP, keep=1)
            self._parameters = (*self._parameters, radius)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """A small motion of the work-piece along and about its own axes, and the tip."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Rows."""
        return len(self.touch_of)

    def pose(self, values: Floats) -> Floats:
        """Where the work-piece is (4, 4) [m]."""
        return np.asarray(self.guess @ small_pose(values[:6]))

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Distances of tips from features over the noise."""
        pose = self.pose(values)
        local = (self.touches.points - pose[:3, 3]) @ pose[:3, :3]
        tip = float(values[6]) if self.find_tip else self.touches.tip
        along, spin = rotation(values[3:6]).T, spin_rate(values[3:6])
        distance = np.zeros(self.observations)
        jacobian = np.zeros((self.observations, len(values)))
        for name in dict.fromkeys(self.touches.features):
            feature = self.piece.features[name]
            chosen = np.array([one == name for one in self.touches.features])
            found = feature.distances(local[chosen], tip)
            here = np.flatnonzero(chosen[self.touch_of])
            distance[here] = found.values.ravel()
            moved = np.concatenate(
                [np.broadcast_to(-along, (int(chosen.sum()), 3, 3)), cross_matrix(local[chosen]) @ spin], axis=2
            )
            jacobian[here, :6] = (found.slopes @ moved).reshape(-1, 6)
            if self.find_tip:
                jacobian[here, 6] = found.per_radius
        noise = self.touches.noise
        return Rows(distance[which, None] / noise, jacobian[which, None, :] / noise)
