"""The Spaceball's records: escapes, flow control, and what is not plausible."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from firmware_bridge.spacemouse.spaceball_records import (
    LONGEST,
    MOST,
    MOST_TURN,
    Kind,
    Record,
    SpaceballParser,
    encode,
    encode_motion,
    keys_of,
    parse,
)

slides = some.integers(-MOST, MOST)
turns = some.integers(-MOST_TURN, MOST_TURN)


@given(some.tuples(slides, slides, slides, turns, turns, turns), some.floats(0.0, 4.0))
def test_counts_survive_the_way_with_all_escapes(counts: tuple[int, ...], elapsed: float) -> None:
    line = encode_motion(counts, elapsed)
    assert line.count(b"\r") == 1
    assert not {0x11, 0x13} & set(line)
    assert SpaceballParser().feed(line) == [Record(Kind.MOTION, counts)]


def test_bytes_that_mean_something_are_escaped() -> None:
    assert encode(Kind.KEYS, bytes((0x0D, 0x5E))) == b"K^M^^\r"
    assert encode(Kind.KEYS, bytes((0x11, 0x13))) == b"K^Q^S\r"


def test_xoff_stops_us_and_xon_lets_us_go_on_without_touching_the_records() -> None:
    parser = SpaceballParser()
    line = encode_motion((1, 2, 3, 4, 5, 6), 0.05)
    assert parser.feed(line[:5] + b"\x13" + line[5:]) == [Record(Kind.MOTION, (1, 2, 3, 4, 5, 6))]
    assert parser.stopped
    parser.feed(b"\x11")
    assert not parser.stopped


@pytest.mark.parametrize("line", [b"", b"D", b"D" + b"@" * 13, b"D" + b"@" * 15, b"K@", b"K@@@", b"x@@", b"@\x00"])
def test_what_is_no_record_is_refused(line: bytes) -> None:
    assert parse(line) is None


def test_counts_that_no_ball_gives_are_refused() -> None:
    assert parse(encode(Kind.MOTION, bytes(2) + (MOST + 1).to_bytes(2, "big") + bytes(10))[:-1]) is None


def test_an_unknown_escape_spoils_its_record_only() -> None:
    parser = SpaceballParser()
    assert parser.feed(b"K^x@\r" + b"K@A\r") == [Record(Kind.KEYS, (0x40, 0x41))]
    assert parser.refused == 1


def test_a_line_that_never_ends_is_not_kept() -> None:
    parser = SpaceballParser()
    for _ in range(1000):
        assert parser.feed(b"@" * 50) == []
        assert len(parser) <= LONGEST


@pytest.mark.parametrize(
    ("body", "button"),
    [(b"@A", 0), (b"@B", 1), (b"@D", 2), (b"@H", 3), (b"@P", 0), (b"@`", 1), (b"AA", 4), (b"BA", 5), (b"PA", 7)],
)
def test_keys_of_older_balls(body: bytes, button: int) -> None:
    assert keys_of(Record(Kind.KEYS, tuple(body))) >> button & 1


@pytest.mark.parametrize("button", range(12))
def test_keys_of_a_4000_flx(button: int) -> None:
    bits = 1 << button
    high, low = bits >> 7 & 0x1F, bits & 0x3F | (bits & 0x40) << 1
    assert keys_of(Record(Kind.MORE_KEYS, (high | 0x60, low | 0x40))) == bits
