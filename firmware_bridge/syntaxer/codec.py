"""The compiled codec: many bytes → newest STATE, and currents → bytes of a COMMAND; `FastLink` is Python's way to it.

Does what `frames.Decoder` and `messages` do, to the last counter; the plain path stays the reference.
"""

from __future__ import annotations

import numpy as np

from firmware_bridge.syntaxer.frames import Counters, Decoder, Frame
from firmware_bridge.syntaxer.messages import State
from firmware_bridge.syntaxer.protocol import (
    HEADER_SIZE,
    IDENTITY_PREFIX,
    MOTORS,
    PAYLOAD_SIZE,
    RAW_MAX,
    STUFFED_MAX,
    VERSION,
    MessageType,
)
from station.kernel import Bytes, Bytes1, Floats, Floats1, Ints1, Record, entry, field, kernel

CAPACITY = 8192  # bytes held at once: 30 ms of STATE frames at 4 kHz
MOST_AT_ONCE = CAPACITY - STUFFED_MAX
COMMAND_RAW = HEADER_SIZE + PAYLOAD_SIZE[MessageType.COMMAND] + 2
COMMAND_WIRE = COMMAND_RAW + 2
SIZE_OF_TYPE = np.full(256, -1)
for _type, _size in PAYLOAD_SIZE.items():
    SIZE_OF_TYPE[_type] = _size


class StateFrame(Record):
    """The newest STATE, as `messages.State` has it."""

    sequence: int = field("", "counts STATE frames since START, modulo 65,536")
    time_us: int = field("µs", "device clock at sampling, modulo 2³²")
    command_sequence: int = field("", "of the last COMMAND that was accepted")
    command_age: int = field("µs", "since then; AGE_UNKNOWN: too long ago")
    status: int = field("", "`Status` bits")
    watchdog: int = field("", "`Watchdog`")
    error: int = field("", "`ErrorCode` of the latched fault, or 0")
    refused: int = field("", "frames of the host refused since boot, modulo 256")
    buttons: int = field("", "bit i: button i is down")
    grip: float = field("", "0 open … 1 closed")
    temperature: float = field("°C")
    supply: float = field("V", "of the motors")
    counts: Ints1 = field("", "six encoders, signed 32 bits, wrap", shape=MOTORS)
    currents: Floats1 = field("A", "measured", shape=MOTORS)


class CodecCounts(Record):
    """What came in so far, as `frames.Counters` has it; then what the decoder remembers between calls."""

    good: int
    states: int
    lost: int
    torn: int
    too_long: int
    crc: int
    unknown: int
    foreign: int
    others: int = field("bytes", "of other frames")
    last_state: int = field("", "newest sequence; -1: none yet", default=-1)
    overflow: bool = field("", "in the middle of too long a chunk")
    filled: int = field("bytes", "of a frame that is not complete yet")


class Codec(Record):
    """Both directions with their bytes."""

    newest: StateFrame
    counts: CodecCounts
    data: Bytes1 = field("", "as they came in", shape=CAPACITY)
    others: Bytes1 = field("", "frames that are not STATE, as they came in", shape=CAPACITY)
    raw: Bytes1 = field("", "one frame without stuffing", shape=STUFFED_MAX)
    wire: Bytes1 = field("", "a COMMAND as it goes out", shape=COMMAND_WIRE)


@kernel
def crc16(data: Bytes, length: int) -> int:
    """CRC-16/IBM-3740 of the first bytes."""
    crc = 0xFFFF
    for i in range(length):
        mix = (crc >> 8) ^ int(data[i])
        mix ^= mix >> 4
        crc = ((crc << 8) ^ (mix << 12) ^ (mix << 5) ^ mix) & 0xFFFF
    return crc


@kernel
def unstuff(data: Bytes, start: int, end: int, raw: Bytes) -> int:
    """COBS decoding of data[start:end] without zeros in it; the length, or -1 if a code points past the end."""
    at = 0
    place = start
    while place < end:
        code = int(data[place])
        place += 1
        if code - 1 > end - place:
            return -1
        for _ in range(code - 1):
            raw[at] = data[place]
            at += 1
            place += 1
        if code != 0xFF and place < end:
            raw[at] = 0
            at += 1
    return at


@kernel
def word(raw: Bytes, at: int, size: int, signed: bool) -> int:
    """Little-endian number of `size` bytes."""
    value = 0
    for i in range(size):
        value |= int(raw[at + i]) << (8 * i)
    if signed and value >= 1 << (8 * size - 1):
        value -= 1 << (8 * size)
    return value


@kernel
def read_state(raw: Bytes, newest: StateFrame) -> None:
    """Fields of a STATE frame, in the units of `messages.State`."""
    newest.sequence = word(raw, 2, 2, False)
    newest.time_us = word(raw, 4, 4, False)
    newest.command_sequence = word(raw, 8, 2, False)
    newest.command_age = word(raw, 10, 2, False)
    newest.status = word(raw, 12, 2, False)
    newest.watchdog = int(raw[14])
    newest.error = int(raw[15])
    newest.refused = int(raw[16])
    newest.buttons = int(raw[17])
    newest.grip = word(raw, 18, 2, False) / 65535.0
    newest.temperature = word(raw, 20, 2, True) / 100.0
    newest.supply = raw[22] / 4.0
    for i in range(MOTORS):
        newest.counts[i] = word(raw, 23 + 4 * i, 4, True)
        newest.currents[i] = word(raw, 23 + 4 * MOTORS + 2 * i, 2, True) / 1000.0


@kernel
def count_state(sequence: int, counts: CodecCounts) -> None:
    """Count a STATE, and those that its sequence says are missing."""
    if counts.last_state >= 0:
        missing = (sequence - counts.last_state - 1) & 0xFFFF
        if missing < 0x8000:
            counts.lost += missing
    counts.last_state = sequence
    counts.states += 1


@kernel
def take_chunk(codec: Codec, start: int, end: int) -> None:
    """Judge what stands between two zeros; STATE goes to `newest`, other good frames go to `others` as they are."""
    counts, raw = codec.counts, codec.raw
    if end - start > STUFFED_MAX:
        counts.too_long += 1
        return
    length = unstuff(codec.data, start, end, raw)
    if length < HEADER_SIZE + 2:
        counts.torn += 1
        return
    if length > RAW_MAX:
        counts.too_long += 1
        return
    if crc16(raw, length - 2) != word(raw, length - 2, 2, False):
        counts.crc += 1
        return
    kind = int(raw[1])
    payload = length - HEADER_SIZE - 2
    if raw[0] != VERSION:
        if kind != MessageType.HELLO and (kind != MessageType.IDENTITY or payload < IDENTITY_PREFIX):
            counts.foreign += 1
            return
    elif SIZE_OF_TYPE[kind] != payload:
        counts.unknown += 1
        return
    counts.good += 1
    if kind == MessageType.STATE:
        count_state(word(raw, 2, 2, False), counts)
        read_state(raw, codec.newest)
        return
    at = counts.others
    for i in range(start, end + 1):  # with the ending zero
        codec.others[at] = codec.data[i]
        at += 1
    counts.others = at


@entry(inline=True)
def decode(codec: Codec, filled: int) -> None:
    """Take all complete frames out of the first `filled` bytes of `data`; the rest moves to the front."""
    counts, data = codec.counts, codec.data
    start = 0
    for i in range(filled):
        if data[i] != 0:
            continue
        if counts.overflow:
            counts.overflow = False
            counts.too_long += 1
        elif i > start:
            take_chunk(codec, start, i)
        start = i + 1
    rest = filled - start
    if rest > STUFFED_MAX or counts.overflow:
        counts.overflow = rest > 0 or counts.overflow
        rest = 0
    for i in range(rest):
        data[i] = data[start + i]
    counts.filled = rest


@entry(inline=True)
def encode_command(
    codec: Codec, currents: Floats1, enable: bool, led: int, heartbeat: int, sequence: int, time_us: int
) -> int:
    """Bytes of a COMMAND with currents [A] into `wire`; their number. NaN becomes 0, too large the largest."""
    raw, wire = codec.raw, codec.wire
    raw[0] = VERSION
    raw[1] = MessageType.COMMAND
    raw[2] = sequence & 0xFF
    raw[3] = (sequence >> 8) & 0xFF
    for i in range(4):
        raw[4 + i] = (time_us >> (8 * i)) & 0xFF
    raw[8] = 1 if enable else 0
    raw[9] = led & 0xFF
    raw[10] = heartbeat & 0xFF
    raw[11] = (heartbeat >> 8) & 0xFF
    for i in range(MOTORS):
        current = currents[i]
        value = 0 if np.isnan(current) else int(np.rint(max(-32.767, min(32.767, current)) * 1000.0))
        raw[12 + 2 * i] = value & 0xFF
        raw[13 + 2 * i] = (value >> 8) & 0xFF
    crc = crc16(raw, COMMAND_RAW - 2)
    raw[COMMAND_RAW - 2] = crc & 0xFF
    raw[COMMAND_RAW - 1] = crc >> 8
    code_at = 0  # stuffing: no run can be longer than a block, so there is one code byte more than there are zeros
    for i in range(COMMAND_RAW):
        wire[1 + i] = raw[i]
        if raw[i] == 0:
            wire[code_at] = 1 + i - code_at
            code_at = 1 + i
    wire[code_at] = 1 + COMMAND_RAW - code_at
    wire[1 + COMMAND_RAW] = 0
    return COMMAND_WIRE


class FastLink:
    """Decodes STATE frames and encodes COMMAND frames without making objects."""

    def __init__(self) -> None:
        self.codec = Codec()
        self.newest = self.codec.newest
        self._counts, self._view = self.codec.counts, self.codec.data.data
        self._other_frames: list[Frame] = []
        self.wire = self.codec.wire.data.toreadonly()

    def feed(self, data: bytes) -> int:
        """Take bytes in; returns how many STATE frames they completed. The last of them is in `newest`."""
        before = self._counts.states
        for start in range(0, len(data), MOST_AT_ONCE):
            decode(self.codec, self.hold(data[start : start + MOST_AT_ONCE]))
            if self._counts.others:
                self._read_others()
        return self._counts.states - before

    def hold(self, data: bytes) -> int:
        """Keep bytes for the decoder, MOST_AT_ONCE at a time; returns how many wait for it now."""
        start = self._counts.filled
        end = start + len(data)
        self._view[start:end] = data
        return end

    @property
    def has_others(self) -> bool:
        """Whether `take_others` has any."""
        return bool(self._other_frames) or self._counts.others != 0

    def begin_session(self) -> None:
        """The device numbers its STATE frames anew: the next one follows nothing."""
        self._counts.last_state = -1

    def _read_others(self) -> None:
        self._other_frames += Decoder().feed(self.codec.others[: self._counts.others].tobytes())
        self._counts.others = 0

    def take_others(self) -> list[Frame]:
        """Good frames other than STATE that came since the last call, oldest first."""
        self._read_others()
        frames, self._other_frames = self._other_frames, []
        return frames

    def command(
        self, currents: Floats, enable: bool, led: int, heartbeat: int, sequence: int, time_us: int
    ) -> memoryview:
        """Bytes of a COMMAND with currents [A]; valid until the next call."""
        encode_command(self.codec, currents, enable, led, heartbeat, sequence, time_us & 0xFFFFFFFF)
        return self.wire

    @property
    def lost(self) -> int:
        """How many STATE frames did not arrive, by the gaps in their sequence."""
        return self._counts.lost

    @property
    def counters(self) -> Counters:
        """What came in so far."""
        return Counters(*(getattr(self._counts, name) for name in Counters._fields))

    @property
    def state(self) -> State | None:
        """The newest STATE as a tuple; None before the first."""
        if not self._counts.states:
            return None
        fields = {name: getattr(self.newest, name) for name in State._fields}
        counts, currents = tuple(fields["counts"].tolist()), tuple(fields["currents"].tolist())
        return State(**{**fields, "counts": counts, "currents": currents})


def warm() -> None:
    """Compile, or load what was compiled, so that no tick has to."""
    link = FastLink()
    link.feed(b"\1\0")
    link.command(np.zeros(MOTORS), False, 0, 0, 0, 0)
