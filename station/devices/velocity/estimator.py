"""`VelocityEstimator`: positions and their stamps in, six speeds out; a thin class over `velocity_tick`."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from station.devices.velocity.kernels import layout
from station.devices.velocity.kernels.history import forget
from station.devices.velocity.kernels.layout import Floats
from station.devices.velocity.kernels.tick import velocity_tick
from station.devices.velocity.settings import VelocitySettings, packed


class SampleUse(IntEnum):
    """What became of a sample."""

    USED = layout.USED
    FIRST = layout.FIRST  # nothing before it: speed 0
    DUPLICATE = layout.DUPLICATE  # same stamp as the one before: passed over, speed kept
    BACKWARDS = layout.BACKWARDS  # older than the one before: passed over, history dropped, speed 0
    AFTER_GAP = layout.AFTER_GAP  # too long after the one before: first of a new history, speed 0
    NOT_FINITE = layout.NOT_FINITE  # no number: passed over, speed kept


class VelocityEstimator:
    """Velocity of six axes from their positions.

    Positions must be continuous: a caller whose counter or angle wraps around unwraps it first. Stamps are those of
    the instant of measurement, best by the device's own clock, at any spacing.
    """

    def __init__(self, settings: VelocitySettings | None = None) -> None:
        self.settings = settings or VelocitySettings()
        self._packed = packed(self.settings)
        self._state = np.zeros(layout.STATE_SIZE)
        self._position = np.zeros(layout.AXES)
        self._velocity = np.zeros(layout.AXES)
        self.last_use = SampleUse.FIRST
        velocity_tick(self._state, self._packed, 0.0, self._position, self._velocity)  # compile or load now, not later
        self.reset()

    def update(self, time: float, position: Floats) -> Floats:
        """Take a sample: stamp [s], six positions [m | rad]; returns six speeds [m/s | rad/s].

        The array that is returned is the same every time and is overwritten by the next call.
        """
        self._position[:] = position
        use = velocity_tick(self._state, self._packed, float(time), self._position, self._velocity)
        self.last_use = _USES[use]
        return self._velocity

    @property
    def arrays(self) -> dict[str, Floats]:
        """What `velocity_tick` reads and writes, for loops that call it themselves."""
        return {
            "velocity_state": self._state,
            "velocity_settings": self._packed,
            "velocity": self._velocity,
        }

    def reset(self) -> None:
        """Forget all samples; the speed is 0 until two new ones are there."""
        forget(self._state)
        self._velocity[:] = 0.0

    @property
    def window_sizes(self) -> Floats:
        """How many samples the speed of each axis rests on."""
        return self._state[layout.USED_SAMPLES : layout.USED_SAMPLES + layout.AXES].copy()


_USES = tuple(sorted(SampleUse))
