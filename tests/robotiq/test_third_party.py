"""Debian's mbpoll, pyRobotiqGripper from PyPI, and our own driver, at an emulated gripper in a process of its own."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator

import pytest

from firmware_bridge.robotiq import ToolStatus, open_gripper
from sim_devices.launch import announced
from station.devices.errors import DeviceSilentError

pytestmark = pytest.mark.wall_clock

PATIENCE = 20.0  # [s]


@pytest.fixture
def port() -> Iterator[str]:
    with announced(["--with-parent"], "sim_devices.robotiq", "the gripper", DeviceSilentError) as address:
        yield address.removeprefix("robotiq:")


def test_our_driver_grips_over_a_pseudo_terminal(port: str) -> None:
    with open_gripper(f"robotiq:{port}") as gripper:
        end = time.monotonic() + PATIENCE
        gripper.activate()
        while gripper.status is not ToolStatus.READY and time.monotonic() < end:
            gripper.newest()
            time.sleep(0.001)
        assert gripper.grip(60.0)
        said = None
        while (said is None or not said.holds) and time.monotonic() < end:
            said = gripper.newest() or said
            time.sleep(0.001)
        assert said is not None
        assert said.holds
        assert said.width == pytest.approx(0.03, abs=0.001)


@pytest.mark.skipif(shutil.which("mbpoll") is None, reason="mbpoll is not installed (Debian package mbpoll)")
def test_mbpoll_of_debian_activates_and_closes_it(port: str) -> None:
    def mbpoll(*words: str) -> str:
        line = ["mbpoll", "-m", "rtu", "-a", "9", "-b", "115200", "-P", "none", "-0", "-1", "-q", *words]
        done = subprocess.run(line, capture_output=True, text=True, timeout=10.0, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def state() -> list[int]:
        text = mbpoll("-t", "4:hex", "-r", "2000", "-c", "3", port)
        return [int(line.split()[1], 16) for line in text.splitlines() if line.startswith("[")]

    assert state()[0] >> 8 == 0
    mbpoll("-t", "4:hex", "-r", "1000", port, "0x0100", "0x0000", "0x0000")
    end = time.monotonic() + PATIENCE
    while state()[0] >> 12 & 3 != 3 and time.monotonic() < end:
        pass
    mbpoll("-t", "4:hex", "-r", "1000", port, "0x0900", "0x00FF", "0xFFFF")
    while state()[0] >> 14 != 2 and time.monotonic() < end:
        pass
    first, second, third = state()
    assert first >> 8 == 0b10111001  # met something while closing, active, going, activated
    assert second == 0x00FF
    assert third >> 8 == 165


def test_pyrobotiqgripper_activates_moves_and_sees_the_object(port: str) -> None:
    package = pytest.importorskip("pyrobotiqgripper")
    gripper = package.RobotiqGripper(com_port=port)
    gripper.connect()
    gripper.activate()
    assert gripper.isActivated()
    gripper.open()
    assert gripper.position() <= 3
    gripper.close()
    assert gripper.position() == 165
    assert gripper.objectDetection() == 2
    gripper.disconnect()
