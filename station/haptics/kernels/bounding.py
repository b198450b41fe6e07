"""Energy bounding: forces are never larger than the device's own damping can answer for, whatever the hand does next.

After J.-P. Kim, J. Ryu, "Robustly stable haptic interaction control using an energy-bounding algorithm", Int. J.
Robotics Research 29(6), 2010 (first: HAPTICS 2004). They pass f_k = f_{k-1} + β·Δx with β between bounds that follow
from F·Δx ≥ (F_k² - F_{k-1}²)/(2·c₂) and β ≤ c₁ = b/T, axis by axis. Both are sufficient for one sum to stay positive;
here this sum is the ledger E, and the bound is put on it directly, for the whole wrench, keeping its direction:

    |f|²/(2·c) + |τ|²/(2·c_t) ≤ E,     c = 2·b/T

Then for *any* way Δ of the next interval

    E - f·Δ + (b/T)·|Δ|² ≥ E - √(2·c·E)·|Δ| + (b/T)·|Δ|² ≥ 0

since this has no two roots in |Δ| as long as c ≤ 2·b/T. Dry friction f_c answers for as much force on top. Nothing is
foreseen, so nothing can surprise. The price: beyond what friction and the reserve answer for, no spring is felt stiffer
than 2·b/T, however it is set. b is the trusted share of the device's damping, T the longest interval of late. A force
that comes late by d is as one of an interval T + 2·d, and what is still on the way is taken off E.
"""

from __future__ import annotations

import math

from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import (
    AGE,
    AHEAD,
    AVAILABLE,
    DEVICE_DAMPING,
    DEVICE_TURN_DAMPING,
    FRICTION,
    LATE,
    TRUST,
    WRENCH,
    Floats,
)
from station.haptics.kernels.passivity import follow_ratio, on_the_way


@kernel
def bound_energy(state: Floats, settings: Floats, dt: float) -> bool:
    """Let through what the device's damping can answer for; returns whether anything is taken away."""
    interval = state[AHEAD] + state[AGE] + 2.0 * state[LATE]
    straight, turning = 0.0, 0.0
    for i in range(3):
        straight += state[WRENCH + i] ** 2
        turning += state[WRENCH + 3 + i] ** 2
    energy = max(0.0, state[AVAILABLE] - on_the_way(state, settings))
    free = settings[TRUST] * settings[FRICTION] if state[AVAILABLE] >= 0.0 else 0.0
    wanted = _ratio(math.sqrt(straight), math.sqrt(turning), free, settings, interval, energy)
    return follow_ratio(state, settings, wanted, dt)


@kernel
def _ratio(force: float, torque: float, free: float, settings: Floats, interval: float, energy: float) -> float:
    """The largest part of a wrench that is within the bound; friction answers for `free` of the force [N]."""
    trust = settings[TRUST]
    needed = max(0.0, force - free) ** 2 * interval / (4.0 * max(trust * settings[DEVICE_DAMPING], 1e-9))
    needed += torque**2 * interval / (4.0 * max(trust * settings[DEVICE_TURN_DAMPING], 1e-9))
    if needed <= energy:
        return 1.0
    root = math.sqrt(energy / needed)  # the part beyond friction shrinks by this
    if force <= free:
        return root
    return min(1.0, (free + root * (force - free)) / force) if torque == 0.0 else root
