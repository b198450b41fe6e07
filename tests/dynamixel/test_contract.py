"""The contract of controllers on a bus of servos: on a virtual clock, on a bad line, and as a process with physics."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

import pytest

import robots
import station
from firmware_bridge.dynamixel.driver import DynamixelController
from sim_devices.arm_links.contract import ControllerContract, LosableContract
from sim_devices.arm_links.process import ArmWishes, started
from station.clock import WALL
from station.controllers import Controller, ControllerStatus, open_controller, scene_joints
from station.controllers.errors import ControllerMismatchError
from tests.dynamixel.benches import ServoBench, seats, servo_bench


class OnBus(LosableContract):
    bench: ServoBench

    @contextlib.contextmanager
    def opened(self, bench: ServoBench, **options: object) -> Iterator[Controller]:
        self.bench, self.clock = bench, bench.clock
        with contextlib.closing(bench.server), bench.connect(**options) as controller:
            yield controller

    def cut(self) -> None:
        self.bench.server.faults.add("silence; deaf")

    def mend(self) -> None:
        self.bench.server.faults.clear()


class TestServos(OnBus):
    @pytest.fixture
    def controller(self) -> Iterator[Controller]:
        with self.opened(servo_bench()) as controller:
            yield controller


class TestOldFirmware(OnBus):
    """Servos that know no fast sync read."""

    @pytest.fixture
    def controller(self) -> Iterator[Controller]:
        with self.opened(servo_bench(fast_reads=False)) as controller:
            assert isinstance(controller, DynamixelController)
            assert not controller.fast
            yield controller


class TestReversedServosThatTellTorque(OnBus):
    @pytest.fixture
    def controller(self) -> Iterator[Controller]:
        with self.opened(servo_bench(), places=seats(reverse=True, torque_constant=1.78)) as controller:
            yield controller


class TestPulledCable(OnBus):
    """The port itself goes away and comes back."""

    @pytest.fixture
    def controller(self) -> Iterator[Controller]:
        with self.opened(servo_bench()) as controller:
            yield controller

    def cut(self) -> None:
        self.bench.server.faults.add("unplug")


@pytest.mark.parametrize("fault", ["delay ms=4", "drop p=0.02", "corrupt p=0.02", "duplicate p=0.05"])
class TestBadLine(OnBus):
    @pytest.fixture
    def controller(self, fault: str) -> Iterator[Controller]:
        bench = servo_bench()
        bench.server.faults.add(fault)
        with self.opened(bench) as controller:
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
    with started(ArmWishes(str(robots.path("hobby-arm")), link="dynamixel:")) as address:
        yield address


class TestProcess(ControllerContract):
    """An arm with physics in a process of its own, at a pseudo-terminal, on wall time."""

    @pytest.fixture
    def controller(self, arm: str) -> Iterator[Controller]:
        with open_controller(f"{arm}&watchdog=0.3", WALL) as controller:
            assert isinstance(controller, DynamixelController)
            controller.lost_after = 1.0  # a busy machine must not fail the test
            assert self.until(controller, lambda: self.rests(controller)), "it may sink after a test, but not for long"
            yield controller

    def rests(self, controller: Controller) -> bool:
        said = controller.newest()
        return said is not None and said.v is not None and not said.v.any()

    def test_a_jump_is_followed_at_the_speed_of_the_servo(self, controller: Controller) -> None:
        hold = self.engage(controller)
        far = hold.copy()
        far[0] += 0.5
        begin, said = self.clock.now(), self.listen(controller, 0.5, far)
        speed = controller.capabilities.joints[0].speed
        assert speed is not None
        passed = self.clock.now() - begin
        assert abs(said[-1].q[0] - hold[0]) < speed * passed
        assert self.until(controller, lambda: abs(self.where(controller)[0] - far[0]) < 0.005, far)
        assert controller.status is ControllerStatus.ACTIVE


def test_the_joints_of_the_scene_are_found_by_name_and_fit(arm: str) -> None:
    joints = scene_joints(station.load(robots.path("hobby-arm"))["hobby-arm"].joints)
    with open_controller(arm, joints=joints[::-1]) as controller:
        assert [joint.name for joint in controller.capabilities.joints] == [joint.name for joint in joints[::-1]]
        assert controller.capabilities.emulated


def test_a_scene_that_goes_further_than_the_arm_is_refused_at_the_door(arm: str) -> None:
    joints = scene_joints(station.load(robots.path("hobby-arm"))["hobby-arm"].joints)
    wide = [replace(joint, low=-20.0, high=20.0) for joint in joints]
    with pytest.raises(ControllerMismatchError, match="goes from") as caught:
        open_controller(arm, joints=wide)
    assert "\n" not in str(caught.value)
    with open_controller(arm, joints=joints):
        pass  # it was let go of
