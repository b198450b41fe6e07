"""What stands around robots: obstacles and how far they are, guides, clouds of points."""

from __future__ import annotations

import numpy as np
import pytest

import robots
import station
from station.view.drawing.points import Cloud
from station.view.scene_view import SceneView
from station.view.theme import LIGHT, Theme
from tests.view.pictures import BAR, SIZE, background, bare, differs, from_text, picture, project

GUIDES = """
obstacle bench { box { 400 800 40 } pos { 600 0 100 } }
guide seam { type line pos { 500 0 300 } direction { 0 1 0 } }
guide table { type plane pos { 500 -300 130 } direction { 0 0 1 } }
guide funnel { type cone pos { 450 300 250 } direction { 0 0 1 } half_angle 25 }
guide weld { type curve points ( 300 -400 300  400 -450 350  500 -400 400  600 -300 420 ) }
guide rest { type point pos { 300 450 500 } }
guide home { type zone pos { 450 0 650 } size 60 }
"""


def surrounded(theme: Theme = LIGHT) -> SceneView:
    """A robot with an obstacle and every kind of guide around it."""
    view = SceneView(station.loads(robots.path("panda").read_text() + GUIDES), theme)
    view.fit(SIZE[0] / SIZE[1])
    return view


def test_all_guides_of_the_file_are_drawn_with_their_names() -> None:
    view = surrounded()
    added = view.augment.additions()
    assert [label.text for label in added.labels] == ["seam", "table", "funnel", "weld", "rest", "home"]
    ends = np.concatenate([lines.ends for lines in added.lines])
    np.testing.assert_allclose(ends[0], (0.5, 0.6 * view.reach, 0.3))  # of the line
    assert any(np.allclose(end, (0.6, -0.3, 0.42)) for end in ends)  # of the curve
    zone = added.mesh.points[np.linalg.norm(added.mesh.points - (0.45, 0.0, 0.65), axis=1) < 0.07]
    assert np.ptp(zone, axis=0).max() == pytest.approx(0.12, rel=0.03)
    view.augment.layers.guides = False
    assert not view.augment.additions().labels


def test_a_file_without_guides_draws_none() -> None:
    view = from_text(BAR)
    assert not view.augment.additions().lines


def test_the_distance_to_the_nearest_obstacle_stands_at_the_link_and_points_at_it() -> None:
    view = surrounded()
    view.augment.layers.guides = False
    robot = view.robots["panda"]
    around = view.augment._distances.of(view.bench, view.bench["panda"])
    assert not isinstance(around, str)
    nearest = around.distances(robot.q, include_self=False)[0]
    view.augment.show("obstacle", "arrow", full=2.0)
    added = view.augment.additions()
    assert not view.augment.notes
    text = added.labels[0].text
    assert text.startswith(f"{nearest.pair.body} to bench: ")
    assert float(text.split()[-2]) == pytest.approx(nearest.distance, rel=1e-2)
    arrow = min(added.arrows, key=lambda arrow: float(np.linalg.norm(arrow.start - nearest.point)))
    np.testing.assert_allclose(arrow.start, nearest.point)
    assert arrow.vector @ (nearest.obstacle_point - nearest.point) > 0.0


def test_without_obstacles_there_is_no_distance() -> None:
    view = SceneView(station.load(robots.path("panda")))
    view.augment.show("obstacle")
    view.augment.additions()
    assert view.augment.notes == ["distance to the nearest obstacle: not known (there is no obstacle)"]


def test_a_cloud_of_points_is_drawn_where_it_is_in_its_colours() -> None:
    view = bare(from_text(BAR))
    places = np.array([[0.3, 0.2, 0.2], [-0.3, 0.1, 0.3]])
    colours = np.array([[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]], np.float32)
    view.camera.fit(np.concatenate([view.points(), places]), SIZE[0] / SIZE[1])
    before = picture(view)
    view.clouds["workspace"] = Cloud(places, colours, 8.0)
    after = picture(view)
    for place, colour in zip(project(view, places), colours, strict=True):
        x, y = (int(value) for value in place)
        np.testing.assert_allclose(after[y, x], 255.0 * colour[:3], atol=2.0)
    assert 60 < differs(after, before).sum() < 200  # two discs of 8 pixels
    del view.clouds["workspace"]
    np.testing.assert_array_equal(picture(view), before)


def test_a_cloud_that_is_replaced_or_empty_is_drawn_anew() -> None:
    view = bare(from_text(BAR))
    red = np.array([[1.0, 0.0, 1.0, 1.0]], np.float32)
    view.clouds["workspace"] = Cloud(np.array([[0.0, 0.0, 0.3]]), red, 10.0)
    view.fit(SIZE[0] / SIZE[1])
    one = picture(view)
    view.clouds["workspace"] = Cloud(np.empty((0, 3)), np.empty((0, 4), np.float32))
    none = picture(view)
    assert differs(one, none).any()
    assert differs(none, background(view)).any()  # the robot is still there
