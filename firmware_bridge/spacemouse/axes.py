"""From the counts of a cap to a deflection in the frame of the station: x to the operator, y to the right, z up.

Makers count along other axes and with other signs; every table below says in which, and gives for each axis of the
station the place and the sign of the maker's axis. Rotations follow the same table as translations: all these frames
are right-handed in the end (spacenavd's is not, and its sign of the rotation about its z axis makes up for that).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from station.devices.device import Floats
from station.devices.software.deflection import TRAVEL, TURN


class NativeAxes(NamedTuple):
    """How a maker counts: station axis i is `signs[i]` times the maker's axis `places[i]`."""

    places: tuple[int, int, int]
    signs: tuple[int, int, int]
    full: float  # counts at full deflection
    full_turn: float  # counts at full rotation

    def deflection(self, counts: Sequence[float]) -> Floats:
        """Six counts → six deflections [m | rad]; beyond full deflection there is nothing."""
        result = np.zeros(6)
        for axis, (place, sign) in enumerate(zip(self.places, self.signs, strict=True)):
            result[axis] = TRAVEL * _share(sign * counts[place] / self.full)
            result[axis + 3] = TURN * _share(sign * counts[place + 3] / self.full_turn)
        return result

    def counts(self, shares: Sequence[float]) -> tuple[int, int, int, int, int, int]:
        """Six deflections in the station's frame, each from -1 to 1 → counts: what an emulator sends."""
        result = [0] * 6
        for axis, (place, sign) in enumerate(zip(self.places, self.signs, strict=True)):
            result[place] = round(sign * _share(shares[axis]) * self.full)
            result[place + 3] = round(sign * _share(shares[axis + 3]) * self.full_turn)
        return result[0], result[1], result[2], result[3], result[4], result[5]

    def scaled(self, full: float, full_turn: float) -> NativeAxes:
        """The same axes with other counts at full deflection."""
        return self._replace(full=full, full_turn=full_turn)


# Magellan: x right, y up, z to the operator. Its makers state 370 to 440 counts, Linux takes 360 as the end.
MAGELLAN = NativeAxes((2, 0, 1), (1, 1, 1), 400.0, 400.0)
# Spaceball and spacenavd: x right, y up, z away from the operator; rotation about z counted the other way round too.
SPACEBALL = NativeAxes((2, 0, 1), (-1, 1, 1), 8000.0, 1600.0)
SPACENAVD = NativeAxes((2, 0, 1), (-1, 1, 1), 350.0, 350.0)
# USB, as the HID standard has it: x right, y to the operator, z down.
USB = NativeAxes((1, 0, 2), (1, 1, -1), 350.0, 350.0)


def _share(value: float) -> float:
    return min(max(value, -1.0), 1.0)
