"""`Sensing`: the hot path of one syntaxer, by `sense_kernels`; holds its arrays together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.port import Port
from firmware_bridge.syntaxer import kernels, tick_kernels
from firmware_bridge.syntaxer import sense_kernels as at
from firmware_bridge.syntaxer.fast_link import MOST_AT_ONCE, FastLink
from firmware_bridge.syntaxer.messages import AGE_UNKNOWN
from firmware_bridge.syntaxer.protocol import MOTORS
from firmware_bridge.syntaxer.session import ARRIVAL, Numbering
from firmware_bridge.syntaxer.watch import EncoderWatch
from station.calling import address_of
from station.clock import Exchange
from station.devices.age import LinkDelay
from station.devices.device import Floats
from station.devices.swift import DEVICE_TIME, RECEIVE, TRANSMIT, Swift
from station.devices.syntaxer import SyntaxerModel
from station.devices.syntaxer.kernels.layout import ANGLE_PER_COUNT
from station.devices.velocity import VelocityEstimator

STUCK_ANGLE = 0.295  # that both other arms travel while one has not moved by a single count [rad]


class Lasting(NamedTuple):
    """What outlives a connection."""

    numbers: Floats  # see `station.devices.swift`
    numbering: Numbering
    delay: LinkDelay


class Sensing:
    """Bytes in, samples out; wrenches in, bytes out. For one connection."""

    def __init__(self, link: FastLink, model: SyntaxerModel, watch: EncoderWatch, lasting: Lasting) -> None:
        self.watch, self._velocity = watch, VelocityEstimator()
        self.counts: NDArray[np.int64] = np.zeros(MOTORS, dtype=np.int64)
        self._session = np.zeros(at.SESSION)
        self.session = memoryview(self._session.data).cast("B").cast("d")
        self._sent_at = np.full(at.REMEMBERED, np.nan)
        self.numbers = lasting.numbers
        self._arrays = {
            **link.arrays,
            "counts": self.counts,
            "last": watch.last,
            "reach": watch.reach,
            "travel": watch.travel,
            **model.arrays,
            **self._velocity.arrays,
            "place": np.zeros(6),
            "sent_at": self._sent_at,
            "session": self._session,
            "wrench": np.zeros(6),
            "amperes": np.zeros(MOTORS),
            "numbering": lasting.numbering.state,
            "delay": lasting.delay.state,
            "numbers": lasting.numbers,
        }
        names = (*at.FIELDS, *at.BYTES)
        self._table = np.ones((len(names), at.ENTRY), np.int64)
        for entry, name in zip(self._table, names, strict=True):
            array = self._arrays[name]
            entry[0], entry[1 : 1 + array.ndim] = array.ctypes.data, array.shape
        self._mem: int = self._table.ctypes.data
        self._link = link
        self.swift = Swift(
            address_of(at.swift_receive, RECEIVE), address_of(at.swift_transmit, TRANSMIT), self._mem, self.numbers
        )
        self._session[[at.ECHO, at.DESCRIPTOR, at.ANSWER, at.ENABLED_BY]] = -1.0, -1.0, at.UNASKED, -1.0
        self._session[at.STUCK_TRAVEL] = STUCK_ANGLE / float(model.packed.chains[:, ANGLE_PER_COUNT].mean())
        self.begin_session()

    def begin_session(self) -> None:
        """Sequence, clock and counters of the device start anew."""
        self._session[[at.SEQUENCE, at.TIME, at.WATCHING, at.UNTAKEN]] = -1.0, 0.0, 0.0, 0.0
        self._velocity.reset()
        self.watch.reset()

    def connect(self, port: Port) -> None:
        """Bytes go through this port from now on."""
        self._port = port
        self.session[at.DESCRIPTOR] = port.descriptor

    def disconnect(self) -> None:
        """They go nowhere."""
        self.session[at.DESCRIPTOR] = -1.0

    def receive(self, now: float) -> int:
        """Read the port at `now` [s]; FRESH, or why there is no sample: see `sense_kernels`."""
        answer = int(self.session[at.ANSWER])
        if answer != at.UNASKED:  # a compiled caller has read it
            self.session[at.ANSWER] = at.UNASKED
            return answer
        port = self._port
        if port.descriptor >= 0:
            return at.receive(self._mem, now)
        data = port.read()
        for start in range(0, len(data), MOST_AT_ONCE):
            at.decode_bytes(self._mem, self._link.hold(data[start : start + MOST_AT_ONCE]))
        return at.OTHER_FRAMES if self._link.has_others else at.sense_sample(self._mem, now)

    def take(self, now: float) -> int:
        """Take the newest STATE, if there is one, at `now` [s]; FRESH, or why there is no sample."""
        return at.sense_sample(self._mem, now)

    def transmit(self, push: bool, now: float) -> int:
        """Send a COMMAND at `now` [s], with the wrench in `numbers` if it is to `push`; WRITTEN, DROPPED or ENDED."""
        return self._written(at.transmit(self._mem, push, now))

    def transmit_currents(self, amperes: Floats, led: int, now: float) -> int:
        """Send a COMMAND at `now` [s] with these currents [A]; WRITTEN, DROPPED or ENDED."""
        self._arrays["amperes"][:] = amperes
        return self._written(at.transmit_currents(self._mem, True, led, now))

    def _written(self, answer: int) -> int:
        if self._port.descriptor < 0:
            return at.WRITTEN if self._port.write(self._link.wire) else at.DROPPED
        return answer

    @property
    def streaming(self) -> bool:
        """Whether the device is known, and what it says means something."""
        return self.session[at.STREAMING] != 0.0

    @streaming.setter
    def streaming(self, does: bool) -> None:
        self.session[at.STREAMING] = float(does)

    @property
    def exchange(self) -> Exchange | None:
        """The last command that the newest STATE tells of, with its times; None if that is too long ago."""
        newest = self._link.numbers
        sequence, age = int(newest[kernels.COMMAND_SEQUENCE]), int(newest[kernels.COMMAND_AGE])
        sent = float(self._sent_at[sequence % at.REMEMBERED])
        recent = (int(self.session[at.NEWEST_SENT]) - sequence) & 0xFFFF < at.REMEMBERED
        if not recent or age == AGE_UNKNOWN or not np.isfinite(sent):
            return None
        told = float(self.numbers[DEVICE_TIME])
        return Exchange(sent, told - 1e-6 * age, told, float(self._arrays["numbering"][ARRIVAL]))

    @property
    def round_trip(self) -> float:
        """Of the link, as last measured [s]."""
        return self.session[at.ROUND_TRIP]

    @round_trip.setter
    def round_trip(self, seconds: float) -> None:
        self.session[at.ROUND_TRIP] = seconds

    def warm(self) -> None:
        """Compile, or load what was compiled, so that no tick has to; nothing is sent and nothing remembered."""
        kept = self._session.copy()
        self._session[at.DESCRIPTOR] = -1.0
        self.take(0.0)
        at.receive(self._mem, 0.0)
        at.decode_bytes(self._mem, 0)
        for push in (False, True):
            at.transmit(self._mem, push, 0.0)
        self._session[:] = kept
        self.begin_session()


def is_encoder_trouble(answer: int) -> bool:
    """Whether an answer of `take` means that an encoder is wrong."""
    return answer >= tick_kernels.JUMPED
