"""Tables of docs/recording.md, from the code: `python -m station.tasks.recording.manual docs/recording.md`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from station.tasks.recording.channels import EVENT, EVENTS, SETTINGS, schemas, settings_schema
from station.tasks.recording.episodes import EPISODE, EPISODES
from station.tasks.recording.schema import Field, Schema

MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
JOINTS = 251  # a size that no other array has: it is shown as n


def channels() -> str:
    """All channels with their fields."""
    found = {**schemas(JOINTS), SETTINGS: settings_schema(JOINTS), EVENTS: EVENT, EPISODES: EPISODE}
    lines = ["| channel | schema | what | fields |", "|---|---|---|---|"]
    lines += [
        f"| `{name}` | `{schema.full_name}` | {schema.meaning} | {_fields(schema)} |" for name, schema in found.items()
    ]
    return "\n".join(lines) + "\n"


def _fields(schema: Schema) -> str:
    return ", ".join(map(_field, schema.fields))


def _field(field: Field) -> str:
    shape = " × ".join("n" if size == JOINTS else str(size) for size in field.shape or ())
    about = ", ".join(part for part in (shape, field.unit.replace(", ", "; ")) if part)
    return f"`{field.name}`" + (f" ({about})" if about else "")


def refreshed(text: str) -> str:
    """A Markdown text with the tables between its marks made anew."""
    tables = {"channels": channels}
    return MARKED.sub(lambda match: match[1] + tables[match[2]]() + match[3], text)


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(refreshed(page.read_text(encoding="utf8")), encoding="utf8")
