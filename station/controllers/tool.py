"""What a tool that grips is to the station: a width and a force that are asked for, and what came of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from types import TracebackType
from typing import NamedTuple, Self


class ToolStatus(StrEnum):
    """How a tool is doing; `GrippingTool.reason` says more."""

    OPENING = "opening"  # connected, nothing measured yet
    IDLE = "idle"  # not activated: it does not move
    ACTIVATING = "activating"  # it finds its own range: fingers move
    READY = "ready"  # does what it is told
    FAULT = "fault"  # it is there but unfit
    LOST = "lost"  # silent; it is looked for
    CLOSED = "closed"


class GripperMeasurement(NamedTuple):
    """What a gripper said at one instant."""

    width: float  # between the fingers [m]
    goal: float  # width that it goes to [m]
    moving: bool
    holds: bool  # the fingers have met something before they reached the goal
    outside: bool  # … while opening: it is held from within
    current: float  # of the motor [A]; grows with the grip, but is no measure of force
    arrival: float  # when it came in, by the station's clock [s]


class GrippingTool(ABC):
    """A gripper. No method waits, and none but the opening function raises. `newest` is to be called all the time."""

    url: str
    largest_width: float  # [m]
    forces: tuple[float, float]  # that can be asked for [N]
    speeds: tuple[float, float]  # [m/s]
    status = ToolStatus.OPENING
    reason = ""

    @abstractmethod
    def newest(self) -> GripperMeasurement | None:
        """The newest measurement that has not been returned yet, or None."""

    @abstractmethod
    def activate(self) -> None:
        """Let it find its range: the fingers move to both ends. Needed once after power-up, and after a fault."""

    @abstractmethod
    def move(self, width: float, force: float | None = None, speed: float | None = None) -> bool:
        """Go to a width [m] with at most this force [N] and speed [m/s]; None: the least force, the middle speed.

        Returns whether it will be asked for: numbers that are not finite, and tools that are not READY, are refused.
        What is beyond the range is taken to its end.
        """

    def open(self) -> bool:
        """As wide as it goes."""
        return self.move(self.largest_width)

    def grip(self, force: float | None = None) -> bool:
        """Close until something is held or the fingers meet; `force` [N]."""
        return self.move(0.0, force)

    @abstractmethod
    def stop(self) -> None:
        """Stand where it is; what is held stays held."""

    @abstractmethod
    def close(self) -> None:
        """Let it go as it stands; may be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
