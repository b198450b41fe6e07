"""`Hand`: a person's arm at a handle, following a script."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


class Hand:
    """An arm as mass, spring and damper; time is told to it and only goes forward."""

    def __init__(
        self, script: str, seed: int = 0, *, buttons: Sequence[str] = ("deadman", "index", "left", "right")
    ) -> None:
        """Read a script; `buttons` are the names of those of the device, in the order of their bits."""

    def wrench(self, now: float, position: ArrayLike, rotation_vector: ArrayLike, velocity: ArrayLike) -> Floats:
        """Wrench on the handle [N, N·m], device frame, to be held until the next call.

        `now` [s] since the start; the handle's place [m], rotation vector [rad] and twist [m/s, rad/s], device frame.
        """
        return np.zeros(6)

    def force(self, position: ArrayLike, velocity: ArrayLike, now: float) -> Floats:
        """The same for a device of three axes [N]."""
        return np.zeros(3)

    def buttons(self, now: float) -> int:
        """Buttons that are down, bit i for button i."""
        return 0

    def grip(self, now: float) -> float:
        """How tight the hand holds, 0 open to 1 tight."""
        return 0.0

    @property
    def duration(self) -> float:
        """How long the script takes [s]; infinite if it begins again."""
        return 0.0
