"""Methods of stability: passivity observer and controller, and energy bounding; both over the same ledger.

**Passivity observer and controller** in the time domain, with its known weak points treated.

B. Hannaford, J.-H. Ryu, "Time-domain passivity control of haptic interfaces", IEEE Trans. Robotics and Automation
18(1), 2002. There, a damper acts once more energy has come out than went in. Here:

- the energy of the *coming* interval is foreseen, from the way of the last one and a surprise ½·a·T². T is the longest
  interval of late, and the next sample may always get lost; while none comes, what was given meanwhile is reckoned
  with, tick by tick. The force is scaled down, keeping its direction, so that no more than what is available and a
  small allowance goes to the hand: energy is not generated first and taken back by a burst afterwards;
- a force that comes late cannot be taken back in time: what is still on the way is taken off the energy first;
- while no sample comes, the hand may have turned round; after a few periods the force fades;
- near standstill nothing is divided by the velocity: the way foreseen is small, and so is what is taken away;
- only a deficit that is there nevertheless is taken back, by a damper with a cap, above a floor of the velocity that
  encoder steps cannot reach;
- the scale falls at once and rises slowly: no chatter.

**Energy bounding**: forces are never larger than the device's own damping can answer for, whatever the hand does next.

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

Energy at the hand and per cause, from positions.

A force is held from one sample to the next, so its work is exactly force times way, whatever the hand did between
(zero-order hold; no velocity is estimated). From the hand into the rendered forces, and into the device's own losses:

    rendered   += -f·(x_{k+1} - x_k)         f: what acted in the mean, if it comes late
    dissipated += b·|Δx|²/Δt + f_c·|Δx|      at least: the losses of any motion are no less than those of a steady one

b and f_c are a trusted share of the device's damping and dry friction: the rest is left to calm vibrations. The energy
that may be given back is their sum, less what is forgotten: what is more than springs hold and a reserve fades away,
for it has been dissipated and is not to be spent later. What was generated is never forgotten.

**Encoder steps.** A handle that rests on the edge between two encoder values seems to go to and fro; a stiff spring
would seem to generate K·Δ² each time. As long as the reading changes by no more than one step within two samples, the
handle is taken to have moved as little as the readings allow: to the edge between them, which is where it was when the
reading changed. In faster motion the reading itself is used, whose error is without bias.

**Delay.** A force that comes late by d is as a negative damper of K·d, so a ledger of what was *sent* would not see
what is generated. What acts is taken to follow what is sent with the time constant d of link, firmware and currents:

    f_acting' = (f_sent - f_acting)/d

By how much samples come late adds to it; it is told from the least difference of both clocks so far.

If a sample is late or missing, forces of several ticks share one way. Per axis the one counts that gives most to the
hand.
"""

from __future__ import annotations

import math

from station.haptics.state import CAUSES, Cause, HapticState, Inputs
from station.haptics.tuning import HapticNumbers
from station.kernel import Floats1, kernel
from station.kernel.so3 import as_quaternion, difference, vector_of

JITTER = 1.25  # an interval may be this much longer than the period
REMEMBERED = 0.2  # time constant with which longer ones are forgotten [s]
DRIFT = 1e-4  # of the clock of a device against that of the station


@kernel
def let_act(state: HapticState, dt: float) -> None:
    """Let pass the time since the last tick [s], in which what was sent then came to act."""
    delay, left, share = state.late, 0.0, 0.0  # left of the old force: in the end, and in the mean
    if delay > 0.0 and dt > 0.0:
        left = math.exp(-dt / delay)
        share = delay * (1.0 - left) / dt
    for i in range(6):
        sent, old = state.wrench[i], state.applied[i]
        note_force(state, i, sent + share * (old - sent))
        state.applied[i] = sent + left * (old - sent)
    state.acted = True


@kernel
def note_force(state: HapticState, i: int, force: float) -> None:
    """Note what acted along an axis: alone after a fresh sample, else among what acted since the last one."""
    fresh = not state.acted
    state.low[i] = force if fresh else min(state.low[i], force)
    state.high[i] = force if fresh else max(state.high[i], force)


@kernel
def take_sample(state: HapticState, settings: HapticNumbers, inputs: Inputs) -> None:
    """Account for the way since the last sample, and remember the new place."""
    passed = inputs.sample_time - state.last_sample
    if state.started and passed > 0.0:
        turn = vector_of(difference(as_quaternion(inputs.hand_turn), as_quaternion(state.turn)))
        for i in range(3):
            place = _least_motion(state, settings, inputs.hand[i], i)
            state.step[i], state.place[i] = place - state.place[i], place
            state.step[3 + i] = turn[i]
            state.read_before[i], state.read[i] = state.read[i], inputs.hand[i]
        state.step_time = passed
        _account(state, settings)
    else:
        state.step_time = settings.stability.period
        for i in range(6):
            state.step[i] = 0.0
        for i in range(3):
            state.place[i] = state.read[i] = state.read_before[i] = inputs.hand[i]
    for i in range(4):
        state.turn[i] = inputs.hand_turn[i]
    fading = 1.0 - min(1.0, state.step_time / REMEMBERED)
    state.ahead = max(JITTER * settings.stability.period, state.step_time, fading * state.ahead)
    _note_lateness(state, settings, inputs.now - inputs.sample_time, fading)
    state.started, state.last_sample, state.age, state.acted = True, inputs.sample_time, 0.0, False


@kernel
def _note_lateness(state: HapticState, settings: HapticNumbers, offset: float, fading: float) -> None:
    """How late a force acts that is made from this sample; offset: of the two clocks, and how old it is [s]."""
    if not state.started:
        state.offset, state.late = offset, settings.delay
    state.offset = min(state.offset + DRIFT * state.step_time, offset)
    late = min(offset - state.offset, settings.limits.stale_after)
    state.late = settings.delay + max(late, fading * (state.late - settings.delay))


@kernel
def _least_motion(state: HapticState, settings: HapticNumbers, read: float, i: int) -> float:
    """Where the handle is along an axis, given what its encoder says [m]."""
    step = settings.resolution
    if abs(read - state.read_before[i]) > 1.01 * step:
        return read
    return float(min(max(state.place[i], read - 0.5 * step), read + 0.5 * step))


@kernel
def _account(state: HapticState, settings: HapticNumbers) -> None:
    """Work and losses of one interval."""
    work, straight, turning = 0.0, 0.0, 0.0
    for i in range(6):
        step = state.step[i]
        work -= max(state.low[i] * step, state.high[i] * step)
        if i < 3:
            straight += step * step
        else:
            turning += step * step
    lost = settings.body.damping * straight + settings.body.turn_damping * turning
    lost = settings.stability.trust * (lost / state.step_time + settings.body.friction * math.sqrt(straight))
    state.rendered += work
    state.dissipated += lost
    state.available += work + lost
    state.lowest = min(state.lowest, state.rendered + state.dissipated)
    for cause in range(CAUSES):
        for i in range(6):
            state.cause_energy[cause] -= state.sent[cause, i] * state.step[i]
    for i in range(6):
        state.pressed -= state.sent[Cause.CONTACT, i] * state.step[i]


@kernel
def forget(state: HapticState, settings: HapticNumbers, dt: float) -> None:
    """Let fade what has been dissipated: all that is more than springs hold and a reserve."""
    excess = state.available - state.potential - settings.stability.reserve
    if excess > 0.0:
        state.available -= excess * min(1.0, dt / settings.stability.forgetting)


LEVER = 0.05  # a wrist surprises by turning as a hand at this distance from its axis does [m]
BLIND = 2.5  # while no sample comes, a hand may do what it seldom does: so many times the acceleration
TRUSTED_BLIND, FADED_BLIND = 1.5, 2.5  # periods without a sample for which a force stays; in which it fades then


@kernel
def follow_ratio(state: HapticState, settings: HapticNumbers, wanted: float, dt: float) -> bool:
    """Scale the wrench: down at once, up slowly; returns whether anything is taken away."""
    blind = (state.age / settings.stability.period - TRUSTED_BLIND) / FADED_BLIND
    wanted *= 1.0 - min(max(blind, 0.0), 1.0)
    state.ratio = min(wanted, state.ratio + dt / settings.stability.recovery)
    for i in range(6):
        state.wrench[i] *= state.ratio
    return state.ratio < 1.0


@kernel
def control_passivity(state: HapticState, settings: HapticNumbers, dt: float) -> bool:
    """Let through what energy there is for; returns whether anything is taken away."""
    age = state.age
    horizon = state.ahead + settings.stability.period if age == 0.0 else 2.0 * settings.stability.period
    rate, size = _outflow(state, state.wrench)
    given = _foreseen(state, settings, rate, size, horizon, age > 0.0)
    spent = state.spent if age > 0.0 else 0.0
    budget = max(0.0, state.available + settings.stability.allowance - spent - on_the_way(state, settings))
    wanted = 1.0 if given <= budget else budget / given
    acts = follow_ratio(state, settings, wanted, dt)
    if state.available < 0.0 and age == 0.0:
        acts = _take_back(state, settings) or acts
    rate, size = _outflow(state, state.wrench)
    state.spent = spent + _foreseen(state, settings, rate, size, settings.stability.period, True)
    return acts


@kernel
def on_the_way(state: HapticState, settings: HapticNumbers) -> float:
    """What forces that were sent will still give to the hand, whatever is sent now [J]: 0 and more."""
    late = state.late
    if late == 0.0:
        return 0.0
    rate, size = _outflow(state, state.applied)
    return float(max(0.0, rate * late + size * 0.5 * settings.stability.surprise * late * late))


@kernel
def _outflow(state: HapticState, wrench: Floats1) -> tuple[float, float]:
    """Power to a hand that goes on as in the last interval [W], and the size of force and torque [N]."""
    rate, straight, turning = 0.0, 0.0, 0.0
    for i in range(6):
        rate += wrench[i] * state.step[i]
        if i < 3:
            straight += wrench[i] ** 2
        else:
            turning += wrench[i] ** 2
    return rate / state.step_time, math.sqrt(straight) + math.sqrt(turning) / LEVER


@kernel
def _foreseen(state: HapticState, settings: HapticNumbers, rate: float, size: float, time: float, blind: bool) -> float:
    """Energy that a force gives to the hand within a time [J].

    The hand may go further than foreseen by ½·a·t². While it is not seen, nothing is hoped of it: if it pressed, it
    may have turned round since.
    """
    since, surprise = state.age + state.late, settings.stability.surprise
    if blind:
        rate, surprise = max(rate, 0.0), BLIND * surprise
    return float(rate * time + size * 0.5 * surprise * ((since + time) ** 2 - since * since))


@kernel
def _take_back(state: HapticState, settings: HapticNumbers) -> bool:
    """A damper for energy that was generated nevertheless."""
    square = 0.0
    for i in range(3):
        square += (state.step[i] / state.step_time) ** 2
    floor = max(settings.stability.speed_floor, 2.0 * settings.resolution / state.step_time)
    if square < floor * floor:
        return False
    damping = min(settings.stability.damping_cap, -state.available / (square * settings.stability.period))
    for i in range(3):
        state.wrench[i] -= damping * state.step[i] / state.step_time * settings.actuated[i]
    return True


@kernel
def bound_energy(state: HapticState, settings: HapticNumbers, dt: float) -> bool:
    """Let through what the device's damping can answer for; returns whether anything is taken away."""
    interval = state.ahead + state.age + 2.0 * state.late
    straight, turning = 0.0, 0.0
    for i in range(3):
        straight += state.wrench[i] ** 2
        turning += state.wrench[3 + i] ** 2
    energy = max(0.0, state.available - on_the_way(state, settings))
    free = settings.stability.trust * settings.body.friction if state.available >= 0.0 else 0.0
    wanted = _ratio(math.sqrt(straight), math.sqrt(turning), free, settings, interval, energy)
    return follow_ratio(state, settings, wanted, dt)


@kernel
def _ratio(force: float, torque: float, free: float, settings: HapticNumbers, interval: float, energy: float) -> float:
    """The largest part of a wrench that is within the bound; friction answers for `free` of the force [N]."""
    trust = settings.stability.trust
    needed = max(0.0, force - free) ** 2 * interval / (4.0 * max(trust * settings.body.damping, 1e-9))
    needed += torque**2 * interval / (4.0 * max(trust * settings.body.turn_damping, 1e-9))
    if needed <= energy:
        return 1.0
    root = math.sqrt(energy / needed)  # the part beyond friction shrinks by this
    if force <= free:
        return root
    return min(1.0, (free + root * (force - free)) / force) if torque == 0.0 else root
