"""States of execution, and what it tells while it goes on."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from station.errors import StationError
from station.tasks.task.model import Floats


class ExecuteError(StationError, RuntimeError):
    """A task that is not executed; one line that says why."""


class State(StrEnum):
    """What goes on."""

    READY = "ready"  # verified, the arm is not yet asked to follow
    STARTING = "starting"  # the arm is asked to follow
    EASING_IN = "easing in"  # to the begin of the task, or back to where it was left
    RUNNING = "running"
    PAUSED = "paused"  # at rest on the path
    BACKING = "backing up"  # along the path
    HAND = "hand"  # the hand leads the arm
    LEAVING = "leaving"  # brakes, to be elsewhere afterwards
    HELD = "held"  # stopped by force or tube: needs a person
    LINK_LOST = "link lost"
    ABORTED = "aborted"  # eased out; the arm holds by itself
    FAILED = "failed"  # the arm has stopped or is unfit
    DONE = "done"

    @property
    def over(self) -> bool:
        """Whether nothing can follow."""
        return self in (State.ABORTED, State.FAILED, State.DONE)


class Happening(NamedTuple):
    """Something that happened, at a time since the start and at a place of the task."""

    time: float  # [s]
    state: State
    place: float  # of the task [s]
    text: str


class Progress(NamedTuple):
    """How far it is."""

    state: State
    reason: str  # why it does not go on, or what goes on
    place: float  # of the task [s]
    share: float  # of the task, 0 to 1
    left: float  # at the speed that is set [s]; infinite while it does not go on
    segment: int
    override: float
    force: float  # at the tool, less what was there in the begin [N]; not a number: not measured
    off: float  # of the tool from the path [m]
    planned: Floats  # driven joints as the task has them now [rad | m]
    measured: Floats  # and as they were measured last

    @property
    def data(self) -> dict[str, Any]:
        """For programs and links."""
        values = self._asdict()
        return {
            **values,
            "state": self.state.value,
            "planned": self.planned.tolist(),
            "measured": self.measured.tolist(),
        }
