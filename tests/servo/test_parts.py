"""Several hands and robots in one servo: each its own, and what joins them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import robots
import station
from sim_devices.arm import World
from station.clock import VirtualClock
from station.controllers.supervisor import Event
from station.devices.device import DeviceStatus
from station.mad.scene import Friction, Robot
from station.servo.rig import Wanted, put_all_together
from station.servo.servo import Servo
from station.servo.shared import ServoState
from station.servo.shared.commands import EmergencyStop, JointTargets, Lead, Reset, SetMode
from station.servo.shared.words import Mode, Reason
from tests.servo.arm_benches import linked
from tests.servo.rigs import DEAD_MAN, IdealDevice, loaded

SLIDER = """robot {name} {{ base {{ pos {{ 0 {y} 0 }} }}
  link 1 {{ parameters {{ 0 0 0 0 }}    type prismatic  pred 0  limits {{ -200 200 }} }}
  link 2 {{ parameters {{ 90 0 90 0 }}  type prismatic  pred 1  limits {{ -200 200 }} }}
  link 3 {{ parameters {{ 0 0 90 0 }}   type prismatic  pred 2  limits {{ -200 200 }} }}
  frame 4 {{ pos {{ 0 0 0 }} pred 3 }} {constraint} }}
"""


def gantries(*hands: str, loss: str = "") -> str:
    """A gantry for each hand; "" is nobody's."""
    text = "RAFF v2.0 Gantries\n"
    for nth, hand in enumerate(hands, 1):
        if hand:
            text += f'device {nth} {{ name "{hand}" scale {{ 1 1 1 }} {loss} }}\n'
    for nth, hand in enumerate(hands, 1):
        tied = f"constraint {{ frame 4 device ( 0 {nth} ) }}" if hand else ""
        text += SLIDER.format(name=f"robot{nth}", y=1000 * nth, constraint=tied)
    return text


class Hands:
    """A servo of several parts, each hand exactly where a test puts it."""

    def __init__(self, servo: Servo, hands: dict[str, IdealDevice]) -> None:
        self.servo, self.hands = servo, hands

    def ticks(self, count: int = 1) -> None:
        for _ in range(count):
            self.servo.tick()

    def press(self, *names: str) -> None:
        for name in names:
            self.hands[name].buttons = 0
        self.ticks(5)
        for name in names:
            self.hands[name].buttons = DEAD_MAN
        self.ticks(5)

    def move(self, name: str, by: tuple[float, float, float], seconds: float = 0.2) -> None:
        hand, count = self.hands[name], round(seconds * 1000)
        hand.velocity = np.array(by) / seconds
        for _ in range(count):
            hand.place = hand.place + np.array(by) / count
            self.servo.tick()
        hand.velocity = np.zeros(3)

    @property
    def states(self) -> list[str]:
        return [part.state.name for part in self.servo.parts]


@contextmanager
def hands_on(scene: str, folder: Path, *names: str) -> Iterator[Hands]:
    clock = VirtualClock(1.0)
    hands = {name: IdealDevice(clock) for name in names}
    with Servo(put_all_together(loaded(scene), hands, Wanted(), {}), clock=clock, folder=folder) as servo:
        yield Hands(servo, hands)


def test_each_hand_leads_its_own_robot(tmp_path: Path) -> None:
    with hands_on(gantries("left", "right"), tmp_path, "left", "right") as bench:
        left, right = bench.servo.parts
        bench.press("left", "right")
        assert bench.states == ["ENGAGED", "ENGAGED"]
        before = left.shared.predicted_pose.copy(), right.shared.predicted_pose.copy()
        bench.move("left", (0.0, 0.0, 0.03))
        bench.move("right", (0.0, 0.0, -0.02))
        bench.ticks(200)
        np.testing.assert_allclose(left.shared.predicted_pose[:3, 3] - before[0][:3, 3], [0, 0, 0.03], atol=1e-9)
        np.testing.assert_allclose(right.shared.predicted_pose[:3, 3] - before[1][:3, 3], [0, 0, -0.02], atol=1e-9)
        assert left.shared.tick == right.shared.tick


def test_a_hand_that_is_lost_holds_its_own_robot_alone(tmp_path: Path) -> None:
    with hands_on(gantries("left", "right"), tmp_path, "left", "right") as bench:
        bench.press("left", "right")
        bench.hands["right"].become(DeviceStatus.LOST)
        bench.ticks(5)
        assert bench.states == ["ENGAGED", "HOLD"]
        assert bench.servo.parts[1].shared.cause == Event.DEVICE_LOST
        bench.hands["right"].become(DeviceStatus.READY)
        bench.ticks(50)
        assert bench.states == ["ENGAGED", "HOLD"]  # held all the time: not a fresh press
        bench.press("right")
        assert bench.states == ["ENGAGED", "ENGAGED"]


def test_the_file_can_say_that_the_loss_of_a_hand_stops_all(tmp_path: Path) -> None:
    with hands_on(gantries("left", "right", loss="loss all"), tmp_path, "left", "right") as bench:
        bench.press("left", "right")
        bench.hands["right"].become(DeviceStatus.LOST)
        bench.ticks(2)
        assert bench.states == ["HOLD", "HOLD"]
        causes = [Event(part.shared.cause) for part in bench.servo.parts]
        assert causes == [Event.PARTNER_LOST, Event.DEVICE_LOST]
        bench.press("left")
        assert bench.states == ["HOLD", "HOLD"]
        bench.hands["right"].become(DeviceStatus.READY)
        bench.press("left")
        assert bench.states == ["ENGAGED", "HOLD"]


def test_an_emergency_stop_is_everybodys_and_so_is_its_reset(tmp_path: Path) -> None:
    with hands_on(gantries("left", "right"), tmp_path, "left", "right") as bench:
        bench.press("left", "right")
        assert bench.servo.parts[1].orders.decide(EmergencyStop()) is Reason.ACCEPTED
        bench.ticks(1)
        assert bench.states == ["FAULT", "FAULT"]
        assert all(part.shared.fault == Event.ESTOP for part in bench.servo.parts)
        assert bench.servo.parts[0].orders.decide(Reset()) is Reason.ACCEPTED
        bench.ticks(5)
        assert bench.states == ["READY", "READY"]


def test_a_robot_that_nobody_leads_is_led_by_commands(tmp_path: Path) -> None:
    with hands_on(gantries("left", ""), tmp_path, "left") as bench:
        led, alone = bench.servo.parts
        assert (led.name, alone.name) == ("left", "robot2")
        bench.ticks(10)
        assert bench.states == ["READY", "READY"]
        assert alone.orders.decide(SetMode(Mode.JOINTS)) is Reason.ACCEPTED
        assert alone.orders.decide(JointTargets((0.01, 0.02, -0.03))) is Reason.ACCEPTED
        bench.ticks(300)
        np.testing.assert_allclose(alone.shared.predicted_q, [0.01, 0.02, -0.03], atol=1e-9)
        np.testing.assert_allclose(led.shared.predicted_q, 0.0, atol=1e-9)


def test_a_robot_is_not_led_by_a_device_of_its_name(tmp_path: Path) -> None:
    with hands_on(gantries("robot2", ""), tmp_path, "robot2") as bench:
        led, alone = bench.servo.parts
        assert [bool(part.memory.nobody) for part in (led, alone)] == [False, True]
        bench.press("robot2")
        assert bench.states == ["ENGAGED", "READY"]


def test_a_frame_whose_file_says_none_is_nobodys(tmp_path: Path) -> None:
    text = gantries("left").replace("( 0 1 )", "( 0 )")
    with hands_on(text, tmp_path, "left") as bench:
        (part,) = bench.servo.parts
        assert part.memory.nobody
        assert part.followed.told.startswith("frame 4, as the file says")


def test_a_robot_without_joints_stays_as_it_is_beside_others(tmp_path: Path) -> None:
    with hands_on(gantries("left") + "robot table { base { } }", tmp_path, "left") as bench:
        assert [part.rig.alone.robot.name for part in bench.servo.parts] == ["robot1"]
        bench.press("left")
        assert bench.states == ["ENGAGED"]


def test_many_hands_and_many_robots(tmp_path: Path) -> None:
    names = [f"hand{nth}" for nth in range(18)]
    with hands_on(gantries(*names, *("",) * 6), tmp_path, *names) as bench:
        bench.press(*names)
        assert bench.states == ["ENGAGED"] * 18 + ["READY"] * 6
        for _ in range(100):
            for nth, name in enumerate(names):
                bench.hands[name].place[2] += 5e-6 * nth
            bench.ticks()
        bench.ticks(50)
        places = [float(part.shared.predicted_pose[2, 3]) for part in bench.servo.parts]
        np.testing.assert_allclose(places, [*(5e-4 * nth for nth in range(18)), *(0.0,) * 6], atol=1e-5)


def test_a_second_hand_bends_the_elbow_while_the_first_holds_the_tool(tmp_path: Path) -> None:
    with hands_on("redundant", tmp_path, "1", "2") as bench:
        tool, elbow = bench.servo.parts
        assert tool.robot is elbow.robot
        bench.press("1", "2")
        assert bench.states == ["ENGAGED", "ENGAGED"]
        at, bent = tool.shared.predicted_pose.copy(), elbow.shared.predicted_pose.copy()
        worst = 0.0
        for _ in range(300):
            bench.hands["2"].place += [0.0002, 0.0002, 0.0]
            bench.ticks()
            worst = max(worst, float(np.linalg.norm(tool.shared.predicted_pose[:3, 3] - at[:3, 3])))
        assert worst < 1e-5  # [m]
        assert np.linalg.norm(elbow.shared.predicted_pose[:3, 3] - bent[:3, 3]) > 0.005


def test_the_servo_of_one_hand_is_that_of_several_with_one(tmp_path: Path) -> None:
    with hands_on(gantries("left"), tmp_path, "left") as bench:
        assert bench.servo.parts == [bench.servo.part]
        bench.press("left")
        assert ServoState(bench.servo.part.shared.state) is ServoState.ENGAGED


def oiled(robot: Robot) -> Robot:
    """A robot whose joints have no friction."""
    return replace(robot, links=tuple(replace(link, friction=Friction(0.0)) for link in robot.links))


@contextmanager
def two_arms(
    folder: Path,
    link: str = "serial:",
    delay: float = 0.0,
    around: str = "",
    wanted: Wanted | None = None,
    *,
    dry: bool = True,
) -> Iterator[tuple[Hands, World]]:
    """Two UR5e that hold one bar, each behind a controller of its own, led by two hands; with obstacles around them.

    `delay` is of both links, each way [s]. The joints of the arms rub, unless they are not `dry`.
    """
    clock, scene = VirtualClock(1.0), station.load(robots.path("two_arms_bar"))
    hands = {"1": IdealDevice(clock), "2": IdealDevice(clock)}
    solid = station.loads(f"RAFF v2.0 Around\n{around}").obstacles
    bodies = scene.robots if dry else tuple(oiled(robot) for robot in scene.robots)
    world = World(replace(scene, obstacles=solid, robots=bodies))
    with ExitStack() as stack:
        controllers = {
            name: stack.enter_context(linked(link, arm, clock, delay, loss=0.0, jitter=0.0))[0]
            for name, arm in world.arms.items()
        }
        rigs = put_all_together(scene, hands, wanted or Wanted(), controllers)
        yield Hands(stack.enter_context(Servo(rigs, clock=clock, folder=folder)), hands), world


def test_arms_that_are_tied_follow_together_and_hold_together(tmp_path: Path) -> None:
    with two_arms(tmp_path) as (bench, _world):
        left, right = bench.servo.parts
        assert left.robot is right.robot
        assert left.arm is not right.arm
        bench.ticks(300)
        assert bench.states == ["READY", "READY"]
        bench.press("1")  # one hand alone
        bench.ticks(300)
        assert bench.states == ["ENGAGED", "READY"]
        at = right.shared.measured_pose.copy()
        bench.move("1", (0.0, 0.0, 0.04), 1.0)
        bench.ticks(500)
        moved = right.shared.measured_pose[:3, 3] - at[:3, 3]
        np.testing.assert_allclose(moved, [0.0, 0.0, 0.04], atol=2e-3)  # the other arm went along
        apart = np.linalg.norm(left.shared.measured_pose[:3, 3] - right.shared.measured_pose[:3, 3])
        assert abs(apart - 0.6) < 1e-3


SWITCHED = """RAFF v2.0 Switched
device 1 { name "left" scale { 1 1 1 } }
device 2 { name "right" scale { 1 1 1 } }
"""
SWITCHED += SLIDER.format(name="one", y=0, constraint="constraint { frame 4 device ( 0 1 2 ) }")
SWITCHED += SLIDER.format(name="two", y=1000, constraint="constraint { frame 4 device ( 0 1 ) }")


def test_a_device_is_switched_to_another_frame_without_a_jump(tmp_path: Path) -> None:
    with hands_on(SWITCHED, tmp_path, "left", "right") as bench:
        parts = bench.servo.parts
        assert [(part.name, part.rig.alone.robot.name) for part in parts] == [
            ("left", "one"),
            ("right", "one"),
            ("left", "two"),
        ]
        assert [bool(part.memory.leads) for part in parts] == [True, False, False]
        bench.press("left")
        assert bench.states == ["ENGAGED", "OFF", "OFF"]
        bench.hands["left"].velocity = np.array([0.0, 0.0, 0.1])
        places = []
        for tick in range(300):
            bench.hands["left"].place[2] += 0.0001
            if tick == 100:
                assert parts[2].orders.decide(Lead(on=True)) is Reason.ACCEPTED
            bench.ticks()
            places.append([part.shared.predicted_q.copy() for part in (parts[0], parts[2])])
        assert bench.states == ["HOLD", "OFF", "READY"]  # still pressed, but not freshly
        moved = np.diff(np.array(places), axis=0)
        assert np.abs(moved).max() < 0.00025  # [m]
        assert not moved[150:].any()
        bench.press("left")
        assert bench.states == ["HOLD", "OFF", "ENGAGED"]
        bench.move("left", (0.0, 0.0, 0.03))
        bench.ticks(100)
        assert abs(parts[2].shared.predicted_pose[2, 3] - 0.03) < 1e-6
        assert parts[1].orders.decide(Lead(on=True)) is Reason.ACCEPTED  # another device for the first frame
        bench.press("left", "right")
        assert bench.states == ["HOLD", "ENGAGED", "ENGAGED"]


def test_a_switch_to_a_device_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with hands_on(SWITCHED, tmp_path, "left", "right") as bench:
        bench.press("left")
        bench.hands["right"].become(DeviceStatus.LOST)
        assert bench.servo.parts[1].orders.decide(Lead(on=True)) is Reason.NO_DEVICE
        bench.ticks(5)
        assert bench.states == ["ENGAGED", "OFF", "OFF"]
        assert bench.servo.parts[0].orders.decide(Lead(on=False)) is Reason.ACCEPTED
        bench.ticks(5)
        assert bench.states[0] == "HOLD"
        assert not bench.hands["left"].force_enabled


SLEDGE = """robot {name} {{ base {{ pos {{ {x} 0 0 }} }}
  link 1 {{ parameters {{ theta 0  r 0  alpha 90  d 0  gamma 90 }} type prismatic pred 0 limits {{ -900 900 }}
    speed 2000 acceleration 20000 collision {{ sphere 50 }} }}
  frame 2 {{ pred 1 }}  constraint {{ frame 2 device ( 0 {number} ) }} }}
"""
RAIL = "RAFF v2.0 Rail\n" + "".join(
    f'device {n} {{ name "{m}" scale {{ 1 1 1 }} }}\n' for n, m in ((1, "left"), (2, "right"))
)
RAIL += SLEDGE.format(name="one", x=-150, number=1) + SLEDGE.format(name="two", x=150, number=2)


def test_robots_that_are_led_into_each_other_stop_and_both_hands_feel_it(tmp_path: Path) -> None:
    with hands_on(RAIL, tmp_path, "left", "right") as bench:
        left, right = bench.servo.parts
        bench.press("left", "right")
        nearest, felt = 1.0, np.zeros(2)
        for _ in range(800):
            bench.hands["left"].place[1] += 0.0002  # the hand's y is the world's x
            bench.hands["right"].place[1] -= 0.0002
            bench.ticks()
            between = right.shared.predicted_pose[0, 3] - left.shared.predicted_pose[0, 3] - 0.1
            nearest = min(nearest, float(between))
            felt = np.maximum(felt, [np.abs(hand.felt[:3]).max() for hand in bench.hands.values()])
        assert 0.0 < nearest < 0.03
        assert abs(left.shared.obstacle_distance - right.shared.obstacle_distance) < 1e-4
        assert felt.min() > 1.0  # [N]


@pytest.mark.parametrize("behind", [("arm",), ("gantry", "arm")])
def test_a_measured_arm_stands_where_its_carrier_is(tmp_path: Path, behind: tuple[str, ...]) -> None:
    """The measured and the commanded tool go along with the gantry, by its arm if it has one, else as predicted."""
    clock, scene = VirtualClock(1.0), station.load(robots.path("arm_on_gantry"))
    hands = {"1": IdealDevice(clock), "2": IdealDevice(clock)}
    world = World(scene, robots=("gantry", "arm"))
    with ExitStack() as stack:
        controllers = {
            name: stack.enter_context(linked("serial:", arm, clock, loss=0.0, jitter=0.0))[0]
            for name, arm in world.arms.items()
            if name in behind
        }
        rigs = put_all_together(scene, hands, Wanted(), controllers)
        bench = Hands(stack.enter_context(Servo(rigs, clock=clock, folder=tmp_path)), hands)
        parts = {part.rig.alone.robot.name: part for part in bench.servo.parts}
        arm, gantry = parts["arm"], parts["gantry"]
        bench.ticks(300)
        bench.press("1", "2")
        bench.ticks(300)
        assert bench.states == ["ENGAGED", "ENGAGED"]
        base = scene["arm"].pose(0)
        at = arm.shared.measured_pose.copy()
        bench.move("2", (0.05, 0.03, 0.0), 1.0)
        bench.move("1", (0.05, 0.03, 0.0), 1.0)
        bench.ticks(300)
        whole = arm.rig.robot
        moved = whole.pose(arm.rig.scene.system("arm").frame_id("arm", 0))
        assert np.linalg.norm(moved[:3, 3] - base[:3, 3]) > 0.02
        assert np.linalg.norm(arm.shared.measured_pose - at) > 0.02
        for shown in (arm.shared.measured_pose, arm.shared.commanded_pose):
            np.testing.assert_allclose(shown, arm.shared.predicted_pose, atol=4e-3)
        assert arm.arm is not None
        np.testing.assert_allclose(arm.arm.measured.pose(0), moved, atol=4e-3)
        if gantry.arm is not None:
            np.testing.assert_allclose(gantry.shared.measured_pose, gantry.shared.predicted_pose, atol=4e-3)
