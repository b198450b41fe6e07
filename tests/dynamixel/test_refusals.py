"""Servos that are refused at the door, with one line that says why; and what the control table makes of its values."""

from __future__ import annotations

import pytest

from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.driver import DynamixelController
from firmware_bridge.dynamixel.packets import Instruction, packet
from firmware_bridge.dynamixel.table import HardwareError
from station.controllers import ControlledJoint, ControllerStatus
from station.controllers.errors import ControllerMismatchError, ControllerSilentError
from tests.dynamixel.benches import JOINTS, ServoBench, running, seats, ticks


def refusal(bench: ServoBench, **options: object) -> str:
    with pytest.raises(ControllerMismatchError) as caught:
        bench.connect(**options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_another_model_is_refused() -> None:
    with running() as bench:
        bench.server.servos[1].put(table.MODEL, 350)
        assert "servo 2 (shoulder) is of model 350" in refusal(bench)


def test_another_number_of_servos_is_refused() -> None:
    with running() as bench:
        assert "servo 9 (wrist) does not answer; these do: 1, 2, 3" in refusal(bench, places=seats((1, 2, 3, 9)))


@pytest.mark.parametrize("mode", [0, 1, 16])
def test_a_servo_that_does_not_hold_positions_is_refused(mode: int) -> None:
    with running() as bench:
        bench.server.servos[0].put(table.OPERATING_MODE, mode)
        assert f"operating mode {mode}" in refusal(bench)


def test_a_servo_that_switches_itself_on_is_refused() -> None:
    with running() as bench:
        bench.server.servos[0].put(table.DRIVE_MODE, 8)
        assert "clear bit 3" in refusal(bench)


def test_no_servo_at_all_is_one_line() -> None:
    with running() as bench, pytest.raises(ControllerSilentError, match="no servo answers"):
        bench.connect(places=seats((21, 22, 23, 24)))


def opened(bench: ServoBench, **changes: object) -> DynamixelController:
    return bench.connect(places=seats(**changes))  # type: ignore[arg-type]


def test_limits_narrower_than_the_scene_are_refused() -> None:
    with running() as bench:
        bench.server.servos[1].put(table.HIGHEST_POSITION, 2500)
        with opened(bench) as controller, pytest.raises(ControllerMismatchError) as caught:
            controller.check_scene(JOINTS)
        assert "servo 2 (shoulder) goes from" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_limits_as_wide_as_the_scene_are_taken() -> None:
    with running() as bench, opened(bench) as controller:
        controller.check_scene(JOINTS)
        controller.check_scene([ControlledJoint(name="base", low=-1.0, high=1.0)])


def test_a_reversed_joint_has_reversed_limits() -> None:
    with running() as bench:
        servo = bench.server.servos[2]
        servo.put(table.LOWEST_POSITION, 2048 - 100)
        servo.put(table.HIGHEST_POSITION, 2048 + 500)
        with opened(bench, reverse=True) as controller:
            joint = controller.capabilities.joints[2]
            assert joint.low == pytest.approx(-500 * table.RADIANS)
            assert joint.high == pytest.approx(100 * table.RADIANS)


def test_other_servos_after_a_loss_are_not_taken_for_the_same() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        hold = tick.engage(controller)
        bench.server.faults.add("unplug")
        assert tick.until(controller, lambda: controller.status is ControllerStatus.LOST, hold)
        bench.server.servos[0].put(table.HIGHEST_POSITION, 3000)
        bench.server.faults.clear()
        assert tick.until(controller, lambda: "other servos" in controller.reason, hold)
        assert controller.status is ControllerStatus.LOST


def test_homing_and_drive_mode_are_what_the_servo_makes_of_them() -> None:
    with running() as bench:
        servo = bench.server.servos[0]
        assert servo.write(table.HOMING.address, table.HOMING.pack(100)) == 0
        assert servo.write(table.DRIVE_MODE.address, b"\x01") == 0
        bench.clock.advance(0.01)
        at = bench.arm.q[0]
        assert servo.get(table.PRESENT_POSITION) == 2048 + 100 - round(at / table.RADIANS)
        assert servo.angle(servo.get(table.PRESENT_POSITION)) == pytest.approx(at, abs=table.RADIANS)


def test_registered_writes_wait_for_their_call_and_answers_are_as_few_as_told() -> None:
    with running() as bench:
        port, servo = bench.server.end.connect(), bench.server.servos[0]  # type: ignore[attr-defined]
        goal = table.GOAL_POSITION.pack(2000)
        port.write(packet(1, Instruction.REG_WRITE, table.GOAL_POSITION.address.to_bytes(2, "little") + goal))
        bench.clock.advance(0.01)
        assert servo.get(table.GOAL_POSITION) != 2000
        assert port.read()
        servo.put(table.STATUS_RETURN, 1)
        port.write(packet(1, Instruction.ACTION))
        bench.clock.advance(0.01)
        assert servo.get(table.GOAL_POSITION) == 2000
        assert port.read() == b""
        port.write(packet(1, Instruction.READ, bytes([132, 0, 4, 0])))
        bench.clock.advance(0.01)
        assert port.read()


def test_whoever_speaks_while_a_servo_answers_hears_nothing() -> None:
    with running() as bench:
        port = bench.server.end.connect()  # type: ignore[attr-defined]
        port.write(packet(1, Instruction.PING) + packet(2, Instruction.PING))
        bench.clock.advance(0.01)
        answer = port.read()
        assert answer.count(b"\xff\xff\xfd\x00") == 1
        assert answer[4] == 2
        assert bench.server.refused["collision"] == 1


def test_the_driver_never_speaks_while_a_servo_answers() -> None:
    with running() as bench, bench.connect() as controller:
        tick = ticks(bench)
        for servo in bench.server.servos:
            servo.put(table.RETURN_DELAY, 250)
        hold = tick.engage(controller)
        tick.listen(controller, 0.5, hold)
        bench.server.servos[2].fail(HardwareError.OVERLOAD)
        bench.server.servos[3].fail(HardwareError.OVERLOAD)
        assert tick.until(controller, lambda: controller.status is ControllerStatus.FAULT, hold)
        controller.reset()
        assert tick.until(controller, lambda: controller.status is ControllerStatus.READY)
        tick.engage(controller)
        controller.stop()
        assert tick.until(controller, lambda: controller.status is ControllerStatus.STOPPED, hold)
        assert bench.server.refused["collision"] == 0


def test_an_answer_waits_for_its_return_delay() -> None:
    with running() as bench:
        port = bench.server.end.connect()  # type: ignore[attr-defined]
        bench.server.servos[0].put(table.RETURN_DELAY, 254)  # 508 µs
        port.write(packet(1, Instruction.PING))
        bench.clock.advance(0.0004, 0.0001)
        assert port.read() == b""
        bench.clock.advance(0.0006, 0.0001)
        assert port.read()
