from __future__ import annotations

import pytest

from station.controllers.controller import ControllerStatus
from station.controllers.supervisor import Event, Shape, SupervisorSettings, SupervisorState, Waiting
from station.devices.device import DeviceStatus
from station.devices.parameter import SettingsError
from tests.controllers.supervisor.bench import Bench

ENGAGED, HOLD, READY, FAULT, OFF = (
    SupervisorState.ENGAGED,
    SupervisorState.HOLD,
    SupervisorState.READY,
    SupervisorState.FAULT,
    SupervisorState.OFF,
)


def test_a_press_asks_the_arm_to_start_and_engages_once_it_is_active() -> None:
    bench = Bench()
    bench.arm_obeys = False
    bench.tick()
    bench.tick()
    bench.dead_man = True
    asked = bench.tick()
    assert (asked.state, asked.activate, asked.waiting) == (READY, True, Waiting.START)
    assert not asked.permitted
    bench.arm = ControllerStatus.ACTIVE
    engaged = bench.tick()
    assert (engaged.state, engaged.permitted, engaged.shape) == (ENGAGED, True, Shape.FOLLOW)


def test_engaging_begins_at_the_measured_pose() -> None:
    bench = Bench()
    bench.bring_to(READY)
    bench.ticks(0.002)
    bench.dead_man = True
    assert bench.tick().resync  # while the arm starts
    at_start = bench.tick()
    assert (at_start.state, at_start.resync) == (ENGAGED, True)
    assert not bench.tick().resync  # from then on the hand leads
    bench.dead_man = False
    bench.ticks(0.010)
    bench.dead_man = True
    bench.tick()
    again = bench.tick()
    assert (again.state, again.resync) == (ENGAGED, True)


def test_without_an_arm_the_predicted_robot_is_moved_at_once_and_from_where_it_is() -> None:
    bench = Bench(with_arm=False)
    bench.bring_to(READY)
    bench.tick()
    bench.dead_man = True
    engaged = bench.tick()
    assert (engaged.state, engaged.permitted) == (ENGAGED, True)
    assert (engaged.send, engaged.resync, engaged.activate) == (False, False, False)


def test_a_dead_man_held_from_the_start_does_not_engage() -> None:
    bench = Bench()
    bench.dead_man = True
    held = bench.ticks(0.5)
    assert (held.state, held.waiting, bench.asked) == (READY, Waiting.RELEASE, [])
    assert bench.press().state is ENGAGED


def test_a_dead_man_held_through_a_hold_does_not_engage_again() -> None:
    bench = Bench()
    bench.bring_to(ENGAGED)
    bench.tick("hold")
    held = bench.ticks(0.5)
    assert (held.state, held.cause, held.waiting) == (HOLD, Event.HOLD_ASKED, Waiting.RELEASE)
    assert bench.press().state is ENGAGED


def test_letting_go_while_the_arm_starts_takes_the_wish_back() -> None:
    bench = Bench()
    bench.arm_obeys = False
    bench.bring_to(READY)
    bench.press()
    bench.dead_man = False
    assert bench.tick().waiting is Waiting.PRESS
    bench.arm = ControllerStatus.ACTIVE  # it comes too late
    late = bench.tick()
    assert late.state is READY
    bench.ticks(0.3)
    assert bench.asked == ["activate", "deactivate"]


def test_an_arm_that_does_not_start_is_asked_again_and_then_given_up() -> None:
    bench = Bench(SupervisorSettings(start_within=1.0, repeat=0.2))
    bench.arm_obeys = False
    bench.bring_to(READY)
    bench.press()
    given_up = bench.ticks(1.2)
    assert (given_up.state, given_up.waiting) == (READY, Waiting.RELEASE)
    assert bench.asked == ["activate"] * 5
    assert bench.supervisor.refused == 1


def test_the_command_engages_only_with_a_fresh_press_if_so_set() -> None:
    bench = Bench(SupervisorSettings(by_press=False))
    bench.bring_to(READY)
    assert bench.tick("engage").state is READY  # not held
    assert bench.supervisor.refused == 1
    pressed = bench.press()
    assert (pressed.state, pressed.waiting) == (READY, Waiting.ENGAGE)
    bench.tick("engage")
    assert bench.tick().state is ENGAGED


def test_while_held_robot_brakes_then_the_arm_is_told_to_hold_by_itself() -> None:
    bench = Bench()
    bench.bring_to(ENGAGED)
    bench.dead_man, bench.at_rest = False, False
    braking = bench.tick()
    assert (braking.state, braking.shape, braking.send, braking.permitted) == (HOLD, Shape.BRAKE, True, False)
    bench.ticks(0.3)
    assert bench.asked == ["activate"]
    bench.at_rest = True
    assert bench.tick().deactivate
    after = bench.tick()
    assert (after.shape, after.send) == (Shape.IDLE, False)


def test_an_arm_that_goes_on_following_is_told_again_to_hold() -> None:
    bench = Bench()
    bench.bring_to(ENGAGED)
    bench.arm_obeys, bench.dead_man = False, False
    bench.ticks(0.5)
    assert bench.asked == ["activate", "deactivate", "deactivate", "deactivate"]


def test_a_press_while_the_arm_still_brakes_goes_on_at_once() -> None:
    bench = Bench()
    bench.bring_to(ENGAGED)
    bench.at_rest, bench.dead_man = False, False
    bench.ticks(0.020)
    bench.dead_man = True
    again = bench.tick()
    assert (again.state, again.resync, bench.asked) == (ENGAGED, True, ["activate"])


def test_a_press_after_the_arm_was_told_to_hold_waits_until_it_does() -> None:
    """That it still follows is old news: over a long link it would cease to in the middle of being led."""
    bench = Bench()
    bench.bring_to(ENGAGED)
    bench.arm_obeys, bench.dead_man = False, False
    bench.ticks(0.010)
    assert bench.asked == ["activate", "deactivate"]
    bench.dead_man = True
    assert (bench.ticks(0.050).state, bench.last.waiting) == (HOLD, Waiting.START)
    bench.arm = ControllerStatus.READY
    bench.arm_obeys = True
    assert bench.tick().activate
    assert bench.tick().state is ENGAGED


def test_an_arm_that_is_not_where_it_is_sent_stops_and_is_led_anew() -> None:
    bench = Bench()
    bench.bring_to(ENGAGED)
    bench.at_rest = bench.follows = bench.dead_man = False
    bench.ticks(0.010)
    bench.dead_man = True
    braking = bench.ticks(0.100)
    assert (braking.state, braking.shape, braking.resync) == (HOLD, Shape.BRAKE, False)
    assert bench.asked == ["activate"]
    bench.at_rest = True
    assert bench.tick().deactivate
    bench.follows = True  # as nothing is being sent any more
    assert bench.ticks(0.003).state is ENGAGED
    assert bench.asked == ["activate", "deactivate", "activate"]


def test_setpoints_that_never_rest_do_not_keep_the_arm_active_for_ever() -> None:
    bench = Bench(SupervisorSettings(rest_within=1.0))
    bench.bring_to(ENGAGED)
    bench.dead_man, bench.at_rest = False, False
    bench.ticks(1.1)
    assert bench.asked == ["activate", "deactivate"]


def test_parking_moves_the_arm_without_the_hand_and_needs_the_dead_man() -> None:
    bench = Bench()
    bench.facts.park(True)
    bench.bring_to(READY)
    assert bench.ticks(0.1).shape is Shape.IDLE
    bench.press()
    parking = bench.tick()
    assert (parking.state, parking.shape, parking.permitted) == (ENGAGED, Shape.PARK, False)
    bench.dead_man = False
    stopped = bench.tick()
    assert (stopped.state, stopped.shape) == (HOLD, Shape.BRAKE)


def test_torque_is_released_only_on_request_and_never_while_the_arm_follows() -> None:
    bench = Bench()
    bench.bring_to(ENGAGED)
    bench.tick("release")
    assert "release" not in bench.asked
    assert bench.supervisor.refused == 1
    bench.dead_man = False
    bench.ticks(0.010)
    assert bench.tick("release").release


def test_after_a_shutdown_nothing_engages_any_more() -> None:
    bench = Bench()
    bench.bring_to(ENGAGED)
    shut = bench.tick("shutdown")
    assert (shut.state, shut.cause, shut.permitted) == (OFF, Event.SHUTDOWN, False)
    assert bench.press().state is OFF
    assert bench.ticks(0.3).state is OFF
    assert bench.asked == ["activate", "deactivate"]


def test_after_a_shutdown_the_force_may_ramp_down_and_is_then_off() -> None:
    bench = Bench()
    bench.bring_to(ENGAGED)
    assert bench.tick("shutdown").force
    assert bench.ticks(1.9).force
    assert not bench.ticks(0.2).force
    never_ready = Bench()
    never_ready.device = DeviceStatus.LOST
    assert not never_ready.ticks(0.01, "shutdown").force


def test_a_starter_that_does_not_answer_ends_engagement_until_a_fresh_press() -> None:
    bench = Bench()
    bench.bring_to(ENGAGED)
    bench.starter_silent = True
    lost = bench.tick()
    assert (lost.state, lost.cause, lost.permitted) == (HOLD, Event.STARTER_LOST, False)
    assert bench.press().state is HOLD  # nobody could stop it
    bench.starter_silent = False
    assert bench.ticks(0.5).state is HOLD  # the dead-man, held all the time, does not engage
    assert bench.press().state is ENGAGED


def test_a_partner_that_is_lost_ends_engagement_until_a_fresh_press() -> None:
    bench = Bench()
    bench.bring_to(ENGAGED)
    bench.partner_lost = True
    lost = bench.tick()
    assert (lost.state, lost.cause, lost.permitted) == (HOLD, Event.PARTNER_LOST, False)
    assert bench.press().state is HOLD
    assert bench.last.waiting is Waiting.PARTNER
    bench.partner_lost = False
    assert bench.ticks(0.5).state is HOLD
    assert bench.press().state is ENGAGED


def test_the_hand_waits_for_arms_that_its_own_is_tied_to() -> None:
    bench = Bench()
    bench.tick()
    bench.partners_follow = False
    assert bench.press().state is READY
    assert (bench.arm, bench.last.waiting) == (ControllerStatus.ACTIVE, Waiting.START)
    bench.partners_follow = True
    assert bench.tick().state is ENGAGED


def test_an_arm_follows_while_another_hand_leads_its_robot() -> None:
    bench = Bench()
    bench.tick()
    bench.wanted_by_others = True  # it waits for this arm
    begins = bench.tick()
    assert (begins.activate, begins.resync, begins.shape) == (True, True, Shape.IDLE)
    bench.led_by_others = True
    led = bench.tick()
    assert (led.state, led.permitted, led.resync, led.shape, led.send) == (READY, False, True, Shape.FOLLOW, True)
    assert not bench.tick().resync
    bench.press()  # a second hand on a robot that moves already: nothing begins anew
    assert bench.last.state is ENGAGED
    assert bench.asked == ["activate"]
    bench.dead_man = False
    assert (bench.tick().state, bench.last.shape) == (HOLD, Shape.FOLLOW)
    bench.led_by_others = bench.wanted_by_others = False
    assert bench.tick().shape is Shape.BRAKE
    bench.ticks(0.1)
    assert bench.asked == ["activate", "deactivate"]


@pytest.mark.parametrize("status", [DeviceStatus.OPENING, DeviceStatus.HOMING, DeviceStatus.CLOSED])
def test_a_device_that_is_not_ready_yet_keeps_the_station_off(status: DeviceStatus) -> None:
    bench = Bench()
    bench.device = status
    assert bench.press().state is OFF
    assert bench.last.waiting is Waiting.DEVICE


@pytest.mark.parametrize("status", [ControllerStatus.OPENING, ControllerStatus.LOST, ControllerStatus.CLOSED])
def test_an_arm_that_is_not_ready_yet_keeps_the_station_off(status: ControllerStatus) -> None:
    bench = Bench()
    bench.arm = status
    assert bench.press().state is OFF
    assert bench.last.waiting is Waiting.ARM


def test_absurd_settings_are_refused_with_the_range() -> None:
    with pytest.raises(SettingsError, match=r"allowed: 0\.001 to 1"):
        SupervisorSettings(sample_limit=2.0)
