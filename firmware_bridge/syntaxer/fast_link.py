"""`FastLink`: the compiled codec with its memory, for a loop that must not spend time on bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_bridge.syntaxer import kernels
from firmware_bridge.syntaxer.frames import Counters, Decoder, Frame
from firmware_bridge.syntaxer.kernels import Floats
from firmware_bridge.syntaxer.messages import State
from firmware_bridge.syntaxer.protocol import STUFFED_MAX

CAPACITY = 8192  # bytes held at once: 30 ms of STATE frames at 4 kHz
MOST_AT_ONCE = CAPACITY - STUFFED_MAX


class FastLink:
    """Decodes STATE frames and encodes COMMAND frames without making objects."""

    def __init__(self) -> None:
        self.newest: Floats = np.zeros(kernels.STATE_LENGTH)  # fields of the newest STATE; places are in `kernels`
        self.numbers = memoryview(self.newest.data).cast("B").cast("d")  # the same; single ones are reached faster
        self._data = np.zeros(CAPACITY, dtype=np.uint8)
        self._view = self._data.data
        self._raw = np.zeros(STUFFED_MAX, dtype=np.uint8)
        self._counters = np.zeros(kernels.COUNTERS_LENGTH, dtype=np.int64)
        self._counters[kernels.LAST_STATE] = -1
        self._counts = memoryview(self._counters.data).cast("B").cast("q")
        self._others = np.zeros(CAPACITY, dtype=np.uint8)
        self._other_frames: list[Frame] = []
        self._wire = np.zeros(kernels.COMMAND_WIRE, dtype=np.uint8)
        self.wire = self._wire.data.toreadonly()

    def feed(self, data: bytes) -> int:
        """Take bytes in; returns how many STATE frames they completed. The last of them is in `newest`."""
        before = self._counts[kernels.STATES]
        for start in range(0, len(data), MOST_AT_ONCE):
            filled = self.hold(data[start : start + MOST_AT_ONCE])
            kernels.decode(self._data, filled, self._raw, self.newest, self._counters, self._others)
            if self._counts[kernels.OTHERS]:
                self._read_others()
        return self._counts[kernels.STATES] - before

    def hold(self, data: bytes) -> int:
        """Keep bytes for the decoder, MOST_AT_ONCE at a time; returns how many wait for it now."""
        start = self._counts[kernels.FILLED]
        end = start + len(data)
        self._view[start:end] = data
        return end

    @property
    def arrays(self) -> dict[str, Any]:
        """What the codec reads and writes, for a loop that calls it by itself."""
        return {
            "state": self.newest,
            "counters": self._counters,
            "data": self._data,
            "raw": self._raw,
            "others": self._others,
            "wire": self._wire,
        }

    @property
    def has_others(self) -> bool:
        """Whether `take_others` has any."""
        return bool(self._other_frames) or self._counts[kernels.OTHERS] != 0

    def begin_session(self) -> None:
        """The device numbers its STATE frames anew: the next one follows nothing."""
        self._counters[kernels.LAST_STATE] = -1

    def _read_others(self) -> None:
        length = int(self._counters[kernels.OTHERS])
        self._other_frames += Decoder().feed(self._others[:length].tobytes())
        self._counters[kernels.OTHERS] = 0

    def take_others(self) -> list[Frame]:
        """Good frames other than STATE that came since the last call, oldest first."""
        self._read_others()
        frames, self._other_frames = self._other_frames, []
        return frames

    def command(
        self, currents: Floats, enable: bool, led: int, heartbeat: int, sequence: int, time_us: int
    ) -> memoryview:
        """Bytes of a COMMAND with currents [A]; valid until the next call."""
        # Plain int and bool: for a type not seen yet the kernel would be compiled anew, in the middle of a tick.
        kernels.encode_command(
            currents,
            bool(enable),
            int(led),
            int(heartbeat),
            int(sequence),
            int(time_us) & 0xFFFFFFFF,
            self._raw,
            self._wire,
        )
        return self.wire

    @property
    def lost(self) -> int:
        """How many STATE frames did not arrive, by the gaps in their sequence."""
        return int(self._counts[kernels.LOST])

    @property
    def counters(self) -> Counters:
        """What came in so far."""
        return Counters(*map(int, self._counters[: len(Counters._fields)]))

    @property
    def state(self) -> State | None:
        """The newest STATE as a tuple; None before the first."""
        if not self._counters[kernels.STATES]:
            return None
        fields = self.newest.tolist()
        return State._make(
            [
                *map(int, fields[: kernels.GRIP]),
                *fields[kernels.GRIP : kernels.COUNTS],
                tuple(map(int, fields[kernels.COUNTS : kernels.CURRENTS])),
                tuple(fields[kernels.CURRENTS :]),
            ]
        )


def warm() -> None:
    """Compile, or load what was compiled, so that no tick has to."""
    link = FastLink()
    link.feed(b"\1\0")
    link.command(np.zeros(6), False, 0, 0, 0, 0)
