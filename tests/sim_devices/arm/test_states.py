"""States: activate, watchdog, stop, reset, release; each change is logged with its cause."""

from __future__ import annotations

import numpy as np
import pytest

import station
from sim_devices.arm import ArmSettings, ArmState, Power
from tests.sim_devices.arm.benches import LEVER, Live, lever, rise, shipped


def causes(bench: Live) -> list[str]:
    return [event.cause for event in bench.arm.log.events]


def test_an_arm_begins_ready_and_holds() -> None:
    bench = Live(shipped("ur5e"))
    begin = bench.arm.body.q
    bench.wait(1.0)
    assert bench.arm.reading().state is ArmState.READY
    assert np.abs(bench.arm.body.q - begin).max() < 1e-4


def test_capabilities_are_those_of_the_scene() -> None:
    able = Live(shipped("hobby-arm")).arm.capabilities
    assert able.emulated
    assert able.rate == 100.0
    assert able.watchdog == 0.1
    assert [joint.name for joint in able.joints][:2] == ["waist", "shoulder"]
    assert able.measures_wrench
    able = Live(shipped("ur5e")).arm.capabilities
    assert (able.rate, able.watchdog) == (1000.0, 0.05)
    assert able.joints[1].effort == 150.0
    assert able.joints[1].low == pytest.approx(-2 * np.pi)


def test_setpoints_are_refused_and_counted_unless_active() -> None:
    bench = Live(lever())
    assert not bench.arm.setpoint(np.zeros(2), None, None, 1)
    assert bench.arm.refused["not active"] == 1


def test_the_watchdog_stops_a_moving_arm_and_leaves_it_ready_with_a_reason() -> None:
    bench = Live(shipped("ur5e")).active()
    q = bench.arm.reading().q
    bench.follow(lambda time: q + min(time, 0.2) * np.array([0, 0, 0, 1.0, 0, 0]) * time / 0.4, 0.3)
    speed = abs(bench.arm.body.v[3])
    assert speed > 0.3
    bench.wait(0.045)
    assert bench.arm.reading().state is ArmState.ACTIVE
    bench.wait(0.3)
    said = bench.arm.reading()
    assert said.state is ArmState.READY
    assert said.reason == "no fresh setpoint for 50 ms; activate again"
    assert any("watchdog" in cause for cause in causes(bench))
    assert abs(bench.arm.body.v[3]) < 5e-3
    joint = bench.arm.capabilities.joints[3]
    assert joint.acceleration is not None
    reference = bench.arm.log.ticks["reference"][-345:, 3]  # since the last setpoint
    assert np.abs(np.diff(reference, 2)).max() / 1e-6 < 1.5 * joint.acceleration  # from its speed to rest by a ramp


def test_a_setpoint_in_time_keeps_the_watchdog_quiet() -> None:
    bench = Live(lever(), ArmSettings(watchdog=0.02)).active()
    q = bench.arm.reading().q
    for number in range(20):
        bench.arm.setpoint(q, None, None, number)
        bench.wait(0.019)
    assert bench.arm.state is ArmState.ACTIVE


def test_a_refused_setpoint_does_not_feed_the_watchdog() -> None:
    bench = Live(lever()).active()
    bench.arm.setpoint(bench.arm.reading().q, None, None, 0)
    for number in range(1, 101):
        bench.arm.setpoint(np.array([np.nan, 0.0]), None, None, number)
        bench.wait(0.001)
    assert bench.arm.state is ArmState.READY


def test_the_watchdog_waits_longer_for_the_first_setpoint_and_not_for_the_next() -> None:
    """Over a link with 0.5 s each way it comes a second after the arm has become ACTIVE."""
    bench = Live(lever()).active()
    q = bench.arm.reading().q
    bench.wait(1.0)
    assert bench.arm.state is ArmState.ACTIVE
    assert np.abs(bench.arm.body.q - q).max() < 1e-3  # it stands meanwhile
    assert bench.arm.setpoint(q, None, None, 1)
    bench.wait(0.1)
    assert bench.arm.reading().reason == "no fresh setpoint for 50 ms; activate again"


def test_without_any_setpoint_the_watchdog_ends_active_all_the_same() -> None:
    bench = Live(lever()).active()
    bench.arm.setpoint(np.array([np.nan, 0.0]), None, None, 1)  # not taken: does not count as the first
    bench.wait(1.1)
    assert bench.arm.reading().state is ArmState.READY
    assert bench.arm.reading().reason == "no setpoint after it was activated for 1050 ms; activate again"
    bench.arm.activate()
    bench.wait(1.0)
    assert bench.arm.reading().state is ArmState.ACTIVE  # each time anew


def test_deactivating_holds_with_power() -> None:
    bench = Live(lever()).active()
    bench.hold(0.05)
    bench.arm.deactivate()
    bench.wait(0.1)
    assert bench.arm.state is ArmState.READY
    assert bench.arm.power is Power.DRIVES
    q = bench.arm.body.q
    bench.wait(0.5)
    assert np.abs(bench.arm.body.q - q).max() < 1e-3


def test_an_emergency_stop_is_said_at_once_stays_and_ends_on_the_brakes() -> None:
    bench = Live(lever()).active()
    q = bench.arm.reading().q
    bench.follow(rise(q, np.array([0.4, 0.4]), 0.6), 0.3)
    bench.arm.stop()
    assert bench.arm.reading().state is ArmState.STOPPED
    assert not bench.arm.activate()
    bench.wait(0.5)
    assert bench.arm.power is Power.BRAKES
    held = bench.arm.body.q
    bench.wait(1.0)
    assert np.abs(bench.arm.body.q - held).max() < 1e-5
    assert bench.arm.reading().state is ArmState.STOPPED
    assert not bench.arm.setpoint(held, None, None, 1)


def test_reset_leads_back_to_ready_without_a_step() -> None:
    bench = Live(lever()).active()
    bench.arm.stop()
    bench.wait(0.3)
    before = bench.arm.body.q
    assert bench.arm.reset()
    bench.wait(0.5)
    assert bench.arm.reading().state is ArmState.READY
    assert np.abs(bench.arm.body.q - before).max() < 2e-3
    assert bench.arm.activate()
    assert causes(bench)[-2:] == ["reset", "activated"]


def test_reset_is_refused_while_the_arm_still_moves() -> None:
    bench = Live(lever()).active()
    q = bench.arm.reading().q
    bench.follow(lambda time: q + np.array([0.0, 2.0 * time * min(time / 0.3, 1.0)]), 0.35)
    bench.arm.stop()
    assert not bench.arm.reset()
    assert bench.arm.state is ArmState.STOPPED


def test_release_takes_the_torque_away_and_activate_takes_it_back_where_the_arm_is() -> None:
    stiff = LEVER.replace("viscous 0.2 coulomb 0.1", "viscous 2 coulomb 1")
    bench = Live(station.loads(stiff.replace("viscous 0.1 coulomb 0.05", "viscous 0.5 coulomb 0.3")))
    bench.wait(0.02)
    bench.arm.release()
    bench.wait(0.3)
    assert bench.arm.body.q[0] < -0.1
    assert "torque is released" in bench.arm.reading().reason
    assert not bench.arm.activate()  # it is falling
    bench.wait(4.0)
    low = bench.arm.body.q
    assert bench.arm.activate()
    bench.hold(0.2)
    assert np.abs(bench.arm.body.q - low).max() < 5e-3
    assert bench.arm.state is ArmState.ACTIVE


def test_release_of_a_stopped_arm_leaves_it_stopped() -> None:
    bench = Live(lever())
    bench.arm.stop()
    bench.wait(0.1)
    bench.arm.release()
    bench.wait(0.3)
    assert bench.arm.state is ArmState.STOPPED
    assert bench.arm.body.q[0] < -0.05


def test_brakes_of_a_moving_arm_rub_before_they_lock() -> None:
    bench = Live(lever(), faults="brown-out at 0.3 for 0.1").active()
    q = bench.arm.reading().q
    bench.follow(lambda time: q + np.array([0.0, 4.0 * time * min(time / 0.4, 1.0)]), 0.28)
    speed = bench.arm.body.v[1]
    assert speed > 2.0
    bench.wait(0.05)
    speeds = np.diff(bench.arm.log.ticks["true"][-60:, 1]) / 0.001
    assert np.abs(np.diff(speeds)).max() < 0.5 * speed  # not from one tick to the next
    bench.wait(0.2)
    held = bench.arm.body.q
    bench.wait(0.5)
    assert np.abs(bench.arm.body.q - held).max() < 1e-5


def test_joints_of_another_controller_stand_on_their_brakes() -> None:
    both = LEVER.replace("tool 3", 'controller { address "sim:arm" joints ( 2 ) }\n  tool 3')
    bench = Live(station.loads(both)).active()
    assert [joint.name for joint in bench.arm.capabilities.joints] == ["elbow"]
    bench.follow(rise(bench.arm.reading().q, np.array([0.3]), 0.4), 0.6)
    assert bench.arm.body.all_q == pytest.approx([0.0, 0.3], abs=2e-3)
    bench.arm.release()
    bench.wait(0.5)
    assert bench.arm.body.all_q[0] == pytest.approx(0.0, abs=1e-4)


def test_nothing_happens_while_time_stands_still_or_goes_back() -> None:
    bench = Live(lever())
    bench.wait(0.01)
    before = bench.arm.world.lived
    bench.arm.advance(bench.now)
    bench.arm.advance(bench.now - 1.0)
    bench.arm.advance(float("nan"))
    bench.arm.advance(float("inf"))
    assert bench.arm.world.lived == before


def test_a_long_pause_of_the_machine_is_not_made_up() -> None:
    bench = Live(lever())
    bench.arm.advance(1000.0)
    assert bench.arm.world.lived == pytest.approx(0.5, abs=0.002)
