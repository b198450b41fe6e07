"""Neutral and gains of the rotation stage (PARAMAT), from rotations that an instrument or wedges of a jig give.

Told: how much string a count is (radius of the drum) and the count of the neutral length, of each string. If nobody
knows how the instrument is turned, that is estimated too; it looks nearly like three wrong neutrals, and where the data
cannot tell them apart the neutrals keep their nominal values.
"""

from __future__ import annotations

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats, Ints, Parameter, Rows
from calibration.syntaxer.measured import Measured
from station.devices.syntaxer import Syntaxer
from station.kernel.so3 import right_rate, rotation

FEWEST = 5  # rotations
LEAST_TURN = 0.03  # that the plate has to be turned by somewhere [rad]


class PlateModel:
    """Lengths of the strings at known rotations."""

    def __init__(self, nominal: Syntaxer, data: Measured, stand: Floats | None = None) -> None:
        """Take measurements.

        Args:
            nominal: the device as it is said to be.
            data: counts and rotations.
            stand: how the instrument sees the device turned (3, 3), if the data are of an instrument.
        """
        if len(data.counts) < FEWEST:
            raise DataError(f"{len(data.counts)} rotations; at least {FEWEST} are needed")
        self.data = data
        turned = rotation(data.turns)
        self.turned = turned if stand is None else stand.T @ turned
        struts = nominal.paramat.struts
        home = np.array(nominal.home[3:], dtype=np.float64)
        per_radius = [2.0 * np.pi / (nominal.paramat.motor.counts * strut.ratio) for strut in struts]
        self.wound = (data.counts[:, 3:] - home) * np.array(per_radius)  # turns of the drums [rad]
        if float(np.ptp(self.wound * [strut.drum_radius for strut in struts], axis=0).max()) < 0.03 * LEAST_TURN:
            raise DataError("the plate was never turned; its gains cannot be told")
        self.anchors = np.array([strut.anchor for strut in struts])
        self.points = np.array([strut.point for strut in struts])
        self.neutral = np.array([strut.neutral for strut in struts])
        slopes = self._lengths(self.turned)[1]
        step = np.array([per * strut.drum_radius for per, strut in zip(per_radius, struts, strict=True)])
        covariance = data.floor[1] ** 2 * slopes @ np.swapaxes(slopes, 1, 2) + np.diag(step**2 / 12.0)
        self._whiten = np.linalg.inv(np.linalg.cholesky(covariance))
        radii = [
            Parameter(name=f"string {n} drum radius", unit="m", nominal=strut.drum_radius, typical=1e-4, keep=0)
            for n, strut in enumerate(struts, start=1)
        ]
        neutrals = [
            Parameter(name=f"string {n} neutral", unit="m", nominal=0.0, typical=2e-4, keep=1) for n in (1, 2, 3)
        ]
        turns = [Parameter(name=f"plate on the instrument r{a}", unit="rad", nominal=0.0, typical=2e-2) for a in "xyz"]
        self._parameters = (*radii, *neutrals, *(turns if data.stand else ()))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Radii of the drums; string paid out at the home counts beyond neutral; how the instrument is turned."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Rotations."""
        return len(self.wound)

    def _lengths(self, turned: Floats) -> tuple[Floats, Floats]:
        """Lengths of the strings (n, 3) [m] and their rates per rotation about fixed axes (n, 3, 3) [m/rad]."""
        points = np.einsum("nij,kj->nki", turned, self.points)
        lines = points - self.anchors
        lengths = np.linalg.norm(lines, axis=2)
        return lengths, np.cross(points, lines) / lengths[:, :, None]

    def length_errors(self, values: Floats, which: Ints) -> Floats:
        """Lengths by rotation less lengths by counts (n, 3) [m]."""
        return self._compared(values, which)[0]

    def _compared(self, values: Floats, which: Ints) -> tuple[Floats, Floats]:
        turned = self.turned[which]
        if self.data.stand:
            turned = rotation(-values[6:9]) @ turned
        lengths, slopes = self._lengths(turned)
        return np.asarray(lengths - self.neutral - values[3:6] - values[:3] * self.wound[which]), slopes

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Lengths by rotation against lengths by counts."""
        vector = -values[6:9]
        residuals, slopes = self._compared(values, which)
        jacobian = np.zeros((len(which), 3, len(self._parameters)))
        string = np.arange(3)
        jacobian[:, string, string] = -self.wound[which]
        jacobian[:, string, 3 + string] = -1.0
        if self.data.stand:
            jacobian[:, :, 6:] = -slopes @ rotation(vector) @ np.linalg.inv(right_rate(vector))
        whiten = self._whiten[which]
        return Rows(np.einsum("nij,nj->ni", whiten, residuals), whiten @ jacobian)

    def numbers(self, nominal: Syntaxer, values: Floats) -> dict[str, float | int]:
        """Of the geometry, by name; neutrals as the nearest home counts."""
        found: dict[str, float | int] = {}
        for number, strut in enumerate(nominal.paramat.struts):
            per_count = 2.0 * np.pi * float(values[number]) / (nominal.paramat.motor.counts * strut.ratio)
            found[f"paramat.struts.{number + 1}.drum_radius"] = float(values[number])
            found[f"home.{number + 4}"] = nominal.home[number + 3] - round(float(values[3 + number]) / per_count)
        return found
