"""Scene → MAD text that reads back as the same scene, to the last bit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum
from functools import singledispatch
from typing import Any

from station.errors import MadError, Problem
from station.mad import schema
from station.mad.scene import Auto, CamPoint, Constraint, Coupling, Item, JointValue, Link, Robot, Scene, Tie
from station.mad.schema import Entry, Head, Sign, allowed
from station.mad.units import JointType, LengthUnit, Unit, coefficient_of, ratio_of, scale_of, to_text

INDENT = "  "
WIDTH = 110  # a block that fits is written on one line
NAME = re.compile(r"\w[\w.+-]*")
SCENE_NAME = re.compile(rf"(?!v\d+(\.\d+)?$){NAME.pattern}")  # not what the header takes for a version
COUNT = re.compile(r"[0-3]")
QUOTABLE = re.compile(r'[^"\r\n]*')
LABELLED = {"Parameters", "Friction", "Inertia", "Round", "Twist"}  # groups whose order nobody should have to know


@dataclass(frozen=True)
class Writer:
    """What the text of a value depends on besides the value."""

    major: int
    length: LengthUnit
    joint: JointType = JointType.REVOLUTE
    leader: JointType = JointType.REVOLUTE
    joints: dict[int, JointType] = field(default_factory=dict)

    def inside(self, item: Item) -> Writer:
        """The writer for the entries of a block."""
        match item:
            case Robot():
                return replace(self, joints={link.id: link.joint for link in item.links})
            case Link():
                return replace(self, joint=item.joint)
            case Coupling():
                leader = self.joints.get(item.leader or 0, self.joint)
                return replace(self, joint=self.joints.get(item.link, self.joint), leader=leader)
        return self

    def key(self, described: Entry, value: Any) -> str:
        """The spelling to use: the newest, but `sensor` in a file of version 1, and `ball` wherever it fits."""
        if isinstance(value, (Constraint, Tie)):
            return "ball" if value.kind.name == "BALL" and not value.axes else "constraint"
        if isinstance(described.kind, schema.Reference):
            return "robot" if isinstance(value, str) else str(value.word)
        return described.keys[-1] if self.major == 1 else described.keys[0]

    def number(self, value: float, unit: Unit, sign: Sign = Sign.ANY) -> str:
        """One number in the unit of the file."""
        if not math.isfinite(value) or not allowed(value, sign):
            what = sign.value if math.isfinite(value) else "a finite number"
            raise MadError([Problem("scene", 0, 0, f"{value!r} cannot be written where the language wants {what}")])
        return to_text(value, scale_of(unit, self.length, self.joint))


def dumps(scene: Scene) -> str:
    """The MAD text of a scene; raises MadError for what the language cannot say."""
    version = f" v{scene.version[0]}.{scene.version[1]}" if scene.version else ""
    writer = Writer(scene.major, scene.unit)
    lines = [f"RAFF{version} {_checked(scene.name, SCENE_NAME, 'a name')}"]
    for described, value in _given(scene):
        if isinstance(described.kind, schema.Block):
            lines.append("")
        lines += _lines(described, value, writer)
    return "\n".join(lines) + "\n"


def _given(item: Item) -> list[tuple[Entry, Any]]:
    """Every entry of a block that has to be written, repeated ones one by one."""
    found = []
    for described in schema.layout_of(type(item)).entries:
        value = getattr(item, described.field)
        if described.many:
            found += [(described, single) for single in value]
        elif described.required or value != described.default:
            found.append((described, value))
    return found


def _lines(described: Entry, value: Any, writer: Writer) -> list[str]:
    key = writer.key(described, value)
    if described.since > writer.major:
        raise MadError([Problem("scene", 0, 0, f"'{key}' needs MAD 2.0; give the scene version (2, 0)")])
    if not isinstance(described.kind, schema.Block):
        return [f"{key} {write(described.kind, value, writer)}".rstrip()]
    match schema.layout_of(described.kind.item).head:
        case Head.ID:
            key += f" {value.id}"
        case Head.NAME:
            key += f" {_checked(value.name, NAME, 'a name')}"
    inside = writer.inside(value)
    body: list[str] = []
    for part, single in _given(value):
        if key.startswith("ball") and part.field == "kind":
            continue  # the keyword says it
        body += _lines(part, single, inside)
    one_line = f"{key} {{ {'  '.join(body)} }}" if body else f"{key} {{ }}"
    if len(one_line) <= WIDTH and not any(line.startswith(INDENT) for line in body) and not isinstance(value, Robot):
        return [one_line]
    return [f"{key} {{", *(INDENT + line for line in body), "}"]


@singledispatch
def write(kind: Any, value: Any, _writer: Writer) -> str:
    """The text of a value, without its keyword."""
    raise TypeError(f"no writer for {kind!r} ({value!r})")


@write.register
def _(kind: schema.Number, value: float, writer: Writer) -> str:
    return writer.number(value, kind.unit, kind.sign)


@write.register
def _(_kind: schema.Freedoms, value: int, _writer: Writer) -> str:
    return _checked(str(value), COUNT, "a number of freedoms, 0 to 3")


@write.register
def _(_kind: schema.Integer, value: int, _writer: Writer) -> str:
    return str(value)


@write.register
def _(_kind: schema.Reference, value: Any, _writer: Writer) -> str:
    return _checked(value, NAME, "a name") if isinstance(value, str) else str(value.id)


@write.register
def _(_kind: schema.Text, value: str, _writer: Writer) -> str:
    return _quoted(value)


@write.register
def _(_kind: schema.Word, value: Enum | str, _writer: Writer) -> str:
    return value if isinstance(value, str) else value.name.lower()


@write.register
def _(_kind: schema.WordOrInteger, value: Enum | int, _writer: Writer) -> str:
    return str(value) if isinstance(value, int) else value.name.lower()


@write.register
def _(_kind: schema.JointKind, value: JointType, writer: Writer) -> str:
    return str(value.value) if writer.major == 1 else value.name.lower()


@write.register
def _(_kind: schema.Flag, _value: bool, _writer: Writer) -> str:
    return ""


@write.register
def _(kind: schema.Numbers, value: Any, writer: Writer) -> str:
    texts = [writer.number(number, unit, kind.sign) for number, unit in zip(value, kind.units, strict=True)]
    if kind.make.__name__ in LABELLED:
        defaults = kind.make._field_defaults
        texts = [
            f"{label} {text}"
            for label, text, number in zip(kind.labels, texts, value, strict=True)
            if label not in defaults or number != defaults[label]
        ]
    return f"{{ {' '.join(texts)} }}"


@write.register
def _(kind: schema.NumberList, value: tuple[float, ...], writer: Writer) -> str:
    return _in_list(writer.number(number, kind.unit) for number in value)


@write.register
def _(_kind: schema.Ids, value: tuple[int, ...], _writer: Writer) -> str:
    return _in_list(map(str, value))


@write.register
def _(_kind: schema.Words, value: tuple[Enum, ...], _writer: Writer) -> str:
    return _in_list(word.name.lower() for word in value)


@write.register
def _(_kind: schema.Files, value: tuple[str | Auto, ...], _writer: Writer) -> str:
    return _in_list("auto" if isinstance(file, Auto) else _quoted(file) for file in value)


@write.register
def _(_kind: schema.JointValues, value: tuple[JointValue, ...], writer: Writer) -> str:
    return _per_joint(value, lambda joint: scale_of(Unit.JOINT, writer.length, joint), writer)


@write.register
def _(_kind: schema.Ratios, value: tuple[JointValue, ...], writer: Writer) -> str:
    return _per_joint(value, lambda joint: ratio_of(writer.joint, joint, writer.length), writer)


@write.register
def _(_kind: schema.CamTable, value: tuple[CamPoint, ...], writer: Writer) -> str:
    leader, own = (scale_of(Unit.JOINT, writer.length, joint) for joint in (writer.leader, writer.joint))
    return _in_list(f"{to_text(point.leader, leader)} {to_text(point.value, own)}" for point in value)


@write.register
def _(_kind: schema.Coefficients, value: tuple[float, ...], writer: Writer) -> str:
    scales = (coefficient_of(writer.joint, writer.leader, writer.length, power) for power in range(len(value)))
    return _in_list(to_text(number, scale) for number, scale in zip(value, scales, strict=True))


def _per_joint(values: tuple[JointValue, ...], scale: Callable[[JointType], Decimal], writer: Writer) -> str:
    types = writer.joints
    return _in_list(
        f"link {value.link} {to_text(value.value, scale(types.get(value.link, JointType.REVOLUTE)))}"
        for value in values
    )


def _in_list(items: Iterable[str]) -> str:
    return f"( {' '.join(items)} )".replace("(  )", "( )")


def _quoted(text: str) -> str:
    return f'"{_checked(text, QUOTABLE, "a quoted string")}"'


def _checked(text: str, pattern: re.Pattern[str], what: str) -> str:
    """The text itself, if MAD can hold it."""
    if not pattern.fullmatch(text):
        raise MadError([Problem("scene", 0, 0, f"{text!r} cannot be written as {what}")])
    return text
