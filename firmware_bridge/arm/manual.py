"""Tables of docs/protocol_arm.md, from the code: `python -m firmware_bridge.arm.manual docs/protocol_arm.md`."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable, Sequence
from enum import IntFlag
from functools import partial
from pathlib import Path

from firmware_bridge.arm.modbus import registers
from firmware_bridge.arm.protocol import (
    HEADER_FIELDS,
    JOINT_FIELDS,
    PAYLOADS,
    SIZES,
    TO_ARM,
    WITH_JOINTS,
    Able,
    Field,
    Given,
    Refused,
    Type,
)

MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
KINDS = {"B": "u8", "H": "u16", "I": "u32", "Q": "u64", "q": "i64", "i": "i32", "d": "f64", "f": "f32"}
JOINTS = 7  # of the example sizes
ABOUT_REFUSED = {
    Refused.TORN: "too short for a message, or not stuffed bytes",
    Refused.OVERSIZED: "longer than any message",
    Refused.FOREIGN: "does not begin with the magic number",
    Refused.CHECK: "its CRC does not fit",
    Refused.VERSION: "of another version, and not a greeting",
    Refused.TYPE: "of unknown type, or of the wrong direction",
    Refused.LENGTH: "not of the length of its type",
    Refused.SESSION: "of no session, or of one that may not do this",
    Refused.REPLAY: "its sequence is not ahead of the last",
    Refused.NOT_FINITE: "a number is NaN or infinite",
    Refused.RANGE: "a number that has no meaning here",
    Refused.FLOOD: "more than is heard of one sender",
}


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _kind(code: str) -> str:
    count, letter = code[:-1], code[-1]
    if letter == "s":
        return f"text {count}"
    return f"{KINDS[letter]} × {count}" if count else KINDS[letter]


def _places(sizes: Sequence[tuple[int, int]]) -> list[str]:
    """Offsets: a fixed part, and a part that grows with the number of joints."""
    fixed = growing = 0
    found = []
    for size, per_joint in sizes:
        found.append(str(fixed) if not growing else f"{fixed} + {growing}n")
        fixed, growing = fixed + size, growing + per_joint
    return found


def _sizes(fields: Sequence[Field], unit: int) -> list[tuple[int, int]]:
    order = ">" if unit == 2 else "<"
    per_joint = [struct.calcsize(order + field.code[1:]) // unit if field.code[0] == "n" else 0 for field in fields]
    return [
        (0 if growing else struct.calcsize(order + field.code) // unit, growing)
        for field, growing in zip(fields, per_joint, strict=True)
    ]


def fields_table(fields: Sequence[Field], unit: int = 1) -> str:
    """Offset, type, name and meaning of fields; offsets in bytes, or in registers if `unit` is 2."""
    rows = [
        (place, _kind(field.code), field.name, field.about)
        for place, field in zip(_places(_sizes(fields, unit)), fields, strict=True)
        if field.name
    ]
    return _table(("register" if unit == 2 else "offset", "type", "field", ""), rows)


def messages() -> str:
    """All types with their lengths."""
    rows = []
    for kind in Type:
        size = SIZES[kind, JOINTS if kind in WITH_JOINTS else 0]
        way = "station → arm" if kind in TO_ARM else "arm → station"
        rows.append((f"0x{kind:02X}", kind.name, way, f"{size} (7 joints)" if kind in WITH_JOINTS else str(size)))
    return _table(("type", "name", "direction", "bytes"), rows)


def bits(flags: type[IntFlag]) -> str:
    """Bits of a field."""
    rows = [(str(bit.bit_length() - 1), str(bit.name).lower().replace("_", " ")) for bit in flags]
    return _table(("bit", "means"), rows)


def refused() -> str:
    """Why messages are refused."""
    return _table(("counted as", "a message that is"), [(why.value, ABOUT_REFUSED[why]) for why in Refused])


def map_blocks() -> str:
    """Where the blocks of the register map begin."""
    rows = [
        (str(registers.STATE_AT), "34 + 6n", "read", "state: measurements"),
        (str(registers.REASON_AT), str(registers.REASON_WORDS), "read", "reason of the state, text"),
        (str(registers.IDENTITY_AT), str(registers.IDENTITY.size // 2), "read", "identity"),
        (str(registers.JOINTS_AT), f"{registers.JOINT_WORDS}n", "read", "joints, one after the other"),
        (str(registers.COMMAND_AT), "11 + 6n", "read, write", "command, as a whole"),
        (f"coil {registers.STOP_COIL}", "1 bit", "read, write", "emergency stop: write 1; reads 1 while STOPPED"),
    ]
    return _table(("from", "registers", "", "block"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "header": partial(fields_table, HEADER_FIELDS),
    "messages": messages,
    "joint": partial(fields_table, JOINT_FIELDS),
    "given": partial(bits, Given),
    "able": partial(bits, Able),
    "refused": refused,
    "map": map_blocks,
    "map_state": partial(fields_table, registers.STATE_FIELDS, 2),
    "map_command": partial(fields_table, registers.COMMAND_FIELDS, 2),
    "map_identity": partial(fields_table, registers.IDENTITY_FIELDS, 2),
    "map_joint": partial(fields_table, registers.JOINT_FIELDS, 2),
    **{kind.name: partial(fields_table, PAYLOADS[kind]) for kind in Type if PAYLOADS[kind]},
}


def refreshed(page: str) -> str:
    """The page with its tables as the code has them; a table that the code does not have is a KeyError."""
    return MARKED.sub(lambda match: match[1] + "\n" + TABLES[match[2]]() + "\n" + match[3], page)


def main() -> None:
    """Write the tables into the page that is named."""
    page = Path(sys.argv[1])
    page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
