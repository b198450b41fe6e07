"""Noise through every parser: nothing raised, nothing kept, nothing made up."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from firmware_bridge.spacemouse import hid_reports, magellan_records, spaceball_records
from firmware_bridge.spacemouse.magellan_records import MagellanParser
from firmware_bridge.spacemouse.spaceball_records import SpaceballParser
from firmware_bridge.spacemouse.spacenavd_events import OutOfStepError, SpacenavdParser, encode

BYTES = 100_000
Parser = MagellanParser | SpaceballParser


def pieces(data: bytes, source: random.Random) -> list[bytes]:
    """The same bytes, cut anywhere."""
    cut = []
    while data:
        length = source.randrange(1, 64)
        cut.append(data[:length])
        data = data[length:]
    return cut


@pytest.mark.parametrize("make", [MagellanParser, SpaceballParser])
@pytest.mark.parametrize("seed", range(3))
def test_random_bytes_make_no_motion_and_no_keys(make: Callable[[], Parser], seed: int) -> None:
    source, parser = random.Random(seed), make()
    for piece in pieces(source.randbytes(BYTES), source):
        kinds = {record.kind.name for record in parser.feed(piece)}
        assert not kinds & {"MOTION", "VERSION", "KEYS", "MORE_KEYS"} or make is SpaceballParser
        assert "MOTION" not in kinds
        assert len(parser) <= 128


def test_random_bytes_make_few_keys_of_a_spaceball_which_has_no_check() -> None:
    """K or ., any two plausible bytes, CR: about one chance in 60,000 bytes; the driver also wants them asked for."""
    source, parser = random.Random(7), SpaceballParser()
    records = [record for _ in range(10) for record in parser.feed(source.randbytes(BYTES))]
    assert sum(record.kind.name in ("KEYS", "MORE_KEYS") for record in records) <= 30


def mutate(data: bytes, source: random.Random) -> bytes:
    """A valid stream with about one byte in fifty turned, lost or doubled."""
    result = bytearray()
    for byte in data:
        chance = source.random()
        if chance < 0.007:
            continue
        result.append(byte ^ (1 << source.randrange(8)) if chance < 0.014 else byte)
        if chance > 0.993:
            result.append(byte)
    return bytes(result)


def test_a_mutated_magellan_stream_gives_true_motion_or_none() -> None:
    """A turned bit breaks the parity, a lost or doubled byte the length; both in four neighbours could pass."""
    source = random.Random(11)
    sent = [tuple(source.randrange(-400, 401) for _ in range(6)) for _ in range(4000)]
    stream = mutate(b"".join(map(magellan_records.encode_motion, sent)), source)
    parser = MagellanParser()
    records = [record for piece in pieces(stream, source) for record in parser.feed(piece)]
    got = [record.values for record in records if record.kind.name == "MOTION"]
    false = [values for values in got if values not in set(sent)]
    assert len(got) > 2000
    assert len(false) <= 0.005 * len(got)


def test_a_mutated_spaceball_stream_raises_nothing_and_stays_in_range() -> None:
    source = random.Random(13)
    sent = [tuple(source.randrange(-1600, 1601) for _ in range(6)) for _ in range(6000)]
    stream = mutate(b"".join(spaceball_records.encode_motion(counts, 0.05) for counts in sent), source)
    parser = SpaceballParser()
    for piece in pieces(stream, source):
        for record in parser.feed(piece):
            if record.kind.name == "MOTION":
                assert max(map(abs, record.values[:3])) <= spaceball_records.MOST
                assert max(map(abs, record.values[3:])) <= spaceball_records.MOST_TURN


def test_random_reports_of_usb_are_read_or_refused() -> None:
    source = random.Random(17)
    for _ in range(BYTES // 16):
        report = hid_reports.parse(source.randbytes(source.randrange(0, 80)))
        assert report is None or len(report.counts) in (0, 3, 6)


def test_random_bytes_end_the_conversation_with_spacenavd_at_once() -> None:
    source = random.Random(19)
    for _ in range(BYTES // 64):
        with pytest.raises(OutOfStepError):
            SpacenavdParser().feed(source.randbytes(64))


def test_a_mutated_spacenavd_stream_raises_only_that_it_is_out_of_step() -> None:
    source = random.Random(23)
    stream = b"".join(encode(0, (number, 0, 0, 0, 0, 0, 16)) for number in range(200))
    for _ in range(50):
        parser = SpacenavdParser()
        try:
            for piece in pieces(mutate(stream, source), source):
                parser.feed(piece)
                assert len(parser) < 32
        except OutOfStepError:
            pass
