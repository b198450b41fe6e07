"""Messages to payloads and back."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.syntaxer.frames import Frame
from firmware_bridge.syntaxer.messages import (
    ClearFault,
    Command,
    Error,
    ForeignIdentity,
    Hello,
    Identity,
    Message,
    Start,
    State,
    Stop,
    milliamperes,
    pack,
    unpack,
    unwrap,
)
from firmware_bridge.syntaxer.protocol import PAYLOAD_SIZE, VERSION, MessageType
from tests.firmware_bridge.syntaxer_codec.vectors import good_vectors


def identity() -> Identity:
    message = unpack(next(vector.frame for vector in good_vectors() if vector.name == "identity"))
    assert isinstance(message, Identity)
    return message


@pytest.mark.parametrize("message", [Hello(), Start(4000), Stop(), ClearFault(3), Error(16, 0, 9, -1), identity()])
def test_a_message_comes_back_as_it_was(message: Message) -> None:
    frame = pack(message, 7, 8)
    assert len(frame.payload) == PAYLOAD_SIZE[frame.type]
    assert unpack(frame) == message


@settings(deadline=None)
@given(st.binary(min_size=51, max_size=51), st.integers(0, 65535), st.integers(0, 2**32 - 1))
def test_any_state_comes_back_as_it_was(payload: bytes, sequence: int, time_us: int) -> None:
    frame = Frame(VERSION, MessageType.STATE, sequence, time_us, payload)
    state = unpack(frame)
    assert isinstance(state, State)
    if min(state.currents) > -32.768:  # the one current that is cut on the way back
        assert pack(state) == frame


@settings(deadline=None)
@given(st.lists(st.floats(), min_size=6, max_size=6), st.booleans(), st.integers(0, 7), st.integers(0, 65535))
def test_any_currents_can_be_sent(currents: list[float], enable: bool, led: int, heartbeat: int) -> None:
    command = unpack(pack(Command(tuple(currents), enable, led, heartbeat)))
    assert isinstance(command, Command)
    assert command[1:] == (enable, led, heartbeat)
    for wanted, sent in zip(currents, command.currents, strict=True):
        expected = 0.0 if math.isnan(wanted) else max(-32.767, min(32.767, wanted))
        assert sent == pytest.approx(expected, abs=0.0005001)


def test_currents_are_rounded_to_the_nearest_milliampere() -> None:
    assert [milliamperes(current) for current in (0.0014, 0.0016, -0.0016, math.inf, -math.inf, math.nan)] == [
        1,
        2,
        -2,
        32767,
        -32767,
        0,
    ]


def test_texts_that_are_not_ascii_do_not_raise() -> None:
    frame = pack(identity())
    broken = frame.payload[:3] + bytes(range(240, 256)) + frame.payload[19:]
    message = unpack(frame._replace(payload=broken))
    assert isinstance(message, Identity)
    assert message.serial_number == identity().serial_number


def test_an_identity_of_another_version_tells_version_model_and_serial_number() -> None:
    told = unpack(pack(ForeignIdentity(3, (2, 0, 1), "syntaxer", "SX-0042")))
    assert told == ForeignIdentity(3, (2, 0, 1), "syntaxer", "SX-0042")
    as_ours = unpack(pack(identity())._replace(version=3))
    assert as_ours == ForeignIdentity(3, (1, 0, 0), "syntaxer", "SX-0001")


@pytest.mark.parametrize(
    ("value", "near", "bits", "expected"),
    [
        (5, 3, 16, 5),
        (2, 65535, 16, 65538),
        (65535, 65538, 16, 65535),
        (0, 2**32 - 1, 32, 2**32),
        (-5, 2**31 + 3, 32, 2**32 - 5),
        (7, 10 * 2**32, 32, 10 * 2**32 + 7),
    ],
)
def test_unwrapping_finds_the_nearest_number(value: int, near: int, bits: int, expected: int) -> None:
    assert unwrap(value, near, bits) == expected


@settings(deadline=None)
@given(st.integers(-(2**40), 2**40), st.integers(-(2**31) + 1, 2**31 - 1))
def test_unwrapping_follows_any_counter_that_moves_less_than_half_its_range(place: int, moved: int) -> None:
    assert unwrap((place + moved) % 2**32, place, 32) == place + moved
