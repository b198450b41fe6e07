"""Wave variables.

G. Niemeyer, J.-J. E. Slotine, IEEE J. Oceanic Engineering 16(1), 1991, and Int. J. Robotics Research 23(9), 2004.

With R the force that resists the motion v of a port, b the impedance of the waves:

    u = (b·v + R)/√(2b),  w = (b·v - R)/√(2b),     R·v = ½u² - ½w²

Packets carry the integral of the waves and of their energy. What came in is used up so that the integral is followed
(then positions agree in the end) within the energy that has come (then nothing is generated, whatever the network
does): after a loss the next packet holds the sum, which would be too strong a wave if it were used at once.

What was truly used is found afterwards from the force that was held and the way that was made. Encoder steps, samples
and the lag of the arm use up somewhat more than the waves had; if nothing made up for it the integral would fall behind
for good, and a force that is held would leak away. So a small reserve is lent again and again. What that could
generate, the observer at the hand does not let through: it watches the hand under this method, too.
"""

from __future__ import annotations

import math

from station.bilateral.kernels.cache import kernel
from station.bilateral.kernels.layout import (
    AGE_SPREAD,
    HEARD,
    IMPEDANCE,
    LENT,
    TIME,
    TURN_IMPEDANCE,
    USUAL_AGE,
    WAVE_ENERGY,
    WAVE_RESERVE,
    WAVE_SENT,
    WAVE_SPENT,
    WAVE_TIME,
    WAVES,
    WAVES_SENT,
    WAVES_USED,
    Floats,
)
from station.bilateral.kernels.port import axes_of, mixing

LENDING = 0.1  # time constant with which the reserve is filled up [s]
REMEMBERED = 0.5  # time constant with which jitter is learnt [s]
JITTERS = 8.0  # waves are used up within so many times the jitter: an uneven flow would be felt as noise
LONGEST_JITTER = 0.05  # [s]


@kernel
def impedance(settings: Floats, i: int) -> float:
    """B of an axis [N·s/m | N·m·s/rad]."""
    return float(settings[IMPEDANCE] if i < 3 else settings[TURN_IMPEDANCE])


@kernel
def account_wave(state: Floats, settings: Floats, i: int, step: float, resisting: float, dt: float, out: float) -> None:
    """Book one axis of an interval: way [m | rad], resisting force [N | N·m]; `out`: 1 at the hand, -1 at the arm."""
    root = math.sqrt(2.0 * impedance(settings, i))
    v = impedance(settings, i) * step / dt
    sent, used = (v + out * resisting) / root, (v - out * resisting) / root
    state[WAVES_SENT + i] += sent * dt
    state[WAVE_SENT] += 0.5 * sent * sent * dt
    state[WAVES_USED + i] += used * dt
    state[WAVE_SPENT] += 0.5 * used * used * dt


@kernel
def settle_waves(state: Floats, settings: Floats, dt: float) -> None:
    """After all axes were booked: a reserve that is used up is lent again, slowly."""
    missing = settings[WAVE_RESERVE] - (state[HEARD + WAVE_ENERGY] + state[LENT] - state[WAVE_SPENT])
    state[LENT] += mixing(dt, LENDING) * max(0.0, missing)


@kernel
def jitter_of(state: Floats, now: float, dt: float) -> float:
    """How much the age of the newest packet changes, in the mean of late [s]; clocks may differ."""
    age = now - state[HEARD + TIME]
    if state[USUAL_AGE] == 0.0:
        state[USUAL_AGE] = age
    mixed = mixing(dt, REMEMBERED)
    state[USUAL_AGE] += mixed * (age - state[USUAL_AGE])
    state[AGE_SPREAD] += mixed * (abs(age - state[USUAL_AGE]) - state[AGE_SPREAD])
    return float(min(state[AGE_SPREAD], LONGEST_JITTER))


@kernel
def next_waves(state: Floats, settings: Floats, now: float, dt: float, waves: Floats) -> bool:
    """The waves to be used in the coming interval; returns whether energy is missing for them."""
    horizon, power = max(dt, settings[WAVE_TIME], JITTERS * jitter_of(state, now, dt)), 0.0
    for i in range(6):
        waves[i] = 0.0
        if i < axes_of(settings):
            waves[i] = (state[HEARD + WAVES + i] - state[WAVES_USED + i]) / horizon
        power += 0.5 * waves[i] * waves[i]
    budget = max(0.0, state[HEARD + WAVE_ENERGY] + state[LENT] - state[WAVE_SPENT])
    if power * dt <= budget:
        return False
    scale = math.sqrt(budget / (power * dt))
    for i in range(6):
        waves[i] *= scale
    return True


@kernel
def tell_waves(state: Floats, packet: Floats) -> None:
    """The own waves, into a packet."""
    for i in range(6):
        packet[WAVES + i] = state[WAVES_SENT + i]
    packet[WAVE_ENERGY] = state[WAVE_SENT]
