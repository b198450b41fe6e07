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

from station.haptics.state import Acting, HapticState
from station.haptics.tuning import HapticNumbers
from station.kernel import Floats1, kernel


@kernel
def saturate(state: HapticState, settings: HapticNumbers, wrench: Floats1) -> Acting:
    """Scale force and torque into what the device can give now; returns what acted."""
    acting = Acting.NOTHING
    for half in range(2):
        cold = max(0.0, 1.0 - state.heat[half])
        square, scale = 0.0, 1.0
        for i in range(3 * half, 3 * half + 3):
            square += wrench[i] * wrench[i]
            long, peak = settings.limits.for_long[i], settings.limits.peak[i]
            limit = math.sqrt(long * long + max(0.0, peak * peak - long * long) * cold)
            if abs(wrench[i]) * scale > limit:
                scale = limit / abs(wrench[i])
        most = settings.limits.torque if half == 1 else settings.limits.force
        if math.sqrt(square) * scale > most:
            scale = most / math.sqrt(square)
        if scale < 1.0:
            if scale > 0.0:  # a device that cannot push is at no limit
                acting |= Acting.FORCE_LIMIT | (Acting.HOT if cold < 0.5 else Acting.NOTHING)
            for i in range(3 * half, 3 * half + 3):
                wrench[i] *= scale
    return acting


@kernel
def limit_power(state: HapticState, settings: HapticNumbers, wrench: Floats1) -> Acting:
    """Scale the wrench so that the hand is given no more power than allowed."""
    power = 0.0
    for i in range(6):
        power += wrench[i] * state.step[i] / state.step_time
    if power <= settings.limits.power:
        return Acting.NOTHING
    for i in range(6):
        wrench[i] *= settings.limits.power / power
    return Acting.POWER_LIMIT


@kernel
def limit_slew(state: HapticState, settings: HapticNumbers, wrench: Floats1, dt: float) -> Acting:
    """Let force and torque grow and turn at most so fast; they may shrink at once."""
    acting = Acting.NOTHING
    for half in range(2):
        at = 3 * half
        along, old = 0.0, 0.0
        for i in range(at, at + 3):
            along += wrench[i] * state.wrench[i]
            old += state.wrench[i] ** 2
        kept = min(max(along / old, 0.0), 1.0) if old > 0.0 else 0.0  # of the old force: what the new one still has
        change = 0.0
        for i in range(at, at + 3):
            change += (wrench[i] - kept * state.wrench[i]) ** 2
        change = math.sqrt(change)
        most = dt * (settings.limits.turn_slew if half == 1 else settings.limits.slew)
        if change > most:
            acting = Acting.SLEW_LIMIT
            for i in range(at, at + 3):
                base = kept * state.wrench[i]
                wrench[i] = base + (wrench[i] - base) * most / change
    return acting


@kernel
def warm(state: HapticState, settings: HapticNumbers, dt: float) -> None:
    """Let the motors warm up by what is sent."""
    mixed = 1.0 - math.exp(-dt / settings.limits.warming)
    for half in range(2):
        load = 0.0
        for i in range(3 * half, 3 * half + 3):
            if settings.limits.for_long[i] > 0.0:
                load = max(load, (state.wrench[i] / settings.limits.for_long[i]) ** 2)
        state.heat[half] += mixed * (load - state.heat[half])
