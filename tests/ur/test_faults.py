"""What goes wrong with a robot of Universal Robots, injected, and the state that it ends in."""

from __future__ import annotations

import socket

import numpy as np
import pytest

from firmware_bridge.ur import script
from firmware_bridge.ur.status import RobotMode, Safety
from sim_devices.arm.machine import ArmState
from station.controllers import ControllerStatus
from station.controllers.errors import (
    ControllerNotFoundError,
)
from tests.ur.benches import running, ticks


def test_a_protective_stop_is_stopped_until_it_is_unlocked_by_a_reset() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        bench.arm.state, bench.arm.reason = ArmState.STOPPED, "contact force"
        assert tick.until(controller, lambda: controller.status is ControllerStatus.STOPPED, hold)
        assert "protective stop" in controller.reason
        controller.activate()
        tick.listen(controller, 0.2, hold)
        assert "protective stop" in controller.answer
        controller.reset()
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY, hold)
        tick.engage(controller)


@pytest.mark.parametrize("name", ["actual_q", "actual_qd", "actual_TCP_force", "actual_TCP_pose", "timestamp"])
def test_packages_with_what_is_no_number_are_refused_and_counted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        tick.listen(controller, 0.1)
        values, before = bench.server._values, controller.health.refused
        bad = np.nan if name == "timestamp" else (0.0, 0.0, 0.0, np.nan, 0.0, 0.0)
        monkeypatch.setattr(bench.server, "_values", lambda: {**values(), name: bad})
        tick.listen(controller, 0.02)
        heard = tick.listen(controller, 0.02)
        assert heard == []
        assert controller.health.refused > before
        monkeypatch.setattr(bench.server, "_values", values)
        again = tick.listen(controller, 0.1)
        assert again
        assert all(one.wrench is not None and np.isfinite([*one.q, *one.wrench]).all() for one in again)


@pytest.mark.parametrize(
    ("bit", "status", "says"),
    [
        (Safety.ROBOT_EMERGENCY_STOP, ControllerStatus.STOPPED, "emergency stop of the robot"),
        (Safety.SYSTEM_EMERGENCY_STOP, ControllerStatus.STOPPED, "emergency stop of the cell"),
        (Safety.EMERGENCY_STOP, ControllerStatus.STOPPED, "emergency stop"),
        (Safety.SAFEGUARD_STOP, ControllerStatus.STOPPED, "safeguard stop"),
        (Safety.RECOVERY, ControllerStatus.FAULT, "recovery"),
        (Safety.VIOLATION, ControllerStatus.FAULT, "violation"),
        (Safety.FAULT, ControllerStatus.FAULT, "restarted"),
    ],
)
def test_every_kind_of_safety_stop_has_its_name(bit: Safety, status: ControllerStatus, says: str) -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        bench.server.robot.forced = bit
        assert tick.until(controller, lambda: controller.status is status, hold)
        assert says in controller.reason
        controller.reset()
        tick.listen(controller, 0.3, hold)
        assert controller.status is status  # a reset alone does not make it go away
        bench.server.robot.forced = Safety(0)
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY, hold)


def test_a_station_that_dies_is_noticed_by_the_robot() -> None:
    with running() as bench:
        controller = bench.connect()
        ticks(bench).engage(controller)
        bench.clock.advance(0.5)  # nobody calls the driver any more
        assert bench.arm.state is ArmState.READY
        assert bench.server.robot.ends["it was over"] == 1  # the heartbeat was missed
        controller.close()


def test_setpoints_that_end_while_the_heart_beats_stop_the_robot() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        tick.engage(controller)
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY)
        assert "no fresh setpoint for 60 ms" in controller.reason
        tick.engage(controller)


def test_a_cut_connection_is_lost_and_found_again() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        for number in bench.server._rtde.numbers:
            bench.server._rtde.hang_up(number)
        assert tick.until(controller, lambda: controller.status is ControllerStatus.LOST, hold)
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY, hold)
        tick.engage(controller)


def test_another_program_ends_ours() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        with socket.create_connection((bench.server._host, 30002)) as other:
            other.sendall(b"def somebody_elses():\n  movej([0,0,0,0,0,0])\nend\n")
            assert tick.until(controller, lambda: controller.status is ControllerStatus.READY, hold)
        assert "program on the robot has ended" in controller.reason
        assert bench.server.unknown_programs == 1


def test_a_robot_that_is_switched_off_is_switched_on_by_activate() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        tick.engage(controller)
        controller.release()
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY)
        assert tick.until(controller, lambda: "drives are off" in controller.reason)
        assert bench.server.robot.mode == RobotMode.POWER_OFF
        tick.engage(controller)
        assert bench.server.robot.mode.name == "RUNNING"


def test_a_clock_that_stands_is_an_arm_that_is_lost() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        bench.arm.frozen = True
        assert tick.until(controller, lambda: controller.status is ControllerStatus.LOST, hold)


def test_nothing_that_is_not_a_number_reaches_the_robot() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        for value in (np.nan, np.inf, -np.inf, 1e300, 50.0):
            bad = hold.copy()
            bad[2] = value
            assert not controller.send(bad, None, None, tick._sequence + 1000)
        tick.listen(controller, 0.02)
        assert all(np.isfinite(float(bench.server.robot.inputs[name])) for name in script.TARGET)  # type: ignore[arg-type]


def test_a_stop_has_two_ways_and_each_is_enough() -> None:
    for way in ("register", "dashboard"):
        with running() as bench, bench.connect() as controller:
            tick = ticks(bench)
            hold = tick.engage(controller)
            if way == "register":
                controller._dashboard.disconnect()
                controller._dashboard._connect = lambda: (_ for _ in ()).throw(ControllerNotFoundError("gone"))
            else:
                controller._session.send = lambda values: True  # type: ignore[method-assign]
            controller.stop()
            assert tick.until(controller, lambda: controller.status is ControllerStatus.STOPPED, hold)
            tick.listen(controller, 0.05, hold)
            assert bench.arm.state is ArmState.READY, way
            assert bench.server.robot.ends.total() == 1


def test_a_robot_without_a_dashboard_is_led_all_the_same_and_not_pestered() -> None:
    with running() as bench:
        bench.server._lines.close()
        with bench.connect() as controller:
            tries: list[float] = []
            connect = controller._dashboard._connect
            controller._dashboard._connect = lambda: (tries.append(bench.clock.now()), connect())[1]  # type: ignore[func-returns-value]
            tick = ticks(bench)
            hold = tick.engage(controller)
            tick.listen(controller, 5.0, hold)
            assert controller.status is ControllerStatus.ACTIVE
            assert len(tries) <= 4
            assert controller.capabilities.model.startswith("Universal Robots")


def test_a_wrench_is_told_in_the_frame_of_the_tool() -> None:
    with running() as bench, bench.connect() as controller:
        said = ticks(bench).listen(controller, 0.05)[-1]
        assert said.wrench is not None
        assert said.wrench == pytest.approx(np.arange(6.0))
