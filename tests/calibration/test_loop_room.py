"""A robot with loops is only led where they leave room for an arm that is not as its file says."""

from __future__ import annotations

import numpy as np
import pytest

import robots
import station
from calibration.geometry.candidates import candidate_joints
from calibration.loop_room import LoopRoom
from calibration.parameters import Floats
from station.controllers import scene_joints
from station.controllers.shaping import ShapingSettings, limits_of
from station.mechanism import Mechanism
from station.run.parking_way import Destination, PostureError, way
from station.tasks.task.joints import driven_joints, whole_path


def cross_delta() -> Mechanism:
    return station.load(robots.path("cross-delta-driven"))["cross-delta-driven"]


def path_to(arm: Mechanism, sliders: tuple[float, ...]) -> Floats:
    path, gaps = whole_path(arm, np.linspace(arm.q[driven_joints(arm)], sliders, 30))
    assert gaps.max() < 1e-7
    return path


def test_near_a_singularity_and_near_stops_there_is_no_room() -> None:
    arm = cross_delta()
    room = LoopRoom(arm)
    start = arm.q
    for sliders, trouble in (
        ((-1.6, -0.9, -1.1), ""),
        (
            (-1.46, -1.13, -1.28),
            "the robot would come near a singularity of its loops",
        ),  # bars lie nearly in the plane of the rails
        ((-1.8, -0.3, -0.3), "the loops would push link 7 to its stop"),
    ):
        arm.q = start
        assert room.trouble(path_to(arm, sliders)) == trouble


def test_a_robot_without_loops_has_all_the_room_there_is() -> None:
    arm = station.load(robots.path("ur5e"))["ur5e"]
    assert LoopRoom(arm).trouble(np.full((2, 6), 1e3)) == ""


def test_a_straight_way_on_which_loops_do_not_close_is_not_gone() -> None:
    arm = cross_delta()
    limits = limits_of(scene_joints(arm.joints), ShapingSettings())
    way(arm, arm.q[driven_joints(arm)], Destination("one", np.array([-0.93, 0.32, -2.2])), limits)
    with pytest.raises(PostureError, match=r"no straight way to posture 'two': the loops of robot .* do not close"):
        way(arm, np.array([-0.93, 0.32, -2.2]), Destination("two", np.array([-0.98, -1.86, 0.29])), limits)


def test_poses_to_choose_from_are_exactly_where_the_drives_are_led() -> None:
    arm = cross_delta()
    start = arm.q
    poses = candidate_joints(arm, None, 20, along=0.5)
    assert arm.q == pytest.approx(start, abs=1e-12)
    assert np.abs(poses - start[driven_joints(arm)]).max() <= 0.5 + 1e-9
    room = LoopRoom(arm)
    for goal in poses:
        arm.q = start
        assert room.trouble(path_to(arm, tuple(goal))) == ""
