"""What was measured at places: counts of the device, and where an instrument or a jig says that the handle is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from calibration.errors import DataError, UnitsError
from calibration.parameters import Floats

LONGEST = 10.0  # from whoever measures to the handle [m]
SMALLEST = 0.02  # span of places that tells anything [m]
LEAST = 1e-9  # standard deviation of an instrument that is said to have none [m, rad]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Counts and places, one row each; a DataError if they cannot be what they are said to be."""

    counts: Floats  # of the six encoders (n, 6)
    positions: Floats  # of the handle, for the instrument or the jig (n, 3) [m]
    turns: Floats  # of the handle, rotation vectors (n, 3) [rad]
    noise: float  # standard deviation of positions, per axis [m]
    turn_noise: float  # of rotations, per axis [rad]
    stand: bool  # whether nobody knows where the instrument stands; a jig on the plate of the device stands where it is

    def __post_init__(self) -> None:
        count = len(self.counts)
        for name, width in (("counts", 6), ("positions", 3), ("turns", 3)):
            values = getattr(self, name)
            if values.shape != (count, width):
                raise DataError(f"{name} are {count} × {width} numbers, not {' × '.join(map(str, values.shape))}")
            if not np.isfinite(values).all():
                raise DataError(
                    f"{name} of observation {int(np.argmin(np.isfinite(values).all(axis=1)))} are not finite"
                )
        for name in ("noise", "turn_noise"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise DataError(f"{name} is {getattr(self, name)}; it is a standard deviation in metres or radians")
        self._check_units()

    def _check_units(self) -> None:
        if not len(self.counts):
            return
        furthest = float(np.abs(self.positions).max())
        if furthest > LONGEST:
            raise UnitsError(f"a place is {furthest:.4g} m away: millimetres for metres")
        sharpest = float(np.linalg.norm(self.turns, axis=1).max())
        if sharpest > 2.0 * np.pi:
            raise UnitsError(f"the handle is turned by {sharpest:.4g} rad: degrees for radians")

    @property
    def floor(self) -> tuple[float, float]:
        """Standard deviations that an estimate can divide by [m, rad]."""
        return max(self.noise, LEAST), max(self.turn_noise, LEAST)

    def hash(self) -> str:
        """Of what was measured."""
        digest = hashlib.sha256()
        for values in (self.counts, self.positions, self.turns):
            digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
        return digest.hexdigest()


def check_size(measured: Floats, nominal: Floats) -> None:
    """Refuse places that lie all together, or span a thousand times or a thousandth of what the counts say."""
    spans = [float(np.linalg.norm(values - values.mean(axis=0), axis=1).max()) for values in (measured, nominal)]
    if spans[1] < SMALLEST:
        raise DataError(f"all places lie within {1e3 * spans[1]:.1f} mm; measure all over the workspace")
    factor = spans[0] / spans[1]
    if factor > 100.0:
        raise UnitsError(f"places span {factor:.3g} times what the counts say: millimetres for metres")
    if factor < 0.01:
        raise UnitsError(f"places span {factor:.3g} of what the counts say: metres were taken for millimetres")
