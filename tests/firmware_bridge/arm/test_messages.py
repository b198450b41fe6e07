"""Messages ⇄ bytes: what is sound comes through, everything else is a reason."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.arm.chunks import STUFFED_MAX, Unstuffer, stuffed
from firmware_bridge.arm.messages import (
    PAYLOAD,
    Message,
    Welcome,
    pack,
    pack_welcome,
    payload,
    text_of,
    unpack,
    unpack_welcome,
)
from firmware_bridge.arm.protocol import (
    HEADER_SIZE,
    HIGHEST_SEQUENCE,
    JOINT,
    LONGEST,
    MOST_JOINTS,
    SIZES,
    Refused,
    Type,
)
from firmware_bridge.arm.stream import Measured, Setpoint, StreamCodec
from station.controllers import ControlledJoint
from tests.controllers.double import double_capabilities

SEQUENCE = 16  # where it stands in a message
FLOATS = st.floats(-1e6, 1e6, width=32)


def hello() -> bytes:
    return pack(Message(Type.HELLO, 0, 0, 0, 1, 5, payload(Type.HELLO, 1, 77, "bench")))


def again(data: bytes, place: int, value: int) -> bytes:
    """The message with another byte, and a check that fits."""
    body = bytearray(data[:-4])
    body[place] = value
    return bytes(body) + crc32(body).to_bytes(4, "little")


def test_a_message_comes_back_as_it_was() -> None:
    message = unpack(hello())
    assert isinstance(message, Message)
    assert PAYLOAD[Type.HELLO].unpack(message.payload)[:2] == (1, 77)
    assert text_of(PAYLOAD[Type.HELLO].unpack(message.payload)[2]) == "bench"


@pytest.mark.parametrize("kind", [kind for kind in Type if (kind, 0) in SIZES])
def test_every_type_has_the_length_of_its_table(kind: Type) -> None:
    size = PAYLOAD[kind].size
    message = unpack(pack(Message(kind, 0, 0, 1, 2, 3, bytes(size))))
    assert isinstance(message, Message)
    assert message.type == kind
    assert unpack(pack(Message(kind, 0, 0, 1, 2, 3, bytes(size + 1)))) is Refused.LENGTH


def test_what_is_wrong_is_told_by_its_reason() -> None:
    good = hello()
    assert unpack(b"") is Refused.TORN
    assert unpack(good[:20]) is Refused.TORN
    assert unpack(bytes(LONGEST + 1)) is Refused.OVERSIZED
    assert unpack(b"XX" + good[2:]) is Refused.FOREIGN
    assert unpack(good[:-1] + bytes([good[-1] ^ 1])) is Refused.CHECK
    assert unpack(good[:40] + bytes([good[40] ^ 1]) + good[41:]) is Refused.CHECK
    assert unpack(again(good, 3, 0x77)) is Refused.TYPE
    assert unpack(again(good, 4, 3)) is Refused.LENGTH  # joints where none belong
    assert unpack(again(good, 6, 200)) is Refused.LENGTH
    assert unpack(good[:-5] + good[-4:]) is Refused.CHECK
    assert unpack(again(pack(Message(Type.BYE, 0, 0, 1, 1, 1, b"")), 2, 9)) is Refused.VERSION


def test_a_greeting_of_another_version_can_be_told_from_noise() -> None:
    message = unpack(again(hello(), 2, 9))
    assert isinstance(message, Message)
    assert message.version == 9


@given(st.binary(max_size=400))
def test_no_bytes_upset_the_reader(data: bytes) -> None:
    assert isinstance(unpack(data), Refused)


@given(st.integers(1, MOST_JOINTS), st.data())
def test_setpoints_come_back_as_they_were(joints: int, data: st.DataObject) -> None:
    codec = StreamCodec(joints)
    q, v, effort = (np.array(data.draw(st.lists(FLOATS, min_size=joints, max_size=joints))) for _ in range(3))
    sent = codec.setpoint(2**63, 12, -5, q, v, None)
    assert sent is not None
    assert isinstance(unpack(sent), Message)
    read = codec.read_setpoint(sent)
    assert isinstance(read, Setpoint)
    assert (read.session, read.sequence, read.time) == (2**63, 12, -5)
    assert (read.q == q).all()
    assert read.v is not None
    assert (read.v == v).all()
    assert read.effort is None
    both = codec.setpoint(1, 2, 3, q, None, effort)
    assert both is not None
    again = codec.read_setpoint(both)
    assert isinstance(again, Setpoint)
    assert again.v is None
    assert again.effort is not None
    assert (again.effort == effort).all()


@given(st.integers(1, MOST_JOINTS), st.data())
def test_measurements_come_back_as_they_were(joints: int, data: st.DataObject) -> None:
    codec = StreamCodec(joints)
    q, v, effort = (np.array(data.draw(st.lists(FLOATS, min_size=joints, max_size=joints))) for _ in range(3))
    said = Measured(1, 2, 3, -1, 5, 6, 2, 8, q, v, effort, np.arange(6.0))
    sent = codec.measurement(said)
    assert isinstance(unpack(sent), Message)
    read = codec.read_measurement(sent)
    assert read is not None
    assert read[:8] == said[:8]
    for one, other in zip(read[8:], said[8:], strict=True):
        assert (np.asarray(one) == np.asarray(other)).all()


def test_what_is_not_measured_is_none() -> None:
    codec = StreamCodec(2)
    read = codec.read_measurement(codec.measurement(Measured(1, 2, 3, 4, 5, 6, 0, 0, np.ones(2), None, None, None)))
    assert read is not None
    assert read.v is None
    assert read.effort is None
    assert read.wrench is None


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_neither_sent_nor_read(bad: float) -> None:
    codec = StreamCodec(2)
    assert codec.setpoint(1, 2, 3, np.array([0.0, bad]), None, None) is None
    assert codec.setpoint(1, 2, 3, np.zeros(2), np.array([0.0, bad]), None) is None
    good = codec.setpoint(1, 2, 3, np.zeros(2), None, None)
    assert good is not None
    body = bytearray(good[:-4])
    body[HEADER_SIZE : HEADER_SIZE + 8] = np.float64(bad).tobytes()
    assert codec.read_setpoint(bytes(body) + crc32(body).to_bytes(4, "little")) is Refused.NOT_FINITE
    said = codec.measurement(Measured(1, 2, 3, 4, 5, 6, 0, 0, np.array([0.0, bad]), None, None, None))
    assert codec.read_measurement(said) is None


@pytest.mark.parametrize("sequence", [2**63, 2**64 - 1])
def test_a_sequence_that_no_echo_can_repeat_is_neither_sent_nor_read(sequence: int) -> None:
    codec = StreamCodec(2)
    assert codec.setpoint(1, sequence, 3, np.zeros(2), None, None) is None
    good = codec.setpoint(1, HIGHEST_SEQUENCE, 3, np.zeros(2), None, None)
    assert good is not None
    read = codec.read_setpoint(good)
    assert isinstance(read, Setpoint)
    assert read.sequence == HIGHEST_SEQUENCE
    measured = codec.measurement(Measured(1, 2, 3, HIGHEST_SEQUENCE, 5, 6, 0, 0, np.ones(2), None, None, None))
    for data in (good, measured):
        body = data[:SEQUENCE] + sequence.to_bytes(8, "little") + data[SEQUENCE + 8 : -4]
        wrong = body + crc32(body).to_bytes(4, "little")
        assert unpack(wrong) is Refused.RANGE
        assert codec.measured_fields(wrong) is None
        if data is good:
            assert codec.read_setpoint(wrong) is Refused.RANGE
    stop = unpack(pack(Message(Type.STOP, 0, 0, 0, sequence, 1, b"")))
    assert isinstance(stop, Message)  # who stops an arm need not count


def test_one_bit_that_was_turned_over_is_noticed_wherever_it_is() -> None:
    codec = StreamCodec(2)
    setpoint = codec.setpoint(1, 2, 3, np.ones(2), None, None)
    assert setpoint is not None
    measured = codec.measurement(Measured(1, 2, 3, 4, 5, 6, 0, 0, np.ones(2), None, None, None))
    for good, is_sound in (
        (setpoint, codec.is_setpoint),
        (measured, lambda data: codec.measured_fields(data) is not None),
    ):
        assert is_sound(good)
        for place in range(8 * len(good)):
            broken = bytearray(good)
            broken[place // 8] ^= 1 << place % 8
            assert not is_sound(bytes(broken))


def test_what_fits_no_field_is_not_sent() -> None:
    codec = StreamCodec(2)
    assert codec.setpoint(1, 2, 3, np.zeros(2), np.full(2, 1e300), None) is None
    assert codec.setpoint(1, -2, 3, np.zeros(2), None, None) is None
    assert codec.setpoint(1, 2, 3, np.zeros(3), None, None) is None


def test_a_welcome_carries_names_kinds_units_and_limits() -> None:
    able = double_capabilities()
    data = pack(Message(Type.WELCOME, 4, 0, 9, 1, 0, pack_welcome(Welcome(1, 2, 1, (3, 4, 5), able))))
    message = unpack(data)
    assert isinstance(message, Message)
    assert unpack_welcome(message) == Welcome(1, 2, 1, (3, 4, 5), able)


def test_a_welcome_that_contradicts_itself_is_refused() -> None:
    def read(**changes: object) -> Welcome | Refused:
        body = pack_welcome(Welcome(1, 2, 1, (3, 4, 5), double_capabilities(**changes)))
        return unpack_welcome(Message(Type.WELCOME, 4, 0, 9, 1, 0, body))

    assert read(rate=float("nan")) is Refused.NOT_FINITE
    assert read(watchdog=0.0) is Refused.NOT_FINITE
    assert read(joints=(ControlledJoint(name="a", low=float("inf")),)) is Refused.RANGE
    body = pack_welcome(Welcome(1, 2, 1, (3, 4, 5), double_capabilities()))
    first = PAYLOAD[Type.WELCOME].size
    wrong_unit = body[: first + 33] + b"m\0\0" + body[first + 36 :]
    assert unpack_welcome(Message(Type.WELCOME, 4, 0, 9, 1, 0, wrong_unit)) is Refused.RANGE
    assert len(body) == first + 4 * JOINT.size


def test_text_is_cut_between_letters() -> None:
    name = text_of(PAYLOAD[Type.HELLO].unpack(payload(Type.HELLO, 1, 2, "é" * 40))[2])
    assert name == "é" * 16
    assert text_of(b"ab\x1b[31m\0rest") == "ab�[31m"


@given(st.lists(st.binary(min_size=1, max_size=300), max_size=5), st.integers(1, 40))
def test_stuffed_messages_come_back_however_they_are_cut(messages: list[bytes], piece: int) -> None:
    line, reader, found = b"\0" + b"".join(map(stuffed, messages)), Unstuffer(), []
    for start in range(0, len(line), piece):
        found += reader.feed(line[start : start + piece])
    assert found == messages
    assert reader.bad == 0


def test_noise_on_a_line_is_counted_and_costs_one_message() -> None:
    reader = Unstuffer()
    assert reader.feed(b"\xff\xff\0" + stuffed(b"good")) == [b"good"]
    assert reader.torn == 1
    assert reader.feed(b"\1" * (STUFFED_MAX + 1)) == []
    assert reader.feed(b"\1" * 100 + b"\0" + stuffed(b"next")) == [b"next"]
    assert reader.too_long == 1
    assert reader.feed(b"\1" * (STUFFED_MAX + 1) + b"\0" + stuffed(b"last")) == [b"last"]
    assert reader.too_long == 2
