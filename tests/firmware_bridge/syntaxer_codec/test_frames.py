"""The plain decoder: no byte upsets it, nothing wrong passes as right."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.syntaxer.frames import Counters, Decoder, Frame, encode
from firmware_bridge.syntaxer.messages import unpack
from firmware_bridge.syntaxer.protocol import (
    IDENTITY_PREFIX,
    PAYLOAD_MAX,
    PAYLOAD_SIZE,
    STUFFED_MAX,
    VERSION,
    WIRE_MAX,
    MessageType,
)
from tests.firmware_bridge.syntaxer_codec.streams import damaged, pieces, random_stream

STATE = Frame(VERSION, MessageType.STATE, 5, 6, bytes(range(PAYLOAD_SIZE[MessageType.STATE])))


@settings(deadline=None)
@given(st.binary(max_size=2000))
def test_no_bytes_raise(data: bytes) -> None:
    decoder = Decoder()
    for frame in decoder.feed(data):
        unpack(frame)
    assert decoder.feed(b"\0" + encode(STATE)) == [STATE]


@pytest.mark.parametrize("seed", range(4))
def test_how_a_stream_is_cut_makes_no_difference(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        stream = damaged(rng, random_stream(rng, 30))
        whole, cut = Decoder(), Decoder()
        frames = whole.feed(stream)
        assert [frame for piece in pieces(rng, stream) for frame in cut.feed(piece)] == frames
        assert cut.counters == whole.counters
        for frame in frames:
            unpack(frame)


def test_every_single_bit_error_is_found() -> None:
    wire = encode(STATE)
    for place in range(8 * (len(wire) - 1)):
        data = bytearray(wire)
        data[place // 8] ^= 1 << (place % 8)
        assert Decoder().feed(bytes(data)) == []


def test_after_damage_the_next_frame_is_whole_again() -> None:
    wire = encode(STATE)
    for missing in range(len(wire)):
        decoder = Decoder()
        assert decoder.feed(wire[:missing] + wire[missing + 1 :] + wire + wire)[-1] == STATE


def test_zeros_in_a_row_are_no_error() -> None:
    decoder = Decoder()
    assert decoder.feed(bytes(1000) + encode(STATE) + bytes(1000)) == [STATE]
    assert decoder.counters == Counters(good=1, states=1)


def test_endless_noise_is_forgotten_and_counted_once() -> None:
    decoder = Decoder()
    for _ in range(1000):
        assert decoder.feed(b"\x55" * 1000) == []
        assert len(decoder._pending) <= STUFFED_MAX
    assert decoder.feed(b"\0" + encode(STATE)) == [STATE]
    assert decoder.counters == Counters(good=1, states=1, too_long=1)


@pytest.mark.parametrize("kind", list(MessageType))
@pytest.mark.parametrize("difference", [-1, 1])
def test_a_length_that_does_not_fit_the_type_is_refused(kind: MessageType, difference: int) -> None:
    size = PAYLOAD_SIZE[kind] + difference
    if 0 <= size <= PAYLOAD_MAX:
        decoder = Decoder()
        assert decoder.feed(encode(Frame(VERSION, kind, 0, 0, bytes(size)))) == []
        assert decoder.counters == Counters(unknown=1)


def test_an_unknown_type_is_refused() -> None:
    for kind in set(range(256)) - set(MessageType):
        assert Decoder().feed(encode(Frame(VERSION, kind, 0, 0, b""))) == []


def test_of_another_version_only_the_handshake_is_understood() -> None:
    decoder = Decoder()
    identity = Frame(3, MessageType.IDENTITY, 0, 0, bytes(IDENTITY_PREFIX + 100))
    hello = Frame(3, MessageType.HELLO, 0, 0, b"any length")
    assert decoder.feed(encode(identity) + encode(hello)) == [identity, hello]
    assert decoder.feed(encode(identity._replace(payload=bytes(IDENTITY_PREFIX - 1)))) == []
    assert decoder.feed(encode(STATE._replace(version=3))) == []
    assert decoder.counters == Counters(good=2, foreign=2)


def test_a_gap_in_the_sequence_counts_as_loss() -> None:
    decoder = Decoder()
    for sequence in (65534, 65535, 0, 3, 3, 1, 2):  # two missing; then one doubled, and a new start
        decoder.feed(encode(STATE._replace(sequence=sequence)))
    assert decoder.counters == Counters(good=7, states=7, lost=2)


def test_a_frame_is_never_longer_than_promised() -> None:
    for payload in (b"\0" * PAYLOAD_MAX, b"\xff" * PAYLOAD_MAX):
        assert len(encode(Frame(255, MessageType.HELLO, 0xFFFF, 0xFFFFFFFF, payload))) <= WIRE_MAX
    with pytest.raises(ValueError, match="the longest is 364"):
        encode(Frame(VERSION, MessageType.HELLO, 0, 0, bytes(PAYLOAD_MAX + 1)))


def test_sequence_and_time_wrap_by_themselves() -> None:
    (frame,) = Decoder().feed(encode(STATE._replace(sequence=65536 + 7, time_us=2**32 + 8)))
    assert (frame.sequence, frame.time_us) == (7, 8)
