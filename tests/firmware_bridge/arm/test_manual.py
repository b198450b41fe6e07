"""docs/protocol_arm.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from firmware_bridge.arm.chunks import stuffed
from firmware_bridge.arm.manual import ABOUT_REFUSED, TABLES, refreshed
from firmware_bridge.arm.protocol import LONGEST, SIZES, Refused, Type
from firmware_bridge.arm.stream import StreamCodec

PAGE = (Path(__file__).parents[3] / "docs" / "protocol_arm.md").read_text(encoding="utf-8")


def test_tables_are_fresh() -> None:
    assert refreshed(PAGE) == PAGE, "run: python -m firmware_bridge.arm.manual docs/protocol_arm.md"


def test_every_table_is_on_the_page() -> None:
    assert set(re.findall(r"<!-- table (\w+) -->", PAGE)) == set(TABLES)
    assert set(ABOUT_REFUSED) == set(Refused)


def test_the_worked_example_is_what_the_code_makes() -> None:
    lines = re.findall(r"^    (?:header|q|v|effort|CRC) +([0-9A-F ]+)$", PAGE, re.MULTILINE)
    made = StreamCodec(2).setpoint(1, 258, 10**9, np.array([0.5, -0.25]), np.array([1.0, 0.0]), None)
    assert made == bytes.fromhex("".join(lines))


def test_the_numbers_in_the_text_are_right() -> None:
    assert f"{LONGEST:,} bytes" in PAGE
    for kind in (Type.SETPOINT, Type.MEASUREMENT):
        size = len(stuffed(b"\1" * SIZES[kind, 7]))
        assert f"| {kind.name} | {size} | {size / 100:.2f} Mbit/s" in PAGE
