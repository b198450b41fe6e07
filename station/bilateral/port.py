"""What both ends do at their port: time, low-pass filters, limits that keep the direction, and wave variables.

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

from station.bilateral.packet import NOTHING_HEARD, Packet
from station.bilateral.settings import LinkNumbers
from station.bilateral.state import EndState
from station.kernel import Floats1, kernel

LONGEST = 5.0  # periods: what is longer counts as this
SMOOTH = 0.003  # time constant of speeds: encoder steps must not be felt [s]
LENDING = 0.1  # time constant with which the reserve is filled up [s]
REMEMBERED = 0.5  # time constant with which jitter is learnt [s]
JITTERS = 8.0  # waves are used up within so many times the jitter: an uneven flow would be felt as noise
LONGEST_JITTER = 0.05  # [s]


@kernel
def elapsed(state: EndState, settings: LinkNumbers, now: float) -> float:
    """Time since the last tick [s], within reason; a clock that goes back counts as one period."""
    passed = now - state.last_now
    if not state.started or not passed > 0.0:
        passed = settings.period
    state.last_now = now
    return float(min(max(passed, 0.1 * settings.period), LONGEST * settings.period))


@kernel
def mixing(dt: float, time_constant: float) -> float:
    """Share of the way that a first-order filter goes in a time [s]."""
    return 1.0 - math.exp(-dt / time_constant) if time_constant > 0.0 else 1.0


@kernel
def length(six: Floats1, first: int) -> float:
    """Of three numbers."""
    return math.sqrt(six[first] ** 2 + six[first + 1] ** 2 + six[first + 2] ** 2)


@kernel
def shorten(six: Floats1, first: int, most: float) -> bool:
    """Make three numbers at most so long together; whether they were longer."""
    long = length(six, first)
    if long <= most:
        return False
    for i in range(first, first + 3):
        six[i] *= most / long
    return True


# Waves -------------------------------------------------------------------------------------------------------


@kernel
def impedance(settings: LinkNumbers, i: int) -> float:
    """B of an axis [N·s/m | N·m·s/rad]."""
    return float(settings.impedance if i < 3 else settings.turn_impedance)


@kernel
def account_wave(
    state: EndState, settings: LinkNumbers, i: int, step: float, resisting: float, dt: float, out: float
) -> None:
    """Book one axis of an interval: way [m | rad], resisting force [N | N·m]; `out`: 1 at the hand, -1 at the arm."""
    waves, root = state.waves, math.sqrt(2.0 * impedance(settings, i))
    v = impedance(settings, i) * step / dt
    sent, used = (v + out * resisting) / root, (v - out * resisting) / root
    waves.sent[i] += sent * dt
    waves.sent_energy += 0.5 * sent * sent * dt
    waves.used[i] += used * dt
    waves.used_energy += 0.5 * used * used * dt


@kernel
def settle_waves(state: EndState, settings: LinkNumbers, dt: float) -> None:
    """After all axes were booked: a reserve that is used up is lent again, slowly."""
    waves, came = state.waves, state.heard.packet.wave_energy
    missing = settings.wave_reserve - (came + waves.lent - waves.used_energy)
    waves.lent += mixing(dt, LENDING) * max(0.0, missing)


@kernel
def jitter_of(state: EndState, now: float, dt: float) -> float:
    """How much the age of the newest packet changes, in the mean of late [s]; clocks may differ."""
    waves, age = state.waves, now - state.heard.packet.time
    if waves.usual_age == 0.0:
        waves.usual_age = age
    mixed = mixing(dt, REMEMBERED)
    waves.usual_age += mixed * (age - waves.usual_age)
    waves.age_spread += mixed * (abs(age - waves.usual_age) - waves.age_spread)
    return float(min(waves.age_spread, LONGEST_JITTER))


@kernel
def next_waves(state: EndState, settings: LinkNumbers, now: float, dt: float, wave: Floats1) -> bool:
    """The wave to be used in the coming interval; returns whether energy is missing for it."""
    horizon, power = max(dt, settings.wave_time, JITTERS * jitter_of(state, now, dt)), 0.0
    waves, came = state.waves, state.heard.packet
    for i in range(6):
        wave[i] = 0.0
        if i < settings.axes:
            wave[i] = (came.waves[i] - waves.used[i]) / horizon
        power += 0.5 * wave[i] * wave[i]
    budget = max(0.0, came.wave_energy + waves.lent - waves.used_energy)
    if power * dt <= budget:
        return False
    scale = math.sqrt(budget / (power * dt))
    for i in range(6):
        wave[i] *= scale
    return True


@kernel
def begin_packet(state: EndState, packet: Packet, now: float) -> None:
    """Of the next packet what is the same at both ends: number, time and echo, energy and waves."""
    state.sent += 1
    packet.sequence, packet.time = float(state.sent), now
    packet.echo = state.heard.packet.time if state.heard.anything else NOTHING_HEARD
    packet.energy = state.books.given
    for i in range(6):
        packet.waves[i] = state.waves.sent[i]
    packet.wave_energy = state.waves.sent_energy
