"""`station fk` and `station ik` of robots with loops, and what they say of what was asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import robots
import station
from station.check import compile_reports, describe
from station.kinematics import InputError, forward, inverse

PLANAR = robots.path("planar-hybrid").read_text(encoding="utf8")


def test_a_robot_with_loops_is_put_by_its_driven_joints() -> None:
    answer = forward(robots.path("delta"), None, "16", "10,20,30")
    arm = station.load(robots.path("delta"))["delta"]
    driven = [number for number, joint in enumerate(arm.joints) if joint.active]
    assert np.degrees(np.array(answer.data["q"])[driven]) == pytest.approx([10.0, 20.0, 30.0], abs=1e-6)
    arm.q = answer.data["q"]  # by another way: the loops are closed there
    np.testing.assert_allclose(arm.q, answer.data["q"], atol=1e-8)
    np.testing.assert_allclose(arm.pose(16), answer.data["poses"]["16"], atol=1e-8)
    assert answer.data["moved"] == []


def test_joints_that_the_loops_do_not_let_be_there_are_named() -> None:
    given = "-1700,116,0,0,-116,-994,131,0,0,-131,-994,131,0,0,-131"
    answer = forward(robots.path("cross-delta"), None, "5", given)
    assert 1 in answer.data["moved"]
    assert "the loops are closed with other joint values than asked for: link 1 -17" in answer.text
    assert "instead of -1700" in answer.text
    assert "loops" not in forward(robots.path("ur5e"), None, None, "0,-90,90,0,0,0").text


def test_the_number_of_joint_values_is_told() -> None:
    with pytest.raises(InputError, match="takes 15 values for delta, or 3 for its driven ones, not 2"):
        forward(robots.path("delta"), None, None, "1,2")


def test_a_position_is_answered_without_an_angle() -> None:
    answer = inverse(robots.path("ur5e"), None, "flange", "-400,-200,500", None, "station")
    assert "mm away" in answer.text
    assert "°" not in answer.text.splitlines()[-1]
    assert answer.data["rotation_error"] is None
    turned = inverse(robots.path("ur5e"), None, "flange", "-400,-200,500,180,0,0", None, "station")
    assert "° away" in turned.text
    assert turned.data["rotation_error"] < math.radians(0.01)


def test_check_says_how_far_one_loop_was_open_and_whether_it_is_closed() -> None:
    """Of two loops of 45 mm each, not their root sum of squares; and not closed what stays open."""
    scene = station.load(robots.path("cross-delta"))
    assert "open by 45.1 mm in the file, closed now" in describe(scene, compile_reports(scene))
    strained = PLANAR.replace("theta  120  r 0  alpha 0  d 400", "theta  120  r 0  alpha 0.03  d 400")
    assert strained != PLANAR
    scene = station.loads(strained)
    told = describe(scene, compile_reports(scene))
    assert "closed now" not in told
    assert "mm and 0.03°: its parts do not quite fit" in told


@pytest.mark.parametrize(("name", "step"), [("delta", 6.0), ("stewart", 20.0)])
def test_driven_joints_are_exact_even_if_passive_ones_are_given_as_they_were(name: str, step: float) -> None:
    arm = station.load(robots.path(name))[name]
    units = [0.001 if joint.type.name == "PRISMATIC" else math.pi / 180 for joint in arm.joints]
    driven = np.array([joint.active for joint in arm.joints])
    given = arm.q / units + np.where(driven, step, 0.0)
    answer = forward(robots.path(name), None, None, ",".join(f"{value:.17g}" for value in given))
    alone = forward(robots.path(name), None, None, ",".join(f"{value:.17g}" for value in given[driven]))
    np.testing.assert_allclose((np.array(answer.data["q"]) / units)[driven], given[driven], rtol=0, atol=1e-7)
    np.testing.assert_allclose(answer.data["q"], alone.data["q"], rtol=0, atol=1e-7)
    assert "loops" not in alone.text
    assert f"{arm.mobility} of its {len(arm.joints)} joints can be chosen" in answer.text
    assert not {joint.id for joint in arm.joints if joint.active} & set(answer.data["moved"])
