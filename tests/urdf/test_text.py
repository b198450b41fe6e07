"""The MAD file that an import gives: readable, and the same scene again."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from station.mad import dumps, loads
from station.mad.placement import from_angles
from station.mad.scene import Angles
from station.mad.urdf import scene_from_urdf, tidy

ARM = """\
<robot name="arm">
  <link name="world"/>
  <link name="base"/>
  <link name="shoulder"/>
  <link name="upper"/>
  <link name="fore"/>
  <link name="wrist"/>
  <link name="hand">
    <visual><origin rpy="0 1.5707963267948966 0"/><geometry><box size="0.1 0.2 0.3"/></geometry></visual>
  </link>
  <joint name="stand" type="fixed">
    <parent link="world"/><child link="base"/><origin xyz="0 0 0.8" rpy="0 0 3.141592653589793"/>
  </joint>
  <joint name="pan" type="revolute">
    <parent link="base"/><child link="shoulder"/><origin xyz="0 0 0.089159"/><axis xyz="0 0 1"/>
    <limit lower="-3.141592653589793" upper="3.141592653589793" velocity="1.0471975511965976" effort="150"/>
  </joint>
  <joint name="lift" type="revolute">
    <parent link="shoulder"/><child link="upper"/><origin xyz="0 0.13585 0" rpy="0 1.5707963267948966 0"/>
    <axis xyz="0 1 0"/><limit lower="-1.5707963267948966" upper="0.7853981633974483" velocity="3" effort="150"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="fore"/><origin xyz="0 -0.1197 0.425"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="bend" type="continuous">
    <parent link="fore"/><child link="wrist"/><origin xyz="0 0 0.39225" rpy="0 1.5707963267948966 0"/>
    <axis xyz="0 0 -1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="wrist"/><child link="hand"/><origin xyz="0.1 0 0.3" rpy="0 0 -1.5707963267948966"/>
    <axis xyz="1 0 0"/><limit lower="0.01" upper="0.05" velocity="0.1" effort="20"/>
  </joint>
</robot>
"""


def test_an_arm_reads_as_its_table() -> None:
    text = dumps(scene_from_urdf(ARM))
    rows = re.findall(r"parameters \{ (.*?) \}", text)
    assert rows == [
        "theta 0 r 0.889159 alpha 0 d 0",
        "theta 0 r 0.13585 alpha 90 d 0",
        "theta 0 r -0.1197 alpha 0 d -0.425",
        "theta 0 r 0 alpha -90 d -0.39225",
        "theta 0 r 0.03 alpha -90 d 0.1 epsil -0.3",
    ]
    assert 'frame 1 { name "base"  pos { 0 0 0.8 }  ori { 0 0 180 }  pred 0 }' in text
    assert "visual { ori { 0 90 0 }  box { 0.1 0.2 0.3 } }" in text


def test_no_number_has_noise_in_it() -> None:
    numbers = re.findall(r"-?\d+\.\d+", dumps(scene_from_urdf(ARM)))
    # 3 rad/s is no round number of degrees; all others are short.
    assert [number for number in numbers if len(number) > 9] == ["171.88733853924696"]


def test_the_text_reads_back_as_the_same_scene() -> None:
    scene = scene_from_urdf(ARM)
    assert loads(dumps(scene)) == scene


def test_what_the_urdf_says_is_not_rounded() -> None:
    rough = ARM.replace("1.5707963267948966", "1.5708").replace("3.141592653589793", "3.14159265359")
    text = dumps(scene_from_urdf(rough))
    assert "ori { 0 90.00021045914971 0 }" in text
    assert "limits { -180.00000000001185 180.00000000001185 }" in text


def test_minus_zero_is_zero() -> None:
    assert "-0 " not in dumps(scene_from_urdf(ARM.replace('xyz="0 0 0.8"', 'xyz="-0.0 -0 0.8"')))


@pytest.mark.parametrize(
    ("value", "degrees"),
    [(math.pi / 3, 60), (math.pi / 2 + 4e-16, 90), (-2 * math.pi, -360), (math.radians(22.5), 22.5), (1e-17, 0)],
)
def test_noise_is_taken_out_of_angles(value: float, degrees: float) -> None:
    assert math.degrees(tidy.angle(value)) == pytest.approx(degrees, abs=1e-13)
    assert tidy.angle(value) == tidy.angle(tidy.angle(value))


@pytest.mark.parametrize("value", [1.5708, 1.570796326795, math.pi / 2 + 1e-14, 0.1, 3.0])
def test_angles_that_are_meant_stay(value: float) -> None:
    assert tidy.angle(value) == value


@given(st.floats(-7.0, 7.0), st.floats(0.0, 1e3))
def test_tidying_moves_nothing_by_more_than_noise(value: float, scale: float) -> None:
    assert abs(tidy.angle(value) - value) <= 7.0 * tidy.NOISE
    assert abs(tidy.length(value, scale) - value) <= max(1.0, scale) * tidy.NOISE


@given(
    *[st.one_of(st.sampled_from([0.0, math.pi / 2, -math.pi / 2, 1.5708, 1.570796326795]), st.floats(-3.2, 3.2))] * 3
)
def test_angles_of_any_rotation(a: float, b: float, c: float) -> None:
    turn = from_angles(Angles(a, b, c))
    assert np.abs(from_angles(tidy.angles_of(turn)) - turn).max() < 2e-14
