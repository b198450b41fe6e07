"""`Gripper`: a gripping tool does what a task asks: `grip` and `open`, to a width, and is done when it stands."""

from __future__ import annotations

from station.clock import WALL, Clock
from station.controllers.tool import GripperMeasurement, GrippingTool, ToolStatus
from station.tasks.task import Action

WORDS = ("grip", "open")
STARTS_WITHIN = 0.3  # after which a gripper that does not move is done [s]
NEAR = 0.001  # of the width that was asked for [m]


class Gripper:
    """A tool for tasks, by the interface of tools of the station. Call `tick` all the time."""

    def __init__(self, tool: GrippingTool, clock: Clock = WALL) -> None:
        self._tool, self._clock = tool, clock
        self._last: GripperMeasurement | None = None
        self._goal, self._since, self._refused = 0.0, 0.0, ""
        self._at_work = False

    def check(self, action: Action) -> str:
        """Why it cannot do this; empty if it can."""
        if action.word not in WORDS:
            return f"a gripper can {' and '.join(WORDS)}"
        if not 0.0 <= action.value <= self._tool.largest_width:
            return f"a width of {1000.0 * action.value:g} mm; allowed: 0 to {1000.0 * self._tool.largest_width:g} mm"
        return ""

    def begin(self, action: Action) -> None:
        """Grip to a width, or open: without one as wide as it goes."""
        wide = action.word == "open" and action.value == 0.0
        self._goal = self._tool.largest_width if wide else action.value
        self._since, self._at_work = self._clock.now(), True
        self._refused = "" if self._tool.move(self._goal) else f"it refused to {action.word}: {self._tool.reason}"

    def tick(self) -> None:
        """Listen to it."""
        self._last = self._tool.newest() or self._last

    @property
    def busy(self) -> bool:
        """Whether the fingers still move."""
        self.tick()
        if not self._at_work:
            return False
        last = self._last
        waited = self._clock.now() - self._since > STARTS_WITHIN
        there = last is not None and not last.moving and (last.holds or abs(last.width - self._goal) < NEAR or waited)
        self._at_work = not there
        return self._at_work

    @property
    def trouble(self) -> str:
        """Why it cannot go on."""
        if self._tool.status in (ToolStatus.FAULT, ToolStatus.LOST, ToolStatus.CLOSED):
            return f"the gripper is {self._tool.status}: {self._tool.reason}"
        return self._refused
