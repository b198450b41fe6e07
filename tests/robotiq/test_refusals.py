"""Other devices, wrong addresses and noise: refused, with one line that says why; and frames of the manual."""

from __future__ import annotations

import contextlib

import pytest

from firmware_bridge.arm.modbus.framing import RtuFraming
from firmware_bridge.robotiq import open_gripper, registers
from sim_devices.ends import SocketEnd
from sim_devices.robotiq.emulator import RobotiqEmulator
from station.clock import VirtualClock
from station.controllers.errors import ControllerMismatchError, ControllerNotFoundError, ControllerSilentError
from station.controllers.tool import ToolStatus
from tests.controllers.mutants import Mutator
from tests.robotiq.benches import Bench, driver


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
