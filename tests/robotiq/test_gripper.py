"""The driver of a Robotiq gripper and the emulated gripper, in one process on a virtual clock."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pytest

from firmware_bridge.arm.modbus.framing import RtuFraming
from firmware_bridge.arm.modbus.lines import Line
from firmware_bridge.robotiq import open_gripper, registers
from firmware_bridge.robotiq.driver import RobotiqGripper
from firmware_bridge.robotiq.registers import MODELS, Fault
from firmware_bridge.robotiq.tool import GripperMeasurement, ToolStatus
from sim_devices.ends import SocketEnd
from sim_devices.robotiq.emulator import RobotiqEmulator
from station.clock import VirtualClock
from station.controllers.errors import ControllerMismatchError, ControllerNotFoundError, ControllerSilentError
from tests.controllers.mutants import Mutator

TICK = 0.001  # [s]


class Bench(NamedTuple):
    clock: VirtualClock
    emulator: RobotiqEmulator
    gripper: RobotiqGripper

    def until(self, done: Callable[[], bool], seconds: float = 5.0) -> bool:
        """Tick until something is so."""
        for _ in range(round(seconds / TICK)):
            if done():
                return True
            self.gripper.newest()
            self.clock.advance(TICK)
        return done()

    def settled(self, seconds: float = 5.0) -> GripperMeasurement:
        """Tick until the fingers stand; what was said then."""
        said: list[GripperMeasurement] = []
        for _ in range(round(seconds / TICK)):
            one = self.gripper.newest()
            said += [] if one is None else [one]
            self.clock.advance(TICK)
            if len(said) > 4 and not any(one.moving for one in said[-3:]):
                break
        return said[-1]

    def activated(self) -> Bench:
        self.gripper.activate()
        assert self.until(lambda: self.gripper.status is ToolStatus.READY)
        return self


def driver(end: SocketEnd, clock: VirtualClock, unit: int = 9) -> RobotiqGripper:
    line = Line(end.connect, RtuFraming(unit), unit, 0.05)
    gripper = RobotiqGripper("robotiq:test", clock, line, MODELS["2f85"])
    gripper.wait_until_ready()
    return gripper


@pytest.fixture
def bench() -> Iterator[Bench]:
    clock, end = VirtualClock(), SocketEnd("gripper")
    with contextlib.closing(RobotiqEmulator(end, clock)) as emulator, driver(end, clock) as gripper:
        yield Bench(clock, emulator, gripper)


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


def test_another_unit_is_silent() -> None:
    clock, end = VirtualClock(), SocketEnd("gripper")
    with contextlib.closing(RobotiqEmulator(end, clock)), pytest.raises(ControllerSilentError, match="no gripper"):
        driver(end, clock, unit=5)


def test_another_modbus_device_is_no_gripper(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, end = VirtualClock(), SocketEnd("gripper")
    monkeypatch.setattr(RobotiqEmulator, "_read", lambda *_: None)
    with contextlib.closing(RobotiqEmulator(end, clock)), pytest.raises(ControllerMismatchError, match="no Robotiq"):
        driver(end, clock)


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("robotiq:", "write robotiq:PORT"),
        ("serial:/dev/x", "write robotiq:PORT"),
        ("robotiq:/dev/x?model=3f", "model is one of"),
        ("robotiq:/dev/x?opened=100&closed=50", "more than opened"),
        ("robotiq:/dev/x?force=3", "unknown option"),
    ],
)
def test_a_wrong_address_is_one_line(url: str, what: str) -> None:
    with pytest.raises(ValueError, match=what) as caught:
        open_gripper(url)
    assert "\n" not in str(caught.value)


def test_no_such_port_is_one_line() -> None:
    with pytest.raises(ControllerNotFoundError):
        open_gripper("robotiq:/dev/there-is-no-such-port")


def test_frames_are_those_of_the_manual() -> None:
    framing = RtuFraming(9)
    write = bytes.fromhex("10 03E8 0003 06")

    def frame(command: bytes) -> str:
        return framing.frame(write + command, 9, 0)[-2:].hex()

    assert frame(bytes(6)) == "7330"
    assert frame(registers.pack_command(1, 0, 0, 0)) == "72e1"
    assert frame(registers.pack_command(9, 255, 255, 255)) == "4229"
    assert frame(registers.pack_command(9, 0, 255, 255)) == "7219"


def test_noise_does_nothing(bench: Bench) -> None:
    bench.activated()
    before = bench.emulator.fingers.command
    framing = RtuFraming(9)
    good = framing.frame(bytes.fromhex("10 03E8 0003 06 09 00 00 FF FF FF"), 9, 0)
    make = Mutator([good, bytes(20), framing.frame(bytes([4, 0x07, 0xD0, 0, 3]), 9, 0)], 1, lambda data: data[:-1])
    port = bench.gripper._line._port
    assert port is not None
    for _ in range(500):
        data = make()
        if data != good:
            port.write(data)
        bench.until(lambda: False, 0.02)
    assert bench.emulator.fingers.command == before
    assert bench.emulator.refused.total() > 0
    assert bench.until(lambda: bench.gripper.status is ToolStatus.READY)
