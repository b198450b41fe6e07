"""A supervisor with a device, a dead-man and an arm that obeys; time passes in steps of 1 ms."""

from __future__ import annotations

import math
from collections.abc import Callable

from station.controllers.controller import ControllerStatus
from station.controllers.supervisor import (
    Decision,
    Event,
    Facts,
    Stopped,
    Supervisor,
    SupervisorSettings,
    SupervisorState,
)
from station.devices.device import DeviceStatus

STEP = 1e-3  # [s]


class Bench:
    """Everything is fine unless a test says otherwise."""

    def __init__(self, settings: SupervisorSettings | None = None, *, with_arm: bool = True) -> None:
        self.supervisor, self.facts = Supervisor(settings), Facts()
        self.now = 0.0
        self.device, self.age, self.dead_man = DeviceStatus.READY, 0.001, False
        self.arm: ControllerStatus | None = ControllerStatus.READY if with_arm else None
        self.arm_age = 0.001
        self.arm_obeys = self.at_rest = self.follows = True
        self.starter_silent = False
        self.partner_lost, self.partners_follow = False, True
        self.wanted_by_others = self.led_by_others = False
        self.haptics, self.closure_lost, self.late, self.stopped_for = 0, False, False, Stopped.FINE
        self.asked: list[str] = []  # what the arm was asked for, in order
        self.last = self.supervisor.decision()

    def tick(self, *commands: str) -> Decision:
        """One tick, with commands."""
        self.now += STEP
        facts = self.facts
        facts.now = self.now
        facts.device(self.device, self.age, dead_man=self.dead_man)
        facts.arm(self.arm, self.arm_age)
        facts.loop(haptics=self.haptics, closure_lost=self.closure_lost, late=self.late)
        facts.shaping(self.stopped_for, at_rest=self.at_rest, follows=self.follows)
        facts.starter(silent=self.starter_silent)
        facts.partner_lost, facts.partners_follow = self.partner_lost, self.partners_follow
        facts.wanted_by_others, facts.led_by_others = self.wanted_by_others, self.led_by_others
        for command in commands:
            facts.ask(command)
        self.last = self.supervisor.tick(facts)
        self._obey()
        return self.last

    def ticks(self, seconds: float, *commands: str) -> Decision:
        """Ticks for a while; commands in the first."""
        for number in range(max(1, round(seconds / STEP))):
            self.tick(*(commands if number == 0 else ()))
        return self.last

    def _obey(self) -> None:
        wishes = (("activate", ControllerStatus.ACTIVE), ("deactivate", ControllerStatus.READY))
        for wish, status in (*wishes, ("stop", ControllerStatus.STOPPED), ("reset_arm", ControllerStatus.READY)):
            if getattr(self.last, wish):
                self.asked.append(wish)
                if self.arm_obeys and self.arm not in (ControllerStatus.LOST, None):
                    self.arm = status
        if self.last.release:
            self.asked.append("release")

    def press(self) -> Decision:
        """Let the dead-man go, press it, and give the arm two ticks to start."""
        self.dead_man = False
        self.ticks(0.002)
        self.dead_man = True
        return self.ticks(0.002)

    def bring_to(self, state: SupervisorState) -> None:
        """Go to a state the usual way."""
        ways: dict[SupervisorState, Callable[[], object]] = {
            SupervisorState.OFF: self._without_device,
            SupervisorState.READY: self.tick,
            SupervisorState.ENGAGED: self._engage,
            SupervisorState.HOLD: self._hold,
            SupervisorState.FAULT: self._fault,
        }
        ways[state]()
        assert self.last.state is state

    def _without_device(self) -> None:
        self.device = DeviceStatus.LOST
        self.tick()

    def _engage(self) -> None:
        self.tick()
        self.press()

    def _hold(self) -> None:
        self._engage()
        self.dead_man = False
        self.ticks(0.010)

    def _fault(self) -> None:
        self._hold()
        self.closure_lost = True
        self.tick()
        self.closure_lost = False
        self.ticks(0.010)


def _clock(bench: Bench) -> None:
    bench.now -= 1.0
    bench.tick()
    bench.now += 1.0


def _late(bench: Bench) -> None:
    bench.late = True
    bench.ticks(0.2)


def _let(name: str, value: object) -> Callable[[Bench], object]:
    def happen(bench: Bench) -> None:
        setattr(bench, name, value)
        bench.tick()

    return happen


def _ask(command: str) -> Callable[[Bench], object]:
    return lambda bench: bench.tick(command)


def _become_ready(bench: Bench) -> None:
    bench.device = DeviceStatus.READY
    bench.tick()


def _engage(bench: Bench) -> None:
    if bench.last.state is SupervisorState.ENGAGED:
        bench.tick("engage")  # a press would begin with letting go
    else:
        bench.press()


HAPPENINGS: dict[Event, Callable[[Bench], object]] = {
    Event.ESTOP: _ask("estop"),
    Event.CLOCK: _clock,
    Event.ARM_STOPPED: _let("arm", ControllerStatus.STOPPED),
    Event.ARM_FAULT: _let("arm", ControllerStatus.FAULT),
    Event.DEVICE_FAULT: _let("device", DeviceStatus.FAULT),
    Event.HAPTICS_FAULT: _let("haptics", 1),
    Event.CLOSURE_LOST: _let("closure_lost", True),
    Event.FOLLOWING_ERROR: _let("stopped_for", Stopped.TUBE),
    Event.SETPOINT_REFUSED: _let("stopped_for", Stopped.REFUSED),
    Event.OVERRUN: _late,
    Event.SHUTDOWN: _ask("shutdown"),
    Event.DEVICE_LOST: _let("device", DeviceStatus.LOST),
    Event.ARM_LOST: _let("arm", ControllerStatus.LOST),
    Event.ARM_LEFT: _let("arm", ControllerStatus.READY),
    Event.STALE_TARGET: _let("stopped_for", Stopped.STALE),
    Event.HOLD_ASKED: _ask("hold"),
    Event.RELEASED: _let("dead_man", False),
    Event.RESET: _ask("reset"),
    Event.ENGAGE: _engage,
    Event.ALL_READY: _become_ready,
    Event.STARTER_LOST: _let("starter_silent", True),
    Event.PARTNER_LOST: _let("partner_lost", True),
}
NOT_NUMBERS = (math.nan, math.inf, -math.inf)
