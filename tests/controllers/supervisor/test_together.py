"""Supervisor and shaping with a simple arm: every case ends in the stated state, and the arm never sees a step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from station.controllers.controller import ControllerStatus
from station.controllers.shaping import JointLimits, Shaper, Stopped
from station.controllers.supervisor import Decision, Event, Facts, Supervisor, SupervisorState
from station.devices.device import DeviceStatus

STEP, WATCHDOG = 1e-3, 0.050  # [s]
LIMITS = JointLimits(-2.8, 2.8, 2.0, 10.0, 200.0, 0.05, 0.15)


class Bench:
    """A hand that swings, a predicted robot that obeys at once, and an arm that keeps a log of what it was sent."""

    def __init__(self) -> None:
        self.supervisor, self.facts, self.shaper = Supervisor(), Facts(), Shaper([LIMITS] * 3)
        self.inputs = self.shaper.inputs()
        self.now, self.dead_man = 0.0, False
        self.device = DeviceStatus.READY
        self.arm = np.array([0.3, -0.2, 0.1])
        self.status, self.linked, self.heard = ControllerStatus.READY, True, -1.0
        self.measured_at, self.measured = 0.0, self.arm.copy()
        self.predicted, self.swing = self.arm.copy(), 0.0
        self.shaped, self.log = self.shaper.shaped(), list[tuple[float, NDArray[np.float64]]]()
        self.last = self.supervisor.decision()

    def tick(self, *commands: str) -> Decision:
        """One tick of a servo: measure, decide, begin at the measured pose if told so, move, send."""
        self.now += STEP
        if self.linked:
            self.measured[:], self.measured_at = self.arm, self.now
        age = self.now - self.measured_at
        seen = self.status if age < 0.050 else ControllerStatus.LOST
        self.facts.now = self.now
        self.facts.device(self.device, 0.001, dead_man=self.dead_man)
        self.facts.arm(seen, age)
        self.facts.shaping(self.shaped.stopped, at_rest=self.shaped.at_rest, follows=self.shaped.follows)
        for command in commands:
            self.facts.ask(command)
        self.last = self.supervisor.tick(self.facts)
        if self.last.resync:
            self.predicted[:] = self.measured
            self.inputs.start()
        speed = 0.0
        if self.last.permitted:
            self.swing += STEP
            speed = 0.4 * math.cos(2.0 * self.swing)
            self.predicted += speed * STEP
        self.inputs.at(self.now, self.last.shape)
        self.inputs.target[:], self.inputs.target_v[:] = self.predicted, speed
        self.inputs.measured[:], self.inputs.measured_v[:] = self.measured, math.nan
        self.inputs.link(age)
        self.shaped = self.shaper.tick(self.inputs)
        self._arm_lives()
        return self.last

    def ticks(self, seconds: float, *commands: str) -> Decision:
        for number in range(round(seconds / STEP)):
            self.tick(*(commands if number == 0 else ()))
        return self.last

    def press(self) -> Decision:
        self.dead_man = False
        self.ticks(0.01)
        self.dead_man = True
        return self.ticks(0.5)

    def _arm_lives(self) -> None:
        """Take what comes over the link; stop without a setpoint for too long."""
        if self.linked:
            if self.last.stop:
                self.status = ControllerStatus.STOPPED
            elif self.last.reset_arm and self.status is ControllerStatus.STOPPED:
                self.status = ControllerStatus.READY
            elif self.last.activate and self.status is ControllerStatus.READY:
                self.status, self.heard = ControllerStatus.ACTIVE, self.now
            elif self.last.deactivate and self.status is ControllerStatus.ACTIVE:
                self.status = ControllerStatus.READY
            if self.last.send and self.shaped.running and self.status is ControllerStatus.ACTIVE:
                self.log.append((self.now, self.shaped.q.copy()))
                self.heard = self.now
                self.arm[:] = self.shaped.q
        if self.status is ControllerStatus.ACTIVE and self.now - self.heard > WATCHDOG:
            self.status = ControllerStatus.READY

    def check_log(self) -> None:
        """From the arm's own log: no step beyond its limits, whatever happened in between."""
        assert len(self.log) > 300
        for (before, was), (after, q) in zip(self.log, self.log[1:], strict=False):
            assert np.all(np.abs(q - was) <= LIMITS.speed * (after - before) * (1.0 + 1e-9) + 1e-12)


def engaged() -> Bench:
    bench = Bench()
    bench.ticks(0.05)
    assert bench.press().state is SupervisorState.ENGAGED
    bench.ticks(0.5)
    assert np.abs(bench.arm - bench.predicted).max() < 1e-3  # it follows
    return bench


def test_unplugging_the_device_and_plugging_it_in_again() -> None:
    bench = engaged()
    bench.device = DeviceStatus.LOST
    assert not bench.tick().force
    lost = bench.ticks(1.0)
    assert (lost.state, lost.cause, bench.status) == (SupervisorState.HOLD, Event.DEVICE_LOST, ControllerStatus.READY)
    bench.device = DeviceStatus.READY
    assert bench.ticks(0.2).state is SupervisorState.HOLD
    assert bench.press().state is SupervisorState.ENGAGED
    bench.check_log()


def test_cutting_the_network_while_the_arm_moves_and_mending_it() -> None:
    bench = engaged()
    bench.linked = False
    cut = bench.ticks(1.0)
    assert (cut.state, cut.cause, cut.link) == (SupervisorState.HOLD, Event.ARM_LOST, False)
    assert bench.status is ControllerStatus.READY  # its own watchdog
    bench.check_log()
    bench.log.clear()
    bench.arm += 0.05  # somebody pushed it meanwhile
    pushed = bench.arm.copy()
    bench.linked = True
    bench.ticks(0.2)
    assert bench.press().state is SupervisorState.ENGAGED
    assert bench.log[0][1] == pytest.approx(pushed, abs=1e-6)
    bench.ticks(0.5)
    assert np.abs(bench.arm - bench.predicted).max() < 1e-3


def test_killing_the_arm_and_starting_it_elsewhere_begins_where_it_is() -> None:
    bench = engaged()
    bench.linked = False
    bench.ticks(0.5)
    bench.check_log()
    bench.linked, bench.status = True, ControllerStatus.READY
    bench.arm[:] = [-1.0, 1.0, 0.0]
    bench.log.clear()
    bench.ticks(0.1)
    bench.press()
    assert bench.log[0][1] == pytest.approx([-1.0, 1.0, 0.0], abs=1e-6)
    assert bench.last.state is SupervisorState.ENGAGED
    bench.check_log()


def test_an_emergency_stop_in_mid_motion_and_back() -> None:
    bench = engaged()
    stopped = bench.tick("estop")
    assert (stopped.fault, bench.status) == (Event.ESTOP, ControllerStatus.STOPPED)
    bench.ticks(0.5)
    assert bench.ticks(0.1, "reset").state is SupervisorState.READY
    assert bench.press().state is SupervisorState.ENGAGED
    bench.check_log()


def test_an_arm_that_hits_something_ends_in_a_fault_and_holds() -> None:
    bench = engaged()
    for _ in range(2000):
        before = bench.arm.copy()
        bench.tick()
        bench.arm[1] = before[1]  # one joint is stuck
        if bench.last.state is not SupervisorState.ENGAGED:
            break
    assert bench.last.fault is Event.FOLLOWING_ERROR
    assert bench.shaped.stopped is Stopped.TUBE
    bench.ticks(1.0)
    assert bench.status is ControllerStatus.READY
    bench.arm[1] += 0.3
    assert bench.ticks(0.1, "reset").state is SupervisorState.READY
    assert bench.press().state is SupervisorState.ENGAGED


@pytest.mark.parametrize("seconds", [0.01, 0.03])
def test_a_short_gap_in_the_link_goes_unnoticed_but_for_its_age(seconds: float) -> None:
    bench = engaged()
    bench.linked = False
    bench.ticks(seconds)
    bench.linked = True
    assert bench.ticks(0.5).state is SupervisorState.ENGAGED
    assert np.abs(bench.arm - bench.predicted).max() < 1e-3
