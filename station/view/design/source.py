"""Places in the text of a MAD file: which characters hold which number of which part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lark import Token

from station.mad.reader import integer_in, joint_type_in
from station.mad.scene import BASE_ID, Scene
from station.mad.schema import keywords_under
from station.mad.syntax import RawBlock, RawEntry, RawFile, parse
from station.mad.units import JointType, LengthUnit
from station.view.design.errors import DesignError

PLACED = ("link", "frame", "tool", "camera")
SKIPPED = re.compile(r"(?:\s|//[^\r\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)*")  # blanks and comments


class Span(NamedTuple):
    """Characters of a text, from `start` up to `end`."""

    start: int
    end: int


class Source:
    """The text of a MAD file and where things are in it.

    Line ends may be of any kind: places are those in the text as it is.

    Args:
        text: the text, which must be well formed.
        file: its name in messages.
    """

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.raw: RawFile = parse(text, file, keywords_under(Scene))
        self._places = _places(text)

    @property
    def length(self) -> LengthUnit:
        """Unit of lengths in this file."""
        for raw in self.raw.entries:
            if raw.key == "unit" and raw.head is not None:
                return LengthUnit[raw.head.upper()]
        return LengthUnit.MM

    @property
    def major(self) -> int:
        """Major version of the language."""
        return int(self.raw.version[1:].partition(".")[0]) if self.raw.version else 1

    def span(self, token: Token) -> Span:
        """Where a token stands."""
        if token.start_pos is None or token.end_pos is None:
            raise DesignError(f"'{token}' has no place in {self.file}")
        return Span(self._places(token.start_pos), self._places(token.end_pos))

    def robot(self, name: str) -> RawBlock:
        """The block of a robot."""
        for raw in self.raw.entries:
            if raw.key == "robot" and raw.head == name and isinstance(raw.values[-1], RawBlock):
                return raw.values[-1]
        raise DesignError(f"{self.file} has no robot {name}")

    def part(self, robot: str, number: int) -> RawBlock:
        """The block of a link, frame, tool or camera; 0 is the base."""
        body = self._part(robot, number).values[-1]
        assert isinstance(body, RawBlock)
        return body

    def _part(self, robot: str, number: int) -> RawEntry:
        for raw in self.robot(robot).entries:
            if not raw.values or not isinstance(raw.values[-1], RawBlock):
                continue
            if raw.key == "base" and number == BASE_ID:
                return raw
            if raw.key in PLACED and integer_in(raw.values[:1]) == number:
                return raw
        raise DesignError(f"robot {robot} has no part {number} in {self.file}")

    def room(self, robot: str, number: int) -> int:
        """A place in the block of a part where one more entry may stand."""
        entry = self._part(robot, number)
        inside = self.part(robot, number).entries
        return self.span(inside[0].key).start if inside else self.end_of(entry) - 1

    def joint(self, robot: str, number: int) -> JointType:
        """The joint of a link; what has none counts as one that turns, as its angles do."""
        return joint_type_in(self.part(robot, number)) or JointType.REVOLUTE

    def end_of(self, entry: RawEntry) -> int:
        """The place behind an entry, its closing brace or bracket included."""
        tokens = list(tokens_of(entry))
        end = self.span(tokens[-1]).end
        for _ in range(_depth(entry)):
            skipped = SKIPPED.match(self.text, end)
            end = (skipped.end() if skipped else end) + 1
        return end


def entry_of(block: RawBlock, *keys: str) -> RawEntry | None:
    """The first entry of a block with one of these keywords."""
    return next((raw for raw in block.entries if raw.key in keys), None)


def tokens_of(entry: RawEntry) -> Iterator[Token]:
    """All tokens of an entry in the order of the text."""
    yield entry.key
    if entry.head is not None:
        yield entry.head
    for value in entry.values:
        if isinstance(value, Token):
            yield value
        elif isinstance(value, RawBlock):
            yield from value.numbers
            for part in value.entries:
                yield from tokens_of(part)
        else:
            yield from value.items


def _depth(entry: RawEntry) -> int:
    """How many braces and brackets close behind the last token of an entry; an empty pair counts as two."""
    if not entry.values or isinstance(entry.values[-1], Token):
        return 0
    last = entry.values[-1]
    if isinstance(last, RawBlock):
        if last.entries:
            return 1 + _depth(last.entries[-1])
        return 1 if last.numbers else 2
    return 1 if last.items else 2


class _places:  # noqa: N801 (a function with a memory)
    """From a place in a text with plain line ends to that in the text as it is."""

    def __init__(self, text: str) -> None:
        self._pairs = [found.start() for found in re.finditer("\r\n", text)]

    def __call__(self, place: int) -> int:
        before = 0  # pairs of which one character was left out before this place
        while before < len(self._pairs) and self._pairs[before] - before < place:
            before += 1
        return place + before
