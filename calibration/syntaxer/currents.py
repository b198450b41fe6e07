"""Currents of drives that slide: linear in everything unknown, over the motor gain of each drive.

Weight is the one thing that is not: what hangs down does so along gravity, and where that points in the frame of the
device may be unknown too. Two last parameters then lean gravity over; efforts are linear in its direction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.parameters import Floats, Ints, Parameter, Rows

DRIVES = 3
LEANS = 2


class Asked(NamedTuple):
    """Effort that is asked of each drive, per parameter (n, 3, k) and without any (n, 3)."""

    columns: Floats
    constant: Floats


class Gravity(NamedTuple):
    """Gravity whose direction is unknown: of known size, leaning from where it is said to point."""

    size: float  # [m/s²]
    axes: Floats  # where it is said to point, and two ways across (3, 3), one row each

    @classmethod
    def nominally(cls, vector: Floats) -> Gravity:
        """As it is said to be [m/s²]."""
        size = float(np.linalg.norm(vector))
        down = vector / size
        across = np.cross(np.eye(3)[int(np.argmin(np.abs(down)))], down)
        across /= np.linalg.norm(across)
        return cls(size, np.stack([down, across, np.cross(down, across)]))

    def leaning(self, leans: Floats) -> Floats:
        """The vector for two leans, each a share of its size across [m/s²]."""
        down = np.sqrt(max(1.0 - float(leans @ leans), 0.0))
        return np.asarray(self.size * (down * self.axes[0] + leans @ self.axes[1:]))

    def slopes(self, leans: Floats) -> Floats:
        """How it changes with them (2, 3) [m/s²]."""
        down = np.sqrt(max(1.0 - float(leans @ leans), 1e-12))
        return np.asarray(self.size * (self.axes[1:] - np.outer(leans / down, self.axes[0])))


class CurrentsModel:
    """Intervals in which a drive slid; the first three parameters are the motor gains."""

    def __init__(
        self,
        parameters: tuple[Parameter, ...],
        per_ampere: Floats,
        asked: Asked,
        currents: Floats,
        ways: Floats,
        noise: float,
        hanging: tuple[Gravity, list[Asked]] | None = None,
    ) -> None:
        """Take intervals.

        Args:
            parameters: motor gains, then whatever the columns are of, then two leans of gravity if it is unknown.
            per_ampere: nominal effort of each drive per ampere (3,) [N·m/A | N/A].
            asked: effort that does not depend on gravity, or all of it if gravity is known.
            currents: measured (n, 3) [A].
            ways: of each drive, 0 where friction may have held it (n, 3).
            noise: standard deviation of a current of one interval [A].
            hanging: gravity, and effort more per m/s² of it along x, y, z.
        """
        sliding = ways != 0.0
        self._parameters, self.per_ampere, self.noise = parameters, per_ampere, noise
        self._columns, self._constant = asked.columns[sliding], asked.constant[sliding]
        self.gravity: Gravity | None = None
        if hanging is not None:
            self.gravity, along = hanging
            self._hanging = np.stack([one.columns[sliding] for one in along])
            self._hanging_constant = np.stack([one.constant[sliding] for one in along])
        self.currents = currents[sliding]
        self._drives: Ints = np.nonzero(sliding)[1]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Motor gains first."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Drives that slid, in all intervals."""
        return len(self.currents)

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Predicted currents against measured ones."""
        drives = self._drives[which]
        per_ampere = self.per_ampere[drives] * values[drives]
        linear = values[DRIVES:] if self.gravity is None else values[DRIVES:-LEANS]
        columns, effort = self._columns[which], self._constant[which]
        jacobian = np.zeros((len(which), 1, len(self._parameters)))
        if self.gravity is not None:
            vector, slopes = self.gravity.leaning(values[-LEANS:]), self.gravity.slopes(values[-LEANS:])
            hanging = self._hanging[:, which]
            columns = columns + np.tensordot(vector, hanging, 1)
            along = hanging @ linear + self._hanging_constant[:, which]  # effort per m/s² (3, n)
            effort = effort + vector @ self._hanging_constant[:, which]
            jacobian[:, 0, -LEANS:] = (slopes @ along).T / per_ampere[:, None]
        currents = (columns @ linear + effort) / per_ampere
        jacobian[np.arange(len(which)), 0, drives] = -currents / values[drives]
        jacobian[:, 0, DRIVES : DRIVES + len(linear)] = columns / per_ampere[:, None]
        return Rows((currents - self.currents[which])[:, None] / self.noise, jacobian / self.noise)
