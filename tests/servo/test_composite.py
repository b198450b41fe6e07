"""A robot with several controllers: one arm to the servo, each joint with its own controller, all in one physics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robots
import station
from sim_devices.arm import ArmError, ArmSettings, ArmState, EmulatedArm, World, emulated_arm
from sim_devices.arm.shares import with_shares
from sim_devices.arm_links.serving import far_side
from sim_devices.arm_links.wishes import ArmWishes, started_together
from sim_devices.fixtures import own_host
from station.clock import VirtualClock
from station.controllers import ControllerError, open_controller
from station.controllers.composite import CompositeController
from station.controllers.supervisor import Event
from station.emulated import physics_of
from station.kernel import Floats
from station.servo.drives import WiringError
from station.servo.rig import Wanted, put_all_together
from station.servo.servo import Servo
from station.servo.shared import ServoState
from station.servo.shared.commands import EmergencyStop, Reset
from tests.servo.arm_benches import linked
from tests.servo.rigs import Bench, IdealDevice, note_setpoints

BASE = '  controller { name "base"  address "tcp://10.0.0.7:5555"  joints ( 1 2 ) %s }\n'
ARM = '  controller { name "arm"  address "tcp://10.0.0.8:5555"  joints ( 3 4 5 6 ) %s }\n'


def text(base: str = "", arm: str = "", blocks: str = BASE + ARM) -> str:
    """A UR5e whose first two joints have another controller than the rest."""
    plain = robots.path("ur5e").read_text(encoding="utf8")
    head, _, body = plain.partition("robot ur5e {")
    assert body
    return f"{head}robot ur5e {{\n{blocks.replace('%s', base, 1).replace('%s', arm, 1)}{body}"


class Shared(Bench):
    """A bench with a robot that has two controllers."""

    def __init__(self, servo: Servo, device: IdealDevice, world: World) -> None:
        super().__init__(servo, device)
        self.world = world

    @property
    def controller(self) -> CompositeController:
        found = self.servo.part.rig.controller
        assert isinstance(found, CompositeController)
        return found

    def arm(self, name: str) -> EmulatedArm:
        return self.world.arms[f"ur5e.{name}"]

    @property
    def joints(self) -> Floats:
        """Where they really are [rad]."""
        return np.concatenate([self.arm("base").body.q, self.arm("arm").body.q])

    def statuses(self) -> list[str]:
        return [controller.status.name for controller in self.controller.controllers]

    def state(self) -> ServoState:
        return self.servo.part.state

    def press(self) -> None:
        self.device.buttons = 0
        self.ticks(300)
        self.device.buttons = 1
        self.ticks(300)


@contextmanager
def shared(
    folder: Path, scene_text: str = "", links: tuple[str, str] = ("tcp", "tcp"), **world: Any
) -> Iterator[Shared]:
    clock, scene = VirtualClock(1.0), station.loads(scene_text or text())
    names = [f"ur5e.{one}" for one in ("base", "arm")]
    whole, hand = World(with_shares(scene, names), robots=names, **world), IdealDevice(clock)
    with ExitStack() as stack:
        controllers = {
            name: stack.enter_context(linked(link, whole.arms[name], clock))[0]
            for name, link in zip(names, links, strict=True)
        }
        rigs = put_all_together(scene, {"1": hand}, Wanted(), controllers)
        yield Shared(stack.enter_context(Servo(rigs, clock=clock, folder=folder)), hand, whole)


@pytest.mark.parametrize("links", [("tcp", "tcp"), ("tcp", "modbus")])
def test_all_joints_follow_the_hand_each_by_its_own_controller(links: tuple[str, str], tmp_path: Path) -> None:
    with shared(tmp_path, links=links) as bench:
        assert [len(share.joints) for share in bench.controller.shares] == [2, 4]
        assert bench.controller.at_tool is bench.controller.controllers[1]  # whose sensor counts
        bench.press()
        assert bench.state() is ServoState.ENGAGED
        assert bench.statuses() == ["ACTIVE", "ACTIVE"]
        before = bench.shared.measured_q.copy()
        bench.lead(np.array([0.03, 0.05, 0.04]), 1.0)
        bench.ticks(700)
        assert (np.abs(bench.shared.measured_q - before) > 0.01).sum() == 5  # one joint of the wrist has no reason to
        np.testing.assert_allclose(bench.shared.measured_q, bench.robot.q, atol=3e-3)
        np.testing.assert_allclose(bench.arm("base").reading().q, bench.robot.q[:2], atol=3e-3)
        np.testing.assert_allclose(bench.arm("arm").reading().q, bench.robot.q[2:], atol=3e-3)
        assert bench.state() is ServoState.ENGAGED
        bench.device.buttons = 0
        bench.ticks(1500)
        assert bench.statuses() == ["READY", "READY"]


def led_away(bench: Shared) -> tuple[Floats, Floats]:
    """The hand moves on at an even speed until 3.5 s; setpoints and measurements of all joints, a row for each tick."""
    sent, measured = list[Floats](), list[Floats]()
    note_setpoints(bench.servo, sent.append)
    for _ in bench.move(bench.device.place + np.array([0.0, 0.25, 0.1]), 3.5 - bench.servo.clock.now()):
        measured.append(bench.shared.measured_q.copy())
    return np.array(sent), np.array(measured)


@pytest.mark.parametrize("lost", ["base", "arm"])
def test_losing_one_brakes_and_holds_all_joints_of_the_robot(lost: str, tmp_path: Path) -> None:
    with shared(tmp_path, faults={f"ur5e.{lost}": "silence at 2.0 for 1.0"}) as bench:
        other = "arm" if lost == "base" else "base"
        bench.press()
        sent, _ = led_away(bench)
        assert bench.state() is ServoState.HOLD
        assert bench.shared.cause == Event.ARM_LOST
        assert f"ur5e.{lost}" in bench.controller.reason
        # It has stopped within the limits of its joints, all of them at once, by setpoints to the one that is there.
        speeds = np.diff(sent, axis=0) / bench.servo.period
        assert np.abs(speeds).max() > 0.05
        assert np.abs(speeds[-1]).max() < 1e-9
        most = np.array([joint.acceleration for joint in bench.controller.capabilities.joints])
        assert (np.abs(np.diff(speeds, axis=0)) / bench.servo.period <= most * 1.01).all()
        assert bench.arm(other).state is ArmState.READY  # was asked to hold, and its own watchdog had nothing to say
        assert not any("watchdog" in event.cause for event in bench.arm(other).log.events)
        # Back again: nothing moves before a fresh press, and then all follow from where they are.
        still = bench.joints
        bench.ticks(1000)
        assert np.abs(bench.joints - still).max() < 1e-3
        bench.press()
        assert bench.state() is ServoState.ENGAGED
        assert bench.statuses() == ["ACTIVE", "ACTIVE"]
        assert np.abs(bench.joints - still).max() < 5e-3


@pytest.mark.parametrize(("fault", "cause"), [("reflex", Event.ARM_STOPPED), ("brown-out", Event.ARM_FAULT)])
def test_one_that_stops_hard_is_a_fault_and_the_other_brakes_by_setpoints(
    fault: str, cause: Event, tmp_path: Path
) -> None:
    with shared(tmp_path, faults={"ur5e.base": f"{fault} at 2.0 for 0.1"}) as bench:
        bench.press()
        sent, measured = led_away(bench)
        assert bench.state() is ServoState.FAULT
        assert bench.shared.cause == cause
        speeds = np.diff(sent, axis=0) / bench.servo.period
        assert np.abs(speeds[-1]).max() < 1e-9
        assert bench.arm("arm").state is ArmState.READY
        assert not any("watchdog" in event.cause for event in bench.arm("arm").log.events)
        assert np.abs(np.diff(measured[-300:], axis=0)).max() < 1e-5


def test_one_that_does_not_start_lets_nothing_move_and_the_other_holds_again(tmp_path: Path) -> None:
    with shared(tmp_path) as bench:
        bench.ticks(100)
        arm = bench.controller.shares[1].controller
        arm.activate = lambda: None  # type: ignore[method-assign]  # it hears nothing of it
        before = bench.shared.measured_q.copy()
        bench.press()
        assert bench.statuses() == ["ACTIVE", "READY"]
        assert bench.controller.partly_active
        assert bench.state() is not ServoState.ENGAGED
        bench.lead(np.array([0.0, 0.05, 0.0]), 0.5)
        bench.ticks(3500)
        assert bench.statuses() == ["READY", "READY"]
        np.testing.assert_allclose(bench.shared.measured_q, before, atol=1e-3)
        assert not any("watchdog" in event.cause for event in bench.arm("base").log.events)


def test_an_emergency_stop_is_all_controllers(tmp_path: Path) -> None:
    with shared(tmp_path) as bench:
        bench.press()
        bench.servo.part.orders.decide(EmergencyStop())
        bench.ticks(300)
        assert bench.statuses() == ["STOPPED", "STOPPED"]
        bench.device.buttons = 0
        bench.servo.part.orders.decide(Reset())
        bench.ticks(1500)
        assert bench.statuses() == ["READY", "READY"]


def test_each_is_sent_setpoints_as_often_as_its_block_says(tmp_path: Path) -> None:
    with shared(tmp_path, text("rate 250", "rate 300")) as bench:
        assert [share.send_every for share in bench.controller.shares] == [4, 4]
        assert len(bench.servo.part.rig.notes) == 1
        assert (
            "rate 300: setpoints are sent 250 times per second, in every 4th tick of 1000"
            in bench.servo.part.rig.notes[0]
        )
        assert bench.servo.part.rig.notes[0].startswith("UR5e:18:")
        bench.press()
        bench.lead(np.array([0.0, 0.05, 0.04]), 1.0)
        bench.ticks(500)
        assert bench.state() is ServoState.ENGAGED
        np.testing.assert_allclose(bench.shared.measured_q, bench.robot.q, atol=3e-3)


# What does not fit --------------------------------------------------------------------------------------------------


def refused(scene_text: str, names: dict[str, str]) -> str:
    """What is said of controllers for the shares of a robot: whose name has which arm."""
    scene, clock = station.loads(scene_text), VirtualClock(1.0)
    real = station.loads(text())
    whole = World(with_shares(real, ["ur5e.base", "ur5e.arm"]))
    with ExitStack() as stack:
        controllers = {
            name: stack.enter_context(linked("tcp", whole.arms[arm], clock))[0] for name, arm in names.items()
        }
        with pytest.raises((ControllerError, WiringError)) as found:
            put_all_together(scene, {}, Wanted(), controllers)
    return str(found.value)


def test_controllers_with_other_joints_are_refused_with_line_and_column() -> None:
    said = refused(text(), {"ur5e.base": "ur5e.arm", "ur5e.arm": "ur5e.base"})
    assert said.startswith("UR5e:17:60: controller ur5e.base: ")
    assert "the joints are not those of the scene" in said


def test_joints_of_nobody_are_refused_with_line_and_column() -> None:
    blocks = BASE + ARM.replace("( 3 4 5 6 )", "( 3 4 5 )")
    said = refused(text(blocks=blocks), {"ur5e.base": "ur5e.base", "ur5e.arm": "ur5e.arm"})
    assert said == "UR5e:18:59: robot ur5e: no controller drives the joints of links 6; list them here"
    assert "UR5e:18:3: controller ur5e.arm is not there" in refused(text(), {"ur5e.base": "ur5e.base"})


def test_a_rate_that_the_arm_would_stop_at_is_refused_with_line_and_column() -> None:
    said = refused(text("rate 20"), {"ur5e.base": "ur5e.base", "ur5e.arm": "ur5e.arm"})
    assert "rate 20 is too slow for an arm that stops by itself after 0.05 s" in said
    assert said.startswith("UR5e:17:")


def test_what_is_not_one_branch_cannot_be_emulated_apart() -> None:
    crossed = station.loads(text(blocks=BASE.replace("( 1 2 )", "( 1 3 )") + ARM.replace("( 3 4", "( 2 4")))
    with pytest.raises(ArmError, match="not one branch"):
        with_shares(crossed, ["ur5e.base", "ur5e.arm"])


# Rate and watchdog of a block ---------------------------------------------------------------------------------------


@contextmanager
def single(folder: Path, block: str, link: str = "tcp", settings: ArmSettings | None = None) -> Iterator[Bench]:
    """A UR5e with one controller, whose block says something more."""
    clock, scene = (
        VirtualClock(1.0),
        station.loads(text(blocks=f'  controller {{ address "tcp://10.0.0.7:5555" {block} }}\n')),
    )
    hand = IdealDevice(clock)
    with linked(link, emulated_arm(scene, None, settings), clock) as (controller, _):
        rigs = put_all_together(scene, {"1": hand}, Wanted(), {"ur5e": controller})
        with Servo(rigs, clock=clock, folder=folder) as servo:
            yield Bench(servo, hand)


@pytest.mark.parametrize(
    ("rate", "every", "told"), [(1000, 1, 0), (250, 4, 0), (400, 3, 1), (4000, 1, 1), (100, 10, 0)]
)
def test_setpoints_are_sent_at_most_as_often_as_the_block_says(
    rate: int, every: int, told: int, tmp_path: Path
) -> None:
    with single(tmp_path, f"rate {rate}") as bench:
        assert len(bench.servo.part.rig.notes) == told
        assert all(
            note.startswith(f"UR5e:17:46: rate {rate}: setpoints are sent") for note in bench.servo.part.rig.notes
        )
        bench.device.buttons = 0
        bench.ticks(300)
        bench.device.buttons = 1
        bench.ticks(300)
        arm = bench.servo.part.arm
        assert arm is not None
        before = arm.memory.setpoint.sequence
        bench.lead(np.array([0.0, 0.05, 0.0]), 1.2)
        assert arm.memory.setpoint.sequence - before == pytest.approx(1200 / every, abs=1)
        bench.ticks(600)
        np.testing.assert_allclose(bench.shared.measured_q, bench.robot.q, atol=3e-3)
        assert bench.servo.part.state is ServoState.ENGAGED


def test_a_watchdog_that_an_arm_does_not_have_is_said(tmp_path: Path) -> None:
    with single(tmp_path, "watchdog 0.08") as bench:  # an emulated arm is as its file says
        assert bench.servo.part.rig.notes == ()
    with single(tmp_path, "watchdog 0.08", settings=ArmSettings(watchdog=0.2)) as bench:
        said = "UR5e:17:46: watchdog 0.08 is not what the arm has: it stops by itself after 0.2 s"
        assert bench.servo.part.rig.notes == (said,)


@pytest.mark.parametrize(("url", "silence"), [("", 0.1), ("?watchdog=0.2", 0.2)])
def test_a_watchdog_is_asked_of_an_arm_that_can_be_told(url: str, silence: float) -> None:
    clock, host = VirtualClock(1.0), own_host()
    server = far_side(f"ur://{host}", emulated_arm(station.load("ur5e")), clock)
    with closing(server), open_controller(f"{server.address}{url}", clock, watchdog=0.1) as controller:
        assert controller.capabilities.watchdog == pytest.approx(silence)


# Emulated, each in its place ----------------------------------------------------------------------------------------


def test_emulated_controllers_of_one_robot_share_a_process_and_a_physics(tmp_path: Path) -> None:
    file = tmp_path / "shared.mad"
    file.write_text(text(), encoding="utf8")
    names = ["ur5e.base", "ur5e.arm"]
    assert physics_of(str(file), names) == [names]
    with started_together([ArmWishes(str(file), robot=name) for name in names]) as addresses, ExitStack() as stack:
        able = [stack.enter_context(open_controller(address)).capabilities for address in addresses]
    assert [one.model for one in able] == ["emulated ur5e.base", "emulated ur5e.arm"]
    assert [len(one.joints) for one in able] == [2, 4]
