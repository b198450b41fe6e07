"""Assembly modes: those of the literature are found, they are closed, and the same in every run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.mechanism import Mechanism, MechanismError
from station.mechanism.assemblies import Assemblies, of_joints, of_pose
from tests.mechanism.mechanisms import shipped
from tests.mechanism.test_imperfect_loops import bent
from tests.robots.assembly import closure


def driven(arm: Mechanism) -> list[int]:
    return [number for number, joint in enumerate(arm.joints) if joint.active]


def led(arm: Mechanism) -> int:
    return next(c.targets[0].id for c in arm.robot.constraints if not c.closes_loop)


def found(arm: Mechanism) -> Assemblies:
    return of_joints(arm, driven(arm), [led(arm)])


def usual(result: Assemblies) -> int:
    return sum(not one.strange for one in result.found)


# Of the syntaxer 2 by its Delta, each with 8 of a plate on a ball that three strings hold.
@pytest.mark.parametrize(("name", "count"), [("3-rpr", 6), ("delta", 2), ("five-bar", 2), ("syntaxer", 16)])
def test_as_many_as_the_books_say(name: str, count: int) -> None:
    result = found(shipped(name))
    assert usual(result) == count
    assert result.enough
    assert result.loose == 0


def test_a_stewart_platform_has_no_more_than_forty() -> None:
    result = found(shipped("stewart"))
    assert 12 <= len(result.found) <= 40
    # Legs of the same lengths hold the platform above the base and, mirrored, below it.
    assert len(result.found) % 2 == 0


@pytest.mark.parametrize("name", ["3-rpr", "delta", "stewart", "hitachi-hpr"])
def test_each_is_closed_and_its_held_joints_have_not_moved(name: str) -> None:
    arm = shipped(name)
    before, numbers = arm.q, driven(arm)
    for one in found(arm).found:
        assert np.abs(closure(arm.robot, one.q)[0]).max() <= 1e-9
        np.testing.assert_array_equal(one.q[numbers], before[numbers])
        assert one.gap.metres <= 1e-9
    np.testing.assert_array_equal(arm.q, before)
    assert arm.closure_error.metres <= 1e-10


def test_the_six_are_those_of_the_file() -> None:
    """Its author found them in another way."""
    arm = shipped("3-rpr")
    postures = {posture.name: dict(posture.joints) for posture in arm.robot.postures}
    for one in found(arm).found:
        apart = [
            max(
                abs(math.remainder(values[joint.id] - q, 2.0 * math.pi))
                for joint, q in zip(arm.joints, one.q, strict=True)
            )
            for values in postures.values()
        ]
        assert min(apart) < 1e-5


def test_sides_of_a_singularity_are_those_of_the_file() -> None:
    """Modes 1, 2 and 6 are on one side, home, 3 and 4 on the other: the remark of the file."""
    sides = sorted(one.side for one in found(shipped("3-rpr")).found)
    assert sides == [-1, -1, -1, 1, 1, 1]


def test_the_same_in_every_run() -> None:
    first, second = found(shipped("stewart")), found(shipped("stewart"))
    assert first.starts == second.starts
    for one, other in zip(first.found, second.found, strict=True):
        np.testing.assert_array_equal(one.q, other.q)


def test_beyond_the_stops_is_said() -> None:
    here, other = found(shipped("five-bar")).found
    assert here.beyond == ()
    assert other.beyond == (2, 4)


@pytest.mark.parametrize(("name", "count"), [("ur5e", 8), ("3-rpr", 8), ("delta", 8)])
def test_for_the_pose_of_the_tool(name: str, count: int) -> None:
    """Two ways for each leg, or for each of shoulder, elbow and wrist."""
    arm = shipped(name)
    frame = led(arm)
    pose, result = arm.pose(frame), of_pose(arm, frame)
    assert len(result.found) == count
    for one in result.found:
        np.testing.assert_allclose(arm.pose_at(frame, one.q), pose, atol=1e-8)


def test_few_starts_are_said_to_be_few() -> None:
    arm = shipped("stewart")
    result = of_joints(arm, driven(arm), [led(arm)], starts=5)
    assert result.starts == 5
    assert not result.enough


def test_a_robot_without_loops_has_one() -> None:
    arm = shipped("ur5e")
    with pytest.raises(MechanismError, match="no loop"):
        of_joints(arm, driven(arm))


def test_of_a_bent_robot_as_many() -> None:
    assert usual(found(bent("3-rpr", 0.3))) == 6
