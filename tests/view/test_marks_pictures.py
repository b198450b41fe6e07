"""Marks in pictures: on fine displays, in both themes, with several robots, and where there is no OpenGL."""

from __future__ import annotations

import numpy as np
import pytest

import robots
import station
from station.view.augment_pictures import gauges, hand, marked
from station.view.drawing.backend import shrunk
from station.view.errors import NoGraphicsError
from station.view.png import render_image
from station.view.scene_view import SceneView
from station.view.theme import DARK, LIGHT
from tests.view.pictures import background, differs, picture, project, scene

SIZE = (240, 180)


@pytest.mark.parametrize("make", [hand, gauges])
def test_a_fine_display_shows_the_same_with_more_pixels(make: object) -> None:
    view = make(LIGHT)  # type: ignore[operator]
    coarse = render_image(view, SIZE)
    fine = shrunk(render_image(view, (2 * SIZE[0], 2 * SIZE[1]), scale=2.0, smoothing=1), 2)
    assert np.abs(coarse.astype(float) - fine).mean() < 4.0
    small = shrunk(render_image(view, (2 * SIZE[0], 2 * SIZE[1]), scale=1.0, smoothing=1), 2)
    assert np.abs(coarse.astype(float) - small).mean() > np.abs(coarse.astype(float) - fine).mean()


def test_all_that_stands_beside_a_robot_is_seen_in_both_themes() -> None:
    for theme in (LIGHT, DARK):
        view = hand(theme)
        view.show_labels = view.show_floor = False
        view.frames, view.status = [], []
        with_it = picture(view, size=SIZE)
        layers = view.augment.layers
        layers.cursor = layers.hand_forces = layers.tool_force = layers.device_workspace = False
        without = picture(view, size=SIZE)
        changed = np.abs(with_it.astype(float) - without).max(axis=2) > 40.0
        assert changed.sum() > 500
        assert differs(without, background(view)).any()


def test_a_link_that_has_become_transparent_lets_the_background_through() -> None:
    view = scene("panda")
    view.show_floor = view.show_labels = False
    view.frames = []
    robot = view.robots["panda"]
    robot.tint({}, {2: 0.15})
    place = robot.points()[robot.body.owners == robot.row(2)]
    x, y = (int(value) for value in project(view, place.mean(axis=0)[None])[0])
    clear = picture(view)[y, x].astype(float)
    robot.tint({}, {})
    solid = picture(view)[y, x].astype(float)
    assert np.abs(clear - background(view)).mean() < 0.5 * np.abs(solid - background(view)).mean()


def test_marks_name_the_robot_where_there_are_several() -> None:
    text = robots.path("scara").read_text()
    start = text.index("robot scara")
    two = text + text[start:].replace("robot scara", "robot other", 1)
    view = SceneView(station.loads(two))
    view.augment.show("temperature")
    view.augment.tell("temperature", [40.0] * 4, robot="scara")
    view.augment.additions()
    assert view.augment.notes == ["other, temperature: not known (no temperature is measured)"]


def test_without_opengl_quantities_are_known_and_the_picture_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise NoGraphicsError("no OpenGL for pictures (none at all); on Debian install: apt-get install libegl1")

    monkeypatch.setattr("station.view.png.offscreen_canvas", broken)
    view = marked("speed", "sphere")
    assert len(view.augment.additions().mesh.points)
    with pytest.raises(NoGraphicsError, match="no OpenGL for pictures"):
        render_image(view, SIZE)
