"""Raw blocks → scene: gives every keyword its meaning, and notes all problems instead of stopping at the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lark import Token

from station.mad import schema
from station.mad.reader import Findings, Reader, UnusableEntry, integer_in
from station.mad.scene import Place, Scene, Source
from station.mad.schema import Entry, Head
from station.mad.syntax import RawBlock, RawEntry, RawFile
from station.mad.units import JointType, LengthUnit
from station.mad.values import MOST_FREEDOMS, read, whole

KNOWN_VERSIONS = "1.0 to 1.9 and 2.0"


def build(raw: RawFile, findings: Findings) -> Scene:
    """Build the scene; it is fit for use only if `findings` has no errors afterwards."""
    version = _version(raw.version, findings)
    reader = Reader(findings, version[0] if version else 1, _length_unit(raw.entries))
    source, values = _fields(reader, Scene, raw.entries, raw.name, "a scene")
    return Scene(name=str(raw.name), version=version, source=source, **values)


def _version(token: Token | None, findings: Findings) -> tuple[int, int] | None:
    if token is None:
        return None
    major, _, minor = token[1:].partition(".")
    version = int(major[:9]), int(minor[:9] or 0)
    if version != (2, 0) and (version[0] != 1 or version[1] > 9):
        findings.error(token, f"MAD version {token[1:40]} is not known; known are {KNOWN_VERSIONS}")
        return (2, 0)
    return version


def _length_unit(entries: Sequence[RawEntry]) -> LengthUnit:
    """`unit` may stand anywhere, so it is looked up before any number is read."""
    for raw in entries:
        if raw.key == "unit" and raw.head is not None and raw.head.upper() in LengthUnit.__members__:
            return LengthUnit[raw.head.upper()]
    return LengthUnit.MM


def _fields(
    reader: Reader, item: type[Any], entries: Sequence[RawEntry], opened: Token, where: str
) -> tuple[Source, dict[str, Any]]:
    """Read all entries of a block: where they stood, and the value of each field that was given."""
    layout = schema.layout_of(item)
    given: dict[str, list[RawEntry]] = {}
    meant: set[str] = set()  # fields that an unknown keyword was probably meant for
    before: RawEntry | None = None  # the entry just passed over as unknown
    for raw in entries:
        described = layout.keywords.get(str(raw.key))
        if described is not None:
            given.setdefault(_meant(reader, layout, described, raw).field, []).append(raw)
        elif before is None or before.values or raw.values:
            # A bare word after an unknown one is most likely its value: one message is enough.
            allowed = [key for key, known in layout.keywords.items() if known.since <= reader.major]
            guess = reader.unknown(raw.key, "keyword", allowed, where)
            meant |= {layout.keywords[guess].field} if guess else set()
        before = raw if described is None else None
    values: dict[str, Any] = {}
    for described in layout.entries:
        if described.field in given:
            _read_all(reader, described, given[described.field], values)
        elif described.required and described.field not in meant:
            reader.error(opened, f"{where} needs '{described.keys[0]}' ({described.help})")
        if described.required:
            values.setdefault(described.field, _stand_in(described))
    places = {name: tuple(_place(raw.key) for raw in found) for name, found in given.items()}
    return Source(_place(opened), places), values


def _meant(reader: Reader, layout: schema.Layout, described: Entry, raw: RawEntry) -> Entry:
    """The entry that a keyword stands for: an old word for a number of freedoms may still be a factor, with a hint.

    A `sensor` counts freedoms, as in 1998; a `device` never did by this word, and its files go on as they were.
    """
    new = described.keys[0]
    if not isinstance(described.kind, schema.Freedoms) or raw.key == new or not raw.is_number:
        return described
    count = integer_in(raw.values)
    if reader.of_sensor and count is not None and count <= MOST_FREEDOMS:
        return described
    factor, said = layout.keywords[described.kind.factor], f"{raw.key} {raw.values[0]}"
    hint = f"'{said}' is taken as '{factor.keys[0]} {raw.values[0]}', as before: write that"
    reader.findings.warning(_place(raw.key), f"{hint}; the number of freedoms is '{new}'")
    return factor


def _read_all(reader: Reader, described: Entry, found: list[RawEntry], values: dict[str, Any]) -> None:
    """Read one entry, or all of a keyword that may be repeated."""
    read_values = []
    for raw in found:
        if reader.major < described.since:
            reader.error(raw.key, f"'{raw.key}' needs MAD 2.0; start the file with 'RAFF v2.0 Name'")
        try:
            read_values.append(read(described.kind, reader, raw))
        except UnusableEntry:
            continue
    if described.many:
        values[described.field] = tuple(read_values)
        return
    for again in found[1:]:
        reader.error(again.key, f"'{again.key}' is given twice; the first is at line {found[0].key.line}")
    if read_values:
        values[described.field] = read_values[0]


@read.register
def _(kind: schema.Block, reader: Reader, raw: RawEntry) -> Any:
    values, where = list(raw.values), f"{raw.key}"
    given: dict[str, Any] = {}
    match schema.layout_of(kind.item).head:
        case Head.ID:
            given["id"] = whole(reader, raw, values.pop(0) if values else raw.key)
            where += f" {given['id']}"
        case Head.NAME:
            given["name"] = str(raw.head)
            where += f" {raw.head}"
    if len(values) != 1 or not isinstance(values[0], RawBlock):
        reader.refuse(raw.key, f"'{where}' takes one block {{ … }}")
    body = values[0]
    if body.numbers:
        reader.error(body.numbers[0], f"a number without a keyword in {where}")
    source, fields = _fields(reader.inside(raw, body), kind.item, body.entries, raw.key, where)
    presets = kind.presets.get(str(raw.key), {})
    for name in presets.keys() & fields.keys():
        reader.error(source.of(name), f"'{raw.key}' says it all; leave this out")
    return kind.item(**{**fields, **given, **presets}, source=source)


def _stand_in(described: Entry) -> Any:
    """Something of the right type for a required entry that is missing or wrong: later checks can go on."""
    match described.kind:
        case schema.Numbers(make=make):
            return make(*([0.0] * len(make._fields)))
        case schema.JointKind():
            return JointType.REVOLUTE
        case schema.Word(choices=choices) if choices is not None:
            return next(iter(choices))
        case schema.Block(item=item):
            return item(**{part.field: _stand_in(part) for part in schema.layout_of(item).entries if part.required})
        case schema.Text():
            return ""
        case schema.Integer():
            return 0
    return ()


def _place(token: Token) -> Place:
    return Place(token.line or 0, token.column or 0)
