"""What spacenavd sends, in both versions, however it is cut."""

from __future__ import annotations

import pytest

from firmware_bridge.spacemouse.spacenavd_events import (
    Event,
    OutOfStepError,
    Record,
    Request,
    SpacenavdParser,
    Version,
    encode,
    encode_version,
)

STREAM = encode(Event.MOTION, (1, -2, 3, -4, 5, -6, 16)) + encode_version(1) + encode(Event.PRESS, (3, 1))


def test_the_answer_to_the_version_word_may_come_between_events() -> None:
    motion, version, press = SpacenavdParser().feed(STREAM)
    assert motion == Record(Event.MOTION, (1, -2, 3, -4, 5, -6, 16))
    assert version == Version(1)
    assert press == Record(Event.PRESS, (3, 1, 0, 0, 0, 0, 0))


def test_records_come_out_the_same_however_the_bytes_are_cut() -> None:
    parser = SpacenavdParser()
    assert [record for byte in STREAM for record in parser.feed(bytes([byte]))] == SpacenavdParser().feed(STREAM)
    assert len(parser) == 0


def test_an_answer_tells_whether_it_went_well() -> None:
    (answer,) = SpacenavdParser().feed(encode(Request.TYPE, (0x103, 0, 0, 0, 0, 0, -1)))
    assert isinstance(answer, Record)
    assert answer.status == -1


@pytest.mark.parametrize("data", [b"\xff" * 32, b"HTTP/1.1 400 Bad Request\r\n\r\n1234", b"\x07\0\0\0" + bytes(28)])
def test_what_is_not_from_spacenavd_is_noticed(data: bytes) -> None:
    with pytest.raises(OutOfStepError):
        SpacenavdParser().feed(data)
