"""Currents of drives that slide: linear in everything unknown, over the motor gain of each drive."""

from __future__ import annotations

import numpy as np

from calibration.parameters import Floats, Ints, Parameter, Rows

DRIVES = 3


class CurrentsModel:
    """Intervals in which a drive slid; the first three parameters are the motor gains."""

    def __init__(
        self,
        parameters: tuple[Parameter, ...],
        per_ampere: Floats,
        asked: tuple[Floats, Floats],
        currents: Floats,
        ways: Floats,
        noise: float,
    ) -> None:
        """Take intervals.

        Args:
            parameters: motor gains, then whatever the columns are of.
            per_ampere: nominal effort of each drive per ampere (3,) [N·m/A | N/A].
            asked: effort that is asked of each drive, per parameter (n, 3, k) and without any (n, 3).
            currents: measured (n, 3) [A].
            ways: of each drive, 0 where friction may have held it (n, 3).
            noise: standard deviation of a current of one interval [A].
        """
        sliding = ways != 0.0
        self._parameters, self.per_ampere, self.noise = parameters, per_ampere, noise
        self._columns, self._constant = asked[0][sliding], asked[1][sliding]
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
        currents = (self._columns[which] @ values[DRIVES:] + self._constant[which]) / per_ampere
        jacobian = np.zeros((len(which), 1, len(self._parameters)))
        jacobian[np.arange(len(which)), 0, drives] = -currents / values[drives]
        jacobian[:, 0, DRIVES:] = self._columns[which] / per_ampere[:, None]
        return Rows((currents - self.currents[which])[:, None] / self.noise, jacobian / self.noise)
