"""What goes wrong on a bus of servos, injected, and the state that it ends in."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.packets import sync_write_request
from firmware_bridge.dynamixel.table import HardwareError
from sim_devices.arm.machine import ArmState
from station.controllers import ControllerStatus
from tests.dynamixel.benches import running, ticks


@pytest.mark.parametrize("error", list(HardwareError))
def test_a_hardware_error_is_a_fault_with_its_name_until_it_is_reset(error: HardwareError) -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        bench.server.servos[2].fail(error)
        assert tick.until(controller, lambda: controller.status is ControllerStatus.FAULT, hold)
        assert f"servo 3 (elbow): {str(error.name).lower().replace('_', ' ')}" in controller.reason
        controller.activate()
        tick.listen(controller, 0.2, hold)
        assert controller.status is ControllerStatus.FAULT
        assert "elbow" in controller.answer
        controller.reset()
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY)
        assert bench.server.servos[2].get(table.HARDWARE_ERROR) == 0
        tick.engage(controller)


def test_an_overloaded_servo_goes_limp_and_only_a_reboot_helps() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        tick.engage(controller)
        servo = bench.server.servos[0]
        servo.fail(HardwareError.OVERLOAD)
        tick.listen(controller, 0.1)
        assert not servo.torque
        assert bench.arm.released
        assert servo.write(table.TORQUE.address, b"\x01") != 0
        servo.reboot(bench.clock.now())
        assert servo.write(table.TORQUE.address, b"\x01") == 0


def test_an_arm_that_stops_by_itself_is_servos_that_have_shut_down() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        bench.arm.state, bench.arm.reason = ArmState.STOPPED, "following error"
        assert tick.until(controller, lambda: controller.status is ControllerStatus.FAULT, hold)
        assert "overload" in controller.reason
        controller.reset()
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY)
        assert "torque is off" in controller.reason
        tick.engage(controller)


def test_voltage_and_temperature_are_looked_at() -> None:
    with running() as bench, bench.connect() as controller:
        bench.server.servos[1].put(table.TEMPERATURE, 71)
        bench.server.servos[2].put(table.VOLTAGE, 98)
        ticks(bench).listen(controller, 1.1)
        assert controller.warmth["shoulder"].celsius == 71.0
        names = [joint.name for joint in controller.capabilities.joints]
        assert controller.temperatures is not None
        assert controller.temperatures[names.index("shoulder")] == 71.0
        assert controller.warmth["elbow"].volts == pytest.approx(9.8)


def test_a_silent_servo_is_named() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        bench.server.servos[1].silent = True
        assert tick.until(controller, lambda: controller.status is ControllerStatus.LOST, hold)
        assert "servo 2 (shoulder) does not answer" in controller.reason
        bench.server.servos[1].silent = False
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY, hold)
        tick.engage(controller)


def test_a_dead_station_is_stopped_by_the_watchdog_of_the_servos() -> None:
    with running() as bench:
        controller = bench.connect()
        tick = ticks(bench)
        tick.engage(controller)
        bench.clock.advance(0.2)  # nobody calls the driver any more
        assert all(servo.tripped for servo in bench.server.servos)
        assert bench.arm.state is not ArmState.ACTIVE
        with bench.connect() as other:
            assert other.status is ControllerStatus.READY
            ticks(bench).engage(other)  # which clears it
            assert not any(servo.tripped for servo in bench.server.servos)
        controller._bus.disconnect()


def test_a_watchdog_that_has_spoken_ends_active() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        bench.server.servos[3].put(table.BUS_WATCHDOG, table.WATCHDOG_TRIPPED)
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY, hold)
        assert "bus watchdog of servo 4 (wrist)" in controller.reason


def test_closing_leaves_the_arm_holding_without_a_watchdog() -> None:
    with running() as bench:
        controller = bench.connect()
        ticks(bench).engage(controller)
        controller.close()
        bench.clock.advance(0.5)
        assert all(servo.torque and not servo.tripped for servo in bench.server.servos)


def test_torque_that_somebody_else_has_switched_off_ends_active() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        bench.server.servos[0].put(table.TORQUE, 0)
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY, hold)
        assert "the torque of servo 1 (base) is off" in controller.reason


def test_servos_that_start_anew_in_mid_motion_are_limp_afterwards() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        for servo in bench.server.servos:
            servo.reboot(bench.clock.now())
        assert tick.until(controller, lambda: controller.status is ControllerStatus.LOST, hold)
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY, hold)
        assert not any(servo.torque for servo in bench.server.servos)


def test_a_clock_that_stands_is_an_arm_that_is_lost() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        bench.arm.frozen = True
        assert tick.until(controller, lambda: controller.status is ControllerStatus.LOST, hold)


def test_noise_on_the_line_is_counted_and_has_no_effect() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        bench.server.faults.add("corrupt p=0.2")
        tick.listen(controller, 1.0, hold)
        assert bench.server.refused["noise"] > 0
        assert controller.health.refused > 0
        assert controller.health.lost > 0
        assert np.abs(bench.arm.q - hold).max() < 0.002
        bench.server.faults.clear()
        assert tick.until(controller, lambda: controller.status in (ControllerStatus.READY, ControllerStatus.ACTIVE))
        tick.engage(controller)


def test_a_stop_that_is_lost_on_the_line_is_said_again() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        tick.listen(controller, 0.02, hold + 0.2)  # on its way there
        bench.server.faults.add("drop p=0.7")
        controller.stop()
        assert tick.until(controller, lambda: controller.status is ControllerStatus.STOPPED, hold)
        assert np.abs(bench.arm.q - hold).max() < 0.19


def test_nothing_that_is_not_a_number_reaches_the_line() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        goals = [servo.get(table.GOAL_POSITION) for servo in bench.server.servos]
        for value in (np.nan, np.inf, -np.inf, 1e300, 1e4):
            bad = hold.copy()
            bad[3] = value  # a joint without limits
            assert not controller.send(bad, None, None, tick._sequence + 1000)
        tick.listen(controller, 0.02)
        assert [servo.get(table.GOAL_POSITION) for servo in bench.server.servos] == goals


def test_a_servo_itself_refuses_goals_outside_its_limits() -> None:
    with running() as bench:
        port = bench.server.end.connect()  # type: ignore[attr-defined]
        port.write(sync_write_request(table.GOAL_POSITION.address, 4, [(3, (4000).to_bytes(4, "little"))]))
        bench.clock.advance(0.01)
        assert bench.server.servos[2].get(table.GOAL_POSITION) != 4000
        assert bench.server.refused["limit"] == 1
