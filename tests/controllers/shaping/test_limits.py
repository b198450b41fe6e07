"""Within what setpoints are kept: the smaller of what file and arm say."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import station
from station.controllers.controller import ControlledJoint
from station.controllers.shaping import ShapingSettings, joint_limits

FILE = """RAFF v2.0 Two
robot two {
  base { }
  link 1 { name "a" type revolute pred 0 parameters { theta 0 r 0 alpha 0 d 0 }
           limits { -90 60 } speed 20 acceleration 100 jerk 2000 }
  link 2 { name "b" type revolute pred 1 parameters { theta 0 r 0 alpha 0 d 100 } }
}
"""
TWO = station.loads(FILE)["two"]
WIDE = ControlledJoint(name="a", low=-6.0, high=6.0, speed=3.0, acceleration=9.0, jerk=90.0)
SILENT = ControlledJoint(name="b")


def test_the_file_binds_where_the_arm_could_do_more() -> None:
    limits, _ = joint_limits(TWO, (WIDE, SILENT))
    assert limits[:5] == pytest.approx([math.radians(value) for value in (-90, 60, 20, 100, 2000)])


def test_the_arm_binds_where_the_file_says_more_and_only_a_share_of_it_is_used() -> None:
    narrow = ControlledJoint(name="a", low=-0.5, high=0.4, speed=0.1, acceleration=0.2, jerk=0.3)
    limits, _ = joint_limits(TWO, (narrow, SILENT))
    assert limits[:5] == pytest.approx((-0.5, 0.4, 0.09, 0.18, 0.27))


def test_each_limit_is_the_smaller_one_by_itself() -> None:
    mixed = replace(WIDE, high=0.4, acceleration=0.2)
    limits, _ = joint_limits(TWO, (mixed, SILENT), ShapingSettings(share=1.0))
    assert limits[:4] == pytest.approx((math.radians(-90), 0.4, math.radians(20), 0.2))


def test_what_only_one_tells_is_taken_and_what_none_tells_is_set() -> None:
    told = replace(WIDE, name="b")
    silent, other = joint_limits(TWO, (replace(SILENT, name="a"), told), ShapingSettings(share=0.5, file_share=0.5))
    assert silent.speed == pytest.approx(math.radians(10))
    assert other[:5] == pytest.approx((-6.0, 6.0, 1.5, 4.5, 45.0))
    assert joint_limits(TWO, (WIDE, SILENT))[1].speed == ShapingSettings().speed


def test_without_an_arm_the_file_alone_counts() -> None:
    limits, _ = joint_limits(TWO, None, ShapingSettings(file_share=0.5))
    assert limits.speed == pytest.approx(math.radians(10))
