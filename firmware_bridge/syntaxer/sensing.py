"""`Sensing`: one connection to a syntaxer, by the kernels of `connection.py`; and encoders that cannot be right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from firmware_bridge.port import Port
from firmware_bridge.syntaxer.codec import MOST_AT_ONCE, FastLink
from firmware_bridge.syntaxer.connection import (
    REMEMBERED,
    Answer,
    Connection,
    EncoderCounts,
    Numbering,
    Written,
    decode_bytes,
    receive,
    sense_sample,
    swift_receive,
    swift_transmit,
    transmit,
    transmit_currents,
)
from firmware_bridge.syntaxer.messages import AGE_UNKNOWN
from firmware_bridge.syntaxer.protocol import MOTORS
from station.clock import Exchange
from station.devices.age import LinkDelay
from station.devices.device import Floats
from station.devices.swift import RECEIVE, TRANSMIT, Swift, SwiftState
from station.devices.syntaxer import SyntaxerModel
from station.devices.velocity import VelocityEstimator
from station.kernel import Ints, Kernel

STUCK_ANGLE = 0.295  # that both other arms travel while one has not moved by a single count [rad]
PERSISTENT = 5  # samples after which a jump was no moment's glitch


class EncoderWatch:
    """What six unwrapped counters may do; a kernel compares (`judge`), this says what it means."""

    def __init__(self, fastest: Sequence[float]) -> None:
        # a hand may outrun what the brake allows [counts/s]
        self.encoders = EncoderCounts(reach=2.0 * np.asarray(fastest, dtype=np.float64))
        self.glitches = 0  # samples that were refused
        self.reset()

    def reset(self) -> None:
        """Begin anew, as after a restart of the counters."""
        self._refused = 0
        self.encoders.travel[:] = 0

    def fine(self) -> None:
        """A good sample came: what was refused before was a moment's glitch."""
        self._refused = 0

    def trouble(self, answer: Answer, counts: Ints) -> str:
        """What JUMPED or STUCK means: "glitch", or why it is for good."""
        wrong = self.encoders.wrong
        if answer == Answer.STUCK:
            return f"encoder {wrong + 1} of {MOTORS} stands still while the other arms have moved: its cable or disc"
        self._refused += 1
        self.glitches += 1
        if self._refused < PERSISTENT:
            return "glitch"
        change = abs(int(counts[wrong] - self.encoders.last[wrong]))
        return f"encoder {wrong + 1} of {MOTORS} jumped by {change} counts and has lost its place"


class Lasting(NamedTuple):
    """What outlives a connection."""

    state: SwiftState
    numbering: Numbering
    delay: LinkDelay


class Sensing:
    """Bytes in, samples out; wrenches in, bytes out. For one connection."""

    def __init__(self, link: FastLink, model: SyntaxerModel, watch: EncoderWatch, lasting: Lasting) -> None:
        self.watch, self._velocity, self._link = watch, VelocityEstimator(), link
        self.connection = Connection(
            codec=link.codec,
            parts=model.parts,
            place=model.place,
            encoders=watch.encoders,
            velocity=self._velocity.state,
            velocity_numbers=self._velocity.numbers,
            numbering=lasting.numbering,
            delay=lasting.delay.state,
            state=lasting.state,
            stuck_travel=int(STUCK_ANGLE / float(model.parts.chains.angle_per_count.mean())),
        )
        self.swift = Swift(
            RECEIVE.address_of(swift_receive),
            TRANSMIT.address_of(swift_transmit),
            self.connection.address,
            lasting.state,
        )
        self.begin_session()

    def begin_session(self) -> None:
        """Sequence, clock and counters of the device start anew."""
        connection = self.connection
        connection.sequence, connection.time = -1, 0
        connection.watching = connection.untaken = False
        self._velocity.reset()
        self.watch.reset()

    def connect(self, port: Port) -> None:
        """Bytes go through this port from now on."""
        self._port = port
        self.connection.descriptor = port.descriptor

    def disconnect(self) -> None:
        """They go nowhere."""
        self.connection.descriptor = -1

    def receive(self, now: float) -> Answer:
        """Read the port at `now` [s]; FRESH, or why there is no sample."""
        answer = self.connection.answer
        if answer != Answer.UNASKED:  # a compiled caller has read it
            self.connection.answer = Answer.UNASKED
            return answer
        port = self._port
        if port.descriptor >= 0:
            return receive(self.connection, now)
        data = port.read()
        for start in range(0, len(data), MOST_AT_ONCE):
            decode_bytes(self.connection, self._link.hold(data[start : start + MOST_AT_ONCE]))
        return Answer.OTHER_FRAMES if self._link.has_others else self.take(now)

    def take(self, now: float) -> Answer:
        """Take the newest STATE, if there is one, at `now` [s]; FRESH, or why there is no sample."""
        return sense_sample(self.connection, now)

    def transmit(self, push: bool, now: float) -> Written:
        """Send a COMMAND at `now` [s], with the wrench in the state that is shared if it is to `push`."""
        return self._written(transmit(self.connection, push, now))

    def transmit_currents(self, amperes: Floats, led: int, now: float) -> Written:
        """Send a COMMAND at `now` [s] with these currents [A]."""
        self.connection.amperes[:] = amperes
        return self._written(transmit_currents(self.connection, True, led, now))

    def _written(self, answer: Written) -> Written:
        if self._port.descriptor < 0:
            return Written.WRITTEN if self._port.write(self._link.wire) else Written.DROPPED
        return answer

    @property
    def exchange(self) -> Exchange | None:
        """The last command that the newest STATE tells of, with its times; None if that is too long ago."""
        connection, newest = self.connection, self._link.newest
        sequence, age = newest.command_sequence, newest.command_age
        sent = float(connection.sent_at[sequence % REMEMBERED])
        recent = (connection.newest_sent - sequence) & 0xFFFF < REMEMBERED
        if not recent or age == AGE_UNKNOWN or not np.isfinite(sent):
            return None
        told = connection.state.device_time
        return Exchange(sent, told - 1e-6 * age, told, connection.numbering.arrival)


def warm() -> None:
    """Compile, or load what was compiled, so that no tick has to."""
    for one in (sense_sample, receive, decode_bytes, transmit, transmit_currents):
        cast(Kernel, one).native  # noqa: B018 loads it
