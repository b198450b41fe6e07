"""Over-constrained loops whose parts do not quite fit: closed as well as they go, held so, and said."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import robots
import station
from station.mad.scene import Robot
from station.mechanism import AssemblyError, Mechanism, Status
from station.mechanism.assembly import squared_gap
from station.mechanism.closures import CHAIN, MOST_SKEW
from station.tasks.task.joints import whole_path
from tests.mechanism.mechanisms import moved
from tests.mechanism.test_assembly import four_bar

SKEWS = (0.01, 0.1, 0.12, 0.3, 1.0)  # [degrees]


def text_of(kind: str, lengths: tuple[int, int, int] = (300, 480, 350)) -> Robot:
    return station.loads(f"RAFF v2.0 Made\n{four_bar(kind, 0.0, lengths)}").robots[0]


# A four-bar by three kinds of closure, a parallelogram, and shipped robots: which joint's axis is bent.
CASES: dict[str, tuple[Callable[[], Robot], int]] = {
    "ball": (lambda: text_of("ball"), 0),
    "hinge": (lambda: text_of("revolute"), 1),
    "parallelogram": (lambda: text_of("revolute", (300, 500, 300)), 2),
    "3-rpr": (lambda: station.load(robots.path("3-rpr")).robots[0], 1),
    "five-bar": (lambda: station.load(robots.path("five-bar")).robots[0], 0),
    "hitachi-hpr": (lambda: station.load(robots.path("hitachi-hpr")).robots[0], 1),
    "bennett": (lambda: station.load(robots.path("bennett")).robots[0], 1),
    "planar-hybrid": (lambda: station.load(robots.path("planar-hybrid")).robots[0], 2),
}
ALL = pytest.mark.parametrize("name", CASES)


def true(name: str) -> Mechanism:
    return Mechanism(CASES[name][0]())


def bent_robot(name: str, degrees: float) -> Robot:
    """With the axis of one joint out of true."""
    made, number = CASES[name]
    robot = made()
    link = robot.links[number]
    parameters = link.parameters._replace(alpha=link.parameters.alpha + math.radians(degrees))
    links = [*robot.links]
    links[number] = dataclasses.replace(link, parameters=parameters)
    return dataclasses.replace(robot, links=tuple(links))


def bent(name: str, degrees: float) -> Mechanism:
    return Mechanism(bent_robot(name, degrees))


def truncated_gradient(arm: Mechanism) -> float:
    """How far the sum of squares of what stays open is from least, by the strong singular directions alone [m]."""
    mem = arm.memory
    squared_gap(mem, mem.q, True)
    left = np.linalg.svd(mem.matrix[:, : len(mem.q)])[0][:, : mem.closure_rank]
    return float(np.abs(left.T @ mem.residual).max())


@ALL
@pytest.mark.parametrize("degrees", SKEWS)
def test_it_assembles_near_the_true_one_and_says_how_far_it_stays_open(name: str, degrees: float) -> None:
    arm, model = bent(name, degrees), true(name)
    assert arm.mobility == model.mobility
    assert arm.report.strained
    assert not model.report.strained
    np.testing.assert_allclose(arm.q, model.q, atol=0.02 * degrees)
    gap = arm.closure_error
    assert gap.radians <= math.radians(1.1 * degrees)
    assert gap.metres + gap.radians > 1e-6
    # By how much, and by which constraint, is said; of the true one nothing is.
    worst = arm.report.open_loops[0]
    assert (worst.metres, worst.radians) == pytest.approx(gap, rel=0.2)
    assert f"{1000 * worst.metres:.3g} mm" in arm.report.note or worst.metres < 1e-9
    assert model.report.note == ""
    assert model.report.open_loops == ()


@ALL
@pytest.mark.parametrize("degrees", SKEWS)
def test_what_stays_open_is_least(name: str, degrees: float) -> None:
    """Weak directions, which the bending alone makes, do not count: they would lead far away for a little gain."""
    arm = bent(name, degrees)
    gap = math.sqrt(squared_gap(arm.memory, arm.memory.q, False))
    assert truncated_gradient(arm) <= 1e-5 * gap


@ALL
def test_beyond_a_degree_it_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        bent(name, 4.0)
    line = str(caught.value)
    assert "\n" not in line
    assert "cannot be assembled" in line
    assert caught.value.turn > MOST_SKEW or caught.value.gap > MOST_SKEW * CHAIN * true(name).memory.length


@pytest.mark.parametrize("name", [name for name in CASES if name != "bennett"])
def test_two_degrees_of_a_planar_loop_are_refused(name: str) -> None:
    with pytest.raises(AssemblyError):
        bent(name, 2.0)


def test_a_loop_that_is_too_short_is_no_loop_that_is_bent() -> None:
    """3 mm are missing, less than a bent one may leave; but nothing repeats what stays open."""
    rows = four_bar("ball", 0.0, (100, 297, 100))
    with pytest.raises(AssemblyError, match="stay 3 mm"):
        Mechanism(station.loads(f"RAFF v2.0 Made\n{rows}").robots[0])


def followed(arm: Mechanism) -> int | None:
    return next((c.targets[0].id for c in arm.robot.constraints if not c.closes_loop), None)


class Drive:
    """A true and a bent robot led alike: by the followed frame, or by the first joint where there is none."""

    def __init__(self, name: str, degrees: float) -> None:
        self.model, self.arm = true(name), bent(name, degrees)
        self.frame = followed(self.model) if len(self.model.joints) > 4 or name == "five-bar" else None
        self.first = float(self.model.q[0])
        if self.frame is not None:
            self.starts = [arm.pose(self.frame) for arm in (self.model, self.arm)]

    def step(self, way: float) -> list[Status]:
        if self.frame is None:
            goal = self.first + 0.6 * math.sin(way)
            link = self.model.joints[0].id
            return [arm.step({}, 1e-3, joints={link: goal}).status for arm in (self.model, self.arm)]
        reach = 0.25 * self.model.memory.length
        along = (reach * math.sin(way), 0.5 * reach * (math.cos(way) - 1.0), 0.0)
        pairs = zip((self.model, self.arm), self.starts, strict=True)
        return [arm.step({self.frame: moved(start, along)}, 1e-3).status for arm, start in pairs]

    def travel(self) -> NDArray[np.float64]:
        """How differently the two have moved: of the frame [m], else of the joints [rad]."""
        if self.frame is None:
            return np.abs(self.model.q - self.arm.q)
        far = [
            arm.pose(self.frame)[:3, 3] - start[:3, 3]
            for arm, start in zip((self.model, self.arm), self.starts, strict=True)
        ]
        return np.abs(far[0] - far[1])


@ALL
@pytest.mark.parametrize("degrees", [0.1, 1.0])
def test_it_moves_as_the_true_one(name: str, degrees: float) -> None:
    drive = Drive(name, degrees)
    bound = 0.03 * degrees * (1.0 if drive.frame is None else drive.model.memory.length)
    for k in range(1500):
        statuses = drive.step(0.004 * k)
        assert Status.CLOSURE_LOST not in statuses
        assert statuses[1] is statuses[0] or Status.NEAR_SINGULAR not in statuses
        assert drive.travel().max() <= bound


@ALL
def test_there_and_back_ends_where_it_began(name: str) -> None:
    """No drift: what the loops are held at depends on where the robot is, not on how it came there."""
    if name == "planar-hybrid":
        pytest.skip("a robot with a freedom to spare need not come back, bent or not")
    drive = Drive(name, 0.5)
    for _ in range(50):
        drive.step(0.0)
    begin = drive.model.q, drive.arm.q
    for k in range(1, 2000):
        drive.step(2.0 * math.pi * k / 1999)
    for _ in range(300):
        drive.step(0.0)
    # Where a robot cannot have all that is asked for, the true one is still on its last millimetres, too.
    still = np.abs(drive.model.q - begin[0]).max()
    assert np.abs(drive.arm.q - begin[1]).max() <= 1.2 * still + 2e-5


@ALL
def test_at_rest_it_is_at_rest(name: str) -> None:
    """No jitter: held where it is, no joint moves."""
    drive = Drive(name, 1.0)
    for k in range(300):
        drive.step(0.004 * k)
    for _ in range(1500):
        drive.step(1.2)
    before = drive.arm.q
    for _ in range(100):
        drive.step(1.2)
        assert np.abs(drive.arm.velocity).max() <= 1e-4
    np.testing.assert_allclose(drive.arm.q, before, atol=1e-5)


def test_a_loop_that_really_opens_is_lost() -> None:
    """Somebody bends it further while it moves: the gap grows beyond what counts as held."""
    arm = bent("hinge", 0.9)
    arm.memory.before[0] = bent_frame(arm.memory.before[0], 3.0)
    arm.memory.followed = 0
    before = arm.q
    step = arm.step({}, 1e-3, joints={1: float(before[0]) + 0.01})
    assert step.status is Status.CLOSURE_LOST
    np.testing.assert_array_equal(arm.q, before)


def bent_frame(pose: NDArray[np.float64], degrees: float) -> NDArray[np.float64]:
    turn = math.radians(degrees)
    about_x = np.array([[1, 0, 0], [0, math.cos(turn), -math.sin(turn)], [0, math.sin(turn), math.cos(turn)]])
    return np.hstack([pose[:, :3] @ about_x, pose[:, 3:]])


@ALL
def test_it_can_be_put_where_it_was(name: str) -> None:
    arm = bent(name, 0.5)
    there = arm.q
    arm.q = there + 0.01 * np.resize([1.0, -1.0], there.shape) * arm.memory.length
    arm.q = there
    np.testing.assert_allclose(arm.q, there, atol=1e-6)


def test_a_bent_loop_with_wrong_joint_values_assembles_too() -> None:
    robot = bent_robot("hinge", 0.5)
    links = [
        dataclasses.replace(link, parameters=link.parameters._replace(theta=link.parameters.theta + off))
        for link, off in zip(robot.links, (0.3, -0.4, 0.5), strict=True)
    ]
    arm = Mechanism(dataclasses.replace(robot, links=tuple(links)))
    assert arm.mobility == 1
    assert arm.closure_error.radians == pytest.approx(math.radians(0.5), rel=1e-3)


def test_paths_of_tasks_close_as_well_as_the_parts_allow() -> None:
    arm = bent("hitachi-hpr", 0.5)
    driven = [number for number, joint in enumerate(arm.joints) if joint.active]
    ways = 0.1 * np.sin(np.linspace(0.0, 3.0, 50))
    path = arm.q[driven] + ways[:, np.newaxis] * np.array([0.0, 1.0, 0.0, 0.0, 0.0])
    whole = whole_path(arm, path)
    assert whole.gaps.max() == 0.0
    for q in whole.q[::7]:
        before = arm.q
        arm.q = q
        np.testing.assert_allclose(arm.q, q, atol=1e-4)
        arm.q = before
