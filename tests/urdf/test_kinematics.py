"""The import moves as pinocchio says the URDF moves, with the URDF's own joint values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from station.mad import dumps, loads
from station.mad.placement import from_parameters
from station.mad.units import JointType
from station.mad.urdf import scene_from_urdf
from station.mad.urdf.rows import NEARLY_PARALLEL, row, turned_onto
from tests.urdf.robots import NEARLY_Z, SEEDS, Array, Judge, largest_difference, random_urdf

CONFIGURATIONS = 100
COORDINATE = st.floats(-3.0, 3.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_link_is_where_pinocchio_has_it(seed: int) -> None:
    urdf = random_urdf(seed)
    judge, robot = Judge(urdf.text), scene_from_urdf(urdf.text).robots[0]
    rng = np.random.default_rng(1000 + seed)
    for _ in range(CONFIGURATIONS):
        assert largest_difference(robot, judge, urdf.values(rng)) < 1e-11


@pytest.mark.parametrize("seed", SEEDS)
def test_every_link_is_there_after_writing_and_reading(seed: int) -> None:
    urdf = random_urdf(seed)
    scene = scene_from_urdf(urdf.text)
    again = loads(dumps(scene))
    assert again == scene
    judge, rng = Judge(urdf.text), np.random.default_rng(2000 + seed)
    for _ in range(CONFIGURATIONS):
        assert largest_difference(again.robots[0], judge, urdf.values(rng)) < 1e-11


def test_the_generated_robots_cover_what_they_should() -> None:
    robots = [scene_from_urdf(random_urdf(seed).text).robots[0] for seed in SEEDS]
    assert all(5 <= len(random_urdf(seed).text.split("</joint>")) - 1 <= 15 for seed in SEEDS)
    assert {link.joint for robot in robots for link in robot.links} == {JointType.REVOLUTE, JointType.PRISMATIC}
    assert any("_mount" in (frame.name or "") for robot in robots for frame in robot.frames)
    assert any(link.parameters.alpha == 0.0 for robot in robots for link in robot.links)
    assert any(frame.pred == link.id for robot in robots for frame in robot.frames for link in robot.links)
    assert any(len({item.pred for item in robot.placed()}) < len(list(robot.placed())) for robot in robots)  # branches
    assert any(robot.couplings for robot in robots)


@pytest.mark.parametrize("axis", NEARLY_Z)
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_nearly_parallel_axes_lose_no_digits(axis: tuple[float, float, float], kind: str) -> None:
    xyz = " ".join(map(repr, axis))
    joints = "".join(
        f"<link name='l{n}'/><joint name='j{n}' type='{kind}'><parent link='l{n - 1}'/><child link='l{n}'/>"
        f"<origin xyz='0.3 -0.2 0.1' rpy='0 0 {n}'/><axis xyz='{xyz}'/>"
        "<limit lower='-9' upper='9' velocity='1' effort='1'/></joint>"
        for n in (1, 2, 3)
    )
    text = f"<robot name='nearly'><link name='l0'/>{joints}</robot>"
    judge, robot, rng = Judge(text), scene_from_urdf(text).robots[0], np.random.default_rng(5)
    for _ in range(20):
        values = {f"j{n}": float(rng.uniform(-3, 3)) for n in (1, 2, 3)}
        assert largest_difference(robot, judge, values) < 5e-12
    assert all(abs(number) < 10.0 for link in robot.links for number in link.parameters)  # no far common normal


def unit(x: float, y: float, z: float) -> Array:
    return np.array([x, y, z]) / float(np.linalg.norm([x, y, z]))


@settings(max_examples=200, deadline=None)
@given(
    st.tuples(COORDINATE, COORDINATE, COORDINATE).filter(lambda axis: np.linalg.norm(axis) > 0.1),
    st.tuples(COORDINATE, COORDINATE, COORDINATE),
    st.booleans(),
)
def test_a_row_leads_to_its_axis(given_axis: tuple[float, ...], given_point: tuple[float, ...], slides: bool) -> None:
    axis, point = unit(*given_axis), np.array(given_point)
    found = row(axis, point, slides)
    if found is None:
        assert np.hypot(axis[0], axis[1]) < NEARLY_PARALLEL
        return
    pose = from_parameters(found)
    assert pose[:3, 2] == pytest.approx(axis, abs=2e-12)
    apart = pose[:3, 3] - point
    # A sliding joint may be anywhere along its axis; a turning one is at the point.
    assert np.linalg.norm(np.cross(apart, axis) if slides else apart) < 1e-11
    assert (found.theta, found.r if slides else 0.0) == (0.0, 0.0)
    assert abs(found.gamma) <= np.pi / 2 + 1e-15


@settings(max_examples=100, deadline=None)
@given(st.tuples(COORDINATE, COORDINATE, COORDINATE).filter(lambda axis: np.linalg.norm(axis) > 0.1))
def test_z_is_turned_onto_any_axis(given_axis: tuple[float, ...]) -> None:
    axis = unit(*given_axis)
    turn = turned_onto(axis)
    assert turn[:, 2] == pytest.approx(axis, abs=1e-15)
    assert turn.T @ turn == pytest.approx(np.eye(3), abs=1e-14)
    assert np.linalg.det(turn) == pytest.approx(1.0)
