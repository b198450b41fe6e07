"""Exact distances against what geometry says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.collision import CollisionError
from tests.collision.scenes import distance, lift

MM = 1e-3


@pytest.mark.parametrize(
    ("body", "obstacle", "height", "expected"),
    [
        ("sphere 50", "plane", 200, 150),
        ("sphere 50", "plane", 20, -30),
        ("box { 100 100 100 }", "plane", 200, 150),
        ("box { 100 100 100 } ori { 45 0 0 }", "plane", 200, 200 - 50 * math.sqrt(2)),
        ("cylinder { 50 200 }", "plane", 200, 100),
        ("cylinder { 50 200 } ori { 90 0 0 }", "plane", 200, 150),
        ("capsule { 50 200 }", "plane", 200, 50),
        ("capsule { 50 200 } ori { 0 90 0 }", "plane", 30, -20),
        ("sphere 50", "sphere 100", 500, 350),
        ("sphere 50", "sphere 100 pos { 300 0 0 }", 400, 350),
        ("sphere 50", "box { 200 200 200 }", 300, 150),
        ("sphere 50", "box { 200 200 200 } pos { 200 0 0 }", 200, 100 * math.sqrt(2) - 50),
        ("sphere 50", "box { 200 200 200 }", 120, -30),
        ("capsule { 20 400 } ori { 90 0 0 }", "box { 200 200 200 }", 150, 30),
        ("capsule { 20 400 }", "box { 200 200 200 } pos { 300 0 0 }", 0, 180),
        ("capsule { 20 400 }", "box { 200 200 200 } pos { 110 0 0 }", 0, -10),
        ("box { 100 100 100 }", "cylinder { 50 200 } pos { 300 0 0 }", 0, 200),
        ("cylinder { 50 200 }", "cylinder { 60 100 }", 400, 250),
        ("capsule { 20 400 } ori { 90 0 0 }", "capsule { 30 400 } ori { 0 90 0 }", 200, 150),
        ("box { 100 100 100 }", "box { 100 100 100 } ori { 0 0 45 }", 90, -10),
    ],
)
def test_distances_are_those_of_geometry(body: str, obstacle: str, height: float, expected: float) -> None:
    assert distance(body, obstacle, height) == pytest.approx(expected * MM, abs=2e-6)


def test_the_normal_leads_away_from_the_obstacle_and_the_points_are_on_the_surfaces() -> None:
    (row,) = lift("sphere 50", "obstacle crate { box { 200 200 200 } pos { 0 0 -100 } }", 150).distances()
    assert row.normal == pytest.approx([0, 0, 1], abs=1e-6)
    assert row.point == pytest.approx([0, 0, 0.1], abs=1e-6)
    assert row.obstacle_point == pytest.approx([0, 0, 0], abs=1e-6)
    assert row.pair.body == "link 1"
    assert row.pair.obstacle == "crate"
    assert row.pair.frame == 1


def test_inside_the_normal_still_leads_out_the_shortest_way() -> None:
    (row,) = lift("sphere 50", "obstacle crate { box { 400 400 200 } pos { 0 0 -100 } }", 30).distances()
    assert row.distance == pytest.approx(-0.02, abs=1e-6)
    assert row.normal == pytest.approx([0, 0, 1], abs=1e-6)
    assert row.point == pytest.approx([0, 0, -0.02], abs=1e-6)


def test_going_along_the_normal_by_the_depth_ends_the_overlap() -> None:
    surroundings = lift(
        "capsule { 30 200 } ori { 70 0 0 }", "obstacle crate { box { 300 300 200 } ori { 5 8 0 } }", 120
    )
    (row,) = surroundings.distances()
    assert row.distance < -0.01
    shift = np.eye(4)
    shift[:3, :3] = surroundings.solids[-1].pose[:3, :3]
    shift[:3, 3] = row.distance * row.normal  # the obstacle goes the other way
    surroundings.move("crate", shift)
    (after,) = surroundings.distances()
    assert after.distance == pytest.approx(0.0, abs=1e-5)


def test_distances_at_other_joint_values_leave_the_robot_where_it_is() -> None:
    surroundings = lift("sphere 50", "obstacle floor { plane }", 200)
    (row,) = surroundings.distances([0.5])
    assert row.distance == pytest.approx(0.45)
    assert surroundings.mechanism.q == pytest.approx([0.2])
    assert surroundings.distances()[0].distance == pytest.approx(0.15)


def test_joint_values_that_are_none_are_refused() -> None:
    surroundings = lift("sphere 50", "obstacle floor { plane }", 200)
    with pytest.raises(CollisionError, match="rows of 1 finite joint values"):
        surroundings.distances([0.1, 0.2])
    with pytest.raises(CollisionError, match="rows of 1 finite joint values"):
        surroundings.distances([math.nan])


def test_nothing_around_gives_no_rows() -> None:
    surroundings = lift("sphere 50", "", 200)
    assert surroundings.distances() == ()
    told = surroundings.tell(1e-3)
    assert (told.rows, told.contacts, told.nearest) == (0, 0, math.inf)
    assert surroundings.refine() == 0


def test_a_body_that_is_a_plane_is_refused() -> None:
    with pytest.raises(CollisionError, match="is a plane"):
        lift("plane", "obstacle it { sphere 1 }")
