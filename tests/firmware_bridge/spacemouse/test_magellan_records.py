"""The Magellan's records against its programmer's manual."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from firmware_bridge.spacemouse.magellan_records import (
    LONGEST,
    MOST,
    NIBBLES,
    Kind,
    MagellanParser,
    Record,
    encode_keys,
    encode_motion,
    keys_of,
    model_of,
    parse,
)

counts = some.integers(-MOST, MOST)


def test_the_example_of_the_manual_decodes_to_the_numbers_of_the_manual() -> None:
    assert parse(b"dHBA5G?HKH000H0A6GNA6H06B") == Record(Kind.MOTION, (533, -117, 0, 22, -490, 98))


def test_every_character_of_the_table_has_even_parity_and_its_value_in_its_lower_half() -> None:
    assert all(character.bit_count() % 2 == 0 and character & 0xF == value for value, character in enumerate(NIBBLES))


@given(some.lists(counts, min_size=6, max_size=6))
def test_counts_survive_the_way(values: list[int]) -> None:
    assert parse(encode_motion(values)[:-1]) == Record(Kind.MOTION, tuple(values))


@given(some.integers(0, 0xFFFF))
def test_buttons_survive_the_way(buttons: int) -> None:
    record = parse(encode_keys(buttons, 4)[:-1])
    assert record is not None
    assert keys_of(record) == buttons


def test_every_single_bit_error_in_a_motion_record_is_noticed() -> None:
    record = encode_motion((100, -200, 300, -350, 0, 1))[:-1]
    for place in range(1, len(record)):
        for bit in range(8):
            broken = bytearray(record)
            broken[place] ^= 1 << bit
            assert parse(bytes(broken)) is None


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"x",
        b"d0" + b"H" * 23,
        b"d",
        b"d" + b"0" * 23,
        b"d" + b"0" * 25,
        b"d" + b"1" * 24,
        b"k00",
        b"k00000",
        b"kxyz",
        b"m",
        b"v\x00",
    ],
)
def test_what_is_no_record_is_refused(line: bytes) -> None:
    assert parse(line) is None


def test_records_come_out_the_same_however_the_bytes_are_cut() -> None:
    stream = encode_motion((1, 2, 3, 4, 5, 6)) + encode_keys(5) + b"vMAGELLAN 5.79\r" + encode_keys(0, 4)
    whole = MagellanParser().feed(stream)
    parser = MagellanParser()
    pieces = [record for byte in stream for record in parser.feed(bytes([byte]))]
    assert whole == pieces
    assert [record.kind for record in whole] == [Kind.MOTION, Kind.KEYS, Kind.VERSION, Kind.KEYS]


def test_a_line_that_never_ends_is_not_kept_and_the_next_record_is_read() -> None:
    parser = MagellanParser()
    for _ in range(1000):
        assert parser.feed(b"d" * 50) == []
        assert len(parser) <= LONGEST
    assert parser.feed(b"\r" + encode_keys(3)) == [Record(Kind.KEYS, (3, 0, 0))]
    assert parser.refused == 1


def test_models_are_told_from_the_version_text() -> None:
    assert model_of("MAGELLAN  Version 5.79 by LOGITECH INC.") == "Magellan SpaceMouse"
    assert model_of("CadMan 1.0") == "CadMan"
    assert model_of("SPACEBALL 5000 FLX") == "Spaceball 5000"
    assert model_of("Q") == ""
