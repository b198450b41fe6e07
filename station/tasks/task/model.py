"""`Task`: a motion of the driven joints over time, cut into segments that say what is going on.

A task knows the scene file and the calibration that it was made with. Passive joints of a robot with loops are not
kept: they follow from the driven ones.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.tasks.task.errors import TaskError

Floats = NDArray[np.float64]

SCHEMA_VERSION = 1
NOMINAL = "nominal"  # calibration id of a scene that is taken as the file says
SHORTEST_PERIOD, LONGEST_PERIOD = 1e-4, 0.02  # of samples [s]


class Kind(StrEnum):
    """What a segment is."""

    FREE = "free"  # moves, and touches nothing
    CONTACT = "contact"  # moves, and the tool is expected to touch something
    ACTION = "action"  # stands still while the tool does something
    WAIT = "wait"  # stands still


class LinkLoss(StrEnum):
    """What the arm does by itself when it hears no more of the station."""

    FINISH = "finish"  # go on to the end of the segment, then hold
    HOLD = "hold"  # stop on the path, and hold
    RETREAT = "retreat"  # back along the path to the begin of the segment, then hold


class Action(NamedTuple):
    """What a tool does: a word such as `grip`, and a number such as an opening [m]."""

    word: str
    value: float = 0.0


class Segment(NamedTuple):
    """A stretch of a task, from one sample to another; the next one begins where it ends."""

    begin: int  # first sample
    end: int  # last sample
    kind: Kind = Kind.FREE
    name: str = ""
    comment: str = ""
    on_link_loss: LinkLoss = LinkLoss.HOLD
    force: float = 0.0  # largest at the tool in a contact [N]; 0: as the executor's settings say
    tube: float = 0.0  # of the tool's place around the path [m]; 0: as the executor's settings say
    action: Action | None = None

    @property
    def moves(self) -> bool:
        """Whether the arm moves in it."""
        return self.kind in (Kind.FREE, Kind.CONTACT)


class Mark(NamedTuple):
    """A way-point with a name: a place to go back to."""

    sample: int
    name: str
    comment: str = ""


class Reference(NamedTuple):
    """The calibrated frame that a task belongs to: it moves with it."""

    name: str
    pose: Floats  # 4×4 in the world, when the task was made [m]


class Device(NamedTuple):
    """With what a task was rehearsed."""

    url: str = ""
    rate: float = 0.0  # samples per second [Hz]
    longest_gap: float = 0.0  # between two samples while the hand moved the robot [s]


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """A motion with what belongs to it. Two tasks are the same if `content_hash` of them is."""

    name: str
    robot: str
    joints: tuple[str, ...]  # driven joints by name, in the order of `q`
    frame: int  # link or frame that works
    period: float  # between two samples [s]
    q: Floats  # n×k, driven joints [rad | m]
    segments: tuple[Segment, ...]
    marks: tuple[Mark, ...] = ()
    scene_hash: str = ""  # of the text of the scene file
    scene_file: str = ""  # where it was; not part of what the task is
    scene_text: str = ""
    calibration: str = NOMINAL
    reference: Reference | None = None
    device: Device = Device()
    schema: int = SCHEMA_VERSION

    def __post_init__(self) -> None:
        check(self)
        self.q.setflags(write=False)

    @property
    def duration(self) -> float:
        """From the first sample to the last [s]."""
        return self.period * (len(self.q) - 1)

    def sample_at(self, time: float) -> int:
        """The sample nearest to a time [s]."""
        return int(min(max(round(time / self.period), 0), len(self.q) - 1))

    def segment_at(self, sample: float) -> int:
        """Number of the segment that a sample is in; of two that meet there, the later one."""
        for number in range(len(self.segments) - 1, 0, -1):
            if sample >= self.segments[number].begin:
                return number
        return 0

    def mark(self, name: str) -> Mark:
        """The last mark of a name; raises a TaskError that lists those there are."""
        for mark in reversed(self.marks):
            if mark.name == name:
                return mark
        known = ", ".join(mark.name for mark in self.marks) or "none"
        raise TaskError(f"no mark {name!r} in task {self.name}; there are: {known}")


def check(task: Task) -> None:
    """Raise a TaskError for a task that makes no sense."""
    shape = task.q.shape
    if task.q.ndim != 2 or shape[0] < 2 or shape[1] != len(task.joints) or not shape[1]:
        raise TaskError(f"task {task.name}: joint values of shape {shape}; allowed: 2 or more × {len(task.joints)}")
    if task.q.dtype != np.float64 or not np.isfinite(task.q).all():
        raise TaskError(f"task {task.name}: a joint value is no finite number")
    if not SHORTEST_PERIOD <= task.period <= LONGEST_PERIOD:
        raise TaskError(
            f"task {task.name}: period is {task.period:g} s; allowed: {SHORTEST_PERIOD} to {LONGEST_PERIOD}"
        )
    if task.schema != SCHEMA_VERSION:
        raise TaskError(f"task {task.name}: schema version {task.schema}; this program knows {SCHEMA_VERSION}")
    _check_segments(task)
    for mark in task.marks:
        if not 0 <= mark.sample < shape[0]:
            raise TaskError(f"task {task.name}: mark {mark.name!r} is at sample {mark.sample}; there are {shape[0]}")
    if task.reference is not None and (
        task.reference.pose.shape != (4, 4) or not np.isfinite(task.reference.pose).all()
    ):
        raise TaskError(f"task {task.name}: the pose of frame {task.reference.name!r} is no finite 4×4 array")


def _check_segments(task: Task) -> None:
    at = 0
    for number, segment in enumerate(task.segments):
        if segment.begin != at or segment.end <= segment.begin:
            raise TaskError(
                f"task {task.name}: segment {number} goes from sample {segment.begin} to {segment.end}; "
                f"allowed: from {at} upwards"
            )
        if not (0.0 <= segment.force < math.inf and 0.0 <= segment.tube < math.inf):
            raise TaskError(f"task {task.name}: segment {number} has a negative or endless force or tube")
        if (segment.action is not None) != (segment.kind is Kind.ACTION):
            raise TaskError(f"task {task.name}: segment {number} is {segment.kind}; an action belongs to an action")
        if not segment.moves and np.ptp(task.q[segment.begin : segment.end + 1], axis=0).max() > 0.0:
            raise TaskError(f"task {task.name}: segment {number} is a {segment.kind}, but the joints move in it")
        at = segment.end
    if at != len(task.q) - 1:
        raise TaskError(f"task {task.name}: segments end at sample {at}; allowed: {len(task.q) - 1}, the last one")


def changed(task: Task, **fields: object) -> Task:
    """The task with other values of some fields."""
    return dataclasses.replace(task, **fields)  # type: ignore[arg-type]
