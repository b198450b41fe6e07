"""`Sensing`: the hot path of one syntaxer, by `sense_kernels`; holds its arrays together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.syntaxer import sense_kernels as at
from firmware_bridge.syntaxer import tick_kernels
from firmware_bridge.syntaxer.fast_link import FastLink
from firmware_bridge.syntaxer.protocol import MOTORS
from firmware_bridge.syntaxer.watch import EncoderWatch
from station.devices.device import Floats
from station.devices.syntaxer import SyntaxerModel
from station.devices.velocity import VelocityEstimator


class Sensing:
    """Bytes in, samples out; wrenches in, bytes out. For one connection."""

    def __init__(self, link: FastLink, model: SyntaxerModel, watch: EncoderWatch) -> None:
        self.watch, self._velocity = watch, VelocityEstimator()
        self.counts: NDArray[np.int64] = np.zeros(MOTORS, dtype=np.int64)
        self._session = np.zeros(at.SESSION)
        self.session = memoryview(self._session.data).cast("B").cast("d")
        self._sent_at = np.zeros(at.REMEMBERED)
        self.wrench: Floats = np.zeros(6)  # to be sent next [N, N·m]
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
            "wrench": self.wrench,
            "amperes": np.zeros(MOTORS),
        }
        names = (*at.FIELDS, *at.BYTES)
        self._table = np.ones((len(names), at.ENTRY), np.int64)
        for entry, name in zip(self._table, names, strict=True):
            array = self._arrays[name]
            entry[0], entry[1 : 1 + array.ndim] = array.ctypes.data, array.shape
        self._mem: int = self._table.ctypes.data
        link.decode = self._decode
        self._wire = link.wire
        self.pose, self.velocity = model.arrays["pose"], self._velocity.arrays["velocity"]
        self._session[at.ECHO] = -1.0
        self.begin_session()

    def begin_session(self) -> None:
        """Sequence, clock and counters of the device start anew."""
        self._session[[at.SEQUENCE, at.TIME, at.WATCHING]] = -1.0, 0.0, 0.0
        self._velocity.reset()
        self.watch.reset()

    def take(self, now: float) -> int:
        """Take the newest STATE at `now` [s]; FRESH, or why there is no sample: see `sense_kernels`."""
        return at.sense_sample(self._mem, now)

    def _decode(self, filled: int) -> int:
        return at.decode_bytes(self._mem, filled)

    def command(self, push: bool, for_long: bool, led: int, heartbeat: int, sequence: int, now: float) -> memoryview:
        """Bytes of a COMMAND sent at `now` [s], with `wrench` if it is to `push`; valid until the next call."""
        at.write_command(self._mem, push, for_long, led, heartbeat, sequence, int(now * 1e6) & 0xFFFFFFFF)
        self.sent(sequence, now)
        return self._wire

    def sent(self, sequence: int, now: float) -> None:
        """A command was sent at `now` [s]."""
        self._sent_at[sequence % at.REMEMBERED] = now
        self.session[at.NEWEST_SENT] = sequence

    @property
    def round_trip(self) -> float:
        """Of the link, as last measured [s]."""
        return self.session[at.ROUND_TRIP]

    @round_trip.setter
    def round_trip(self, seconds: float) -> None:
        self.session[at.ROUND_TRIP] = seconds

    def warm(self) -> None:
        """Compile, or load what was compiled, so that no tick has to; nothing is remembered."""
        kept = self._session.copy()
        self.take(0.0)
        self._decode(0)
        for push in (False, True):
            self.command(push, False, 0, 0, 0, 0.0)
        self._session[:] = kept
        self.begin_session()


def is_encoder_trouble(answer: int) -> bool:
    """Whether an answer of `take` means that an encoder is wrong."""
    return answer >= tick_kernels.JUMPED
