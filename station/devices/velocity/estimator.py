"""`velocity_tick` and `VelocityEstimator`: positions and their stamps in, six speeds out."""

from __future__ import annotations

import numpy as np

from station.devices.velocity.history import (
    SampleUse,
    VelocityState,
    accept,
    adaptive,
    difference,
    forget,
    least_squares,
    lowpass,
)
from station.devices.velocity.settings import AXES, Fit, VelocityNumbers, VelocitySettings, numbers_of
from station.kernel import Floats, Floats1, Ints, entry, kernel


@entry
def velocity_tick(state: VelocityState, numbers: VelocityNumbers, time: float, position: Floats1) -> int:
    """Take a sample stamped `time` [s]: six positions [m | rad]; returns what became of it, as `SampleUse`.

    The speeds are `state.speed` then.
    """
    result = accept(state, numbers, time, position)
    if result == SampleUse.USED and state.count >= 2:
        for i in range(AXES):
            state.speed[i] = bounded(slope_of(state, numbers, i), numbers.largest[i])
    return result


@kernel
def slope_of(state: VelocityState, numbers: VelocityNumbers, axis: int) -> float:
    """Speed of an axis by the chosen method [m/s | rad/s]."""
    if numbers.fit == Fit.DIFFERENCE:
        return difference(state, axis)
    if numbers.fit == Fit.LOWPASS:
        return lowpass(state, numbers, axis)
    if numbers.fit == Fit.LEAST_SQUARES:
        return least_squares(state, numbers, axis)
    return adaptive(state, numbers, axis, numbers.fit == Fit.BEST_FIT)


@kernel
def bounded(speed: float, largest: float) -> float:
    """Within ±largest; 0 for what is not a number."""
    if speed >= 0.0:
        return min(speed, largest)
    return max(speed, -largest) if speed < 0.0 else 0.0


class VelocityEstimator:
    """Velocity of six axes from their positions.

    Positions must be continuous: a caller whose counter or angle wraps around unwraps it first. Stamps are those of
    the instant of measurement, best by the device's own clock, at any spacing. Loops that are compiled call
    `velocity_tick` with `state` and `numbers` themselves.
    """

    def __init__(self, settings: VelocitySettings | None = None) -> None:
        self.settings = settings or VelocitySettings()
        self.numbers = numbers_of(self.settings)
        self.state = VelocityState()
        self._position = np.zeros(AXES)
        self._speed = self.state.speed.view()
        self._speed.flags.writeable = False
        self.last_use = SampleUse.FIRST
        velocity_tick(self.state, self.numbers, 0.0, self._position)  # compile or load now, not later
        self.reset()

    def update(self, time: float, position: Floats) -> Floats:
        """Take a sample: stamp [s], six positions [m | rad]; returns six speeds [m/s | rad/s].

        The array that is returned is the same every time and is overwritten by the next call.
        """
        self._position[:] = position
        self.last_use = SampleUse(velocity_tick(self.state, self.numbers, float(time), self._position))
        return self._speed

    def reset(self) -> None:
        """Forget all samples; the speed is 0 until two new ones are there."""
        forget(self.state)

    @property
    def window_sizes(self) -> Ints:
        """How many samples the speed of each axis rests on."""
        return self.state.samples.copy()
