"""The emergency stop: from everywhere, at once, and back only when all is safe."""

from __future__ import annotations

from station.controllers.controller import ControllerStatus
from station.controllers.supervisor import Event, SupervisorState, Waiting
from tests.controllers.supervisor.bench import HAPPENINGS, Bench

ENGAGED, READY, FAULT = SupervisorState.ENGAGED, SupervisorState.READY, SupervisorState.FAULT


def engaged() -> Bench:
    bench = Bench()
    bench.bring_to(ENGAGED)
    bench.tick()
    return bench


def test_an_emergency_stop_reaches_the_arm_in_the_same_tick_from_every_state() -> None:
    for state in SupervisorState:
        bench = Bench()
        bench.bring_to(state)
        stopped = bench.tick("estop")
        assert (stopped.state, stopped.fault, stopped.stop) == (FAULT, Event.ESTOP, True)
        assert (stopped.force, stopped.permitted) == (False, False)


def test_an_emergency_stop_is_repeated_until_the_arm_has_stopped() -> None:
    bench = engaged()
    bench.arm_obeys = False
    bench.ticks(0.5, "estop")
    assert bench.asked[1:].count("stop") == 3
    bench.arm = ControllerStatus.STOPPED
    bench.asked.clear()
    bench.ticks(0.5)
    assert bench.asked == []


def test_an_emergency_stop_is_left_by_a_reset_of_station_and_arm() -> None:
    bench = engaged()
    bench.ticks(0.1, "estop")
    assert (bench.arm, bench.last.waiting) == (ControllerStatus.STOPPED, Waiting.CAUSE)
    bench.tick("reset")
    assert bench.asked[-1] == "reset_arm"
    assert (bench.tick().state, bench.last.cause) == (READY, Event.RESET)
    assert bench.ticks(0.5).state is READY  # and the dead-man, still held, does not engage
    assert bench.press().state is ENGAGED


def test_an_emergency_stop_that_is_still_pressed_is_not_reset() -> None:
    bench = engaged()
    bench.ticks(0.1, "estop")
    for number in range(1000):
        bench.tick("estop", *(["reset"] if number == 10 else []))
        assert bench.last.state is FAULT
        assert not bench.last.reset_arm  # the arm is not asked to leave its stop either
    assert bench.arm is ControllerStatus.STOPPED


def test_the_first_cause_is_kept_but_an_emergency_stop_replaces_it() -> None:
    bench = engaged()
    HAPPENINGS[Event.CLOSURE_LOST](bench)
    HAPPENINGS[Event.DEVICE_FAULT](bench)
    assert bench.last.fault is Event.CLOSURE_LOST
    assert bench.tick("estop").fault is Event.ESTOP


def test_a_reset_waits_until_an_arm_that_still_slows_down_has_stopped() -> None:
    bench = engaged()
    bench.arm_obeys = bench.at_rest = False  # it takes a while until it says STOPPED, and until it stands
    bench.ticks(0.01, "estop")
    bench.asked.clear()
    assert bench.ticks(0.3, "reset").state is FAULT
    bench.arm = ControllerStatus.STOPPED
    assert bench.ticks(0.5).state is FAULT
    assert bench.asked.count("reset_arm") == 3  # refused as it does not stand yet: asked again
    bench.arm_obeys = True
    assert bench.ticks(0.3).state is READY


def test_a_reset_does_not_wait_for_ever_for_an_arm_that_goes_on_following() -> None:
    bench = engaged()
    bench.arm_obeys = bench.at_rest = False
    bench.ticks(0.01, "estop")
    assert bench.ticks(1.9, "reset").state is FAULT
    assert bench.ticks(0.2).state is READY  # it was told to hold by itself, again and again
