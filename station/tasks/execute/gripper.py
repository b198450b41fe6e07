"""`Gripper`: a gripping tool does what a task asks: `grip` and `open`, to a width, and is done when it stands."""

from __future__ import annotations

from contextlib import ExitStack

from station.clock import WALL, Clock
from station.controllers.tool import GripperMeasurement, GrippingTool, ToolStatus
from station.controllers.tools import open_tool
from station.emulated import emulated_gripper, is_emulated
from station.mechanism import Mechanism
from station.servo.gripper import told_of
from station.servo.shared import ShowGripper
from station.tasks.task import Action, Task

WORDS = ("grip", "open")
STARTS_WITHIN = 0.3  # after which a gripper that does not move is done [s]
NEAR = 0.001  # of the width that was asked for [m]


class Gripper:
    """A tool for tasks, by the interface of tools of the station."""

    def __init__(self, tool: GrippingTool, clock: Clock = WALL, emulated: bool = False) -> None:
        self._tool, self._clock, self._emulated = tool, clock, emulated
        self.last: GripperMeasurement | None = None  # newest measurement
        self._seen: GripperMeasurement | None = None  # the same, also of before the last order
        self._wanted: float | None = None  # width that it was last told [m]
        self._goal, self._since, self._refused = 0.0, 0.0, ""
        self._at_work = self._waking = False

    def check(self, action: Action) -> str:
        """Why it cannot do this; empty if it can."""
        if action.word not in WORDS:
            return f"a gripper can {' and '.join(WORDS)}"
        if not 0.0 <= action.value <= self._tool.largest_width:
            return f"a width of {1000.0 * action.value:g} mm; allowed: 0 to {1000.0 * self._tool.largest_width:g} mm"
        return ""

    def wake(self) -> None:
        """Let it find its range, if it has not since its power came: the fingers move to both ends."""
        self.listen()
        if self._tool.status is ToolStatus.IDLE:
            self._tool.activate()
        self._waking = self._tool.status is not ToolStatus.READY

    def begin(self, action: Action) -> None:
        """Grip to a width, or open: without one as wide as it goes."""
        wide = action.word == "open" and action.value == 0.0
        self._goal = self._tool.largest_width if wide else action.value
        self._since, self._at_work = self._clock.now(), True
        self.last = None  # what was measured before does not count
        moves = self._tool.move(self._goal)
        self._wanted = self._goal if moves else self._wanted
        why = self._tool.reason or self._tool.status
        self._refused = "" if moves else f"it refused to {action.word}: {why}"

    def listen(self) -> None:
        """Take the newest measurement."""
        self.last = self._tool.newest() or self.last
        self._seen = self.last or self._seen

    @property
    def told(self) -> ShowGripper:
        """How it is doing, for everybody who watches or records."""
        return told_of(self._tool, self._seen, self._wanted, self._emulated)

    @property
    def busy(self) -> bool:
        """Whether the fingers still move."""
        self._waking = self._waking and self._tool.status is not ToolStatus.READY
        if self._at_work:
            last = self.last
            waited = self._clock.now() - self._since > STARTS_WITHIN
            near = last is not None and (last.holds or abs(last.width - self._goal) < NEAR or waited)
            self._at_work = not (near and last is not None and not last.moving)
        return self._at_work or self._waking

    @property
    def trouble(self) -> str:
        """Why it cannot go on."""
        if self._tool.status in (ToolStatus.FAULT, ToolStatus.LOST, ToolStatus.CLOSED):
            return f"the gripper is {self._tool.status}: {self._tool.reason}"
        return self._refused


def tool_for(stack: ExitStack, task: Task, mechanism: Mechanism, url: str | None) -> Gripper | None:
    """The gripper of that address, or that of the scene, if the task has actions at all; closed with the stack."""
    of_scene = [item.gripper.address for item in mechanism.robot.tools if item.gripper is not None]
    url = url or next((address for address in of_scene if address), None)
    if not url or all(segment.action is None for segment in task.segments):
        return None
    emulated = is_emulated(url)
    if emulated:
        url = stack.enter_context(emulated_gripper(url))
    return Gripper(stack.enter_context(open_tool(url)), emulated=emulated)
