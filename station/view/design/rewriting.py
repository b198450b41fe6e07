"""A MAD text with other numbers in it. Only these are written: comments, order and layout stay as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from lark import Token

from station.mad.scene import Frame, Interval, Link
from station.mad.schema import Numbers, layout_of
from station.mad.syntax import RawBlock, RawEntry
from station.mad.units import JointType, Unit, from_text, scale_of, to_text
from station.view.design.errors import DesignError
from station.view.design.source import Source, entry_of

STOPS = ("limits", "range")  # absolute, relative to the initial value
VARIABLES = {JointType.REVOLUTE: "theta", JointType.PRISMATIC: "r"}  # the parameter that a joint moves
GIVEN = {
    entry.keys[0]: (entry.kind, entry.default)
    for item in (Link, Frame)
    for entry in layout_of(item).entries
    if isinstance(entry.kind, Numbers)
}  # entries of several numbers: `parameters`, `pos`, `ori`, `limits`, `range`, …
NAME = re.compile(r"\w[\w.+-]*")


class _Change(NamedTuple):
    start: int
    end: int
    text: str


def with_numbers(source: Source, robot: str, part: int, entry: str, values: Mapping[str, float]) -> str:
    """The text with other numbers in an entry of a part, such as `parameters` or `pos`, by label [SI]."""
    return _apply(source, _number_changes(source, robot, part, entry, values))


def with_joint_values(source: Source, robot: str, values: Mapping[int, float]) -> str:
    """The text with other initial joint values, by link [rad | m]; relative stops move with them."""
    changes: list[_Change] = []
    for link, value in values.items():
        label = VARIABLES.get(source.joint(robot, link))
        if label is not None:
            changes += _number_changes(source, robot, link, "parameters", {label: value})
    return _apply(source, changes)


def with_stops(source: Source, robot: str, link: int, stops: Interval | None, *, relative: bool) -> str:
    """The text with other stops of a link: as joint values or, if `relative`, from its initial value on; None: none."""
    old = entry_of(source.part(robot, link), *STOPS)
    if stops is None:
        return source.text if old is None else _apply(source, [_without(source, old)])
    key = STOPS[relative]
    if old is None:
        written = " ".join(_text_of(source, robot, link, Unit.JOINT, value) for value in stops)
        place = source.room(robot, link)
        return _apply(source, [_Change(place, place, f"{key} {{ {written} }}  ")])
    changes = _number_changes(source, robot, link, str(old.key), stops._asdict())
    if old.key != key:
        changes.append(_Change(*source.span(old.key), key))
    return _apply(source, changes)


def with_joint_type(source: Source, robot: str, link: int, joint: JointType) -> str:
    """The text with another type of joint; its other numbers stay as they are written."""
    entry = entry_of(source.part(robot, link), "type")
    if entry is None:
        raise DesignError(f"link {link} of robot {robot} has no 'type' to change")
    token = entry.head if entry.head is not None else entry.values[0]
    assert isinstance(token, Token)
    if joint is JointType.FIXED and source.major < 2:
        raise DesignError("a fixed link needs MAD 2.0; allowed in this file: prismatic, revolute")
    by_number = entry.head is None and joint is not JointType.FIXED
    return _apply(source, [_Change(*source.span(token), str(joint.value) if by_number else joint.name.lower())])


def with_posture(source: Source, robot: str, name: str, values: Mapping[int, float]) -> str:
    """The text with one more posture of a robot, or another one of that name; joint values by link [rad | m]."""
    if not NAME.fullmatch(name):
        raise DesignError(f"'{name}' is no name for a posture; letters, digits, '_', '.', '+' and '-' are allowed")
    if source.major < 2:
        raise DesignError("postures need MAD 2.0; this file is of version 1")
    joints = " ".join(f"link {link} {_text_of(source, robot, link, Unit.JOINT, v)}" for link, v in values.items())
    written = f"posture {name} {{ joints ( {joints} ) }}"
    block = source.robot(robot)
    for entry in block.entries:
        if entry.key == "posture" and entry.head == name:
            return _apply(source, [_Change(source.span(entry.key).start, source.end_of(entry), written)])
    last = block.entries[-1]
    margin = _margin(source.text, source.span(last.key).start)
    end = source.end_of(last)
    rest = re.split("[\r\n]", source.text[end:], maxsplit=1)[0]
    end += len(rest) if rest.lstrip().startswith("//") else 0  # a remark stays with what it is about
    ends = re.search("\r\n|\r|\n", source.text)
    return _apply(source, [_Change(end, end, f"{ends.group() if ends else ' '}{margin}{written}")])


def _number_changes(source: Source, robot: str, part: int, name: str, values: Mapping[str, float]) -> list[_Change]:
    kind, default = GIVEN[name]
    units = dict(zip(kind.labels, kind.units, strict=True))
    texts = {label: _text_of(source, robot, part, units[label], value) for label, value in values.items()}
    entry = entry_of(source.part(robot, part), name)
    if entry is None:
        whole = dict(zip(kind.labels, default or (0.0,) * len(kind.labels), strict=False))
        given = [texts.get(label) or _text_of(source, robot, part, units[label], whole[label]) for label in kind.labels]
        place = source.room(robot, part)
        return [_Change(place, place, f"{name} {{ {' '.join(given)} }}  ")]
    numbers = entry.values[0]
    if not isinstance(numbers, RawBlock):
        raise DesignError(f"'{name}' of part {part} is no block of numbers")
    scales = {label: _scale(source, robot, part, unit) for label, unit in units.items()}
    if numbers.entries:
        return _labelled(source, kind, numbers, texts, scales)
    return _in_order(source, numbers.numbers, kind.labels, texts, scales)


def _labelled(
    source: Source, kind: Numbers, numbers: RawBlock, texts: Mapping[str, str], scales: Mapping[str, Decimal]
) -> list[_Change]:
    """`{ theta 0 r 73 }`: numbers that are not there yet are put at the end."""
    known = {kind.label(str(entry.key)): entry.values[0] for entry in numbers.entries}
    end = source.end_of(numbers.entries[-1])
    changes, added = [], ""
    for label, text in texts.items():
        token = known.get(label)
        if isinstance(token, Token):
            changes += _replaced(source, token, text, scales[label])
        elif from_text(text, scales[label]) != 0.0:
            added += f"  {label} {text}"
    return [*changes, _Change(end, end, added)] if added else changes


def _in_order(
    source: Source,
    tokens: list[Token],
    labels: tuple[str, ...],
    texts: Mapping[str, str],
    scales: Mapping[str, Decimal],
) -> list[_Change]:
    """`{ 0 73 90 0 }`: numbers that were left out need those before them."""
    changes: list[_Change] = []
    wanted = [label for label in labels[len(tokens) :] if from_text(texts.get(label, "0"), scales[label]) != 0.0]
    for token, label in zip(tokens, labels, strict=False):
        if label in texts:
            changes += _replaced(source, token, texts[label], scales[label])
    if wanted:
        missing = labels[len(tokens) : labels.index(wanted[-1]) + 1]
        end = source.span(tokens[-1]).end
        changes.append(_Change(end, end, "".join(f" {texts.get(label, '0')}" for label in missing)))
    return changes


def _replaced(source: Source, token: Token, text: str, scale: Decimal) -> list[_Change]:
    """Another number in the place of one, unless it is the same; columns of a table stay where they are."""
    if from_text(token, scale) == from_text(text, scale):
        return []
    start, end = source.span(token)
    blanks = start - len(source.text[:start].rstrip(" "))
    if blanks >= 2:  # stands in a column: what it grows, it takes from the blanks before it
        taken = min(len(text) - (end - start), blanks - 1)
        return [_Change(start - max(taken, 0), end, " " * max(-taken, 0) + text)]
    return [_Change(start, end, text)]


def _without(source: Source, entry: RawEntry) -> _Change:
    """Nothing in the place of an entry and of the blanks beside it."""
    start, end, text = source.span(entry.key).start, source.end_of(entry), source.text
    blanks = len(text[end:]) - len(text[end:].lstrip(" \t"))
    if text[end + blanks : end + blanks + 1] in ("}", "/", "\r", "\n", ""):  # the last of its line or block
        return _Change(len(text[:start].rstrip(" \t")), end, "")
    return _Change(start, end + blanks, "")


def _text_of(source: Source, robot: str, part: int, unit: Unit, value: float) -> str:
    return to_text(value, _scale(source, robot, part, unit))


def _scale(source: Source, robot: str, part: int, unit: Unit) -> Decimal:
    joint = source.joint(robot, part) if unit is Unit.JOINT else JointType.REVOLUTE
    return scale_of(unit, source.length, joint)


def _margin(text: str, place: int) -> str:
    """The blanks at the start of the line of a place."""
    line = re.split("[\r\n]", text[:place])[-1]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _apply(source: Source, changes: list[_Change]) -> str:
    text = source.text
    for start, end, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    return text
