"""`hand_tick`: the end at the hand. What the arm says in, the force on the hand out. `station_tick`: in a station.

    position-force      f = low-pass of the force on the tool
    position-position   f = K·(x_arm - x) + B·(v_arm - v)
    four-channel        f = share·(the first) + (1 - share)·(the second)

**Passivity in the time domain.** Energy that went from the hand into the force, E = -Σ f·Δx (exact, as forces are
held), and what the arm's surroundings gave by themselves. Beyond it and a small allowance nothing is given back:

    |f|²/(2c) + |τ|²/(2c_t) ≤ E + allowance

The force is never more than what a spring of stiffness c would have that holds this energy. So a force that comes late
to a hand at rest grows as that hand presses on, with at most the stiffness c; nothing chatters, as nothing is divided
by a speed. What is given nevertheless, since a hand may be faster than a sample, is taken back by a damper with a cap.
What has been dissipated is not to be spent later: what is more than the softest spring would hold at this force,
f²/(2·softest), is forgotten.

**Waves.** R = b·v - √(2b)·w, see port.py.
"""

from __future__ import annotations

import math

from station.bilateral.packet import NOTHING_HEARD, Packet, is_time, round_trip, trust_of, within
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
from station.bilateral.settings import LinkMethod, LinkNumbers
from station.bilateral.state import BilateralStatus as Status
from station.bilateral.state import EndInputs, HandState
from station.haptics.state import Cause, HapticState
from station.kernel import Floats1, Floats2, entry, kernel

JUMP = 0.02  # farther than a hand goes in a tick: it was lost and found again, and put in no energy [m]
SMALL = 1e-12  # force squared below which nothing was wanted [N²]


@entry
def hand_tick(state: HandState, settings: LinkNumbers, inputs: EndInputs, wrench: Floats1, packet: Packet) -> int:
    """Write the force on the hand [N, N·m] and the next packet for the arm; returns the status as bits."""
    if not (is_time(inputs.now) and within(inputs.place) and within(inputs.force)):
        for i in range(6):
            wrench[i] = 0.0
        state.status = Status.NOT_FINITE
        return Status.NOT_FINITE
    dt = elapsed(state, settings, inputs.now)
    _account(state, settings, inputs, dt)
    trust = trust_of(state.heard, settings, inputs.now)
    status, method = Status.GOOD if trust == 1.0 else Status.STALE, settings.method
    if not state.heard.anything:
        status |= Status.SILENT
    state.ratio = 1.0
    if method == LinkMethod.WAVES:
        status |= _from_waves(state, settings, inputs.now, dt, trust, wrench)
    else:
        _wanted(state, settings, inputs, dt, trust, wrench)
    if shorten(wrench, 0, settings.force):
        status |= Status.LIMITED
    if shorten(wrench, 3, settings.torque):
        status |= Status.LIMITED
    if method != LinkMethod.DIRECT:
        status |= _keep_passive(state, settings, dt, wrench)
    _tell(state, inputs, packet)
    state.status = status
    return status


@kernel
def _account(state: HandState, settings: LinkNumbers, inputs: EndInputs, dt: float) -> None:
    """Book what happened since the last tick."""
    work, smooth, method = 0.0, mixing(dt, SMOOTH), settings.method
    for i in range(settings.axes):
        step = inputs.place[i] - state.last_place[i] if state.started else 0.0
        work -= inputs.force[i] * step
        state.velocity[i] += smooth * (step / dt - state.velocity[i])
        if method == LinkMethod.WAVES:
            account_wave(state, settings, i, step, -inputs.force[i], dt, 1.0)
    if method == LinkMethod.WAVES:
        settle_waves(state, settings, dt)
    for i in range(6):
        state.last_place[i] = inputs.place[i]
    state.started = True
    state.books.into += max(work, 0.0)
    state.books.out_of += max(-work, 0.0)
    state.books.available += work
    state.books.given += work
    if settings.active and state.heard.anything:  # only grows, whatever the other side says
        state.books.available += max(0.0, state.heard.packet.energy - state.books.taken)
        state.books.taken = max(state.books.taken, state.heard.packet.energy)


@kernel
def _wanted(
    state: HandState, settings: LinkNumbers, inputs: EndInputs, dt: float, trust: float, wrench: Floats1
) -> None:
    """The force by the architecture, fading with what is known."""
    mixed, share, said = mixing(dt, 0.5 / (math.pi * settings.cutoff)), settings.share, state.heard.packet
    for i in range(6):
        wrench[i] = 0.0
        if i >= settings.axes or not state.heard.anything:
            continue
        state.filtered[i] += mixed * (said.force[i] - state.filtered[i])
        wrench[i] = share * state.filtered[i]
        if share < 1.0 and said.echo != NOTHING_HEARD:
            k = settings.stiffness if i < 3 else settings.turn_stiffness
            b = settings.damping if i < 3 else settings.turn_damping
            stretch = said.place[i] - inputs.place[i]
            wrench[i] += (1.0 - share) * (k * stretch + b * (said.speed[i] - state.velocity[i]))
        wrench[i] *= trust


@kernel
def _from_waves(
    state: HandState, settings: LinkNumbers, now: float, dt: float, trust: float, wrench: Floats1
) -> Status:
    """The force by the waves of the arm."""
    missing = next_waves(state, settings, now, dt, wrench)
    for i in range(6):
        b = impedance(settings, i)
        wrench[i] = trust * (math.sqrt(2.0 * b) * wrench[i] - b * state.velocity[i])
    return Status.HELD_BACK if missing else Status.GOOD


@kernel
def _keep_passive(state: HandState, settings: LinkNumbers, dt: float, wrench: Floats1) -> Status:
    """No more than what there is energy for."""
    status, force, torque = Status.GOOD, length(wrench, 0), length(wrench, 3)
    held = 0.5 * force * force / settings.softest + 0.5 * torque * torque / settings.turn_softest
    # Waves come back: what the hand gave to them is not lost within a round trip.
    remembered = settings.forgetting + (round_trip(state.heard) if settings.method == LinkMethod.WAVES else 0.0)
    if state.books.available > held:
        state.books.available += mixing(dt, remembered) * (held - state.books.available)
    needed = 0.5 * force * force / settings.firmness + 0.5 * torque * torque / settings.turn_firmness
    there = max(0.0, state.books.available + settings.allowance)
    if needed > there:
        state.ratio = math.sqrt(there / needed)
        for i in range(6):
            wrench[i] *= state.ratio
        status = Status.HELD_BACK
    if state.books.available < 0.0:
        square = 0.0
        for i in range(3):
            square += state.velocity[i] ** 2
        damping = settings.damping_cap
        if square * dt * damping > -state.books.available:
            damping = -state.books.available / (square * dt)
        for i in range(3):
            wrench[i] -= damping * state.velocity[i]
        if state.books.available < -settings.allowance:
            status |= Status.DEBT
    return status


@kernel
def _tell(state: HandState, inputs: EndInputs, packet: Packet) -> None:
    """The next packet for the arm."""
    begin_packet(state, packet, inputs.now)
    for i in range(6):
        packet.place[i], packet.speed[i] = inputs.place[i], state.velocity[i]
        packet.force[i] = inputs.force[i]


# In a station ------------------------------------------------------------------------------------------------


@entry
def station_tick(
    state: HandState,
    settings: LinkNumbers,
    inputs: EndInputs,
    forces: HapticState,
    sent: Floats1,
    pose: Floats2,
    velocity: Floats1,
    now: float,
    dt: float,
    wrench: Floats1,
    packet: Packet,
) -> int:
    """Write what contact the hand is to feel beside a station's other forces [N, N·m]; returns the status as bits.

    Limits and the method of stability take their share of the sum of all effects, and so of the reflected contact: what
    truly acted of it is what counts for its energy.

    Args:
        state: of the end, as for `hand_tick`.
        settings: as for `hand_tick`.
        inputs: as for `hand_tick`; filled here.
        forces: state of the station's forces, as the last tick left it.
        sent: the wrench of all forces that was sent then [N, N·m].
        pose: of the handle, 4×4 [m].
        velocity: of the handle [m/s, rad/s]; turns are integrated from it.
        now: [s].
        dt: time since the last tick [s].
        wrench: what the hand is to feel [N, N·m].
        packet: the next one for the arm, if it had an end.
    """
    share = share_of(forces, sent)
    inputs.now = now
    jumped = False
    for i in range(3):
        jumped = jumped or abs(pose[i, 3] - state.last_place[i]) > JUMP
    for i in range(3):
        inputs.place[i] = pose[i, 3]
        if jumped:
            state.last_place[i] = pose[i, 3]
        if settings.axes == 6:
            inputs.place[3 + i] += velocity[3 + i] * dt
    for i in range(6):
        inputs.force[i] = share * forces.parts[Cause.CONTACT, i]
    return hand_tick(state, settings, inputs, wrench, packet)


@kernel
def share_of(forces: HapticState, sent: Floats1) -> float:
    """What limits and the method of stability have left of the sum of all effects, 0 to 1."""
    size = left = 0.0
    for i in range(3):
        wanted = sent[i] - forces.parts[Cause.LIMITS, i] - forces.parts[Cause.PASSIVITY, i]
        size += wanted * wanted
        left += sent[i] * wanted
    return float(min(max(left / size, 0.0), 1.0)) if size > SMALL else 1.0
