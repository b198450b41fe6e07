"""The contract of controllers on a robot of Universal Robots: on a virtual clock, and as a process with physics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import robots
import station
from firmware_bridge.ur.driver import URController
from sim_devices.arm_links.contract import ControllerContract, LosableContract
from sim_devices.arm_links.process import ArmWishes, started
from sim_devices.fixtures import own_host
from station.clock import WALL
from station.controllers import Controller, ControllerStatus, open_controller, scene_joints
from station.controllers.errors import ControllerMismatchError
from tests.ur.benches import RobotBench, running


class OnRobot(LosableContract):
    bench: RobotBench

    def cut(self) -> None:
        self.bench.server.faults.add("silence; deaf")

    def mend(self) -> None:
        self.bench.server.faults.clear()


class TestRobot(OnRobot):
    @pytest.fixture
    def controller(self) -> Iterator[Controller]:
        with running() as self.bench:
            self.clock = self.bench.clock
            with self.bench.connect() as controller:
                yield controller


class TestOldRobot(OnRobot):
    """A CB3: 125 packages a second."""

    @pytest.fixture
    def controller(self) -> Iterator[Controller]:
        with running(version=(3, 15, 0, 0)) as self.bench:
            self.clock = self.bench.clock
            with self.bench.connect() as controller:
                assert controller.capabilities.rate == 125.0
                assert controller.capabilities.watchdog == pytest.approx(0.064)  # whole steps of 8 ms
                yield controller


@pytest.mark.parametrize("fault", ["delay ms=10", "jitter ms=3"])
class TestSlowNetwork(OnRobot):
    @pytest.fixture
    def controller(self, fault: str) -> Iterator[Controller]:
        with running() as self.bench:
            self.clock = self.bench.clock
            self.bench.server.faults.add(fault)
            with self.bench.connect() as controller:
                yield controller

    def cut(self) -> None:
        self.kept = list(self.bench.server.faults.faults)
        super().cut()

    def mend(self) -> None:
        super().mend()
        for fault in self.kept:
            self.bench.server.faults.add(fault, 0.0)


@pytest.fixture(scope="module")
def arm() -> Iterator[str]:
    with started(ArmWishes(str(robots.path("ur5e")), link=f"ur://{own_host()}")) as address:
        yield address


class TestProcess(ControllerContract):
    """A UR5e with physics in a process of its own, on wall time."""

    @pytest.fixture
    def controller(self, arm: str) -> Iterator[Controller]:
        with open_controller(f"{arm}?watchdog=0.3", WALL) as controller:
            assert isinstance(controller, URController)
            controller.lost_after = 1.0  # a busy machine must not fail the test
            yield controller

    def test_a_jump_is_a_protective_stop_of_the_robot(self, controller: Controller) -> None:
        hold = self.engage(controller)
        far = hold.copy()
        far[0] += 1.0
        assert self.until(controller, lambda: controller.status is ControllerStatus.STOPPED, far)
        assert "protective stop" in controller.reason
        assert abs(self.where(controller)[0] - hold[0]) < 0.1
        controller.reset()
        assert self.until(controller, lambda: controller.status is ControllerStatus.READY)
        self.engage(controller)


def test_the_joints_of_the_scene_are_found_by_name_and_fit(arm: str) -> None:
    joints = scene_joints(station.load(robots.path("ur5e"))["ur5e"].joints)
    with open_controller(arm, joints=joints[::-1]) as controller:
        assert [joint.name for joint in controller.capabilities.joints] == [joint.name for joint in joints[::-1]]
        assert controller.capabilities.emulated


def test_a_scene_that_goes_further_than_the_arm_is_refused_at_the_door(arm: str) -> None:
    joints = scene_joints(station.load(robots.path("ur5e"))["ur5e"].joints)
    wide = [replace(joint, low=-20.0, high=20.0) for joint in joints]
    with pytest.raises(ControllerMismatchError, match="goes from") as caught:
        open_controller(arm, joints=wide)
    assert "\n" not in str(caught.value)
    with open_controller(arm, joints=joints):
        pass  # it was let go of
