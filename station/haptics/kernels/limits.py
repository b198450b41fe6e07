"""Limits of the device: force, heat, power and slew. Each keeps the direction of the force.

- **force**: all three parts are scaled alike until each is within what its axis can give and their length within the
  limit that was set. Torque likewise.
- **heat**: motors give their peak for a moment only. h follows |f/f_long|² with the time constant of warming, and

      limit² = f_long² + (f_peak² - f_long²)·max(0, 1 - h)

  falls smoothly; at the force that can be given for long it stays there.
- **power** given to the hand, f·v, is at most what was set.
- **slew**: a force grows and turns at most so fast. It shrinks as fast as it likes: a force that lingers gives energy.
"""

from __future__ import annotations

import math

from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import (
    AT_FORCE_LIMIT,
    AT_POWER_LIMIT,
    AT_SLEW_LIMIT,
    FOR_LONG,
    HEAT,
    HOT,
    MOST_FORCE,
    MOST_TORQUE,
    PEAK,
    POWER,
    SLEW,
    STEP,
    STEP_TIME,
    TURN_SLEW,
    WARMING,
    WRENCH,
    Floats,
)


@kernel
def saturate(state: Floats, settings: Floats, wrench: Floats) -> int:
    """Scale force and torque into what the device can give now; returns what acted, as bits."""
    acting = 0
    for half in range(2):
        cold = max(0.0, 1.0 - state[HEAT + half])
        square, scale = 0.0, 1.0
        for i in range(3 * half, 3 * half + 3):
            square += wrench[i] * wrench[i]
            long, peak = settings[FOR_LONG + i], settings[PEAK + i]
            limit = math.sqrt(long * long + max(0.0, peak * peak - long * long) * cold)
            if abs(wrench[i]) * scale > limit:
                scale = limit / abs(wrench[i])
        most = settings[MOST_TORQUE if half == 1 else MOST_FORCE]
        if math.sqrt(square) * scale > most:
            scale = most / math.sqrt(square)
        if scale < 1.0:
            if scale > 0.0:  # a device that cannot push is at no limit
                acting |= AT_FORCE_LIMIT | (HOT if cold < 0.5 else 0)
            for i in range(3 * half, 3 * half + 3):
                wrench[i] *= scale
    return acting


@kernel
def limit_power(state: Floats, settings: Floats, wrench: Floats) -> int:
    """Scale the wrench so that the hand is given no more power than allowed."""
    power = 0.0
    for i in range(6):
        power += wrench[i] * state[STEP + i] / state[STEP_TIME]
    if power <= settings[POWER]:
        return 0
    for i in range(6):
        wrench[i] *= settings[POWER] / power
    return AT_POWER_LIMIT


@kernel
def limit_slew(state: Floats, settings: Floats, wrench: Floats, dt: float) -> int:
    """Let force and torque grow and turn at most so fast; they may shrink at once."""
    acting = 0
    for half in range(2):
        at = 3 * half
        along, old = 0.0, 0.0
        for i in range(at, at + 3):
            along += wrench[i] * state[WRENCH + i]
            old += state[WRENCH + i] ** 2
        kept = min(max(along / old, 0.0), 1.0) if old > 0.0 else 0.0  # of the old force: what the new one still has
        change = 0.0
        for i in range(at, at + 3):
            change += (wrench[i] - kept * state[WRENCH + i]) ** 2
        change = math.sqrt(change)
        most = dt * settings[TURN_SLEW if half == 1 else SLEW]
        if change > most:
            acting = AT_SLEW_LIMIT
            for i in range(at, at + 3):
                base = kept * state[WRENCH + i]
                wrench[i] = base + (wrench[i] - base) * most / change
    return acting


@kernel
def warm(state: Floats, settings: Floats, dt: float) -> None:
    """Let the motors warm up by what is sent."""
    mixed = 1.0 - math.exp(-dt / settings[WARMING])
    for half in range(2):
        load = 0.0
        for i in range(3 * half, 3 * half + 3):
            if settings[FOR_LONG + i] > 0.0:
                load = max(load, (state[WRENCH + i] / settings[FOR_LONG + i]) ** 2)
        state[HEAT + half] += mixed * (load - state[HEAT + half])
