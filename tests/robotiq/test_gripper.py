"""The driver of a Robotiq gripper and the emulated gripper, in one process on a virtual clock."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_bridge.robotiq import registers
from firmware_bridge.robotiq.registers import Fault
from station.controllers.tool import ToolStatus
from tests.robotiq.benches import Bench


def test_nothing_moves_before_it_is_activated(bench: Bench) -> None:
    assert bench.gripper.status is ToolStatus.IDLE
    assert "activate it" in bench.gripper.reason
    assert not bench.gripper.grip()
    bench.clock.advance(1.0)
    assert bench.emulator.fingers.position == 0.0
    assert bench.emulator.fingers.command == bytes(6)


def test_activation_finds_the_range_and_is_ready(bench: Bench) -> None:
    bench.gripper.activate()
    assert bench.until(lambda: bench.gripper.status is ToolStatus.ACTIVATING)
    assert bench.until(lambda: bench.emulator.fingers.position > 200.0)
    assert bench.until(lambda: bench.gripper.status is ToolStatus.READY)


@pytest.mark.parametrize("width", [0.0, 0.02, 0.05, 0.085])
def test_it_goes_to_a_width(bench: Bench, width: float) -> None:
    bench.activated()
    assert bench.gripper.move(width, force=100.0, speed=0.1)
    said = bench.settled()
    assert said.width == pytest.approx(width, abs=0.085 / 255)
    assert said.goal == pytest.approx(width, abs=0.085 / 255)
    assert not said.holds


def test_something_between_the_fingers_is_held_and_noticed(bench: Bench) -> None:
    bench.activated()
    bench.emulator.fingers.thing = 165.0
    assert bench.gripper.grip(force=50.0)
    said = bench.settled()
    assert said.holds
    assert not said.outside
    assert said.width == pytest.approx(0.03, abs=0.001)
    assert said.current > 0.0
    assert bench.gripper.open()
    said = bench.settled()
    assert not said.holds
    assert said.width == pytest.approx(0.085, abs=0.001)


def test_something_can_be_held_from_within(bench: Bench) -> None:
    bench.activated()
    bench.gripper.grip()
    bench.settled()
    bench.emulator.fingers.ring = 100.0
    bench.gripper.open()
    said = bench.settled()
    assert said.holds
    assert said.outside


def test_a_stop_leaves_the_fingers_where_they_are(bench: Bench) -> None:
    bench.activated()
    bench.gripper.move(0.0, speed=0.02)
    assert bench.until(lambda: bench.emulator.fingers.position > 50.0)
    bench.gripper.stop()
    bench.until(lambda: False, 0.05)
    at = bench.emulator.fingers.position
    bench.until(lambda: False, 0.5)
    assert bench.emulator.fingers.position == at < 100.0


def test_force_and_speed_are_shares_of_what_the_model_can_do(bench: Bench) -> None:
    bench.activated()
    bench.gripper.move(0.0, force=235.0, speed=0.15)
    bench.until(lambda: False, 0.02)
    assert bench.emulator.fingers.command == bytes([9, 0, 0, 255, 255, 255])
    bench.gripper.move(0.0, force=0.0, speed=99.0)
    bench.until(lambda: False, 0.02)
    assert bench.emulator.fingers.command == bytes([9, 0, 0, 255, 255, 0])


def test_what_is_not_a_number_is_never_sent(bench: Bench) -> None:
    bench.activated()
    before = bench.emulator.fingers.command
    for bad in (np.nan, np.inf, -np.inf):
        assert not bench.gripper.move(bad)
        assert not bench.gripper.move(0.01, force=bad)
        assert not bench.gripper.move(0.01, speed=bad)
    bench.until(lambda: False, 0.05)
    assert bench.emulator.fingers.command == before


@pytest.mark.parametrize("fault", [one for one in Fault if one not in (Fault.NONE, *registers.PRIORITY)])
def test_a_fault_has_a_name_and_ends_with_a_new_activation(bench: Bench, fault: Fault) -> None:
    bench.activated()
    bench.emulator.break_down(fault)
    assert bench.until(lambda: bench.gripper.status is ToolStatus.FAULT)
    assert registers.SAYS[fault] in bench.gripper.reason
    assert not bench.gripper.grip()
    bench.activated()


def test_something_thick_makes_the_activation_fail(bench: Bench) -> None:
    bench.emulator.fingers.thing = 20.0
    bench.gripper.activate()
    assert bench.until(lambda: bench.gripper.status is ToolStatus.FAULT)
    assert "in the way" in bench.gripper.reason


@pytest.mark.parametrize("fault", ["unplug", "silence"])
def test_a_gripper_that_is_lost_is_found_again_and_goes_on_holding(bench: Bench, fault: str) -> None:
    bench.activated()
    bench.emulator.fingers.thing = 165.0
    bench.gripper.grip()
    assert bench.settled().holds
    bench.emulator.faults.add(fault)
    assert bench.until(lambda: bench.gripper.status is ToolStatus.LOST)
    assert bench.gripper.reason
    assert not bench.gripper.open()
    bench.emulator.faults.clear()
    assert bench.until(lambda: bench.gripper.status is ToolStatus.READY)
    assert bench.settled().holds


def test_closing_is_final(bench: Bench) -> None:
    bench.gripper.close()
    bench.gripper.close()
    assert bench.gripper.status is ToolStatus.CLOSED
    assert bench.gripper.newest() is None
    assert not bench.gripper.grip()


def test_automatic_release_opens_slowly_and_needs_a_new_activation(bench: Bench) -> None:
    bench.activated()
    bench.gripper.grip()
    bench.settled()
    bench.gripper._action = registers.ACTIVATE | registers.RELEASE
    assert bench.until(lambda: bench.gripper.status is ToolStatus.FAULT)
    assert bench.until(lambda: "has released" in bench.gripper.reason, 20.0)
    assert bench.emulator.fingers.position == 0.0
