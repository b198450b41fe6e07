"""ur_rtde (from PyPI) reads the emulated robot and moves it, with its own control program; physics in a process."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

import robots
from sim_devices.arm_links.process import ArmWishes, started
from sim_devices.fixtures import own_host

pytestmark = pytest.mark.wall_clock

rtde_receive = pytest.importorskip("rtde_receive")
rtde_control = pytest.importorskip("rtde_control")
rtde_io = pytest.importorskip("rtde_io")

PATIENCE = 20.0  # [s]


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    """Address of a UR5e: ur_rtde wants the robot's own ports, so it has a loopback address of its own."""
    name = own_host()
    with started(ArmWishes(str(robots.path("ur5e")), link=f"ur://{name}")):
        yield name


def test_it_reads_joints_pose_and_state(host: str) -> None:
    robot = rtde_receive.RTDEReceiveInterface(host)
    end = time.monotonic() + PATIENCE
    first = robot.getTimestamp()
    while robot.getTimestamp() <= first and time.monotonic() < end:
        time.sleep(0.01)
    assert robot.getTimestamp() > first
    assert len(robot.getActualQ()) == 6
    assert robot.getRobotMode() == 7
    assert robot.getSafetyStatusBits() == 1
    assert any(robot.getActualTCPPose())
    robot.disconnect()


def test_it_moves_the_robot_by_its_own_program(host: str) -> None:
    control = rtde_control.RTDEControlInterface(host)
    robot = rtde_receive.RTDEReceiveInterface(host)
    assert control.isProgramRunning()
    start = robot.getActualQ()
    goal = [start[0] + 0.3, *start[1:]]
    assert control.moveJ(goal, 0.5, 1.0)
    end = time.monotonic() + PATIENCE
    while abs(robot.getActualQ()[0] - goal[0]) > 0.002 and time.monotonic() < end:
        time.sleep(0.01)
    assert robot.getActualQ()[0] == pytest.approx(goal[0], abs=0.002)
    for step in range(100):  # 0.05 rad in a fifth of a second
        moment = control.initPeriod()
        control.servoJ([*goal[:5], goal[5] + 0.0005 * step], 0.0, 0.0, 0.002, 0.1, 300)
        control.waitPeriod(moment)
    while abs(robot.getActualQ()[5] - goal[5] - 0.0495) > 0.002 and time.monotonic() < end:
        time.sleep(0.01)
    assert robot.getActualQ()[5] == pytest.approx(goal[5] + 0.0495, abs=0.002)
    assert control.servoStop()
    control.stopScript()
    control.disconnect()
    robot.disconnect()


def test_it_writes_registers(host: str) -> None:
    io = rtde_io.RTDEIOInterface(host)
    assert io.setInputIntRegister(19, 4711)
    assert io.setInputDoubleRegister(19, 0.25)
    io.disconnect()
