"""One reader per kind of value: raw entry → the value of a scene field, in SI."""

from __future__ import annotations

import math
from decimal import Decimal
from enum import Enum
from functools import singledispatch
from itertools import pairwise
from typing import Any, NoReturn

from lark import Token

from station.mad import schema
from station.mad.reader import Reader, UnusableEntry, integer_in, joint_type_in, suggestion
from station.mad.scene import Auto, CamPoint, JointValue, Target
from station.mad.schema import Sign, allowed
from station.mad.syntax import RawBlock, RawEntry, RawList, RawValue
from station.mad.units import JointType, Unit, coefficient_of, from_text, largest_of, ratio_of, scale_of

MOST_FREEDOMS = 3  # of straight or of turning motion


@singledispatch
def read(kind: Any, _reader: Reader, _raw: RawEntry) -> Any:
    """The value of an entry; raises UnusableEntry after noting why there is none."""
    raise TypeError(f"no reader for {kind!r}")


@read.register
def _(kind: schema.Number, reader: Reader, raw: RawEntry) -> float:
    return _number(reader, raw, _only(reader, raw, "a number"), kind.unit, kind.sign)


@read.register
def _(_kind: schema.Integer, reader: Reader, raw: RawEntry) -> int:
    return whole(reader, raw, _only(reader, raw, "a whole number"))


@read.register
def _(_kind: schema.Freedoms, reader: Reader, raw: RawEntry) -> int:
    number = whole(reader, raw, _only(reader, raw, "a number of freedoms, 0 to 3"))
    if number > MOST_FREEDOMS:
        reader.refuse(raw.key, f"'{raw.key}' takes a number of freedoms, 0 to {MOST_FREEDOMS}, not {number}")
    return number


@read.register
def _(_kind: schema.Reference, reader: Reader, raw: RawEntry) -> Target | str:
    if raw.head is not None:  # robot left
        if raw.values:
            _takes(reader, raw, "a name alone, and then a link or frame of that robot")
        return str(raw.head)
    return Target(str(raw.key), whole(reader, raw, _only(reader, raw, "an id")))


@read.register
def _(_kind: schema.Text, reader: Reader, raw: RawEntry) -> str:
    value = _only(reader, raw, "a quoted string")
    if not isinstance(value, Token) or value.type != "STRING":
        _takes(reader, raw, "a quoted string")
    return str(value)[1:-1]


@read.register
def _(kind: schema.Word, reader: Reader, raw: RawEntry) -> Any:
    if raw.head is None or raw.values:
        _takes(reader, raw, f"one of: {', '.join(_names(kind.choices))}" if kind.choices else "a word")
    return _choice(reader, raw, raw.head, kind.choices) if kind.choices else str(raw.head)


@read.register
def _(kind: schema.WordOrInteger, reader: Reader, raw: RawEntry) -> Enum | int:
    if raw.head is not None and not raw.values:
        return _choice(reader, raw, raw.head, kind.choices)
    return whole(reader, raw, _only(reader, raw, f"a whole number or one of: {', '.join(_names(kind.choices))}"))


@read.register
def _(_kind: schema.JointKind, reader: Reader, raw: RawEntry) -> JointType:
    found = joint_type_in(RawBlock([], [raw]))
    if found is None or (raw.head is not None and reader.major < 2):
        given = raw.head if raw.head is not None else raw.values[0]
        allowed = "1 (prismatic) or 2 (revolute)" + (", or prismatic, revolute, fixed" if reader.major >= 2 else "")
        at = given if isinstance(given, Token) else raw.key
        reader.refuse(at, f"'{at}' is not a joint type; allowed: {allowed}")
    return found


@read.register
def _(_kind: schema.Flag, reader: Reader, raw: RawEntry) -> bool:
    if raw.values:
        _takes(reader, raw, "no value")
    return True


@read.register
def _(kind: schema.Numbers, reader: Reader, raw: RawEntry) -> Any:
    shape = f"{{ {' '.join(kind.labels)} }}"
    block = _only(reader, raw, shape)
    if not isinstance(block, RawBlock) or (block.numbers and block.entries):
        _takes(reader, raw, f"{shape}, all with labels or all without")
    given = (
        _by_label(reader, raw, block, kind) if block.entries else dict(zip(kind.labels, block.numbers, strict=False))
    )
    if len(block.numbers) > len(kind.labels):
        reader.refuse(block.numbers[len(kind.labels)], f"'{raw.key}' takes {shape}, not {len(block.numbers)} numbers")
    missing = [label for label in kind.labels[: kind.least] if label not in given]
    if missing:
        reader.refuse(raw.key, f"'{raw.key}' lacks {', '.join(missing)}; it takes {shape}")
    values, usable = {}, True
    for label, unit in zip(kind.labels, kind.units, strict=True):
        if label in given:
            try:
                values[label] = _number(reader, raw, given[label], unit, kind.sign)
            except UnusableEntry:
                usable = False  # the other numbers are still looked at
    if not usable:
        raise UnusableEntry
    return kind.make(**values)


@read.register
def _(kind: schema.NumberList, reader: Reader, raw: RawEntry) -> tuple[float, ...]:
    return tuple(_number(reader, raw, token, kind.unit) for token in _items(reader, raw, "numbers"))


@read.register
def _(_kind: schema.Ids, reader: Reader, raw: RawEntry) -> tuple[int, ...]:
    return tuple(whole(reader, raw, token) for token in _items(reader, raw, "ids"))


@read.register
def _(kind: schema.Words, reader: Reader, raw: RawEntry) -> tuple[Enum, ...]:
    items = _items(reader, raw, " ".join(_names(kind.choices)))
    return tuple(_choice(reader, raw, token, kind.choices) for token in items)


@read.register
def _(_kind: schema.Files, reader: Reader, raw: RawEntry) -> tuple[str | Auto, ...]:
    return tuple(_file(reader, token) for token in _items(reader, raw, '"file" or auto'))


@read.register
def _(_kind: schema.JointValues, reader: Reader, raw: RawEntry) -> tuple[JointValue, ...]:
    scales = {joint: scale_of(Unit.JOINT, reader.length, joint) for joint in JointType}
    return _per_joint(reader, raw, Unit.JOINT, scales)


@read.register
def _(_kind: schema.Ratios, reader: Reader, raw: RawEntry) -> tuple[JointValue, ...]:
    scales = {joint: ratio_of(reader.joint, joint, reader.length) for joint in JointType}
    ratios = _per_joint(reader, raw, Unit.NONE, scales)
    if not ratios:
        reader.refuse(raw.key, f"'{raw.key}' needs at least one joint: ( link Id ratio )")
    return ratios


@read.register
def _(_kind: schema.CamTable, reader: Reader, raw: RawEntry) -> tuple[CamPoint, ...]:
    items = _items(reader, raw, "x y …: value of the leader, value of the joint")
    if len(items) % 2 or not 4 <= len(items) <= 2 * schema.MOST_CAM_POINTS:
        at = items[-1] if items else raw.key
        reader.refuse(at, f"'cam' takes pairs x y, 2 to {schema.MOST_CAM_POINTS} of them, not {len(items)} numbers")
    scales = [scale_of(Unit.JOINT, reader.length, joint) for joint in (reader.leader, reader.joint)]
    numbers = [_number(reader, raw, item, Unit.JOINT, scale=scales[i % 2]) for i, item in enumerate(items)]
    points = tuple(CamPoint(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=True))
    for i, (before, after) in enumerate(pairwise(points), 1):
        if after.leader - before.leader < schema.CLOSEST_CAM_POINTS:
            reader.refuse(items[2 * i], f"'cam': the leader's values have to rise, and {items[2 * i]} does not")
    return points


@read.register
def _(_kind: schema.Coefficients, reader: Reader, raw: RawEntry) -> tuple[float, ...]:
    items = _items(reader, raw, "c0 c1 c2 …")
    if not 1 <= len(items) <= schema.MOST_COEFFICIENTS:
        at = items[-1] if items else raw.key
        reader.refuse(at, f"'polynomial' takes 1 to {schema.MOST_COEFFICIENTS} numbers c0 c1 c2 …, not {len(items)}")
    return tuple(
        _number(reader, raw, item, Unit.NONE, scale=coefficient_of(reader.joint, reader.leader, reader.length, power))
        for power, item in enumerate(items)
    )


def whole(reader: Reader, raw: RawEntry, value: RawValue) -> int:
    """A whole number, such as an id."""
    number = integer_in([value])
    if number is None:
        at = value if isinstance(value, Token) else raw.key
        reader.refuse(at, f"'{raw.key}' takes whole numbers (0, 1, 2, …), not '{at[:40]}'")
    return number


def _number(
    reader: Reader, raw: RawEntry, value: RawValue, unit: Unit, sign: Sign = Sign.ANY, scale: Decimal | None = None
) -> float:
    """One number in SI; `scale` is that of the unit unless given."""
    if not isinstance(value, Token) or value.type != "NUMBER":
        reader.refuse(value if isinstance(value, Token) else raw.key, f"'{raw.key}' takes numbers")
    scale = scale_of(unit, reader.length, reader.joint) if scale is None else scale
    number = from_text(value, scale)
    if not math.isfinite(number):
        reader.refuse(value, f"'{value[:40]}' is not a finite number")
    if abs(number) > largest_of(unit):
        hint = f"; a joint without stops has no '{raw.key}'" if raw.key in ("limits", "range") else ""
        most = largest_of(unit) / float(scale)
        reader.refuse(value, f"'{raw.key}' takes numbers from {-most:.4g} to {most:.4g}, not {value[:40]}{hint}")
    if not allowed(number, sign):
        reader.refuse(value, f"'{raw.key}' must be {sign.value}, not {value[:40]}")
    return number


def _by_label(reader: Reader, raw: RawEntry, block: RawBlock, kind: schema.Numbers) -> dict[str, RawValue]:
    given: dict[str, RawValue] = {}
    unknown = False
    for part in block.entries:
        label = kind.label(str(part.key))
        if label not in kind.labels:
            reader.unknown(part.key, "label", kind.labels, f"'{raw.key}'")
            unknown = True
        elif label in given:
            reader.error(part.key, f"'{label}' is given twice in '{raw.key}'")
        elif len(part.values) != 1 or part.head is not None:
            reader.refuse(part.key, f"'{label}' takes one number")
        else:
            given[label] = part.values[0]
    if unknown:
        raise UnusableEntry
    return given


def _per_joint(reader: Reader, raw: RawEntry, unit: Unit, scales: dict[JointType, Decimal]) -> tuple[JointValue, ...]:
    items = _items(reader, raw, "link Id number …")
    values = []
    for i in range(0, len(items), 3):
        word, link, number = items[i], integer_in([*items[i + 1 : i + 2]]), items[i + 2 : i + 3]
        if word != "link" or link is None or not number:
            reader.refuse(word, f"'{raw.key}' takes groups of: link Id number")
        # A link that does not exist is reported later, with all other unknown ids.
        scale = scales[reader.joints.get(link, JointType.REVOLUTE)]
        values.append(JointValue(link, _number(reader, raw, number[0], unit, scale=scale)))
    return tuple(values)


def _choice(reader: Reader, raw: RawEntry, token: Token, choices: type[Enum]) -> Enum:
    names = _names(choices)
    if token not in names:
        reader.refuse(token, f"'{token[:40]}' is no value for '{raw.key}'; {suggestion(token, names)}")
    return choices[token.upper()]


def _file(reader: Reader, token: Token) -> str | Auto:
    if token.type == "STRING":
        return str(token)[1:-1]
    if token != "auto":
        reader.refuse(token, f"'{token[:40]}' is not a mesh; write its file in quotes, or auto")
    return Auto.AUTO


def _names(choices: type[Enum]) -> list[str]:
    return [name.lower() for name in choices.__members__]


def _items(reader: Reader, raw: RawEntry, what: str) -> list[Token]:
    value = _only(reader, raw, f"a list ( {what} )")
    if not isinstance(value, RawList):
        _takes(reader, raw, f"a list ( {what} )")
    return value.items


def _only(reader: Reader, raw: RawEntry, what: str) -> RawValue:
    if len(raw.values) != 1 or raw.head is not None:
        _takes(reader, raw, what)
    return raw.values[0]


def _takes(reader: Reader, raw: RawEntry, what: str) -> NoReturn:
    reader.refuse(raw.key, f"'{raw.key}' takes {what}")
