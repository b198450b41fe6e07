"""`PlayerCore`: what the parts of a player share: task, arm and state, and how one leaves it and comes back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from station.applied import Applied
from station.clock import WALL, Clock
from station.controllers import Controller, ControllerStatus
from station.controllers.wrench import WrenchCorrection
from station.tasks.execute.arm import ArmLine
from station.tasks.execute.hand import HandLead
from station.tasks.execute.place import ToolPlace, Trail
from station.tasks.execute.sensing import ToolSensor
from station.tasks.execute.settings import ExecuteSettings
from station.tasks.execute.tooling import NoTool, TaskTool
from station.tasks.execute.walking import Walker
from station.tasks.execute.watch import ForceWatch
from station.tasks.execute.words import ExecuteError, Happening, State
from station.tasks.task import Kind, Segment, Task, TaskError, joint_limits
from station.tasks.task.model import Floats
from station.tasks.verify import Between, Workbench
from station.tasks.verify.between import Approach, ease_in_together

MOST_HAPPENINGS = 1000
EASE = Segment(0, 1, Kind.FREE, "ease in")
BAD = {ControllerStatus.STOPPED: "the arm was stopped", ControllerStatus.FAULT: "the arm is in fault"}


class PlayerCore:
    """See `Player`."""

    def __init__(
        self,
        task: Task,
        bench: Workbench,
        controller: Controller,
        settings: ExecuteSettings | None = None,
        clock: Clock = WALL,
        tool: TaskTool | None = None,
        hand: HandLead | None = None,
        sensor: WrenchCorrection | None = None,
    ) -> None:
        self.task, self.bench, self.settings = task, bench, settings or ExecuteSettings()
        self.clock, self.hand = clock, hand
        self.tool: TaskTool = tool or NoTool()
        limits = joint_limits(bench.mechanism, controller.capabilities.joints, bench.settings.share)
        self.sensor = ToolSensor(bench.mechanism, task.frame, sensor)
        self.arm = ArmLine(controller, limits, self.settings, clock, self.sensor)
        self.walker = Walker(task.q, task.period, bench.limits, self.settings.ramp)
        self.state, self.reason = State.READY, ""
        self.override = 1.0
        self.happenings: deque[Happening] = deque(maxlen=MOST_HAPPENINGS)
        self.calibrations: tuple[Applied, ...] = ()  # that are in use
        self.between: Between | None = None  # other robots of the scene, for ways to the path; None: there is none
        self.on_tick: Callable[[Any], object] | None = None  # for those who watch
        self.off, self.furthest = 0.0, 0.0  # of the tool from the path [m]
        self._ease: Walker | None = None
        self._then: Callable[[], None] | None = None  # once the arm stands and holds by itself
        self._end = self.walker.length  # to which it goes before it pauses [s]
        self._tool_place = ToolPlace(bench.mechanism, task.frame)
        self._trail = Trail(4.0, self.arm.period)
        self._force = ForceWatch(self.settings, self.arm.period)
        self._segment, self._acted = -1, -1
        self._began = self._since = clock.now()
        self._sent_home = self._hurry = self._awake = False
        self._aborting = ""  # why it is being aborted
        self._relieving: Segment | None = None  # the contact that is being given way to
        self._since_active = self._action_since = clock.now()
        self._last, self._dt = clock.now(), self.arm.period
        self.spent = 0.0  # in the last tick, before it waited for the next [s]

    @property
    def contact(self) -> Floats | None:
        """What acts on the tool, less what was there before, in axes of the world [N, N·m]; None: not measured."""
        told = self.sensor.wrench
        return None if told is None else self.sensor.in_world(told - self._force.bias)

    def _where(self) -> Segment:
        """The segment that the arm is in."""
        if self.state is State.EASING_IN:
            return EASE
        number = self.task.segment_at(self.walker.place / self.task.period)
        if number != self._segment:
            self._left(self._segment)
            self._segment = number
            self._force.begin()
        return self.task.segments[number]

    def _left(self, number: int) -> None:
        if number >= 0 and self.task.segments[number].kind is Kind.CONTACT and not self._force.felt:
            self._note(f"no contact was felt in segment {number}")

    def _leave(
        self, then: Callable[[], None], reason: str, hurry: bool = False, relieve: Segment | None = None
    ) -> None:
        self._hurry, self._relieving = hurry, relieve
        if self.state is State.EASING_IN or self.state is State.HAND:
            self.walker.halt()  # the place on the path is not where the arm is
        self._then = then
        self._enter(State.LEAVING, reason)

    def _approach(self) -> None:
        """Plan and check the way from the measured pose to the path, and ask the arm to follow."""
        if self.plan_way():
            self.set_out()

    def plan_way(self) -> bool:
        """Plan and check the way from the measured pose to the path; returns whether there is one."""
        self.look_where()
        goal = self.walker.at(self.walker.place).q
        try:
            wanted = Approach(self.task, self.bench, np.array(self.arm.measured), goal, moves=True)
            (way,) = ease_in_together([wanted], self.between)
            assert way is not None
            self.take_way(way)
        except TaskError as error:
            return self.no_way(error)
        return True

    def look_where(self) -> None:
        """Hear where the arm is, for the first time after a while; raises an ExecuteError if it cannot be led."""
        if self.state is State.READY:  # a while may have passed since it was last listened to
            end = self.clock.now() + self.settings.start_within
            while not self.arm.listen():
                if self.clock.now() > end:
                    raise ExecuteError(f"the arm does not answer: {self.arm.reason}")
                self.arm.pause()
        self._check_arm()

    def take_way(self, way: Task, walker: Walker | None = None) -> None:
        """The way to the path was planned; `walker` moves along it, one of its own if there is none."""
        self._ease = walker or Walker(way.q, way.period, self.bench.limits, self.settings.ramp)

    def no_way(self, error: TaskError) -> bool:
        """There is no way to the path: hold, or raise an ExecuteError if nothing has moved yet."""
        if self.state is State.READY:
            raise ExecuteError(str(error)) from None
        self._enter(State.HELD, str(error))
        return False

    def set_out(self) -> None:
        """Ask the arm to follow along the way that was planned."""
        self._tool_place = ToolPlace(self.bench.mechanism, self.task.frame)
        self._since_active = self.clock.now()
        if not any(segment.action is not None for segment in self.task.segments):
            self._awake = True  # no tool is needed
        if self._awake:
            self.arm.activate()
        else:
            self.tool.wake()
        self._enter(State.STARTING, "")

    def _check_arm(self) -> None:
        status = self.arm.status
        if status in BAD or status in (ControllerStatus.LOST, ControllerStatus.CLOSED):
            raise ExecuteError(f"{BAD.get(status, 'the arm is not there')}: {self.arm.reason}")

    def _enter(self, state: State, reason: str) -> None:
        if self.hand is not None and self.state is State.HAND and state is not State.HAND:
            self.hand.end()
        if state is not self.state or reason != self.reason:
            self.state, self.reason, self._since = state, reason, self.clock.now()
            self._note(reason)

    def _note(self, text: str) -> None:
        now = self.clock.now() - self._began
        self.happenings.append(Happening(now, self.state, self.walker.place, text))

    def _stop_here(self, state: State, reason: str) -> None:
        self.walker.halt()
        self._then = None
        self._enter(state, reason)
