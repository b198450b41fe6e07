"""The reference tables of docs/mad.md, made from the scene model: `python -m station.mad.manual docs/mad.md`."""

from __future__ import annotations

import re
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from station.mad import schema
from station.mad.scene import Scene
from station.mad.schema import Entry, Head
from station.mad.units import Unit

GRAMMAR = re.compile(r"(```lark\n).*?(```)", re.DOTALL)
MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def blocks(item: type[Any] = Scene) -> dict[str, type[Any]]:
    """Every class that stands as a block in a file, by its name, outermost first."""
    found = {item.__name__: item}
    for described in schema.layout_of(item).entries:
        if isinstance(described.kind, schema.Block):
            for name, inner in blocks(described.kind.item).items():
                found.setdefault(name, inner)
    return found


def table(item: type[Any]) -> str:
    """The keywords of a block as a Markdown table."""
    lines = ["| keyword | value | unit | meaning |", "|---|---|---|---|"]
    for described in schema.layout_of(item).entries:
        keys = ", ".join(f"`{key}`" for key in described.keys)
        marks = ["required"] if described.required else []
        marks += ["repeatable"] if described.many else []
        marks += ["2.0"] if described.since > 1 else []
        meaning = described.help + (f" *({', '.join(marks)})*" if marks else "")
        lines.append(f"| {keys} | {_value(described)} | {_unit(described)} | {meaning} |")
    return "\n".join(lines) + "\n"


def _value(described: Entry) -> str:
    match described.kind:
        case schema.Number() | schema.Integer():
            return "number" if isinstance(described.kind, schema.Number) else "whole number"
        case schema.Reference(robots=robots):
            return "Name or Id" if robots else "Id"
        case schema.Text():
            return '"text"'
        case schema.Word(choices=choices) | schema.WordOrInteger(choices=choices):
            words = " ".join(f"`{name.lower()}`" for name in choices.__members__) if choices else "word"
            return words + (" or a whole number" if isinstance(described.kind, schema.WordOrInteger) else "")
        case schema.Words(choices=choices):
            return f"( {' '.join(name.lower() for name in choices.__members__)} )"
        case schema.JointKind():
            return "`1` `2` `prismatic` `revolute` `fixed`"
        case schema.Flag():
            return "—"
        case schema.Numbers(labels=labels, least=least):
            optional = f" [{' '.join(labels[least:])}]" if labels[least:] else ""
            return f"{{ {' '.join(labels[:least])}{optional} }}"
        case schema.Block(item=item):
            head = schema.layout_of(item).head
            return f"{head.value} {{ … }}" if head is not Head.NOTHING else "{ … }"
    return _SHAPES[type(described.kind)]


_SHAPES = {
    schema.Freedoms: "`0` `1` `2` `3`",
    schema.NumberList: "( number … )",
    schema.Ids: "( Id … )",
    schema.Files: '( "file" … `auto` … )',
    schema.JointValues: "( `link` Id number … )",
    schema.Ratios: "( `link` Id ratio … )",
    schema.CamTable: "( x y … )",
    schema.Coefficients: "( c0 c1 c2 … )",
}


def _unit(described: Entry) -> str:
    match described.kind:
        case schema.Number(unit=unit) | schema.NumberList(unit=unit):
            units = [unit]
        case schema.Numbers(units=several):
            units = list(several)
        case schema.JointValues() | schema.CamTable() | schema.Coefficients():
            units = [Unit.JOINT]
        case _:
            return ""
    return ", ".join(dict.fromkeys(unit.value for unit in units)).replace("|", "or")


def refreshed(text: str) -> str:
    """A Markdown text with the tables between its marks, and the grammar, made anew."""
    known = blocks()
    grammar = files("station.mad").joinpath("mad.lark").read_text(encoding="utf8")
    text = GRAMMAR.sub(lambda match: match[1] + grammar + match[2], text)
    return MARKED.sub(lambda match: match[1] + table(known[match[2]]) + match[3], text)


if __name__ == "__main__":
    manual = Path(sys.argv[1])
    manual.write_text(refreshed(manual.read_text(encoding="utf8")), encoding="utf8")
