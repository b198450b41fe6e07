"""From the port to a sample and from a wrench to the port, in one compiled call each.

On the way in: bytes read, frames, numbers that go round, encoders judged, pose and velocity. On the way out: currents,
a frame, bytes written. What is rare is told by the answer, and the driver sees to it.

`Connection` is all that these kernels work on; what outlives a connection is referred to by it.
"""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np

from firmware_bridge.syntaxer.codec import Codec, decode, encode_command
from firmware_bridge.syntaxer.messages import AGE_UNKNOWN
from firmware_bridge.syntaxer.protocol import MOTORS, Led, Status, Watchdog
from station.devices.age import DelayState, delay_of
from station.devices.device import LOST_AFTER
from station.devices.swift import Received, SwiftState, Transmitted
from station.devices.syntaxer.state import Parts, Place, PlaceStatus
from station.devices.syntaxer.tick import drive, sense
from station.devices.velocity.estimator import velocity_tick
from station.devices.velocity.history import VelocityState
from station.devices.velocity.settings import VelocityNumbers
from station.kernel import (
    CFunction,
    Floats,
    Floats1,
    Ints,
    Ints1,
    Ints2,
    Record,
    RecordAt,
    address_of_array,
    bytes_at,
    entry,
    field,
    kernel,
    reference,
)

ARMS = 3  # the strings are not compared: turning about one axis moves one of them and not the others
REMEMBERED = 256  # commands whose time of sending is known
SLACK = 64.0  # that a count may jump whatever the time [counts]
MOST_READS = 16  # in one call; what is still there then comes with the next
AGAIN = 11  # EAGAIN: nothing to read, or no room to write
WORD, HALF = 1 << 32, 1 << 31  # counters have 32 bits and go round
MICRO = 1e-6  # [s/µs]

_read = CFunction("i8", "i4", "i8", "i8", symbol="read")
_write = CFunction("i8", "i4", "i8", "i8", symbol="write")
_errno_address = CFunction("i8", symbol="__errno_location")


class Answer(IntEnum):
    """What became of the newest bytes."""

    FRESH = 0  # there is a sample
    NOTHING = 1
    REPORTS_ERROR = 2  # the device does
    NO_PLACE = 3  # the counts name one that cannot be
    OTHER_FRAMES = 4  # something else than STATE has come: see to it, then `sense_sample`
    ENDED = 5  # the port has
    SLOW = 6  # answers of the device take too long
    JUMPED = 7  # an encoder has, which is `EncoderCounts.wrong`
    STUCK = 8  # an encoder is
    UNASKED = 9  # there is no answer that waits to be seen to


class Written(IntEnum):
    """What became of a COMMAND."""

    WRITTEN = 0
    DROPPED = 1  # the way is blocked; newer bytes will follow
    ENDED = 2  # the port has


class EncoderCounts(Record):
    """What counters have done, and may do."""

    last: Ints1 = field("", "of the last good sample", shape=MOTORS)
    reach: Floats1 = field("1/s", "fastest change", shape=MOTORS)
    travel: Ints2 = field("", "of arm j since arm i last moved", shape=(ARMS, ARMS))
    wrong: int = field("", "the encoder that has jumped or is stuck")


class Numbering(Record):
    """Sequence and time of samples go on where an earlier session ended, though the device begins again at 0."""

    arrival: float = field("s", "of the last sample of whatever session; -inf: there was none", default=-math.inf)
    first_number: int = field("", "to be added to what the device says")
    first_time: float = field("s", "to be added to what the device says")
    begins: bool = field("", "the next sample is the first of a session", default=True)


class Connection(Record):
    """A syntaxer at a port."""

    codec: Codec = reference("bytes both ways, and the newest STATE")
    parts: Parts = reference("numbers of the device")
    place: Place = reference("where it is")
    encoders: EncoderCounts = reference()
    numbering: Numbering = reference()
    delay: DelayState = reference("of the link")
    state: SwiftState = reference("what compiled callers share")
    velocity: VelocityState = reference("of the handle")
    velocity_numbers: VelocityNumbers = reference()
    # The device,
    streaming: bool = field("", "it is known and sends samples")
    untaken: bool = field("", "a STATE has come and was not taken yet")
    counts: Ints1 = field("", "of the encoders, without wrap", shape=MOTORS)
    watching: bool = field("", "there are counts to compare with")
    sequence: int = field("", "of the last good sample, without wrap; -1: none in this session", default=-1)
    time: int = field("µs", "of the last good sample, without wrap")
    stuck_travel: int = field("", "counts of both other arms while one has not moved by a single one")
    handle: Floats1 = field("m, rad", "place and rotation vector", shape=6)
    # its port,
    descriptor: int = field("", "-1: bytes are put into `data`, and taken from `wire`, by others", default=-1)
    answer: Answer = field("", "to compiled callers, for the driver to see to", default=Answer.UNASKED)
    # and commands.
    newest_sent: int = field("", "sequence of the newest")
    echo: int = field("", "sequence of that which was last answered", default=-1)
    enabled_by: int = field("", "sequence of the first with force; -1: none yet", default=-1)
    round_trip: float = field("s", "of the link, as last measured")
    sent_at: Floats1 = field("s", "of each; not a number: none of this connection", shape=REMEMBERED, default=math.nan)
    wrench: Floats1 = field("N, N·m", "on the hand", shape=6)
    amperes: Floats1 = field("A", shape=MOTORS)


connection_at = RecordAt(Connection)


# Samples ---------------------------------------------------------------------------------------------------


@kernel
def unwrap_counts(shown: Ints, counts: Ints) -> None:
    """The whole numbers nearest to the last ones."""
    for i in range(counts.size):
        counts[i] += (shown[i] - counts[i] + HALF) % WORD - HALF


@kernel
def judge(counts: Ints, encoders: EncoderCounts, elapsed: float, most: int) -> Answer:
    """FRESH, and `last` and `travel` follow; or JUMPED, and they stay; or STUCK."""
    last, travel = encoders.last, encoders.travel
    for i in range(counts.size):
        if abs(counts[i] - last[i]) > encoders.reach[i] * max(elapsed, 0.0) + SLACK:
            encoders.wrong = i
            return Answer.JUMPED
    for i in range(ARMS):
        still = counts[i] == last[i]
        for j in range(ARMS):
            travel[i, j] = travel[i, j] + abs(counts[j] - last[j]) if still else 0
    for i in range(counts.size):
        last[i] = counts[i]
    for i in range(ARMS):
        least = most + 1
        for j in range(ARMS):
            if j != i:
                least = min(least, travel[i, j])
        if least > most:
            encoders.wrong = i
            return Answer.STUCK
    return Answer.FRESH


@kernel
def place_of(pose: Floats, place: Floats) -> None:
    """Position [m] and rotation vector [rad] of a pose turned by less than a quarter turn."""
    x, y, z = pose[2, 1] - pose[1, 2], pose[0, 2] - pose[2, 0], pose[1, 0] - pose[0, 1]
    sine = 0.5 * np.sqrt(x * x + y * y + z * z)
    scale = 0.5 * np.arcsin(min(sine, 1.0)) / sine if sine > 1e-9 else 0.5
    place[0], place[1], place[2] = pose[0, 3], pose[1, 3], pose[2, 3]
    place[3], place[4], place[5] = scale * x, scale * y, scale * z


@kernel
def near(value: int, last: int, bits: int) -> int:
    """The whole number closest to `last` whose lowest `bits` are those of `value`."""
    half = 1 << (bits - 1)
    return last + ((value - last + half) & ((1 << bits) - 1)) - half


@entry
def sense_sample(link: Connection, now: float) -> Answer:
    """Take the newest STATE at `now` [s]; fills place, velocity and sample, and says what became of it."""
    newest, counts = link.codec.newest, link.counts
    if not link.streaming or not link.untaken:
        return Answer.NOTHING
    link.untaken = False
    known = link.sequence >= 0
    sequence = near(newest.sequence, link.sequence if known else 0, 16)
    if known and sequence <= link.sequence:
        return Answer.NOTHING
    time = near(newest.time_us, link.time, 32)
    elapsed = (time - link.time) * MICRO
    unwrap_counts(newest.counts, counts)
    if not link.watching:
        link.watching = True
        for i in range(MOTORS):
            link.encoders.last[i] = counts[i]
    else:
        found = judge(counts, link.encoders, elapsed, link.stuck_travel)
        if found != Answer.FRESH:
            return found
    link.sequence, link.time = sequence, time
    if newest.error != 0:
        return Answer.REPORTS_ERROR
    _measure_round_trip(link, now)
    if link.round_trip > LOST_AFTER:
        return Answer.SLOW
    for i in range(MOTORS):
        link.place.counts[i] = counts[i]
    if sense(link.parts, link.place) != PlaceStatus.OK:
        return Answer.NO_PLACE
    place_of(link.place.pose, link.handle)
    velocity_tick(link.velocity, link.velocity_numbers, time * MICRO, link.handle)
    _fill_sample(link, now)
    return Answer.FRESH


@kernel
def _measure_round_trip(link: Connection, now: float) -> None:
    """From a command to the sample that answers it, without the time that the device had it."""
    sequence, age = link.codec.newest.command_sequence, link.codec.newest.command_age
    known = (link.newest_sent - sequence) & 0xFFFF < REMEMBERED and age != AGE_UNKNOWN
    sent_at = link.sent_at[sequence % REMEMBERED]
    if known and sequence != link.echo and np.isfinite(sent_at):
        link.round_trip = now - sent_at - MICRO * age
        link.echo = sequence


@kernel
def _fill_sample(link: Connection, now: float) -> None:
    """Sequence and time go on where an earlier session ended."""
    newest, numbering, state, pose = link.codec.newest, link.numbering, link.state, link.place.pose
    time = link.time * MICRO
    if numbering.begins:
        numbering.begins = False
        before = numbering.arrival
        if before > -np.inf:
            numbering.first_number = state.sequence + 1 - link.sequence
            numbering.first_time = state.device_time + (now - before) - time
    numbering.arrival = now
    for i in range(4):
        for j in range(4):
            state.pose[i, j] = pose[i, j]
    for i in range(6):
        state.velocity[i] = link.velocity.speed[i]
    state.buttons, state.grip = newest.buttons, newest.grip
    state.device_time = time + numbering.first_time
    state.sequence = link.sequence + numbering.first_number


@entry
def receive(link: Connection, now: float) -> Answer:
    """Read what has come in until `now` [s] and take the newest STATE; FRESH, or why there is no sample."""
    codec = link.codec
    counts, data = codec.counts, codec.data
    before = counts.states
    for _ in range(MOST_READS):
        start = counts.filled
        room = data.size - start
        got = _read(link.descriptor, address_of_array(data) + start, room)
        if got == 0 or (got < 0 and not _blocked()):
            return Answer.ENDED
        if got < 0:
            break
        decode(codec, start + got)
        if counts.others != 0 or got < room:
            break
    if counts.states != before:
        link.untaken = True
    return Answer.OTHER_FRAMES if counts.others != 0 else sense_sample(link, now)


@entry
def decode_bytes(link: Connection, filled: int) -> None:
    """Take all complete frames out of the first `filled` bytes of `data`, which others have put there."""
    before = link.codec.counts.states
    decode(link.codec, filled)
    if link.codec.counts.states != before:
        link.untaken = True


@entry
def swift_receive(state: SwiftState, memory: int, now: float) -> Received:
    """`receive` for compiled callers: what is not usual waits in the connection until the driver sees to it."""
    link = connection_at(memory)
    answer = receive(link, now)
    if answer == Answer.FRESH:
        # What tripped while no force was let through takes nothing away, and needs nobody.
        tripped = link.codec.newest.watchdog == Watchdog.TRIPPED and state.force
        if not tripped and not delay_of(link.delay, state.device_time, now) > LOST_AFTER:
            state.heard = now
            return Received.FRESH
    elif answer == Answer.NOTHING and not now - state.heard > LOST_AFTER:
        return Received.NOTHING_NEW
    link.answer = answer
    return Received.LOOK


# Commands --------------------------------------------------------------------------------------------------


@kernel
def _blocked() -> bool:
    """Whether a call of the system failed only as it would have had to wait."""
    return bool(bytes_at(_errno_address(), 4)[0] == AGAIN)


@entry
def transmit_currents(link: Connection, push: bool, led: int, now: float) -> Written:
    """Send a COMMAND at `now` [s] with the currents in `amperes`, whoever has put them there."""
    wire = link.codec.wire
    sequence = (link.newest_sent + 1) & 0xFFFF  # and heartbeat: both have to change
    encode_command(link.codec, link.amperes, push, led, sequence, sequence, int(now / MICRO) & 0xFFFFFFFF)
    link.newest_sent = sequence
    if push and link.enabled_by < 0:
        link.enabled_by = sequence
    link.sent_at[sequence % REMEMBERED] = now
    if link.descriptor < 0:
        return Written.WRITTEN
    written = _write(link.descriptor, address_of_array(wire), wire.size)
    if written == wire.size:
        return Written.WRITTEN
    return Written.DROPPED if written >= 0 or _blocked() else Written.ENDED


@entry
def transmit(link: Connection, push: bool, now: float) -> Written:
    """Send a COMMAND at `now` [s]: currents for the wrench in `state`, zero if it is not finite; or none.

    The light in the handle is green while the device pushes and a robot follows, else blue.
    """
    wrench, amperes, state = link.wrench, link.amperes, link.state
    finite = True
    for i in range(6):
        wrench[i] = state.wrench[i]
        finite = finite and np.isfinite(wrench[i])
    if not finite:
        for i in range(6):
            wrench[i] = 0.0
    if push:
        spent = link.codec.newest.status & Status.PEAK_SPENT != 0  # only currents that the motors bear for long
        limits = link.parts.continuous if spent else link.parts.peak
        drive(link.parts, link.place, limits, 1.0, wrench, amperes)
    else:
        for i in range(MOTORS):
            amperes[i] = 0.0
    return transmit_currents(link, push, Led.GREEN if push and not state.stands else Led.BLUE, now)


@entry
def swift_transmit(state: SwiftState, memory: int, now: float) -> Transmitted:
    """`transmit` for compiled callers: with the force that they let through."""
    written = transmit(connection_at(memory), state.force, now)
    return Transmitted.SENT if written != Written.ENDED else Transmitted.NOT_SENT
