"""Levels of targets and wishes: what comes later never changes what came before, and makes itself better."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from station.mechanism import Along, Mechanism, Preference, Status
from tests.mechanism.mechanisms import Array, same_state, shipped

READY = [0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4]
HAND = 9


class Case(NamedTuple):
    robot: str
    first: int
    second: int
    dt: float  # [s]
    speed: float  # of the twists [lengths of the arm per s, rad/s]


BOTH = [Case("redundant", 7, 4, 5e-3, 3.0), Case("panda", HAND, 4, 2e-3, 0.05)]
CASES = pytest.mark.parametrize("case", BOTH, ids=[case.robot for case in BOTH])


def weighed(arm: Mechanism, frame: int) -> Array:
    """Jacobian with rotations in metres."""
    jacobian = arm.jacobian(frame)
    jacobian[3:] *= arm.memory.length
    return jacobian


def random_twist(arm: Mechanism, rng: np.random.Generator) -> Array:
    return np.concatenate([arm.memory.length * rng.normal(size=3), rng.normal(size=3)])


def missing(arm: Mechanism, twist: Array, dt: float, move: Array) -> float:
    """How much of a twist a motion leaves undone [m]."""
    wanted = twist * dt
    wanted[3:] *= arm.memory.length
    return float(np.linalg.norm(wanted - move))


@CASES
def test_a_second_task_changes_nothing_for_the_first_and_helps_itself(case: Case) -> None:
    arm, rng = shipped(case.robot), np.random.default_rng(15)
    twin = Mechanism(arm.robot)
    if case.robot == "panda":
        arm.q = READY
    saturated = better = 0
    for k in range(2000):
        if k % 100 == 0:
            first, second = (case.speed * random_twist(arm, rng) for _ in range(2))
        same_state(arm, twin)
        rows_first, rows_second, before = weighed(arm, case.first), weighed(arm, case.second), arm.q
        alone = twin.step({case.first: first}, case.dt)
        both = arm.step({case.first: first}, case.dt, then=[{case.second: second}])
        change = rows_first @ (both.q - alone.q)
        assert np.abs(change).max() <= 1e-9
        worse = missing(arm, second, case.dt, rows_second @ (alone.q - before))
        left = missing(arm, second, case.dt, rows_second @ (both.q - before))
        assert left <= 1.001 * worse + 1e-9  # a little is given for a calm step
        saturated += bool((both.multipliers != 0.0).any())
        better += left < 0.99 * worse
    assert saturated > 200
    assert better > 500


@CASES
def test_a_pose_is_kept_while_a_second_target_is_followed(case: Case) -> None:
    """The error of the first target stays what the bending of a step leaves, and does not add up."""
    arm = shipped(case.robot)
    if case.robot == "panda":
        arm.q = READY
    rng, pose, start = np.random.default_rng(16), arm.pose(case.first), arm.q
    for k in range(1000):
        if k % 100 == 0:
            second = 0.3 * random_twist(arm, rng)
        step = arm.step({case.first: pose}, 1e-3, then=[{case.second: second}])
        assert step.tracking_error.metres <= 2e-5 * arm.memory.length
        assert step.tracking_error.radians <= 2e-5
    assert np.abs(arm.q - start).max() > 0.05


def test_levels_in_a_robot_with_a_loop() -> None:
    """What is decided is compared, before the loop bends it back onto itself."""
    arm, rng = shipped("planar-hybrid"), np.random.default_rng(21)
    twin = Mechanism(arm.robot)
    for k in range(500):
        if k % 25 == 0:
            first, second = (random_twist(arm, rng) for _ in range(2))
        same_state(arm, twin)
        rows = weighed(arm, 9)
        twin.step({9: Along(first, "x y")}, 2e-3)
        both = arm.step({9: Along(first, "x y")}, 2e-3, then=[{3: second}])
        assert np.abs(rows[:2] @ (arm.memory.motion - twin.memory.motion)).max() <= 1e-9
        assert both.status is not Status.CLOSURE_LOST


def test_a_third_level_changes_nothing_for_the_first_two() -> None:
    arm, rng = shipped("redundant"), np.random.default_rng(17)
    twin = Mechanism(arm.robot)
    for k in range(500):
        if k % 25 == 0:
            twists = [0.5 * random_twist(arm, rng) for _ in range(3)]
        same_state(arm, twin)
        first, second = weighed(arm, 7), weighed(arm, 4)
        two = twin.step({7: twists[0]}, 5e-3, then=[{4: twists[1]}])
        three = arm.step({7: twists[0]}, 5e-3, then=[{4: twists[1]}, {3: twists[2]}])
        assert np.abs(first @ (three.q - two.q)).max() <= 1e-9
        assert np.abs(second @ (three.q - two.q)).max() <= 1e-9


def test_the_order_within_a_level_does_not_matter() -> None:
    """Two targets that contradict each other are weighed, whichever is named first."""
    one, other = shipped("panda"), shipped("panda")
    one.q = other.q = READY
    up, down = one.pose(HAND), one.pose(HAND)
    up[2, 3], down[2, 3] = up[2, 3] + 0.05, down[2, 3] - 0.05
    for _ in range(2000):
        one.step({HAND: up, 8: down}, 1e-3)
        other.step({8: down, HAND: up}, 1e-3)
    np.testing.assert_allclose(one.q, other.q, atol=1e-9)


def posture_gap(arm: Mechanism) -> float:
    return abs(float(arm.q[2]) - 0.6)


def off_centre(arm: Mechanism) -> float:
    middle = np.array([0.5 * sum(joint.limits) for joint in arm.joints if joint.limits is not None])
    return float(np.linalg.norm(arm.q - middle))


def clumsiness(arm: Mechanism) -> float:
    return -float(np.log(np.linalg.svd(arm.jacobian(HAND), compute_uv=False)).sum())


class Wish(NamedTuple):
    prefer: Preference
    away: object  # how far it is from coming true: a function of the arm


WISHES = {
    "posture": Wish(Preference(posture={3: 0.6}), posture_gap),
    "centre": Wish(Preference(centre_rate=2.0), off_centre),
    "dexterity": Wish(Preference(dexterity="hand", dexterity_rate=2.0), clumsiness),
}


@pytest.mark.parametrize("name", WISHES)
def test_a_wish_is_followed_and_changes_nothing_for_the_task(name: str) -> None:
    prefer, away = WISHES[name]
    assert callable(away)
    arm, rng = shipped("panda"), np.random.default_rng(18)
    twin = Mechanism(arm.robot)
    arm.q = [0.3, -0.6, -0.5, -2.2, 0.4, 1.4, 0.8]
    pose, start = arm.pose(HAND), away(arm)
    for _ in range(1500):
        same_state(arm, twin)
        rows = weighed(arm, HAND)
        alone = twin.step({HAND: pose}, 1e-3)
        wished = arm.step({HAND: pose}, 1e-3, prefer=prefer)
        assert np.abs(rows @ (wished.q - alone.q)).max() <= 1e-9
        assert wished.tracking_error.metres <= 1e-5
        assert wished.status in (Status.OK, Status.LIMITED)
    assert away(arm) < start - 0.02
    for k in range(500):  # and on the way to somewhere, saturated
        if k % 50 == 0:
            twist = 3.0 * random_twist(arm, rng)
        same_state(arm, twin)
        rows = weighed(arm, HAND)
        alone, wished = twin.step({HAND: twist}, 1e-3), arm.step({HAND: twist}, 1e-3, prefer=prefer)
        assert np.abs(rows @ (wished.q - alone.q)).max() <= 1e-9


@pytest.mark.parametrize("rate", [0.5, 2.0])
def test_a_posture_is_approached_at_its_rate_where_nothing_else_is_wanted(rate: float) -> None:
    arm = shipped("panda")
    wish: dict[int | str, float] = {joint.id: value for joint, value in zip(arm.joints, READY, strict=True)}
    arm.q = np.array(READY) + 0.1
    for _ in range(1500):
        arm.step({}, 1e-3, prefer=Preference(posture=wish, posture_rate=rate))
    np.testing.assert_allclose(arm.q - READY, 0.1 * np.exp(-1.5 * rate), rtol=0.1)


def test_a_wish_for_what_is_not_there_is_refused() -> None:
    arm = shipped("panda")
    with pytest.raises(ValueError, match="no joint 99"):
        arm.step({}, 1e-3, prefer=Preference(posture={99: 0.0}))
    with pytest.raises(ValueError, match="no frame 'foot'"):
        arm.step({}, 1e-3, prefer=Preference(dexterity="foot"))
