"""Pictures drawn without a screen: what is in them, and that it is where the mechanism says."""

from __future__ import annotations

import numpy as np
import pytest

import robots
from station.view.drawing.segments import Lines
from station.view.geometry.mesh import coloured, placed
from station.view.geometry.primitives import sphere
from station.view.scene_view import SceneView
from station.view.theme import DARK, LIGHT, Theme
from station.view.trails import Trail
from tests.view.pictures import BAR, SIZE, background, bare, differs, from_text, picture, project, scene


@pytest.mark.parametrize("name", robots.names())
def test_every_robot_is_seen_whole(name: str) -> None:
    view = bare(scene(name))
    seen = differs(picture(view), background(view))
    assert seen.mean() > 0.01
    edge = np.concatenate([seen[0], seen[-1], seen[:, 0], seen[:, -1]])
    assert not edge.any(), "cut off at the edge of the picture"
    rows, columns = np.nonzero(seen)
    assert max(np.ptp(columns) / SIZE[0], np.ptp(rows) / SIZE[1]) > 0.75, "too small in the picture"


@pytest.mark.parametrize("name", ["panda", "stewart", "scara"])
def test_what_is_drawn_is_where_the_mechanism_says(name: str) -> None:
    view = bare(scene(name))
    robot = view.robots[name]
    mechanism = view.bench[name]
    link = mechanism.joints[2].id
    mechanism.set_joint(link, robot.q[2] + 0.02)
    robot.predict(mechanism.q)
    for place in robot.body.ids:
        np.testing.assert_allclose(robot.pose(place), mechanism.pose(place), atol=1e-12)
        sent = robot.predicted.states.numbers[robot.row(place), :3]  # to the graphics card
        np.testing.assert_allclose(sent, mechanism.pose(place)[:3], atol=1e-6)
    plain = picture(view)
    robot.mark({link: (1.0, 0.0, 1.0, 1.0)})
    rows, columns = np.nonzero((picture(view) != plain).any(axis=2))
    assert columns.size
    expected = project(view, robot.points()[robot.body.owners == robot.row(link)])
    low, high = expected.min(axis=0), expected.max(axis=0)
    assert low[0] - 1.5 <= columns.min()
    assert columns.max() <= high[0] + 1.5
    assert low[1] - 1.5 <= rows.min()
    assert rows.max() <= high[1] + 1.5
    assert max(np.ptp(columns) / (high - low)[0], np.ptp(rows) / (high - low)[1]) > 0.7  # some of it may be hidden


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_background_is_that_of_the_theme(theme: Theme) -> None:
    view = scene("five-bar")
    view.use_theme(theme)
    image = picture(view)
    np.testing.assert_allclose(image[2, -3], background(view), atol=1.0)


def test_a_ghost_in_front_lets_the_solid_robot_shine_through() -> None:
    view = _from_above()
    robot = view.robots["bar"]
    solid = picture(view)[120, 200].astype(float)
    robot.measure([0.2])
    through = picture(view)[120, 200].astype(float)
    robot.predicted.shown = False
    alone = picture(view)[120, 200].astype(float)
    assert np.abs(through - solid).max() > 20.0
    assert np.abs(through - alone).max() > 20.0
    red = through - alone
    assert red[0] > red[2], "the red body behind it is seen through it"


def test_a_ghost_behind_the_solid_robot_is_hidden_by_it() -> None:
    view = _from_above()
    solid = picture(view)
    view.robots["bar"].measure([-0.2])
    assert (picture(view)[120, 200] == solid[120, 200]).all()


def test_a_ghost_that_coincides_is_not_seen_unless_it_is_stale() -> None:
    view = _from_above()
    robot = view.robots["bar"]
    solid = picture(view)
    robot.measure([0.0], age=0.01)
    assert (picture(view) == solid).all()
    robot.measure([0.0], age=5.0)
    assert robot.measured.stale
    assert differs(picture(view), solid.astype(float), 10.0)[120, 200]


def test_a_ghost_shows_only_its_outside() -> None:
    view = bare(scene("panda"))
    robot = view.robots["panda"]
    robot.predicted.shown = False
    robot.measure(robot.q)
    paint = 255.0 * np.array(view.theme.ghost[:3])
    through = picture(view).astype(float)
    # One layer of glass leaves something of the background everywhere; two layers would leave less than this.
    left = np.abs(through - paint).max(axis=2)[differs(through.astype(np.uint8), background(view))]
    assert np.median(left) > 0.25 * np.abs(background(view) - paint).max()


def test_ghosts_leave_nothing_behind_for_the_next_picture() -> None:
    view = scene("puma560")
    robot = view.robots["puma560"]
    before = picture(view)
    for wire in (False, True):
        view.wire_ghosts = wire
        robot.measure(robot.q + 0.3)
        assert (picture(view) != before).any()
        robot.measure(None)
        assert (picture(view) == before).all()


def test_the_commanded_robot_is_thin_and_violet_and_leaves_nothing_behind() -> None:
    view = bare(scene("panda"))
    robot = view.robots["panda"]
    before = picture(view)
    robot.command(robot.q + 0.3)
    changed = picture(view)
    drawn = differs(changed, before)
    assert 100 < drawn.sum() < 0.1 * drawn.size
    red, green, blue = changed[drawn].astype(float).mean(axis=0)[:3] - before[drawn].astype(float).mean(axis=0)[:3]
    assert green < min(red, blue)  # violet takes most of the green away
    robot.command(None)
    assert (picture(view) == before).all()


def test_a_wire_ghost_is_mostly_holes() -> None:
    view = bare(scene("panda"))
    robot = view.robots["panda"]
    robot.predicted.shown = False
    robot.measure(robot.q)
    glass = differs(picture(view), background(view)).sum()
    view.wire_ghosts = True
    wire = differs(picture(view), background(view)).sum()
    assert 0.1 * glass < wire < 0.9 * glass


def test_a_selected_link_stands_out_and_no_other() -> None:
    view = bare(scene("panda"))
    robot = view.robots["panda"]
    before = picture(view)
    robot.select(4)
    changed = (picture(view) != before).any(axis=2)
    robot.select()
    assert changed.any()
    assert (picture(view) == before).all()
    robot.mark({4: (0.0, 1.0, 0.0, 1.0)})
    assert ((picture(view) != before).any(axis=2) == changed).mean() > 0.999


def test_a_trail_is_drawn_and_fades_towards_its_past() -> None:
    view = from_text(BAR)
    trail = Trail((0.0, 0.0, 1.0, 1.0))
    view.trails["tool"] = trail
    before = picture(view)
    for way in np.linspace(-0.12, 0.12, 50):
        trail.add((way, 0.12, 0.05))
    changed = np.abs(picture(view).astype(float) - before).sum(axis=2)
    ends = project(view, np.array([[-0.1, 0.12, 0.05], [0.1, 0.12, 0.05]])).astype(int)
    old, new = (changed[y - 3 : y + 4, x - 3 : x + 4].max() for x, y in ends)
    assert 0.0 < old < new


def test_labels_tell_the_age_and_stale_ones_look_different() -> None:
    view = scene("panda")
    robot = view.robots["panda"]
    robot.measure(robot.q, age=0.05)
    fresh = picture(view)
    robot.measure(robot.q, age=0.06)
    assert (picture(view) != fresh).any()
    view.show_labels = False
    assert (picture(view) != fresh).any()


def test_a_picture_for_a_fine_display_has_larger_letters() -> None:
    view = bare(scene("panda"))
    view.status = ["engaged"]
    plain = differs(picture(view), background(view))[:40].sum()
    fine = differs(picture(view, size=(640, 480), scale=2.0), background(view))[:80].sum()
    assert fine == pytest.approx(4.0 * plain, rel=0.35)


def test_solids_and_lines_can_be_added_replaced_and_taken_away() -> None:
    view = bare(scene("panda"))
    before = picture(view)
    for opacity in (1.0, 0.5):
        view.solids["cursor"] = coloured(sphere(0.15), (0.0, 0.0, 1.0, opacity))
        with_ball = picture(view)
        assert (with_ball != before).any()
        view.solids["cursor"] = placed(view.solids["cursor"], np.eye(4), 2.0)
        assert (picture(view) != with_ball).any()
        view.solids.clear()
        assert (picture(view) == before).all()
    view.lines["guide"] = Lines(np.zeros((1, 3)), np.ones((1, 3)), np.full((1, 4), 0.5, np.float32), 4.0)
    assert (picture(view) != before).any()
    view.lines.clear()
    assert (picture(view) == before).all()


def test_a_robot_of_a_hundred_links_and_a_scene_without_robots_are_drawn() -> None:
    link = "link {i} {{ parameters {{ theta 1 r 0 alpha 0 d 60 }} type 2 pred {p} filename ( auto ) }}\n"
    links = "".join(link.format(i=i, p=i - 1) for i in range(1, 101))
    chain = from_text(f"RAFF v1.0 Chain robot chain {{ base {{ filename ( auto ) }}\n{links}}}")
    robot = chain.robots["chain"]
    before = picture(chain)
    assert differs(before, background(chain)).mean() > 0.01
    robot.mark({100: (1.0, 0.0, 1.0, 1.0)})
    rows, columns = np.nonzero((picture(chain) != before).any(axis=2))
    seen = project(chain, robot.points()[robot.body.owners == robot.row(100)])
    assert columns.size
    assert (seen.min(axis=0) - 1.5 <= (columns.min(), rows.min())).all()
    empty = from_text("RAFF v2.0 Empty obstacle part { box { 100 100 100 } } obstacle floor { plane }")
    assert 0.1 < differs(picture(empty), background(empty)).mean() <= 1.0


def test_the_tool_camera_rides_on_the_robot() -> None:
    view = scene("robuter-ulm")
    view.look("tool", SIZE[0] / SIZE[1])
    before = picture(view)
    robot = view.robots["robuter-ulm"]
    robot.predict(robot.q + 0.2)
    assert (picture(view) != before).any()
    np.testing.assert_allclose(view.camera.axes()[:, 2], -robot.pose(10)[:3, 2], atol=1e-12)


def _from_above() -> SceneView:
    view = from_text(BAR)
    view.look("top", SIZE[0] / SIZE[1])
    return view
