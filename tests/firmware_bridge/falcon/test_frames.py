"""Sixteen bytes, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.falcon.frames import (
    FRAME,
    Framer,
    Lamp,
    Reply,
    Request,
    decode_reply,
    decode_request,
    encode_reply,
    encode_request,
    is_frame,
)
from firmware_bridge.falcon.wire import BAUD_9600, BAUD_FRAMES, BAUD_UPLOAD, baud_of, payload

NEUTRAL = b"<AAAAAAAAAAAAAA>"
int16 = st.integers(-0x8000, 0x7FFF)
replies = st.builds(Reply, st.tuples(int16, int16, int16), st.integers(0, 15), st.integers(0, 7))


@pytest.mark.parametrize(
    ("frame", "counts", "buttons"),
    [
        ("3c 50 50 50 41 43 45 50 41 43 4d 50 41 45 41 3e", (4095, 3906, 4034), 4),
        ("3c 41 4d 4b 41 4d 4e 4b 41 49 45 4c 41 45 41 3e", (2752, 2780, 2888), 4),
        ("3c 4f 49 4b 50 43 41 4b 50 4f 45 4b 50 45 41 3e", (-1394, -1534, -1458), 4),
    ],
)
def test_published_frames_decode_and_encode(frame: str, counts: tuple[int, int, int], buttons: int) -> None:
    reply = Reply(counts, buttons, 0)
    assert decode_reply(bytes.fromhex(frame)) == reply
    assert encode_reply(reply) == bytes.fromhex(frame)


def test_the_neutral_frame_asks_for_nothing() -> None:
    assert encode_request(Request((0, 0, 0), Lamp.NONE)) == NEUTRAL


def test_lamps_and_homing_have_the_bits_of_the_working_code() -> None:
    assert encode_request(Request(lamps=Lamp.HOMING | Lamp.RED))[13] == 0x41 + 0x09
    assert encode_request(Request(lamps=Lamp.HOMING | Lamp.GREEN))[13] == 0x41 + 0x03
    assert encode_request(Request(lamps=Lamp.BLUE))[13] == 0x41 + 0x04


def test_homed_legs_are_above_the_buttons() -> None:
    reply = decode_reply(b"<AAAAAAAAAAAA" + bytes([0x41 + 0x7F]) + b"A>")
    assert reply == Reply((0, 0, 0), 0x0F, 0b111)
    assert reply is not None
    assert reply.all_homed


@settings(deadline=None)
@given(replies)
def test_replies_survive_the_wire(reply: Reply) -> None:
    assert decode_reply(encode_reply(reply)) == reply


@settings(deadline=None)
@given(st.tuples(*[st.integers(-4096, 4096)] * 3), st.integers(0, 15))
def test_requests_survive_the_wire(words: tuple[int, int, int], lamps: int) -> None:
    assert decode_request(encode_request(Request(words, Lamp(lamps)))) == Request(words, Lamp(lamps))


def test_words_beyond_the_motors_range_are_cut() -> None:
    request = decode_request(encode_request(Request((99999, -99999, 0))))
    assert request is not None
    assert request.words == (4096, -4096, 0)


@settings(deadline=None)
@given(st.binary(max_size=20))
def test_only_frames_are_frames(data: bytes) -> None:
    assert (decode_reply(data) is not None) == is_frame(data) == (FRAME.fullmatch(data) is not None)


@pytest.mark.parametrize("place", range(16))
@pytest.mark.parametrize("byte", [0x00, 0x3C, 0x3E, 0x40, 0xC1, 0xFF])
def test_a_byte_out_of_its_range_makes_no_frame(place: int, byte: int) -> None:
    frame = bytearray(NEUTRAL)
    if frame[place] == byte:
        return
    frame[place] = byte
    assert not is_frame(bytes(frame))


def naive(stream: bytes) -> list[bytes]:
    """All frames in a stream, looked for the slow way."""
    found, place = [], 0
    while place + 16 <= len(stream):
        if is_frame(stream[place : place + 16]):
            found.append(stream[place : place + 16])
            place += 16
        else:
            place += 1
    return found


noise = st.one_of(st.binary(max_size=20), st.just(NEUTRAL[:14]), st.just(b"<"), st.just(b"<AAA<"))


@settings(deadline=None)
@given(st.lists(st.one_of(replies.map(encode_reply), noise), max_size=8), st.data())
def test_frames_come_out_of_any_stream_however_it_is_cut(parts: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(parts)
    framer, found, place = Framer(), [], 0
    while place < len(stream):
        size = data.draw(st.integers(1, 40))
        found += framer.feed(stream[place : place + size])
        place += size
    assert found == naive(stream)
    framer.reset()
    assert framer.dropped == len(stream) - 16 * len(found)


def test_a_short_read_of_14_bytes_is_no_frame_with_the_old_end_of_the_buffer() -> None:
    """libnifalcon's users got 'homed, buttons 13' from this: the `>` of the frame before was still in byte 15."""
    old = encode_reply(Reply((100, 200, 300), 0, 0b111))
    framer = Framer()
    assert framer.feed(old) == [old]
    short = encode_reply(Reply((-1000, 5, 7), 0, 0))[:14]
    assert framer.feed(short) == []
    new = encode_reply(Reply((1, 2, 3), 1, 0b111))
    assert framer.feed(new) == [new]


def test_a_frame_in_two_reads_is_put_together() -> None:
    frame = encode_reply(Reply((1, 2, 3), 1, 0b111))
    framer = Framer()
    assert framer.feed(frame[:14]) == []
    assert framer.feed(frame[14:]) == [frame]


def test_a_long_packet_is_cut_into_its_frames() -> None:
    frames = [encode_reply(Reply((n, n, n), 0, 7)) for n in range(3)]
    assert Framer().feed(b"".join(frames)) == frames


def test_two_status_bytes_are_dropped_from_every_packet_of_64() -> None:
    assert payload(b"\x01\x60") == b""
    assert payload(b"\x01\x60" + NEUTRAL) == NEUTRAL
    full = bytes(range(62))
    assert payload(b"\x01\x60" + full + b"\x01\x60" + b"xyz") == full + b"xyz"
    assert payload(b"\x01") == payload(b"") == b""


@pytest.mark.parametrize(
    ("divisor", "baud"), [(BAUD_9600, 9600), (BAUD_UPLOAD, 142_857), (BAUD_FRAMES, 1_500_000), (0, 3e6), (1, 2e6)]
)
def test_divisors_mean_the_published_rates(divisor: int, baud: float) -> None:
    assert baud_of(divisor) == pytest.approx(baud, rel=1e-4)
