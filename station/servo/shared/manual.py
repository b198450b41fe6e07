"""Tables of docs/shared_state.md, from the code: `python -m station.servo.shared.manual docs/shared_state.md`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from enum import IntEnum, IntFlag
from pathlib import Path

from station.servo.pacing import Measure, Stage
from station.servo.shared.commands import COMMANDS
from station.servo.shared.state import FIELDS
from station.servo.shared.words import (
    Acting,
    BilateralStatus,
    Cause,
    ControllerCode,
    DeviceCode,
    Edit,
    EditState,
    Emulated,
    EpisodeState,
    EpisodeStep,
    Event,
    GripperCode,
    LinkMethod,
    Mode,
    Reason,
    ReferenceFrame,
    ServoState,
    Waiting,
)

MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
ENUMS: tuple[type[IntEnum] | type[IntFlag], ...] = (
    ServoState,
    Event,
    Waiting,
    DeviceCode,
    ControllerCode,
    Cause,
    Mode,
    ReferenceFrame,
    Acting,
    LinkMethod,
    BilateralStatus,
    Emulated,
    GripperCode,
    EpisodeState,
    EpisodeStep,
    Edit,
    EditState,
    Stage,
    Measure,
    Reason,
)


def name_of(words: type[IntEnum] | type[IntFlag]) -> str:
    """What an enumeration is called here."""
    return "ServoState" if words is ServoState else words.__name__


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def fields() -> str:
    """All fields of the snapshot, in their order in the table."""
    rows = [
        (
            f"`{name}`",
            "int64" if field.whole else "float64",
            " × ".join(map(str, field.shape)),
            field.unit,
            "yes" if field.recorded else "",
            field.meaning,
        )
        for name, field in FIELDS.items()
    ]
    return _table(("field", "type", "shape", "unit", "recorded", "meaning"), rows)


def commands() -> str:
    """All commands."""
    rows = [
        (
            f"`{command.__name__}`",
            str(kind),
            f"0 to {command.codes - 1}" if command.codes > 1 else "0",
            str(command.reals),
            (command.__doc__ or "").strip().partition("\n")[0],
        )
        for kind, command in sorted(COMMANDS.items())
    ]
    return _table(("command", "kind", "code", "numbers", "meaning"), rows)


def words() -> str:
    """All numbers that stand for something."""
    rows = [
        (
            f"`{name_of(item)}`",
            ", ".join(f"{member.value} {member.name}" for member in item.__members__.values()),
        )
        for item in ENUMS
    ]
    return _table(("name", "numbers"), rows)


def refreshed(text: str) -> str:
    """A Markdown text with the tables between its marks made anew."""
    tables = {"fields": fields, "commands": commands, "words": words}
    return MARKED.sub(lambda match: match[1] + tables[match[2]]() + match[3], text)


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(refreshed(page.read_text(encoding="utf8")), encoding="utf8")
