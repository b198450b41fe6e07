"""`PlayerMotion`: what setpoint follows, in each state of a player."""

from __future__ import annotations

import numpy as np

from station.controllers import ControllerStatus
from station.controllers.shaping import Stopped
from station.controllers.supervisor import Shape
from station.tasks.execute.core import PlayerCore
from station.tasks.execute.words import State
from station.tasks.task import Kind, Segment
from station.tasks.task.model import Floats

GIVE_WAY_WITHIN = 2.0  # for a contact that was too strong [s]
STIRRED = 0.02  # that the arm may move while it is switched on [rad | m]


class PlayerMotion(PlayerCore):
    """See `Player`."""

    def _move(self, now: float) -> None:
        state, arm, dt = self.state, self.arm, self._dt
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
            self._judge(arm.tick(now, Shape.FOLLOW, self.hand.q, self.hand.v).stopped)
        elif state is State.LEAVING:
            self._leaving(now)
        elif state in (State.HELD, State.ABORTED, State.DONE) and arm.status is ControllerStatus.ACTIVE:
            arm.tick(now, Shape.BRAKE)  # until it holds by itself

    def _starting(self, now: float) -> None:
        arm = self.arm
        if self._wakes_tool(now):
            return
        if now - self._since > self.settings.start_within:
            self._leave(lambda: self._enter(State.FAILED, f"the arm does not start to follow: {arm.reason}"), "")
            return
        assert self._ease is not None
        if arm.status is not ControllerStatus.ACTIVE:
            arm.tick(now, Shape.IDLE)
            self._since_active = now
            return
        if arm.shaped is None or not arm.shaped.running:
            arm.begin_here()
        if arm.tick(now, Shape.BRAKE).at_rest and now - self._since_active > 0.1:
            if np.abs(arm.measured - self._ease.q[0]).max() > STIRRED:
                self._leave(lambda: self._enter(State.HELD, "the arm moved while it was switched on"), "")
                return
            trouble = self._force.wrong_tool() if self.sensor.correction is not None else ""
            if arm.controller.capabilities.measures_wrench and not self._force.tared:
                trouble = "the arm has a force sensor that tells nothing; see to it before anything is touched"
            if trouble:
                self._leave(lambda: self._enter(State.FAILED, trouble), trouble)
                return
            self._trail.clear()
            self._enter(State.EASING_IN, "")

    def _wakes_tool(self, now: float) -> bool:
        """Whether the tool is still getting ready; the arm is asked to follow only afterwards."""
        if self._awake:
            return False
        trouble = self.tool.trouble
        if not trouble and self.tool.busy and now - self._since <= self.settings.tool_within:
            return True
        self._awake = True
        if trouble or self.tool.busy:
            self._enter(State.FAILED, f"the tool: {trouble or 'it is not ready in time'}")
            return True
        self._since = self._since_active = now
        self.arm.activate()
        return False

    def _easing(self, now: float) -> None:
        assert self._ease is not None
        point = self._ease.go(self.override, self._ease.length, self._dt)
        self._follow(now, point.q, point.slope * self._ease.rate)
        if self.state is State.EASING_IN and self._ease.place >= self._ease.length - 1e-9:
            near = float(np.abs(self.arm.measured - point.q).max()) < self.settings.settle
            if near or now - self._since > self._ease.length / max(self.override, 0.01) + 5.0:
                self._enter(State.RUNNING if near else State.HELD, "" if near else "the arm does not get to the path")

    def _running(self, now: float) -> None:
        walker, dt = self.walker, self._dt
        segment = self._where()
        end = self._gate(now, segment)
        slow = self._force.slow(segment, dt)
        if slow < 0.0:  # a stiff arm that stands in contact presses ever more: give way along the path
            point = walker.go(-slow * self.override, segment.begin * self.task.period, dt, hurry=True)
        else:
            point = walker.go(slow * self.override, end, dt, hurry=slow < 1.0)
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
            if self._gives_way(now):
                return
            if not walker.at_rest:
                point = walker.stop(self._dt, self._hurry)
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

    def _gives_way(self, now: float) -> bool:
        """Back along the path until a contact that was too strong is so no more; whether that goes on."""
        segment = self._relieving
        if segment is None:
            return False
        self._force.measure(self.sensor.wrench)
        begin = segment.begin * self.task.period
        if not self._force.presses(segment) or self.walker.place <= begin or now - self._since > GIVE_WAY_WITHIN:
            self._relieving = None
            return False
        point = self.walker.go(1.0, begin, self._dt, hurry=True)
        shaped = self.arm.tick(now, Shape.FOLLOW, point.q, point.slope * self.walker.rate)
        if shaped.stopped is not Stopped.FINE:
            self._relieving = None
        return self._relieving is not None
