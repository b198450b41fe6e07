"""`arm_tick`: the end at the arm. What the hand says in, where the arm is to be out.

Where the hand is, scaled, from where both were when the arm first heard of the hand: the target. Then, by architecture:

    position-force      the target
    position-position   the target, yielding by (force on the tool)/K: the arm's half of the coupling
    four-channel        the target, yielding by (force on the tool - force on the hand)/K: equal forces, equal places

**Passivity in the time domain.** Energy that goes into the surroundings, -Σ f·Δx, taken as the worse of the ways of
reference and arm, is paid by what the hand put in and an allowance per contact, from the arm's own supply. The wanted
speed is v = Δtarget/Δt + (target - reference)/drift_time; if f demands more power than (what is there)/ahead, v is
shortened along f by just so much (a passivity controller of the admittance type). The second term is the drift
compensation (V. Chawda, H. V. Quang, M. K. O'Malley, J.-H. Ryu; A. Coelho et al. 2019): the reference falls behind
while energy is missing and comes back as fast as energy allows; without contact it costs none.

**Waves**, see port.py. The arm's port ends in a damper b beside the surroundings, R = b·v - f, so
v = (√(2b)·u + f)/(2b): nothing is reflected in free space. In contact the lag of the arm's own loops would make force
and yielding swing, so a further damper D is there, to a mass that floats along: R = b·v + D·(v - v_f) - f,
v_f' = (v - v_f)/contact_time. At rest it takes nothing. Drift is taken out beside that port: an offset that moves where
f does not resist it.
"""

from __future__ import annotations

import math

from station.bilateral.packet import Packet, is_time, trust_of, within
from station.bilateral.port import (
    SMOOTH,
    account_wave,
    begin_packet,
    elapsed,
    impedance,
    length,
    mixing,
    next_waves,
    settle_waves,
    shorten,
)
from station.bilateral.settings import LinkArchitecture, LinkMethod, LinkNumbers
from station.bilateral.state import ArmState, EndInputs
from station.bilateral.state import BilateralStatus as Status
from station.kernel import Floats1, entry, kernel

NOTICED = 1e-3  # drift that is told [m], and times five [rad]


@entry
def arm_tick(state: ArmState, settings: LinkNumbers, inputs: EndInputs, reference: Floats1, packet: Packet) -> int:
    """Write where the arm is to be [m, rad] and the next packet for the hand; returns the status as bits.

    What is not finite leaves the reference where it is.
    """
    if not (is_time(inputs.now) and within(inputs.place) and within(inputs.force)):
        state.status = Status.NOT_FINITE
        return Status.NOT_FINITE
    dt = elapsed(state, settings, inputs.now)
    if not state.started:  # it stays where it is until something is heard
        for i in range(6):
            state.arm_origin[i] = state.last_place[i] = inputs.place[i]
        state.started = True
    if state.heard.anything and not state.joined:
        _join(state, inputs)
    touches = _sense(state, settings, inputs, dt)
    status = Status.SILENT | Status.STALE
    if state.joined:
        status = _move(state, settings, inputs, dt, touches)
    for i in range(6):
        moved = state.reference[i] + state.offset[i] + state.yields[i] - state.hand_origin[i]
        reference[i] = state.arm_origin[i] + _scale(settings, i) * moved
    _tell(state, settings, inputs, packet)
    state.status = status
    return status


@kernel
def _join(state: ArmState, inputs: EndInputs) -> None:
    """Where hand and arm are now belongs together."""
    for i in range(6):
        state.hand_origin[i] = state.last_target[i] = state.heard.packet.place[i]
        state.reference[i] = state.hand_origin[i]
        state.arm_origin[i] = state.last_place[i] = inputs.place[i]
    state.joined = True


@kernel
def _scale(settings: LinkNumbers, i: int) -> float:
    """Motion of the arm per motion of the hand."""
    return float(settings.position_scale if i < 3 else 1.0)


@kernel
def _sense(state: ArmState, settings: LinkNumbers, inputs: EndInputs, dt: float) -> bool:
    """Book what happened since the last tick; whether something is touched.

    `filtered` becomes the force on the tool, in units of the hand.
    """
    work_told = work_done = 0.0
    smooth, late = mixing(dt, SMOOTH), mixing(dt, settings.sensor_time)
    for i in range(6):
        if i >= settings.axes:
            state.filtered[i] = 0.0
            continue
        force = state.filtered[i] = settings.force_scale * inputs.force[i]
        step = (inputs.place[i] - state.last_place[i]) / _scale(settings, i)
        work_told -= force * state.last_step[i]
        # The force is as late as its sensor: with the way of now, a stiff wall would seem to give more than it got.
        state.late_step[i] += late * (step - state.late_step[i])
        work_done -= force * state.late_step[i]
        state.velocity[i] += smooth * (step / dt - state.velocity[i])
        state.last_place[i] = inputs.place[i]
    touches = length(state.filtered, 0) > settings.touch or length(state.filtered, 3) > settings.turn_touch
    if settings.method == LinkMethod.WAVES:
        _account_waves(state, settings, dt, touches)
    work = max(work_told, work_done)
    if not touches:
        work = 0.0
        fading = 1.0 - mixing(dt, settings.forgetting)
        state.books.net *= fading
        state.books.available *= fading
    state.books.into += max(-work, 0.0)
    state.books.out_of += max(work, 0.0)
    state.books.net -= work
    if state.books.net > 0.0:  # more came back than went in: the surroundings move by themselves
        state.books.given += state.books.net
        state.books.net = 0.0
    state.books.available += state.heard.packet.energy - state.books.taken - work
    state.books.taken = state.heard.packet.energy
    return bool(touches)


@kernel
def _move(state: ArmState, settings: LinkNumbers, inputs: EndInputs, dt: float, touches: bool) -> Status:
    """Move the reference on; `last_step` becomes how far."""
    trust = trust_of(state.heard, settings, inputs.now)
    method, status = settings.method, Status.GOOD
    state.ratio = 1.0
    for i in range(6):
        state.last_step[i] = 0.0
    if trust < 1.0:
        return Status.STALE  # it stays where it is, until the hand is heard again
    _yield(state, settings, dt)
    if method == LinkMethod.WAVES:
        status |= _step_by_waves(state, settings, inputs.now, dt, touches)
        _take_out_drift(state, settings, dt, touches)
    else:
        for i in range(settings.axes):
            target, drift_time = state.heard.packet.place[i], settings.drift_time
            drift = state.last_target[i] - state.reference[i]
            part = 1.0 if method == LinkMethod.DIRECT else mixing(dt, drift_time)
            state.last_step[i] = target - state.last_target[i] + part * drift
            state.last_target[i] = target
        status |= _limit_step(state, settings, dt)
        if method != LinkMethod.DIRECT and touches:
            status |= _keep_passive(state, settings, dt)
        for i in range(6):
            state.reference[i] += state.last_step[i]
    return status | _note_drift(state)


@kernel
def _keep_passive(state: ArmState, settings: LinkNumbers, dt: float) -> Status:
    """Shorten the step along the force so that it needs no more power than there is energy for."""
    needed, square, there = 0.0, 0.0, state.books.available + settings.arm_allowance
    for i in range(6):
        needed -= state.filtered[i] * state.last_step[i]
        square += state.filtered[i] ** 2
    allowed = max(there * dt / settings.ahead, -settings.retreat * dt * math.sqrt(square))
    if needed <= allowed or square == 0.0:
        return Status.GOOD
    for i in range(6):
        state.last_step[i] += (needed - allowed) / square * state.filtered[i]
    state.ratio = 0.0
    return Status.HELD_BACK


@kernel
def _yield(state: ArmState, settings: LinkNumbers, dt: float) -> None:
    """Let the arm give way to forces, as a spring would."""
    architecture = settings.architecture
    if architecture == LinkArchitecture.POSITION_FORCE:
        return
    mixed = mixing(dt, settings.yield_time)
    for i in range(settings.axes):
        force = state.filtered[i]
        if architecture == LinkArchitecture.FOUR_CHANNEL:
            force -= state.heard.packet.force[i]
        k = settings.stiffness if i < 3 else settings.turn_stiffness
        state.yields[i] += mixed * (force / k - state.yields[i])


@kernel
def _note_drift(state: ArmState) -> Status:
    """How far the arm is told to be from where the hand was."""
    straight = turning = 0.0
    for i in range(3):
        straight += (state.last_target[i] - state.reference[i] - state.offset[i]) ** 2
        turning += (state.last_target[3 + i] - state.reference[3 + i] - state.offset[3 + i]) ** 2
    state.drift, state.turn_drift = math.sqrt(straight), math.sqrt(turning)
    return Status.DRIFTING if state.drift > NOTICED or state.turn_drift > 5.0 * NOTICED else Status.GOOD


@kernel
def _tell(state: ArmState, settings: LinkNumbers, inputs: EndInputs, packet: Packet) -> None:
    """The next packet for the hand, in its units."""
    begin_packet(state, packet, inputs.now)
    for i in range(6):
        moved = (inputs.place[i] - state.arm_origin[i]) / _scale(settings, i)
        packet.place[i] = state.hand_origin[i] + moved
        packet.speed[i], packet.force[i] = state.velocity[i], state.filtered[i]


# Waves -------------------------------------------------------------------------------------------------------


@kernel
def _account_waves(state: ArmState, settings: LinkNumbers, dt: float, touches: bool) -> None:
    """Book the waves of the interval that has passed."""
    for i in range(settings.axes):
        v = state.last_step[i] / dt
        resisting = impedance(settings, i) * v - state.filtered[i]
        resisting += _lets_go(settings, i, touches) * (v - state.floating[i])
        account_wave(state, settings, i, state.last_step[i], resisting, dt, -1.0)
        state.floating[i] += (mixing(dt, settings.contact_time) if touches else 1.0) * (v - state.floating[i])
    settle_waves(state, settings, dt)


@kernel
def _lets_go(settings: LinkNumbers, i: int, touches: bool) -> float:
    """The damper that lets go, at the end of the waves' port [N·s/m | N·m·s/rad]."""
    if not touches:
        return 0.0
    return float(settings.contact_damping if i < 3 else settings.turn_contact_damping)


@kernel
def _step_by_waves(state: ArmState, settings: LinkNumbers, now: float, dt: float, touches: bool) -> Status:
    """The step of the waves' port."""
    missing = next_waves(state, settings, now, dt, state.last_step)
    for i in range(settings.axes):
        b, more = impedance(settings, i), _lets_go(settings, i, touches)
        push = math.sqrt(2.0 * b) * state.last_step[i] + state.filtered[i] + more * state.floating[i]
        state.last_step[i] = push / (2.0 * b + more) * dt
    status = _limit_step(state, settings, dt) | (Status.HELD_BACK if missing else Status.GOOD)
    for i in range(6):
        state.reference[i] += state.last_step[i]
        state.last_target[i] = state.heard.packet.place[i]
    return status


@kernel
def _take_out_drift(state: ArmState, settings: LinkNumbers, dt: float, touches: bool) -> None:
    """Move the offset beside the waves' port so that the arm comes to where the hand is, unless a force resists."""
    mixed, against = mixing(dt, settings.drift_time), 0.0
    for i in range(settings.axes):
        step = mixed * (state.last_target[i] - state.reference[i] - state.offset[i])
        against -= state.filtered[i] * step
    if touches and against > 0.0:
        return
    for i in range(settings.axes):
        state.offset[i] += mixed * (state.last_target[i] - state.reference[i] - state.offset[i])


@kernel
def _limit_step(state: ArmState, settings: LinkNumbers, dt: float) -> Status:
    """Keep the step of the reference within the largest speeds; whether it was longer, as a status."""
    straight = shorten(state.last_step, 0, settings.speed * dt / settings.position_scale)
    turning = shorten(state.last_step, 3, settings.turn_speed * dt)
    return Status.LIMITED if straight or turning else Status.GOOD
