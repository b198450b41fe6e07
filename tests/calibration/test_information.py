"""Which pose next: those that tell most beat those that come by chance."""

from __future__ import annotations

import numpy as np
import pytest

import robots
import station
from calibration import DataError
from calibration.geometry.candidates import candidate_joints, columns_of
from calibration.geometry.model import tool_poses
from calibration.information import Information
from station.collision import Surroundings
from tests.calibration.planted import MACDAC, UR5E, Case, nominal_model

CASES = pytest.mark.parametrize("case", [MACDAC, UR5E], ids=lambda case: case.name)


def worst_deviation(information: Information, poses: list[int]) -> float:
    """Largest standard deviation of any parameter, in typical errors."""
    return float(np.sqrt(np.diag(np.linalg.inv(information.matrix(poses))).max()))


@CASES
def test_chosen_poses_tell_more_than_any_of_fifty_random_sets(case: Case) -> None:
    information = Information(nominal_model(case, case.joints(200)))
    chosen, random = information.chosen(20).tolist(), np.random.default_rng(1)
    others = [random.choice(200, 20, replace=False).tolist() for _ in range(50)]
    assert len(set(chosen)) == 20
    sizes = [information.size(one) for one in others]
    assert information.size(chosen) > max(sizes)
    assert information.size(chosen) > np.median(sizes) + 2.0 * np.log(5.0)  # an ellipsoid five times as small
    assert worst_deviation(information, chosen) < np.median([worst_deviation(information, one) for one in others])


def test_the_gain_is_what_the_determinant_grows_by() -> None:
    information = Information(nominal_model(UR5E, UR5E.joints(30)))
    done = [3, 7, 11]
    gains = information.gains(done)
    for pose in (0, 5, 29):
        assert gains[pose] == pytest.approx(information.size([*done, pose]) - information.size(done), abs=1e-8)
    assert information.best(done) == int(np.argmax(np.where(np.isin(np.arange(30), done), -np.inf, gains)))


def test_what_was_measured_or_left_out_is_not_chosen_again() -> None:
    information = Information(nominal_model(UR5E, UR5E.joints(6)))
    assert information.best([0, 1, 2], [3, 4]) == 5
    assert information.best([0, 1, 2], [3, 4, 5]) is None


def test_candidates_are_within_stops_and_touch_nothing() -> None:
    scene = station.loads(
        station.dumps(station.load(robots.path("ur5e")))
        + "obstacle floor { plane pos { 0 0 -50 } }\nobstacle pillar { box { 200 200 2000 } pos { 500 0 500 } }\n"
    )
    arm = scene["ur5e"]
    start, around = arm.q, Surroundings(scene, arm)
    joints = candidate_joints(arm, around, 40, 1.2, seed=2)
    assert joints.shape == (40, 6)
    assert np.abs(joints - start).max() <= 1.2 + 1e-9
    assert arm.q == pytest.approx(start)
    assert all(around.distances(row)[0].distance >= 0.01 for row in joints)
    assert np.array_equal(joints, candidate_joints(arm, around, 40, 1.2, seed=2))
    free = candidate_joints(arm, None, 40, 1.2, seed=2)
    assert any(around.distances(row)[0].distance < 0.0 for row in free)


def test_loops_are_closed_at_candidates() -> None:
    arm = station.load(robots.path("stewart"))["stewart"]
    encoders = tuple(joint.id for joint in arm.joints if joint.active)
    joints = candidate_joints(arm, None, 10)
    poses = tool_poses(arm.robot, arm.robot.frames[-1].id, encoders, joints)  # raises if a loop stays open
    assert np.isfinite(poses).all()
    assert np.ptp(poses[:, :3, 3], axis=0).min() > 0.01


def test_joints_that_were_not_taken_down_are_named() -> None:
    assert columns_of([1, 2, 6, 11], (1, 6, 11)) == [0, 2, 3]
    with pytest.raises(DataError, match="joint 5 was not taken down; there are: 1, 2, 6, 11"):
        columns_of([1, 2, 6, 11], (1, 5))
