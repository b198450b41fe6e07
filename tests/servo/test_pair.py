"""Two hands, two arms, one bar: forces between the arms, what each hand feels, and what happens when one is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import robots
import station
from sim_devices.arm import World
from station.bilateral import BilateralMethod
from station.controllers.controller import Floats
from station.controllers.shaping import Stopped
from station.controllers.supervisor import Event
from station.devices.device import DeviceStatus
from station.haptics import Cause
from station.servo.rig import Wanted
from tests.servo.test_parts import Hands, two_arms

SPEED = 0.05  # of hands, at most [m/s]
MOST_BETWEEN = 5.0  # force between the arms along any axis, while both hands move slowly [N]
MOST_BY_FRICTION = 8.5  # the same when a joint is dragged through its dry friction: 3 N·m at 0.49 m, and noise [N]
MOST_OILED = 2.0  # and without any friction [N]
MOST_TOLD_APART = 5e-5  # by which what the arms are told may open the loop [m]
LEAST_ENERGY = -1e-3  # of a hand's ledger [J]
WAYS = ((0.0, 0.0, 0.06), (0.06, 0.0, 0.0), (0.0, 0.06, 0.0), (0.0, 0.0, -0.06), (-0.06, 0.0, 0.0), (0.0, -0.06, 0.0))


def led(bench: Hands, names: str, by: tuple[float, float, float], speed: float = SPEED) -> Iterator[None]:
    """Move hands as people do, from rest to rest, at most so fast [m/s]; yields after every tick."""
    starts, way = {name: bench.hands[name].place.copy() for name in names}, np.array(by)
    seconds = 1.875 * float(np.linalg.norm(way)) / speed
    count = round(1000 * seconds)
    for s in np.arange(1, count + 1) / count:
        for name in names:
            bench.hands[name].place = starts[name] + way * (10 * s**3 - 15 * s**4 + 6 * s**5)
            bench.hands[name].velocity = way * (30 * s**2 - 60 * s**3 + 30 * s**4) / seconds
        bench.ticks()
        yield


def jerked(bench: Hands, names: str, by: tuple[float, float, float], speed: float) -> Iterator[None]:
    """Move hands at full speed at once, and stop them at once; yields after every tick, until all is at rest."""
    way = np.array(by)
    count = round(1000 * float(np.linalg.norm(way)) / speed)
    for nth in range(count + 200):
        for name in names:
            hand = bench.hands[name]
            hand.place = hand.place + (way / count if nth < count else 0.0)
            hand.velocity = 1000.0 * way / count if nth < count else np.zeros(3)
        bench.ticks()
        yield


class Between:
    """What is between two arms, at most: the force [N], and how far what they are told opens the loop [m]."""

    def __init__(self, bench: Hands, world: World) -> None:
        self._bench, (self._tie,) = bench, world.ties
        scene = station.load(robots.path("two_arms_bar"))
        self._left, self._right = scene["left"], scene["right"]
        self.force, self.told, self._looks = 0.0, 0.0, 0

    def look(self) -> None:
        self.force = max(self.force, float(np.abs(self._tie.wrench[:3]).max()))
        self._looks += 1
        if self._looks % 4:
            return
        left, right = (part.arm for part in self._bench.servo.parts)
        assert left is not None
        assert right is not None
        self._left.q, self._right.q = left.memory.setpoint.q.copy(), right.memory.setpoint.q.copy()
        apart = self._left.pose("bar end")[:3, 3] - self._right.pose("flange")[:3, 3]
        self.told = max(self.told, float(np.abs(apart).max()))


def engaged(bench: Hands) -> None:
    bench.ticks(500)
    bench.press("1", "2")
    bench.ticks(400)
    assert bench.states == ["ENGAGED", "ENGAGED"]


def causes(bench: Hands) -> list[Event]:
    return [Event(part.shared.cause) for part in bench.servo.parts]


def worst_setpoints(bench: Hands, world: World) -> Floats:
    """Largest speed, acceleration and jerk that the arms' own logs have, over what they are kept within."""
    worst, period = np.zeros(3), bench.servo.period
    for part, arm in zip(bench.servo.parts, world.arms.values(), strict=True):
        assert part.arm is not None
        _, _, *limits = np.array([limit[:5] for limit in part.arm.shaper.limits]).T
        for joint, limit in zip(arm.capabilities.joints, np.transpose(limits), strict=True):
            assert joint.speed is not None
            assert joint.acceleration is not None
            assert (limit[:2] <= [joint.speed, joint.acceleration]).all()
        told = arm.log.setpoints
        assert len(told) > 500
        breaks = np.flatnonzero((np.diff(told["sequence"]) != 1) | (np.diff(told["activation"]) != 0)) + 1
        for run in np.split(told["q"], breaks):
            for order, limit in enumerate(limits, 1):
                if len(run) > order:
                    changes = np.abs(np.diff(run, order, axis=0)) / period**order
                    worst[order - 1] = max(worst[order - 1], float((changes / limit).max()))
    return worst


# Between the arms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_the_force_between_arms_stays_small_while_both_hands_move_the_bar(tmp_path: Path, delay: float) -> None:
    with two_arms(tmp_path, "tcp", delay) as (bench, world):
        engaged(bench)
        (tie,) = world.ties
        at = world.arms["right"].body.tool_pose
        worst = 0.0
        for way in WAYS:
            for _ in led(bench, "12", way):
                worst = max(worst, float(np.abs(tie.wrench[:3]).max()))
        bench.ticks(500)
        assert bench.states == ["ENGAGED", "ENGAGED"]
        assert 0.5 < worst < MOST_BETWEEN  # dry friction of the joints is never nothing
        assert tie.gap < 1e-6
        assert np.abs(world.arms["right"].body.tool_pose[:3, 3] - at[:3, 3]).max() < 1e-3  # there and back
        assert (worst_setpoints(bench, world) < [1.0, 1.0, 1.01]).all()


@pytest.mark.parametrize(
    ("delay", "dry", "most"), [(0.0, True, MOST_BY_FRICTION), (0.05, True, MOST_BY_FRICTION), (0.05, False, MOST_OILED)]
)
def test_one_hand_moves_the_bar_while_the_other_holds(tmp_path: Path, delay: float, dry: bool, most: float) -> None:
    with two_arms(tmp_path, "tcp", delay, dry=dry) as (bench, world):
        engaged(bench)
        between = Between(bench, world)
        for name, way in (("1", WAYS[2]), ("2", WAYS[5]), ("1", WAYS[0]), ("2", WAYS[4])):
            for _ in led(bench, name, way):
                between.look()
        assert bench.states == ["ENGAGED", "ENGAGED"]
        assert between.force < most
        assert between.told < MOST_TOLD_APART
        assert (worst_setpoints(bench, world) < [1.0, 1.0, 1.01]).all()
        assert min(part.shared.energy_lowest for part in bench.servo.parts) >= LEAST_ENERGY


@pytest.mark.parametrize(
    ("delay", "names", "dry", "most"),
    [(0.0, "12", True, MOST_BY_FRICTION), (0.05, "1", True, MOST_BY_FRICTION), (0.05, "2", False, MOST_OILED)],
)
def test_hands_that_start_and_stop_at_once_do_not_make_the_arms_pull_at_each_other(
    tmp_path: Path, delay: float, names: str, dry: bool, most: float
) -> None:
    with two_arms(tmp_path, "tcp", delay, dry=dry) as (bench, world):
        engaged(bench)
        between = Between(bench, world)
        for speed in (SPEED, 2.0 * SPEED):
            for x, y, z in WAYS:
                for _ in jerked(bench, names, (0.5 * x, 0.5 * y, 0.5 * z), speed):
                    between.look()
        assert bench.states == ["ENGAGED", "ENGAGED"]
        assert between.force < most
        assert between.told < MOST_TOLD_APART
        assert (worst_setpoints(bench, world) <= [1.0, 1.0 + 1e-6, 1.01]).all()
        assert min(part.shared.energy_lowest for part in bench.servo.parts) >= LEAST_ENERGY


@pytest.mark.parametrize("names", ["12", "1"])
def test_arms_that_are_held_in_motion_stop_together(tmp_path: Path, names: str) -> None:
    with two_arms(tmp_path, "tcp") as (bench, world):
        engaged(bench)
        between = Between(bench, world)
        for nth, _ in enumerate(led(bench, names, (0.0, 0.06, 0.0), 2.0 * SPEED)):
            if nth == 500:
                bench.hands["1"].buttons = bench.hands["2"].buttons = 0
            between.look()
        assert bench.states == ["HOLD", "HOLD"]
        assert between.told < MOST_TOLD_APART
        assert (worst_setpoints(bench, world) < [1.0, 1.0, 1.01]).all()


# What each hand feels -------------------------------------------------------------------------------------------------


def block_under(side: str) -> str:
    """A block 10 mm under the bar, 80 mm from a flange."""
    pose = station.load(robots.path("two_arms_bar"))[side].pose("flange")
    x, y, z = 1000.0 * pose[:3, 3] - [0.0, 80.0 if side == "left" else -80.0, 12.0 + 10.0 + 50.0]
    return f"obstacle block {{ box {{ 200 60 100 }} pos {{ {x} {y} {z} }} }}"


@pytest.mark.parametrize("side", ["left", "right"])
def test_each_hand_feels_the_contact_at_its_own_end(tmp_path: Path, side: str) -> None:
    wanted = Wanted(bilateral=BilateralMethod.DIRECT)
    with two_arms(tmp_path, "tcp", around=block_under(side), wanted=wanted) as (bench, _):
        engaged(bench)
        near, far = sorted(bench.servo.parts, key=lambda part: part.rig.alone.robot.name != side)
        for _ in led(bench, "12", (0.0, 0.0, -0.011), 0.02):
            pass
        bench.ticks(300)
        measured = [float(part.shared.measured_wrench[2]) for part in (near, far)]
        felt = [float(part.shared.wrench_parts[Cause.CONTACT, 2]) for part in (near, far)]
        assert measured[0] > 2.0 * measured[1] > 10.0  # the arms bear the block as a beam on two supports
        assert felt[0] > felt[1] + 5.0
        assert felt[1] == pytest.approx(measured[1], abs=1.5)
        for _ in led(bench, "12", (0.0, 0.0, 0.011), 0.02):
            pass
        bench.ticks(300)
        assert np.abs([hand.felt[2] for hand in bench.hands.values()]).max() < 2.0  # between the arms
        assert min(part.shared.energy_lowest for part in bench.servo.parts) >= LEAST_ENERGY


@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_no_hand_is_given_energy_by_a_contact_behind_the_link(tmp_path: Path, delay: float) -> None:
    with two_arms(tmp_path, "tcp", delay, block_under("left")) as (bench, _):
        engaged(bench)
        for _ in range(2):
            for _ in led(bench, "12", (0.0, 0.0, -0.012), 0.02):
                pass
            bench.ticks(300)
            assert all(hand.felt[2] > 2.0 for hand in bench.hands.values())
            for _ in led(bench, "12", (0.0, 0.0, 0.012), 0.02):
                pass
        assert bench.states == ["ENGAGED", "ENGAGED"]
        assert min(part.shared.energy_lowest for part in bench.servo.parts) >= LEAST_ENERGY


# What is lost ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "lost"),
    [
        ("silence", Event.ARM_LOST),
        ("freeze", Event.ARM_LOST),
        ("delay ms=200", Event.ARM_LOST),
        ("deaf", Event.ARM_LEFT),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_an_arm_that_is_lost_holds_both(tmp_path: Path, fault: str, lost: Event, side: int) -> None:
    with two_arms(tmp_path, "tcp") as (bench, world):
        engaged(bench)
        arm = list(world.arms.values())[side]
        (tie,) = world.ties
        worst = 0.0
        for nth, _ in enumerate(led(bench, "12", (0.0, 0.0, 0.06))):
            if nth == 1000:
                arm.faults.add(fault, world.lived)
            if nth > 1000:
                worst = max(worst, float(np.abs(tie.wrench[:3]).max()))
        bench.ticks(300)
        assert bench.states == ["HOLD", "HOLD"]
        assert causes(bench)[side] is lost
        assert causes(bench)[1 - side] is Event.PARTNER_LOST
        assert (worst_setpoints(bench, world) < [1.0, 1.0, 1.01]).all()
        assert worst < 50.0  # the other goes on until the loss is found: 50 ms
        assert not np.abs(bench.hands["1"].felt[:3]).max() > 0.5
        arm.faults.clear()
        bench.ticks(1500)
        bench.press("1", "2")
        bench.ticks(1000)
        assert bench.states == ["ENGAGED", "ENGAGED"]
        for _ in led(bench, "12", (0.0, 0.0, -0.03)):
            pass
        assert bench.states == ["ENGAGED", "ENGAGED"]


@pytest.mark.parametrize(("fault", "cause"), [("reflex", Event.ARM_STOPPED), ("brown-out", Event.ARM_FAULT)])
def test_an_arm_that_stops_hard_is_a_fault_and_the_other_does_not_lead_on(
    tmp_path: Path, fault: str, cause: Event
) -> None:
    with two_arms(tmp_path, "tcp") as (bench, world):
        engaged(bench)
        for nth, _ in enumerate(led(bench, "12", (0.0, 0.0, 0.06))):
            if nth == 1000:
                world.arms["left"].faults.add(fault, world.lived)
        bench.ticks(300)
        assert bench.states[0] == "FAULT"
        assert bench.states[1] in ("HOLD", "FAULT")  # what its partner does to it may stop the other arm, too
        assert causes(bench)[0] is cause
        assert (worst_setpoints(bench, world) < [1.0, 1.0, 1.01]).all()


def test_an_arm_that_the_station_stops_stops_the_other_and_holds_it(tmp_path: Path) -> None:
    with two_arms(tmp_path, "tcp") as (bench, world):
        engaged(bench)
        between = Between(bench, world)
        first, second = (part.arm for part in bench.servo.parts)
        assert first is not None
        assert second is not None
        for nth, _ in enumerate(led(bench, "12", (0.0, 0.0, 0.06))):
            if nth == 1000:
                first.shaper.state.stopped = Stopped.TUBE  # as for an arm that is not where it was sent
            between.look()
        assert bench.states == ["FAULT", "HOLD"]
        assert causes(bench) == [Event.FOLLOWING_ERROR, Event.PARTNER_LOST]
        assert between.told < MOST_TOLD_APART
        assert (worst_setpoints(bench, world) < [1.0, 1.0, 1.01]).all()


def test_a_hand_that_is_lost_holds_its_part_and_the_other_leads_on(tmp_path: Path) -> None:
    with two_arms(tmp_path, "tcp") as (bench, world):
        engaged(bench)
        at = {name: arm.body.tool_pose for name, arm in world.arms.items()}
        for nth, _ in enumerate(led(bench, "12", (0.0, 0.0, 0.04))):
            if nth == 700:
                bench.hands["1"].become(DeviceStatus.LOST)
        bench.ticks(300)
        assert bench.states == ["HOLD", "ENGAGED"]
        assert causes(bench)[0] is Event.DEVICE_LOST
        risen = {name: arm.body.tool_pose[2, 3] - at[name][2, 3] for name, arm in world.arms.items()}
        assert risen["right"] == pytest.approx(0.04, abs=2e-3)
        assert (worst_setpoints(bench, world) < [1.0, 1.0, 1.01]).all()
        bench.hands["1"].become(DeviceStatus.READY)
        bench.press("1")
        bench.ticks(300)
        assert bench.states == ["ENGAGED", "ENGAGED"]
