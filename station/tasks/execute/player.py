"""`Player`: a verified task on an arm, tick by tick. It can be paused, stepped, slowed, led back and taken over.

The place on the path moves within all limits of the joints; shaping (docs/safety.md) has the last word on setpoints.
Whenever the arm has been somewhere else than on the path, it holds by itself until a way back has been checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from station.controllers import ControllerStatus
from station.tasks.execute.core import BAD
from station.tasks.execute.motion import PlayerMotion
from station.tasks.execute.walking import Point
from station.tasks.execute.watch import tube_of
from station.tasks.execute.words import ExecuteError, Progress, State
from station.tasks.task import Kind

LONGEST = 0.025  # time that a late tick stands for at most, as in shaping [s]
ON_PATH = (State.RUNNING, State.PAUSED, State.BACKING)


class Player(PlayerMotion):
    """Leads an arm along a task. `tick` takes one period of the clock; what is asked for in between takes effect then.

    Args:
        task: that has been verified for this arm; see `prepare.py`, which makes players.
        bench: with what it was verified.
        controller: of the arm, in the order of the scene.
        settings: tubes, forces, times.
        clock: whose time.
        tool: for the task's actions.
        hand: for a take-over.
        sensor: what a calibration has found of the arm's force sensor and tool; None: it is only tared.
    """

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
            self._approach()

    def hold(self, reason: str) -> None:
        """Come to rest, on the path where it is on it: another arm of the same task has stopped."""
        if self.state in (State.RUNNING, State.BACKING):
            self._enter(State.PAUSED, reason)
        elif self.state in (State.STARTING, State.EASING_IN):
            self._leave(lambda: self._enter(State.HELD, reason), reason)

    def go_to(self, end: float) -> None:
        """To which place of the task it goes before it pauses [s]."""
        self._end = end

    @property
    def aborting(self) -> bool:
        """Whether it is over, or will be as soon as the arm stands."""
        return self.state.over or bool(self._aborting)

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
        if self.state.over:
            return
        self._aborting = reason
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
        self.advance()
        self.wait()

    def advance(self) -> None:
        """A tick without its waiting."""
        now = self.clock.now()
        self._dt = max(min(now - self._last, LONGEST), self.arm.period)  # late ticks go on along the same motion
        self._last = now
        fresh = self.arm.listen()
        self.tool.listen()
        if self.arm.last is not None:
            self._look(now, fresh)
            self._move(now)
        elif now - self._began > self.settings.start_within:
            self._enter(State.FAILED, f"the arm does not answer: {self.arm.reason}")
        if self.on_tick is not None:
            self.on_tick(self)
        self.spent = self.clock.now() - now

    def wait(self) -> None:
        """Until the next tick."""
        if self.hand is not None and self.hand.leads:
            self.hand.tick()  # its servo waits for the next moment
            self.arm.begin_pauses()
        else:
            self.arm.pause()

    def run(self, until: Callable[[Player], bool] | None = None, seconds: float = math.inf) -> State:
        """Tick until it is over, `until` says so, or so long [s] has passed."""
        end = self.clock.now() + seconds
        while not self.state.over and self.clock.now() < end and not (until is not None and until(self)):
            self.tick()
        return self.state

    @property
    def planned(self) -> Point:
        """Driven joints where the task, the way to it, or the hand has them now, with their speeds [rad | m]."""
        walker = self._ease if self.state is State.EASING_IN and self._ease is not None else self.walker
        point = walker.at(walker.place)
        if self.state is State.HAND and self.hand is not None:
            return point._replace(q=self.hand.q, slope=self.hand.v)
        return point._replace(slope=walker.rate * point.slope)

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
        what = f"the link to the arm is lost: {self.arm.reason}; it stops by itself"
        if self.state is State.LEAVING and self._aborting:
            self._stop_here(State.ABORTED, f"{self._aborting}; {what}")
        else:
            self._stop_here(State.LINK_LOST, what)

    def _watch(self, now: float) -> None:
        """Tube and force, against a measurement that is new."""
        last = self.arm.last
        assert last is not None
        if self.state is State.STARTING:
            self._force.tare(self.sensor.wrench)
            return
        if self.state not in (*ON_PATH, State.EASING_IN):
            return
        segment = self._where()
        self._force.measure(self.sensor.wrench)
        self.off = self._trail.off(self._tool_place.of(last.q), self.arm.lateness(now) + self.settings.lag)
        self.furthest = max(self.furthest, self.off)
        allowed = tube_of(segment, self.settings)
        trouble = self._force.trouble(segment)
        if not trouble and self.off > allowed:
            trouble = f"the tool is {1000.0 * self.off:.1f} mm off the path; allowed: {1000.0 * allowed:.1f} mm"
        if trouble:
            touching = segment if segment.kind is Kind.CONTACT else None
            self._leave(lambda: self._enter(State.HELD, trouble), trouble, hurry=True, relieve=touching)

    def _need(self, *states: State) -> None:
        if self.state not in states:
            raise ExecuteError(f"not possible while {self.state}; allowed while {', '.join(states)}")
