"""Driver and far side together: what happens when the other one restarts, vanishes, or is not alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import numpy as np
import pytest
import zmq

from firmware_bridge.arm.chunks import Unstuffer
from firmware_bridge.arm.protocol import Role, Type
from firmware_bridge.arm.serial_link import SerialLink
from firmware_bridge.port import open_serial
from sim_devices.arm.machine import ArmState
from sim_devices.arm_links.contract import ControllerContract
from sim_devices.arm_links.zeromq import ZeroMqArm
from sim_devices.ends import PtyEnd
from station.controllers import Controller, ControllerStatus
from station.controllers.errors import (
    ControllerBusyError,
    ControllerMismatchError,
    ControllerSilentError,
)
from tests.controllers.benches import BENCHES, Bench
from tests.controllers.talking import hello, said

Maker = Callable[..., Bench]
HOLD = np.array([0.0, 0.0, 0.1, 0.0])


class Ticking(ControllerContract):
    """The helpers of the contract, without its tests."""


def ticking(bench: Bench) -> ControllerContract:
    helper = Ticking()
    helper.clock = bench.clock
    return helper


@pytest.fixture
def make() -> Iterator[Maker]:
    """Makes benches that are cleared away after the test."""
    with ExitStack() as stack:

        def made(name: str, **options: object) -> Bench:
            bench = BENCHES[name](**options)
            stack.callback(bench.server.close)
            return bench

        yield made


@pytest.fixture(params=BENCHES)
def bench(request: pytest.FixtureRequest, make: Maker) -> Bench:
    return make(request.param)


def test_an_arm_that_restarts_in_mid_motion_is_found_again_and_stays_still(bench: Bench) -> None:
    ticks = ticking(bench)
    with bench.connect() as controller:
        ticks.engage(controller)
        bench.arm.deactivate()  # a start begins without torque
        bench.server.faults.add("restart for 0.01")
        seen: list[ControllerStatus] = []
        last = -1
        for _ in range(400):
            said = ticks.tick(controller, HOLD)
            seen.append(controller.status)
            assert said is None or said.sequence > last
            last = last if said is None else said.sequence
        assert ControllerStatus.LOST in seen
        assert controller.status is ControllerStatus.READY
        ticks.engage(controller)


def test_an_observer_measures_and_cannot_command(bench: Bench) -> None:
    ticks = ticking(bench)
    if bench.server.address.startswith(("serial", "modbus+serial")):
        pytest.skip("a line has one end")
    with bench.connect() as commander, bench.connect(Role.OBSERVE) as observer:
        ticks.engage(commander)
        for _ in range(100):
            ticks.tick(observer, np.full(4, 0.3))
            observer.activate()
            observer.deactivate()
            observer.reset()
            ticks.tick(commander, HOLD)
        assert observer.status is ControllerStatus.ACTIVE
        assert bench.arm.q.tolist() == HOLD.tolist()
        assert observer.health.received > 50
        observer.stop()  # but anybody may stop
        assert ticks.until(commander, lambda: commander.status is ControllerStatus.STOPPED, HOLD)


@pytest.mark.parametrize("name", ["zeromq", "modbus-tcp"])
def test_a_second_commander_is_told_who_is_in_its_way(name: str, make: Maker) -> None:
    bench = make(name)
    first = bench.connect()
    detach = bench.clock.attach(lambda _: first.newest())
    with pytest.raises(ControllerBusyError, match="another station commands the arm"):
        bench.connect()
    detach()
    first.close()
    bench.clock.advance(0.01)
    bench.connect().close()  # the seat is free again


def test_a_station_that_dies_frees_its_seat_and_the_watchdog_stops_the_arm(bench: Bench) -> None:
    ticks = ticking(bench)
    first = bench.connect()
    ticks.engage(first)
    bench.clock.advance(bench.arm.capabilities.watchdog + 0.01)  # it says nothing any more
    assert bench.arm.state is ArmState.READY
    assert "watchdog" in bench.arm.reason
    bench.clock.advance(1.5)
    with bench.connect() as second:
        ticks.engage(second)
    first.close()


def test_a_silent_arm_is_one_line(bench: Bench) -> None:
    bench.server.faults.add("silence")
    with pytest.raises(ControllerSilentError, match="no answer") as caught:
        bench.connect()
    assert "\n" not in str(caught.value)


def test_a_frozen_arm_is_lost_though_it_is_connected(bench: Bench) -> None:
    ticks = ticking(bench)
    with bench.connect() as controller:
        ticks.engage(controller)
        bench.arm.frozen = True
        assert ticks.until(controller, lambda: controller.status is ControllerStatus.LOST, HOLD)


def test_a_cable_that_is_pulled_and_put_in_again(make: Maker) -> None:
    for name in ("serial", "modbus-serial"):
        bench = make(name)
        ticks = ticking(bench)
        with bench.connect() as controller:
            ticks.engage(controller)
            bench.server.faults.add("unplug for 0.2")
            assert ticks.until(controller, lambda: controller.status is ControllerStatus.LOST, HOLD)
            assert ticks.until(controller, lambda: controller.status is ControllerStatus.READY, HOLD)
            ticks.engage(controller)


def test_another_version_of_the_register_map_refuses_to_start(make: Maker) -> None:
    bench = make("modbus-tcp", map_version=9)
    with pytest.raises(ControllerMismatchError, match="its register map is version 9, this station knows version 1"):
        bench.connect()


def test_an_arm_with_other_joints_after_a_restart_is_not_used(make: Maker) -> None:
    bench = make("serial")
    ticks = ticking(bench)
    with bench.connect() as controller:
        ticks.listen(controller, 0.05)
        bench.arm.capabilities = type(bench.arm)(joints=bench.arm.capabilities.joints[::-1]).capabilities
        bench.server.faults.add("restart for 0.01")
        ticks.listen(controller, 1.0, HOLD)
        assert controller.status is ControllerStatus.LOST
        assert "an arm with other joints is there now" in controller.reason


def test_an_emergency_stop_comes_through_a_line_that_loses_most(bench: Bench) -> None:
    ticks = ticking(bench)
    with bench.connect() as controller:
        ticks.engage(controller)
        bench.server.faults.add("drop p=0.7")
        controller.stop()
        assert ticks.until(controller, lambda: bench.arm.state is ArmState.STOPPED, HOLD)


def test_noise_is_counted_and_changes_nothing(bench: Bench) -> None:
    ticks = ticking(bench)
    with bench.connect() as controller:
        hold = ticks.engage(controller)
        bench.server.faults.add("corrupt p=0.2")
        ticks.listen(controller, 0.5, hold)
        bench.server.faults.clear()
        ticks.listen(controller, 0.3, hold)
        health = controller.health
        assert health.refused + health.lost > 0
        assert bench.arm.q.tolist() == hold.tolist()


def test_losses_and_reordering_are_measured(make: Maker) -> None:
    bench = make("zeromq")
    ticks = ticking(bench)
    with bench.connect() as controller:
        bench.server.faults.add("drop p=0.1; reorder p=0.1")
        ticks.listen(controller, 1.0, HOLD)
        health = controller.health
        assert 50 < health.lost < 250
        assert health.reordered > 20


def test_delay_shows_in_round_trip_and_age(make: Maker) -> None:
    bench = make("zeromq")
    ticks = ticking(bench)
    bench.server.faults.add("delay ms=30")
    with bench.connect() as controller:
        ticks.listen(controller, 1.0, HOLD)
        health = controller.health
        assert health.round_trip == pytest.approx(0.061, abs=0.003)
        assert health.age == pytest.approx(0.030, abs=0.002)
        assert health.offset == pytest.approx(100.0, abs=0.002)


def ready(controller: Controller) -> bool:
    return controller.status is ControllerStatus.READY


def test_over_a_second_each_way_everything_takes_longer_and_works(make: Maker) -> None:
    bench = make("zeromq")
    ticks = ticking(bench)
    bench.server.faults.add("delay ms=1000")
    bench.clock.advance(0.1)
    with bench.connect() as controller:
        controller.activate()
        ticks.listen(controller, 2.5, HOLD)
        assert controller.status is ControllerStatus.ACTIVE
        assert controller.health.round_trip == pytest.approx(2.0, abs=0.01)
        controller.deactivate()
        ticks.listen(controller, 2.5, HOLD)
        assert ready(controller)


def test_nothing_queues_before_an_emergency_stop(make: Maker) -> None:
    bench = make("zeromq")
    ticks = ticking(bench)
    with bench.connect() as controller:
        ticks.engage(controller)
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        flood = context.socket(zmq.DEALER)
        flood.connect(bench.server.address)
        for _ in range(900):
            flood.send(hello(Role.OBSERVE))
        controller.activate()
        controller.stop()
        bench.clock.advance(0.001)  # one step, which is not enough for all that waits
        assert bench.arm.state is ArmState.STOPPED
        assert bench.arm.log[-2:] == ["stop", "activate"]  # it has overtaken what was asked for before
        flood.close(0)


def test_a_stop_throws_away_what_waits_on_a_serial_line() -> None:
    end = PtyEnd("arm")
    link = SerialLink(lambda: open_serial(end.name))
    link.connect()
    waiting = next((count for count in range(10_000) if not link.send_setpoint(bytes(150))), 0)
    assert waiting > 10, "the line never filled up"
    assert link.send_stop(said(Type.STOP, 0, 1))
    reader, messages = Unstuffer(), []
    until = time.monotonic() + 10.0
    while said(Type.STOP, 0, 1) not in messages and time.monotonic() < until:
        messages += reader.feed(end.read())
    assert len(messages) < waiting
    link.disconnect()
    end.close()


def test_an_arm_that_measures_seldom_is_not_lost_so_soon(make: Maker) -> None:
    bench = make("zeromq", rate=20.0, watchdog=0.5)
    ticks = ticking(bench)
    with bench.connect() as controller:
        ticks.engage(controller)
        for _ in range(500):
            ticks.tick(controller, HOLD)
            assert controller.status is ControllerStatus.ACTIVE
        bench.server.faults.add("silence")
        assert ticks.until(controller, lambda: controller.status is not ControllerStatus.ACTIVE, HOLD)


def test_a_session_that_the_arm_has_forgotten_is_begun_anew(make: Maker) -> None:
    bench = make("zeromq")
    ticks = ticking(bench)
    server = bench.server
    assert isinstance(server, ZeroMqArm)
    with bench.connect() as controller:
        ticks.engage(controller)
        first = next(iter(server.desk.seats.sessions))
        server.desk.seats.sessions.clear()
        server.desk.seats.commander = None
        assert ticks.until(controller, lambda: controller.status is ControllerStatus.LOST, HOLD)
        assert ticks.until(controller, lambda: controller.status is ControllerStatus.READY, HOLD)
        assert first not in server.desk.seats.sessions
        ticks.engage(controller)
