"""Dead zone and response curve of incremental axes."""

from __future__ import annotations

from station.devices.mapping.kernels.cache import kernel
from station.devices.mapping.kernels.layout import (
    AT_REST,
    BLEND,
    DEAD_ZONE,
    EXPONENT,
    HIGH,
    INCREMENTAL,
    KIND,
    LOW,
    MIDDLE,
    RATE_ARMED,
    Floats,
)


@kernel
def deflection(settings: Floats, axis: int, value: float) -> float:
    """Part of the travel, -1 to 1, at which an axis with `value` [m | rad] stands; 0 for other kinds of axes."""
    if int(settings[KIND + axis]) != INCREMENTAL:
        return 0.0
    value -= settings[MIDDLE + axis]
    end = settings[HIGH + axis] if value > 0.0 else -settings[LOW + axis]
    if end <= 0.0:
        return 0.0
    return float(max(-1.0, min(1.0, value / end)))


@kernel
def response(settings: Floats, part: float) -> float:
    """Part of the full rate, -1 to 1, for a part of the travel: continuous, odd, growing; 0 in the dead zone."""
    zone, size = settings[DEAD_ZONE], min(abs(part), 1.0)
    if size <= zone:
        return 0.0
    x = (size - zone) / (1.0 - zone)
    y = (1.0 - settings[BLEND]) * x + settings[BLEND] * x ** settings[EXPONENT]
    return float(y) if part > 0.0 else -float(y)


@kernel
def wanted_rate(state: Floats, settings: Floats, axis: int, value: float) -> float:
    """Part of the full rate that an axis asks for; nothing until it has been at rest once since engaging.

    Without that, to engage with a twisted handle would set the robot off at once.
    """
    part = deflection(settings, axis, value)
    if abs(part) <= max(settings[DEAD_ZONE], AT_REST):
        state[RATE_ARMED + axis] = 1.0
    return response(settings, part) if state[RATE_ARMED + axis] == 1.0 else 0.0
