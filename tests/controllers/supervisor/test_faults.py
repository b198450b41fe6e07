"""What each loss and each fault does to arm, force and state; named in docs/safety.md."""

from __future__ import annotations

import pytest

from station.controllers.controller import ControllerStatus
from station.controllers.supervisor import (
    Event,
    Facts,
    Shape,
    Stopped,
    Supervisor,
    SupervisorSettings,
    SupervisorState,
    Waiting,
)
from station.devices.device import DeviceStatus
from tests.controllers.records import all_finite
from tests.controllers.supervisor.bench import HAPPENINGS, NOT_NUMBERS, Bench

ENGAGED, HOLD, READY, FAULT, OFF = (
    SupervisorState.ENGAGED,
    SupervisorState.HOLD,
    SupervisorState.READY,
    SupervisorState.FAULT,
    SupervisorState.OFF,
)


def engaged() -> Bench:
    bench = Bench()
    bench.bring_to(ENGAGED)
    bench.tick()
    return bench


def test_losing_the_device_cuts_the_force_at_once_and_the_arm_holds() -> None:
    bench = engaged()
    assert bench.last.force
    bench.device, bench.dead_man, bench.at_rest = DeviceStatus.LOST, False, False
    lost = bench.tick()
    assert (lost.state, lost.cause) == (HOLD, Event.DEVICE_LOST)
    assert not lost.force
    assert (lost.shape, lost.permitted) == (Shape.BRAKE, False)
    bench.at_rest = True
    bench.tick()
    assert bench.asked == ["activate", "deactivate"]


def test_a_sample_that_is_too_old_is_a_lost_device() -> None:
    bench = engaged()
    bench.age = 0.0201
    assert (bench.tick().cause, bench.last.force) == (Event.DEVICE_LOST, False)


def test_after_a_lost_device_only_a_fresh_press_engages() -> None:
    bench = engaged()
    bench.device = DeviceStatus.LOST
    bench.ticks(0.1)
    bench.device = DeviceStatus.READY  # the button is still down
    assert bench.ticks(0.5).state is HOLD
    assert bench.press().state is ENGAGED


def test_losing_the_arm_ramps_the_force_down_and_the_robot_stays() -> None:
    bench = engaged()
    bench.arm = ControllerStatus.LOST
    lost = bench.tick()
    assert (lost.state, lost.cause) == (HOLD, Event.ARM_LOST)
    assert (lost.force, lost.link) == (True, False)  # the device may push, and the haptics ramp down
    assert (lost.permitted, lost.resync) == (False, False)


def test_a_measurement_that_is_too_old_is_a_lost_arm() -> None:
    bench = engaged()
    bench.arm_age = 0.0501
    assert (bench.tick().cause, bench.last.link) == (Event.ARM_LOST, False)


def test_after_a_lost_arm_engaging_begins_at_the_measured_pose() -> None:
    bench = engaged()
    bench.arm = ControllerStatus.LOST
    bench.ticks(0.5)
    bench.arm = ControllerStatus.READY
    assert bench.ticks(0.5).state is HOLD
    bench.dead_man = False
    bench.ticks(0.002)
    bench.dead_man = True
    bench.tick()
    assert bench.last.resync
    assert (bench.tick().state, bench.last.resync) == (ENGAGED, True)


def test_an_arm_that_comes_back_still_following_is_told_to_hold() -> None:
    bench = engaged()
    bench.arm = ControllerStatus.LOST
    bench.ticks(0.1)
    bench.arm = ControllerStatus.ACTIVE
    bench.ticks(0.3)
    assert bench.asked[1:] == ["deactivate"]


def test_an_arm_whose_watchdog_spoke_is_not_followed_by_surprise() -> None:
    bench = engaged()
    bench.arm = ControllerStatus.READY
    assert (bench.tick().state, bench.last.cause) == (HOLD, Event.ARM_LEFT)
    assert bench.ticks(0.5).state is HOLD
    assert bench.asked == ["activate"]


@pytest.mark.parametrize(
    ("name", "bad", "good", "event"),
    [
        ("arm", ControllerStatus.FAULT, ControllerStatus.READY, Event.ARM_FAULT),
        ("device", DeviceStatus.FAULT, DeviceStatus.READY, Event.DEVICE_FAULT),
        ("haptics", 16, 0, Event.HAPTICS_FAULT),
        ("closure_lost", True, False, Event.CLOSURE_LOST),
    ],
    ids=["arm", "device", "haptics", "closure"],
)
def test_a_fault_is_left_only_by_reset_and_only_when_its_cause_is_gone(
    name: str, bad: object, good: object, event: Event
) -> None:
    bench = engaged()
    bench.arm_obeys = False
    setattr(bench, name, bad)
    assert bench.tick().fault is event
    stuck = bench.ticks(4.0, "reset")  # longer than a reset waits
    assert (stuck.state, stuck.fault, stuck.waiting) == (FAULT, event, Waiting.CAUSE)
    setattr(bench, name, good)
    bench.arm = ControllerStatus.READY
    gone = bench.ticks(1.0)
    assert (gone.state, gone.waiting) == (FAULT, Waiting.RESET)
    assert bench.tick("reset").state is READY


def test_a_reset_waits_a_while_for_the_cause_to_go() -> None:
    bench = engaged()
    bench.arm, bench.arm_obeys = ControllerStatus.STOPPED, False
    bench.ticks(0.1)
    bench.ticks(1.0, "reset")
    assert bench.last.state is FAULT
    bench.arm = ControllerStatus.READY  # a slow arm
    assert bench.tick().state is READY


def test_a_device_lost_during_a_fault_has_no_force() -> None:
    bench = engaged()
    HAPPENINGS[Event.ARM_FAULT](bench)
    assert bench.last.force  # it ramps down, and a cue can be felt
    bench.device = DeviceStatus.LOST
    assert not bench.tick().force


@pytest.mark.parametrize("event", [Event.ESTOP, Event.CLOCK, Event.DEVICE_FAULT, Event.HAPTICS_FAULT])
def test_the_force_is_cut_where_it_cannot_be_trusted(event: Event) -> None:
    bench = engaged()
    HAPPENINGS[event](bench)
    assert not bench.last.force


def test_a_following_error_is_a_fault_that_a_reset_clears() -> None:
    bench = engaged()
    bench.stopped_for = Stopped.TUBE
    assert bench.tick().fault is Event.FOLLOWING_ERROR
    assert bench.ticks(0.1).shape is Shape.IDLE  # the arm was told to hold
    assert bench.tick("reset").state is READY  # shaping is still stopped: it starts anew with the next press
    bench.stopped_for = Stopped.FINE
    assert bench.press().state is ENGAGED


def test_a_few_late_ticks_are_no_overrun_and_many_are() -> None:
    bench = Bench(SupervisorSettings(late_most=20.0, late_window=1.0))
    bench.bring_to(ENGAGED)
    for number in range(5000):  # 10 a second
        bench.late = number % 100 == 0
        assert bench.tick().state is ENGAGED
    bench.late = True
    bench.ticks(0.018)
    assert bench.last.state is ENGAGED
    bench.ticks(0.005)
    assert bench.last.fault is Event.OVERRUN


def test_time_that_goes_back_is_a_fault_and_can_be_reset() -> None:
    bench = engaged()
    bench.now -= 10.0
    assert bench.tick().fault is Event.CLOCK
    bench.ticks(0.5)
    assert bench.arm is ControllerStatus.READY  # asked to hold, although moments of the old time are ahead
    assert bench.tick("reset").state is READY


BAD = [(name, bad) for name in ("now", "sample_age", "measured_age") for bad in NOT_NUMBERS]
BAD += [(name, bad) for name in ("haptics_faults", "arm_fact", "stopped_for") for bad in (-1, 77, 1 << 40, -(1 << 63))]
BAD += [("device_ready", False), ("device_bad", True), ("dead_man", False)]


@pytest.mark.parametrize(("where", "bad"), BAD)
def test_what_is_no_number_ends_engagement(where: str, bad: float) -> None:
    """Nor a number that nobody knows; of what is true or false one of both forbids."""
    bench = engaged()
    facts = bench.facts.copy()
    facts.now = bench.now + 1e-3
    setattr(facts, where, bad)
    after = bench.supervisor.tick(facts)
    assert after.state in (HOLD, FAULT)
    assert not after.permitted
    assert all_finite(bench.supervisor.memory)


def test_the_log_is_bounded_and_keeps_the_newest() -> None:
    bench = Bench()
    bench.bring_to(ENGAGED)
    for _ in range(100):
        bench.dead_man = False
        bench.ticks(0.010)
        bench.press()
    log = bench.supervisor.log()
    assert (len(log), bench.supervisor.transitions) == (64, 202)
    assert [entry.time for entry in log] == sorted(entry.time for entry in log)
    assert str(log[-2]).endswith("ENGAGED → HOLD: the dead-man was let go")


def test_at_first_nothing_is_there() -> None:
    supervisor = Supervisor()
    first = supervisor.tick(Facts())
    assert (first.state, first.force, first.permitted, first.stop) == (OFF, False, False, False)
    assert (first.activate, first.reset_arm, first.release) == (False, False, False)
