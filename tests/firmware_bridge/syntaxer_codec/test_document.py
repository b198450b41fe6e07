"""docs/protocol_syntaxer.md tells the truth: its worked example, its sizes and its tables."""

from __future__ import annotations

import re
from enum import IntEnum, IntFlag
from pathlib import Path

import pytest

from firmware_bridge.syntaxer import protocol
from firmware_bridge.syntaxer.frames import Decoder, encode
from firmware_bridge.syntaxer.messages import Command, State, pack, unpack
from firmware_bridge.syntaxer.protocol import PAYLOAD_SIZE, ErrorCode, MessageType, Status

TEXT = (Path(__file__).parents[3] / "docs" / "protocol_syntaxer.md").read_text()

COMMAND = pack(Command((0.1, -0.1, 3.6, -3.6, 0.75, -0.001), True, 5, 4660), 258, 305419896)
STATE = pack(
    State(
        1, 1000, 258, 400, Status.ENABLED, 1, 0, 0, 1, 32768 / 65535, 31.5, 24.0, (1, -1, 100, -100, 0, 0),
        (0.1, -0.1, 0.0, 0.0, 0.0, 0.0),
    )
)  # fmt: skip


def examples(name: str) -> list[bytes]:
    return [bytes.fromhex(line) for line in re.findall(rf"^    {name} +([0-9A-F ]+)$", TEXT, re.MULTILINE)]


def rows(start: str) -> list[list[str]]:
    """Cells of the first table after a piece of text."""
    table = TEXT[TEXT.index(start) :].split("\n\n| ", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.splitlines()[2:]]


def test_worked_examples_are_what_the_codec_makes() -> None:
    assert examples("wire") == [encode(COMMAND), encode(STATE)]
    assert examples("payload") == [COMMAND.payload, STATE.payload]
    raw = [
        header + payload + crc
        for header, payload, crc in zip(*map(examples, ("header", "payload", "CRC")), strict=True)
    ]
    assert [len(whole) + 2 for whole in raw] == [len(wire) for wire in examples("wire")]


def test_worked_examples_read_as_they_are_described() -> None:
    frames = Decoder().feed(b"".join(examples("wire")))
    assert frames == [COMMAND, STATE]
    assert unpack(frames[0]) == Command((0.1, -0.1, 3.6, -3.6, 0.75, -0.001), True, 5, 4660)


def test_table_of_messages_has_the_types_and_sizes_of_the_codec() -> None:
    table = {row[1]: row for row in rows("## 2. Messages")}
    assert set(table) == {kind.name for kind in MessageType}
    for kind in MessageType:
        number, _, direction, size, wire = table[kind.name]
        assert int(number, 16) == kind
        assert int(size) == PAYLOAD_SIZE[kind]
        assert direction == ("device → host" if kind >= 0x80 else "host → device")
        assert wire.startswith(str(PAYLOAD_SIZE[kind] + 12))


@pytest.mark.parametrize(
    ("start", "place", "numbers"),
    [("Round trip of a command", 0, Status), ("## 5. Error codes", 0, ErrorCode)],
)
def test_tables_of_status_bits_and_errors_are_complete(
    start: str, place: int, numbers: type[IntEnum] | type[IntFlag]
) -> None:
    told = {row[1]: int(row[place]) for row in rows(start)}
    if numbers is Status:
        told = {name: 1 << bit for name, bit in told.items()}
    assert told == {item.name: item.value for item in numbers if item.value != 0}


def test_lengths_and_traffic_are_those_of_the_codec() -> None:
    state, command = len(encode(STATE)), len(encode(COMMAND))
    for rate, name in ((1000, "1 kHz"), (4000, "4 kHz")):
        assert f"| {name} | {state * rate:,} B/s | {command * rate:,} B/s |" in TEXT
    lengths = (
        f"{protocol.RAW_MAX} bytes before stuffing, {protocol.STUFFED_MAX} after, {protocol.WIRE_MAX} with the zero"
    )
    assert lengths in TEXT
    assert f"first {protocol.IDENTITY_PREFIX} bytes of IDENTITY" in TEXT


def test_a_state_leaves_a_usb_packet_short() -> None:
    assert len(encode(STATE)) % 64 != 0
    assert len(encode(COMMAND)) % 64 != 0
