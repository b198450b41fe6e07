"""`Player`: a verified task on an arm, tick by tick. It can be paused, stepped, slowed, led back and taken over.

The place on the path moves within all limits of the joints; shaping (docs/safety.md) has the last word on setpoints.
Whenever the arm has been somewhere else than on the path, it holds by itself until a way back has been checked.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

import numpy as np

from station.clock import WALL, Clock
from station.controllers import Controller, ControllerStatus
from station.controllers.shaping.results import Stopped
from station.controllers.supervisor import Shape
from station.tasks.execute.arm import ArmLine
from station.tasks.execute.hand import HandLead
from station.tasks.execute.place import ToolPlace, Trail
from station.tasks.execute.settings import ExecuteSettings
from station.tasks.execute.tooling import NoTool, TaskTool
from station.tasks.execute.walking import Walker
from station.tasks.execute.watch import ForceWatch, tube_of
from station.tasks.execute.words import ExecuteError, Happening, Progress, State
from station.tasks.task import Kind, Segment, Task, TaskError, joint_limits
from station.tasks.task.model import Floats
from station.tasks.verify import Workbench, ease_in

STIRRED = 0.02  # that the arm may move while it is switched on [rad | m]
MOST_HAPPENINGS = 1000
EASE = Segment(0, 1, Kind.FREE, "ease in")
ON_PATH = (State.RUNNING, State.PAUSED, State.BACKING)
BAD = {ControllerStatus.STOPPED: "the arm was stopped", ControllerStatus.FAULT: "the arm is in fault"}


class Player:
    """Leads an arm along a task. `tick` takes one period of the clock; what is asked for in between takes effect then.

    Args:
        task: that has been verified for this arm; see `prepare.py`, which makes players.
        bench: with what it was verified.
        controller: of the arm, in the order of the scene.
        settings: tubes, forces, times.
        clock: whose time.
        tool: for the task's actions.
        hand: for a take-over.
    """

    def __init__(
        self,
        task: Task,
        bench: Workbench,
        controller: Controller,
        settings: ExecuteSettings | None = None,
        clock: Clock = WALL,
        tool: TaskTool | None = None,
        hand: HandLead | None = None,
    ) -> None:
        self.task, self.bench, self.settings = task, bench, settings or ExecuteSettings()
        self.clock, self.hand = clock, hand
        self.tool: TaskTool = tool or NoTool()
        joints = controller.capabilities.joints
        self.arm = ArmLine(
            controller, joint_limits(bench.mechanism, joints, bench.settings.share), self.settings, clock
        )
        self.walker = Walker(task.q, task.period, bench.limits, self.settings.ramp)
        self.state, self.reason = State.READY, ""
        self.override = 1.0
        self.happenings: deque[Happening] = deque(maxlen=MOST_HAPPENINGS)
        self.on_tick: Callable[[Player], object] | None = None  # for those who watch
        self.off, self.furthest = 0.0, 0.0  # of the tool from the path [m]
        self._ease: Walker | None = None
        self._then: Callable[[], None] | None = None  # once the arm stands and holds by itself
        self._end = self.walker.length  # to which it goes before it pauses [s]
        self._tool_place = ToolPlace(bench.mechanism, task.frame)
        self._trail = Trail(4.0, self.arm.period)
        self._force = ForceWatch(self.settings, self.arm.period)
        self._segment, self._acted = -1, -1
        self._began = self._since = clock.now()
        self._sent_home = self._hurry = False

    # What a person asks for ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Ease in from the measured pose along a way that is checked now, then run."""
        self._need(State.READY)
        self._approach()

    def pause(self) -> None:
        """Come to rest on the path."""
        self._need(State.RUNNING, State.BACKING)
        self._enter(State.PAUSED, "paused")

    def resume(self) -> None:
        """Go on: at once if it stands on the path, else after easing back to it."""
        self._need(State.PAUSED, State.HELD, State.HAND, State.LINK_LOST)
        self._end = self.walker.length
        if self.state is State.PAUSED:
            self._enter(State.RUNNING, "")
        elif self.state is State.HAND:
            self._leave(self._approach, "the hand has given back")
        else:
            self._check_arm()
            self._approach()

    def step(self) -> None:
        """Go on to the end of the segment, then pause."""
        self._need(State.PAUSED, State.RUNNING)
        number = self.task.segment_at((self.walker.place + 1e-6) / self.task.period)
        self._end = self.task.segments[number].end * self.task.period
        self._enter(State.RUNNING, f"to the end of segment {number}")

    def back_up(self, to: float = 0.0) -> None:
        """Back along the path to a place [s], then pause."""
        self._need(State.PAUSED, State.RUNNING)
        if not 0.0 <= to <= self.walker.place:
            raise ExecuteError(f"back up to {to:g} s; allowed: 0 to {self.walker.place:.3f}")
        self._end = to
        self._enter(State.BACKING, f"to {to:.3f} s")

    def speed(self, override: float) -> None:
        """A share of the speed, from now on; 1 is as the task says, and the most."""
        if not 0.0 <= override <= 1.0:
            raise ExecuteError(f"a speed of {override:g} of the task's; allowed: 0 to 1, it is verified at 1")
        self.override = override

    def take_over(self) -> None:
        """The hand leads the arm, from where it is."""
        self._need(State.RUNNING, State.PAUSED, State.BACKING)
        if self.hand is None:
            raise ExecuteError("no device is there to take over with; name one with --device URL")
        assert self.arm.shaped is not None
        self.hand.begin(self.arm.shaped.q)
        self.walker.halt()
        self._enter(State.HAND, "the hand leads")

    def abort(self, reason: str = "aborted") -> None:
        """Ease out: come to rest, on the path where it is on it, and let the arm hold by itself."""
        if not self.state.over:
            self._leave(lambda: self._enter(State.ABORTED, reason), reason)

    def emergency_stop(self) -> None:
        """Stop the arm by its own path, at once."""
        self.arm.controller.stop()
        self._enter(State.FAILED, "emergency stop")

    def release(self) -> None:
        """Take the torque away; only when nothing moves, and only because a person asks."""
        if not self.state.over and self.state is not State.READY:
            raise ExecuteError(f"the torque is not released while the task is {self.state}; abort it first")
        self.arm.controller.release()

    def link_lost(self) -> None:
        """Nobody is heard any more: do as the segment says."""
        if self.state not in (State.RUNNING, State.BACKING):
            if self.state in (State.EASING_IN, State.STARTING):
                self._leave(lambda: self._enter(State.HELD, "link lost"), "link lost while easing in")
            return
        number = self.task.segment_at(self.walker.place / self.task.period)
        segment, period = self.task.segments[number], self.task.period
        what = segment.on_link_loss.value
        if what == "finish" and self.state is State.RUNNING:
            self._end = segment.end * period
            self._enter(State.RUNNING, f"link lost: finishing segment {number}")
        elif what == "retreat":
            self._end = segment.begin * period
            self._enter(State.BACKING, f"link lost: back to the begin of segment {number}")
        else:
            self._enter(State.PAUSED, "link lost: holding")

    # Ticks -----------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """One period: listen, look, move on, send, wait."""
        now = self.clock.now()
        fresh = self.arm.listen()
        if self.arm.last is not None:
            self._look(now, fresh)
            self._move(now)
        elif now - self._began > self.settings.start_within:
            self._enter(State.FAILED, f"the arm does not answer: {self.arm.reason}")
        if self.on_tick is not None:
            self.on_tick(self)
        self.arm.pause()

    def run(self, until: Callable[[Player], bool] | None = None, seconds: float = math.inf) -> State:
        """Tick until it is over, `until` says so, or so long [s] has passed."""
        end = self.clock.now() + seconds
        while not self.state.over and self.clock.now() < end and not (until is not None and until(self)):
            self.tick()
        return self.state

    @property
    def progress(self) -> Progress:
        """How far it is."""
        place, length = self.walker.place, max(self.walker.length, 1e-9)
        goes = self.state is State.RUNNING and self.override > 0.0
        measured = self.arm.measured if self.arm.last is not None else np.full(len(self.task.joints), math.nan)
        return Progress(
            self.state,
            self.reason,
            place,
            place / length,
            (length - place) / self.override if goes else math.inf,
            self.task.segment_at(place / self.task.period),
            self.override,
            self._force.force,
            self.off,
            self.walker.at(place).q,
            np.array(measured),
        )

    def _look(self, now: float, fresh: bool) -> None:
        """What the arm says, and whether it is where it should be."""
        status = self.arm.status
        if self.state.over or self.state in (State.READY, State.LINK_LOST):
            return
        if status in BAD:
            self._enter(State.FAILED, f"{BAD[status]}: {self.arm.reason}")
        elif status in (ControllerStatus.LOST, ControllerStatus.CLOSED, ControllerStatus.OPENING):
            self._lost()
        elif status is not ControllerStatus.ACTIVE and self.state in (*ON_PATH, State.EASING_IN, State.HAND):
            self._stop_here(State.HELD, f"the arm has ceased to follow: {self.arm.reason}")
        elif fresh:
            self._watch(now)

    def _lost(self) -> None:
        self._stop_here(State.LINK_LOST, f"the link to the arm is lost: {self.arm.reason}; it stops by itself")

    def _stop_here(self, state: State, reason: str) -> None:
        self.walker.halt()
        self._then = None
        self._enter(state, reason)

    def _watch(self, now: float) -> None:
        """Tube and force, against a measurement that is new."""
        last = self.arm.last
        assert last is not None
        if self.state is State.STARTING:
            self._force.tare(last.wrench)
            return
        if self.state not in (*ON_PATH, State.EASING_IN):
            return
        segment = self._where()
        self._force.measure(last.wrench)
        self.off = self._trail.off(self._tool_place.of(last.q), self.arm.lateness(now) + self.settings.lag)
        self.furthest = max(self.furthest, self.off)
        allowed = tube_of(segment, self.settings)
        trouble = self._force.trouble(segment)
        if not trouble and self.off > allowed:
            trouble = f"the tool is {1000.0 * self.off:.1f} mm off the path; allowed: {1000.0 * allowed:.1f} mm"
        if trouble:
            self._leave(lambda: self._enter(State.HELD, trouble), trouble, hurry=True)

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

    # Moving ----------------------------------------------------------------------------------------------------

    def _move(self, now: float) -> None:
        state, arm, dt = self.state, self.arm, self.arm.period
        if state is State.STARTING:
            self._starting(now)
        elif state is State.EASING_IN:
            self._easing(now)
        elif state is State.RUNNING:
            self._running(now)
        elif state is State.BACKING:
            self._follow(now, self.walker.go(self.override, self._end, dt).q)
            if self.walker.place <= self._end + 1e-9 and self.walker.at_rest:
                self._enter(State.PAUSED, self.reason)
        elif state is State.PAUSED:
            self._follow(now, self.walker.stop(dt).q)
        elif state is State.HAND:
            assert self.hand is not None
            q, v = self.hand.tick(now, dt)
            self._judge(arm.tick(now, Shape.FOLLOW, q, v).stopped)
        elif state is State.LEAVING:
            self._leaving(now)
        elif state in (State.HELD, State.ABORTED, State.DONE) and arm.status is ControllerStatus.ACTIVE:
            arm.tick(now, Shape.BRAKE)  # until it holds by itself

    def _starting(self, now: float) -> None:
        arm = self.arm
        if now - self._since > self.settings.start_within:
            self._leave(lambda: self._enter(State.FAILED, f"the arm does not start to follow: {arm.reason}"), "")
            return
        assert self._ease is not None
        if arm.status is not ControllerStatus.ACTIVE:
            arm.begin_here()
            arm.tick(now, Shape.BRAKE)
            self._since_active = now
            return
        if now - self._since_active < self.arm.period:
            arm.begin_here()
        if arm.tick(now, Shape.BRAKE).at_rest and now - self._since_active > 0.1:
            if np.abs(arm.measured - self._ease.q[0]).max() > STIRRED:
                self._leave(lambda: self._enter(State.HELD, "the arm moved while it was switched on"), "")
                return
            self._trail.clear()
            self._enter(State.EASING_IN, "")

    def _easing(self, now: float) -> None:
        assert self._ease is not None
        point = self._ease.go(self.override, self._ease.length, self.arm.period)
        self._follow(now, point.q, point.slope * self._ease.rate)
        if self.state is State.EASING_IN and self._ease.place >= self._ease.length - 1e-9:
            near = float(np.abs(self.arm.measured - point.q).max()) < self.settings.settle
            if near or now - self._since > self._ease.length / max(self.override, 0.01) + 5.0:
                self._enter(State.RUNNING if near else State.HELD, "" if near else "the arm does not get to the path")

    def _running(self, now: float) -> None:
        walker, dt = self.walker, self.arm.period
        segment = self._where()
        end = self._gate(now, segment)
        slow = self._force.slow(segment, dt)
        point = walker.go(self.override * slow, end, dt, hurry=slow < 1.0)
        self._follow(now, point.q, point.slope * walker.rate)
        if self.state is not State.RUNNING or walker.place < end - 1e-9:
            return
        if end >= walker.length - 1e-9:
            self._finish(now)
        elif end == self._end:
            walker.halt()
            self._enter(State.PAUSED, self.reason)

    def _gate(self, now: float, segment: Segment) -> float:
        """How far it may go now: an action begins when its segment does, and must be over when it ends."""
        if segment.kind is not Kind.ACTION:
            return self._end
        assert segment.action is not None
        if self._acted != self._segment:
            self._acted, self._action_since = self._segment, now
            self._note(f"{segment.action.word} {segment.action.value:g}")
            self.tool.begin(segment.action)
        if self.tool.trouble:
            self._leave(lambda: self._enter(State.HELD, f"the tool: {self.tool.trouble}"), self.tool.trouble)
        if not self.tool.busy:
            return self._end
        if now - self._action_since > self.settings.tool_within:
            self._leave(lambda: self._enter(State.HELD, "the tool is not done in time"), "the tool is not done in time")
        return min(self._end, (segment.end - 1) * self.task.period)

    def _finish(self, now: float) -> None:
        """At the last sample: wait for the arm, then let it hold."""
        if not self._sent_home:
            self._sent_home, self._since = True, now
        error = float(np.abs(self.arm.measured - self.task.q[-1]).max())
        if error <= self.settings.settle:
            self._left(self._segment)
            self._leave(lambda: self._enter(State.DONE, ""), "")
        elif now - self._since > self.settings.settle_within:
            text = f"at its end the arm is {error:.4f} rad | m away from the last sample"
            self._leave(lambda: self._enter(State.HELD, text), text)

    def _follow(self, now: float, q: Floats, v: Floats | None = None) -> None:
        if v is None:
            v = self.walker.at(self.walker.place).slope * self.walker.rate
        shaped = self.arm.tick(now, Shape.FOLLOW, q, v)
        if shaped.running:
            self._trail.put(self._tool_place.of(shaped.q))
        self._judge(shaped.stopped)

    def _judge(self, stopped: Stopped) -> None:
        """Shaping has stopped the arm: it is braked already."""
        if stopped is Stopped.FINE:
            return
        joint = int(np.argmax(self.arm.shaper.apart))
        name = self.task.joints[joint]
        why = {
            Stopped.TUBE: f"joint {name} is {float(self.arm.shaper.apart[joint]):.3f} rad | m from where it was sent",
            Stopped.REFUSED: f"a setpoint was refused ({self.arm.shaper.last_refusal[0].name.lower()})",
            Stopped.STALE: "setpoints came too late",
        }[stopped]
        self._leave(lambda: self._enter(State.HELD, why), why)

    def _leaving(self, now: float) -> None:
        """To a standstill; then the arm holds by itself, and what was to follow follows."""
        arm, walker = self.arm, self.walker
        if arm.status is ControllerStatus.ACTIVE:
            if not walker.at_rest:
                point = walker.stop(arm.period, self._hurry)
                shaped = arm.tick(now, Shape.FOLLOW, point.q, point.slope * walker.rate)
                if shaped.stopped is not Stopped.FINE:
                    walker.halt()
                return
            shaped = arm.tick(now, Shape.BRAKE)
            if (shaped.at_rest or not shaped.running) or now - self._since > 5.0:
                arm.controller.deactivate()
            return
        walker.halt()
        then, self._then = self._then, None
        if then is not None:
            then()

    def _leave(self, then: Callable[[], None], reason: str, hurry: bool = False) -> None:
        self._hurry = hurry
        if self.state is State.EASING_IN or self.state is State.HAND:
            self.walker.halt()  # the place on the path is not where the arm is
        self._then = then
        self._enter(State.LEAVING, reason)

    def _approach(self) -> None:
        """Plan and check the way from the measured pose to the path, and ask the arm to follow."""
        if not self.arm.listen() and self.arm.last is None:
            end = self.clock.now() + self.settings.start_within
            while not self.arm.listen():
                if self.clock.now() > end:
                    raise ExecuteError(f"the arm does not answer: {self.arm.reason}")
                self.arm.pause()
        self._check_arm()
        goal = self.walker.at(self.walker.place).q
        try:
            way = ease_in(self.task, self.bench, self.arm.measured, goal)
        except TaskError as error:
            if self.state is State.READY:
                raise ExecuteError(str(error)) from None
            self._enter(State.HELD, str(error))
            return
        self._ease = Walker(way.q, way.period, self.bench.limits, self.settings.ramp)
        self._tool_place = ToolPlace(self.bench.mechanism, self.task.frame)
        self._since_active = self.clock.now()
        self.arm.controller.activate()
        self._enter(State.STARTING, "")

    def _check_arm(self) -> None:
        status = self.arm.status
        if status in BAD or status in (ControllerStatus.LOST, ControllerStatus.CLOSED):
            raise ExecuteError(f"{BAD.get(status, 'the arm is not there')}: {self.arm.reason}")

    def _need(self, *states: State) -> None:
        if self.state not in states:
            raise ExecuteError(f"not possible while {self.state}; allowed while {', '.join(states)}")

    def _enter(self, state: State, reason: str) -> None:
        if state is not self.state or reason != self.reason:
            self.state, self.reason, self._since = state, reason, self.clock.now()
            self._note(reason)

    def _note(self, text: str) -> None:
        now = self.clock.now() - self._began
        self.happenings.append(Happening(now, self.state, self.walker.place, text))
