"""What a check answers: findings with their place, and a margin for every kind of check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple


class Check(StrEnum):
    """What was looked at."""

    BINDING = "binding"  # scene file, robot, calibration
    POSITION = "position"
    SPEED = "speed"
    ACCELERATION = "acceleration"
    JERK = "jerk"
    EFFORT = "effort"
    SINGULARITY = "singularity"
    CLOSURE = "closure"
    COLLISION = "collision"  # with obstacles
    SELF_COLLISION = "self-collision"
    RATE = "rate"  # of device and controller
    START = "start"  # pose of the connected arm


class Where(NamedTuple):
    """A place of a task."""

    time: float  # [s]
    way: float  # of the tool since the begin [m]
    segment: int
    tool: tuple[float, float, float]  # its place in the world [m]


class Finding(NamedTuple):
    """Something that must not be, from one time to another."""

    check: Check
    text: str  # one line
    begin: float  # [s]
    end: float  # [s]
    value: float  # the worst
    limit: float
    at: Where | None  # of the worst

    @property
    def data(self) -> dict[str, Any]:
        """For programs."""
        return {**self._asdict(), "check": self.check.value, "at": None if self.at is None else self.at._asdict()}


class Margin(NamedTuple):
    """How much room one check leaves; negative: none, and there is a finding."""

    check: Check
    room: float  # share of the limit that is left, or metres, radians as `unit` says; infinite: nothing to compare
    unit: str
    what: str  # joint or pair
    at: Where | None
    note: str = ""  # why it was not checked; empty: it was

    @property
    def data(self) -> dict[str, Any]:
        """For programs."""
        room = self.room if math.isfinite(self.room) else None
        at = None if self.at is None else self.at._asdict()
        return {**self._asdict(), "check": self.check.value, "room": room, "at": at}


class Verdict(NamedTuple):
    """What a check of a whole task found."""

    task: str
    hash: str  # of the content that was checked
    findings: tuple[Finding, ...]  # in the order of time
    margins: tuple[Margin, ...]
    duration: float  # of the task [s]
    took: float  # [s]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def margin(self, check: Check) -> Margin:
        """Of one check."""
        return next(margin for margin in self.margins if margin.check is check)

    def noting(self, notes: Sequence[str]) -> Verdict:
        """With more to tell."""
        return self._replace(notes=(*self.notes, *notes))

    @property
    def data(self) -> dict[str, Any]:
        """For programs."""
        return {
            "task": self.task,
            "hash": self.hash,
            "passed": self.passed,
            "duration": self.duration,
            "took": self.took,
            "findings": [finding.data for finding in self.findings],
            "margins": [margin.data for margin in self.margins],
            "notes": list(self.notes),
        }
