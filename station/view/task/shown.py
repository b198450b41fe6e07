"""`ShownTask`: a task as the view needs it. The view knows nothing else of tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class ShownSegment(NamedTuple):
    """A stretch of a task."""

    begin: float  # [s]
    end: float  # [s]
    kind: str  # free, contact, action or wait
    name: str


class ShownFinding(NamedTuple):
    """What a check has found, from one time to another."""

    check: str  # position, speed, collision …
    text: str  # one line
    begin: float  # [s]
    end: float  # [s]
    worst: float  # time at which it is worst [s]


class ShownMark(NamedTuple):
    """A way-point with a name."""

    time: float  # [s]
    name: str


@dataclass(frozen=True, eq=False)
class ShownTask:
    """A motion of one robot with what was found on it."""

    name: str
    robot: str
    period: float  # between two samples [s]
    q: Floats  # (n, joints), all joints in the order of the file [rad | m]
    places: Floats  # (n, 3) of what works [m]
    segments: tuple[ShownSegment, ...]
    findings: tuple[ShownFinding, ...] = ()  # in the order of time
    marks: tuple[ShownMark, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def duration(self) -> float:
        """[s]."""
        return self.period * (len(self.q) - 1)

    def sample_at(self, time: float) -> int:
        """Number of the sample nearest to a time [s]."""
        return int(min(max(round(time / self.period), 0), len(self.q) - 1))

    @property
    def begin(self) -> float:
        """What is worth looking at first: where the first finding is worst, else where the task begins [s]."""
        return self.findings[0].worst if self.findings else 0.0

    @property
    def outcome(self) -> str:
        """In words."""
        count = len(self.findings)
        found = "nothing found" if not count else f"{count} finding{'s' if count > 1 else ''}"
        return f"task {self.name}, {self.duration:.1f} s: {found}"


ReadTask = Callable[[Path, Path | None], tuple[Path, ShownTask]]
"""Reads and checks a task file: with which scene file (that of the task, if none is given), and what to show."""
