"""What is known while a file is read: its version and units, the block at hand, and the problems so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import NoReturn

from lark import Token

from station.errors import Problem, Severity
from station.mad.scene import Place
from station.mad.syntax import RawBlock, RawEntry, RawValue
from station.mad.units import JointType, LengthUnit


class UnusableEntry(Exception):  # noqa: N818 - not an error to anyone outside: the problem is noted already
    """An entry that has no value to give; why has been noted."""


@dataclass
class Findings:
    """Problems of one file, in the order in which they were met."""

    file: str
    problems: list[Problem] = field(default_factory=list)

    def error(self, at: Token | Place, text: str) -> None:
        """Note an error at a token or place."""
        self.problems.append(Problem(self.file, at.line or 0, at.column or 0, text))

    def warning(self, at: Place, text: str) -> None:
        """Note something that does not stop the scene from loading."""
        self.problems.append(Problem(self.file, at.line, at.column, text, Severity.WARNING))


@dataclass(frozen=True)
class Reader:
    """What the meaning of an entry depends on besides its keyword."""

    findings: Findings
    major: int = 1  # version of the language
    length: LengthUnit = LengthUnit.MM
    joint: JointType = JointType.REVOLUTE  # of the block being read
    leader: JointType = JointType.REVOLUTE  # of the joint that moves it, in a coupling
    joints: dict[int, JointType] = field(default_factory=dict)  # of every link of the robot being read
    of_sensor: bool = False  # the block being read is a device under its older name

    def error(self, at: Token | Place, text: str) -> None:
        """Note an error."""
        self.findings.error(at, text)

    def refuse(self, at: Token, text: str) -> NoReturn:
        """Note an error and give the entry up."""
        self.findings.error(at, text)
        raise UnusableEntry

    def unknown(self, at: Token, what: str, allowed: Iterable[str], where: str) -> str | None:
        """Note a word that the language does not have here; returns the one that was probably meant."""
        allowed = list(allowed)
        self.error(at, f"unknown {what} '{at[:40]}' in {where}; {suggestion(at, allowed)}")
        return nearest(at, allowed)

    def inside(self, raw: RawEntry, body: RawBlock) -> Reader:
        """The reader for a nested block. Joint types are found ahead, since entries stand in any order."""
        match str(raw.key):
            case "robot":
                return replace(self, joints=_joint_types(body))
            case "sensor":
                return replace(self, of_sensor=True)
            case "link":
                return replace(self, joint=joint_type_in(body) or JointType.REVOLUTE)
            case "coupling":
                return replace(self, joint=self._named(body, "link"), leader=self._named(body, "leader"))
        return self

    def _named(self, body: RawBlock, key: str) -> JointType:
        """Type of the joint that an entry of a block names."""
        found = [integer_in(part.values) for part in body.entries if part.key == key]
        return self.joints.get(found[0] or 0, self.joint) if found else self.joint


def suggestion(given: str, allowed: Iterable[str]) -> str:
    """'did you mean …' where something is near, and all that is allowed."""
    allowed = list(allowed)
    near = nearest(given, allowed)
    return (f"did you mean '{near}'? " if near else "") + f"allowed: {', '.join(allowed)}"


def nearest(given: str, allowed: Sequence[str]) -> str | None:
    """The allowed word that is most like the given one, if one is."""
    near = get_close_matches(given, allowed, n=1) or get_close_matches(given.lower(), allowed, n=1)
    return near[0] if near else None


def integer_in(values: list[RawValue]) -> int | None:
    """The whole number that an entry holds, or None."""
    if len(values) != 1 or not isinstance(values[0], Token) or not values[0].isdecimal() or len(values[0]) > 9:
        return None
    return int(values[0])


def joint_type_in(body: RawBlock) -> JointType | None:
    """The joint type that a link block asks for, if it is a valid one."""
    for raw in body.entries:
        if raw.key == "type":
            if raw.head is not None:
                return JointType.__members__.get(raw.head.upper())
            return {1: JointType.PRISMATIC, 2: JointType.REVOLUTE}.get(integer_in(raw.values) or 0)
    return None


def _joint_types(robot: RawBlock) -> dict[int, JointType]:
    found = {}
    for raw in robot.entries:
        link = integer_in(raw.values[:1])
        if raw.key == "link" and link is not None and isinstance(raw.values[-1], RawBlock):
            found[link] = joint_type_in(raw.values[-1]) or JointType.REVOLUTE
    return found
