"""`velocity_tick`: one sample in, six speeds out."""

from __future__ import annotations

from station.devices.velocity.kernels.cache import kernel
from station.devices.velocity.kernels.fits import adaptive, difference, least_squares, lowpass
from station.devices.velocity.kernels.history import accept
from station.devices.velocity.kernels.layout import (
    AXES,
    BEST_FIT,
    COUNT,
    DIFFERENCE,
    LARGEST,
    LEAST_SQUARES,
    LOWPASS,
    METHOD,
    SPEED,
    USED,
    Floats,
)


@kernel
def velocity_tick(state: Floats, settings: Floats, time: float, position: Floats, velocity: Floats) -> int:
    """Take a sample stamped `time` [s]; write the speeds [m/s | rad/s]; returns what became of the sample."""
    result = accept(state, settings, time, position)
    if result == USED and state[COUNT] >= 2.0:
        for i in range(AXES):
            state[SPEED + i] = bounded(slope_of(state, settings, i), settings[LARGEST + i])
    for i in range(AXES):
        velocity[i] = state[SPEED + i]
    return result


@kernel
def slope_of(state: Floats, settings: Floats, axis: int) -> float:
    """Speed of an axis by the chosen method [m/s | rad/s]."""
    method = int(settings[METHOD])
    if method == DIFFERENCE:
        return difference(state, axis)
    if method == LOWPASS:
        return lowpass(state, settings, axis)
    if method == LEAST_SQUARES:
        return least_squares(state, settings, axis)
    return adaptive(state, settings, axis, method == BEST_FIT)


@kernel
def bounded(speed: float, largest: float) -> float:
    """Within ±largest; 0 for what is not a number."""
    if speed >= 0.0:
        return min(speed, largest)
    return max(speed, -largest) if speed < 0.0 else 0.0
