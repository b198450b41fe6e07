"""The compiled codec does what the plain one does, to the last counter."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.syntaxer.codec import CAPACITY, FastLink
from firmware_bridge.syntaxer.frames import Decoder, Frame, encode
from firmware_bridge.syntaxer.messages import Command, State, pack, unpack
from firmware_bridge.syntaxer.protocol import PAYLOAD_SIZE, VERSION, MessageType
from tests.firmware_bridge.syntaxer_codec.streams import damaged, pieces, random_stream


def same(plain: Decoder, fast: FastLink, data: bytes) -> None:
    """Feed both; they must say the same."""
    frames = plain.feed(data)
    states = [frame for frame in frames if frame.type == MessageType.STATE]
    assert fast.feed(data) == len(states)
    assert fast.take_others() == [frame for frame in frames if frame.type != MessageType.STATE]
    assert fast.counters == plain.counters
    if states:
        assert fast.state == unpack(states[-1])


@pytest.mark.parametrize("damage", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_random_streams_give_the_same_on_both_paths(seed: int, damage: bool) -> None:
    rng = random.Random(seed)
    for _ in range(50):
        stream = random_stream(rng, rng.randrange(1, 80))
        plain, fast = Decoder(), FastLink()
        for piece in pieces(rng, damaged(rng, stream) if damage else stream):
            same(plain, fast, piece)


@settings(deadline=None)
@given(st.lists(st.binary(max_size=700), max_size=12))
def test_any_bytes_give_the_same_on_both_paths(parts: list[bytes]) -> None:
    plain, fast = Decoder(), FastLink()
    for part in parts:
        same(plain, fast, part)


def test_more_than_the_buffer_at_once_is_taken_in_parts() -> None:
    rng = random.Random(1)
    stream = random_stream(rng, 1000)
    assert len(stream) > 5 * CAPACITY
    same(Decoder(), FastLink(), stream)
    same(Decoder(), FastLink(), b"\x11" * 5 * CAPACITY + b"\0" + stream)


def test_before_the_first_state_there_is_none() -> None:
    link = FastLink()
    assert link.feed(b"noise\0") == 0
    assert link.state is None


@settings(deadline=None)
@given(
    st.lists(st.floats(), min_size=6, max_size=6),
    st.booleans(),
    st.integers(0, 7),
    st.integers(0, 2**40),
    st.integers(0, 2**40),
    st.integers(0, 2**60),
)
def test_commands_are_the_same_bytes_on_both_paths(
    currents: list[float], enable: bool, led: int, heartbeat: int, sequence: int, time_us: int
) -> None:
    plain = encode(pack(Command(tuple(currents), enable, led, heartbeat), sequence, time_us))
    assert FastLink().command(np.array(currents), enable, led, heartbeat, sequence, time_us) == plain


def test_types_of_numbers_that_a_loop_may_hold_are_taken() -> None:
    plain = bytes(FastLink().command(np.zeros(6), True, 1, 2, 3, 4))
    odd = (np.bool_(True), np.int32(1), np.uint16(2), np.int64(3), np.uint32(4))
    assert FastLink().command(np.zeros(6), *odd) == plain  # type: ignore[arg-type]


def test_fields_of_the_record_are_those_of_the_tuple() -> None:
    payload = bytes(range(1, 1 + PAYLOAD_SIZE[MessageType.STATE]))
    frame = Frame(VERSION, MessageType.STATE, 1000, 2000, payload)
    link, state = FastLink(), unpack(frame)
    link.feed(encode(frame))
    assert isinstance(state, State)
    assert tuple(link.newest.fields) == State._fields
    assert link.newest.sequence == 1000
    assert link.newest.time_us == 2000
    assert link.newest.command_sequence == state.command_sequence
    assert link.newest.status == state.status
    assert link.newest.grip == state.grip
    assert tuple(link.newest.counts) == state.counts
    assert tuple(link.newest.currents) == state.currents
