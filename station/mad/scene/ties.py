"""What holds two robots of a scene together: constraints between them, and a base on a part of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from station.mad.scene.values import Axis, ClosureKind, Item, Target
from station.mad.schema import Flag, Reference, Word, Words, entry

PARTS = "robot link frame tool camera"


class Part(NamedTuple):
    """A link or frame of a robot of the scene."""

    robot: str
    target: Target


def kind_entry() -> Any:
    """The field of a closure's kind."""
    text = "which motion a loop leaves free"
    return entry("type", Word(ClosureKind), text, default=ClosureKind.WELD, since=2)


def axes_entry() -> Any:
    """The field of a closure's axes, one by one."""
    return entry("axes", Words(Axis), "the held axes one by one, instead of `type`", default=(), since=2)


def off_entry() -> Any:
    """The field of a closure that does not hold at first."""
    return entry("off", Flag(), "the loop is open at first; it may be closed in a run", default=False, since=2)


@dataclass(frozen=True, kw_only=True)
class Tie(Item):
    """Parts of two robots that stay together: a closed loop through both."""

    ends: tuple[str | Target, ...] = entry(
        PARTS, Reference(robots=True), "what is held: a robot and its link or frame, twice", many=True, since=2
    )
    kind: ClosureKind = kind_entry()
    axes: tuple[Axis, ...] = axes_entry()
    off: bool = off_entry()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The two that are held; none where they are not said in the right order."""
        return parts_of(self.ends)

    @property
    def rows(self) -> int:
        """Number of equations."""
        return len(self.axes) or self.kind.rows


@dataclass(frozen=True, kw_only=True)
class Mount(Item):
    """What a base stands on instead of the world."""

    ends: tuple[str | Target, ...] = entry(
        PARTS, Reference(robots=True), "the robot, then its link or frame", many=True, since=2
    )

    @property
    def part(self) -> Part | None:
        """What carries the base; None where it is not said in the right order."""
        parts = parts_of(self.ends)
        return parts[0] if len(parts) == 1 else None


def parts_of(ends: tuple[str | Target, ...]) -> tuple[Part, ...]:
    """Robots and targets in turn as pairs; empty where they are not in turn."""
    names, targets = ends[::2], ends[1::2]
    if len(names) != len(targets):
        return ()
    found = [
        Part(name, target)
        for name, target in zip(names, targets, strict=True)
        if isinstance(name, str) and isinstance(target, Target)
    ]
    return tuple(found) if len(found) == len(names) else ()
