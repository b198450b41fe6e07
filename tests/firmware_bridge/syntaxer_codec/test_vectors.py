"""The Python codec, plain and compiled, against the vectors shared with C."""

from __future__ import annotations

import numpy as np
import pytest
from cobs import cobs  # type: ignore[import-untyped]
from fastcrc.crc16 import ibm_3740

from firmware_bridge.syntaxer.codec import FastLink, crc16, unstuff
from firmware_bridge.syntaxer.frames import Counters, Decoder, encode
from firmware_bridge.syntaxer.messages import pack, unpack
from firmware_bridge.syntaxer.protocol import PAYLOAD_SIZE, VERSION, MessageType
from tests.firmware_bridge.syntaxer_codec.vectors import (
    BadVector,
    GoodVector,
    bad_vectors,
    cobs_vectors,
    crc_vectors,
    good_vectors,
)


def test_check_of_the_digits_is_29b1() -> None:
    assert (b"123456789", 0x29B1) in crc_vectors()


@pytest.mark.parametrize(("data", "value"), crc_vectors())
def test_crc_of_library_and_kernel_are_those_of_the_vectors(data: bytes, value: int) -> None:
    assert ibm_3740(data) == value
    assert crc16(np.frombuffer(data, dtype=np.uint8), len(data)) == value


@pytest.mark.parametrize(("plain", "stuffed"), cobs_vectors())
def test_stuffing_is_that_of_the_vectors(plain: bytes, stuffed: bytes) -> None:
    assert cobs.encode(plain) == stuffed
    out = np.zeros(len(stuffed), dtype=np.uint8)
    length = unstuff(np.frombuffer(stuffed, dtype=np.uint8), 0, len(stuffed), out)
    assert out[:length].tobytes() == plain


@pytest.mark.parametrize("vector", good_vectors(), ids=lambda vector: vector.name)
def test_good_frames_pass_both_ways(vector: GoodVector) -> None:
    assert encode(vector.frame) == vector.wire
    assert Decoder().feed(vector.wire) == [vector.frame]
    message = unpack(vector.frame)
    if vector.frame.version == VERSION:
        assert pack(message, vector.frame.sequence, vector.frame.time_us) == vector.frame


@pytest.mark.parametrize("vector", bad_vectors(), ids=lambda vector: vector.name)
def test_bad_frames_are_called_by_their_name(vector: BadVector) -> None:
    plain, fast = Decoder(), FastLink()
    assert plain.feed(vector.wire) == []
    assert fast.feed(vector.wire) == 0
    assert plain.counters == fast.counters == Counters()._replace(**{vector.reason: 1})


def test_every_type_has_a_vector() -> None:
    assert {vector.frame.type for vector in good_vectors()} == set(MessageType) == set(PAYLOAD_SIZE)
