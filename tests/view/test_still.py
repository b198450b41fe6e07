"""What does not move is copied while the camera is still, and nobody sees a difference."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from station.view.drawing.backdrop import Backdrop, Key
from station.view.drawing.backend import Rows, Target, offscreen_canvas
from station.view.drawing.scene_drawing import Pane
from station.view.scene_view import SceneView, Stereo
from station.view.theme import DARK
from tests.view.pictures import SIZE, Image, picture, scene


class InWindow:
    """Draws as a window does: again and again into one buffer."""

    def __init__(self) -> None:
        self._target, self._rows = Target(), Rows()

    def __call__(self, view: SceneView, size: tuple[int, int] = SIZE) -> Image:
        offscreen_canvas().set_current()
        with self._target.drawing(*size):
            view.draw(Pane(size, still=True))
            pixels = self._rows.read(*size)
        return pixels[:, :, 2::-1].copy()  # red, green, blue


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each picture was copied."""
    seen: list[bool] = []
    show = Backdrop.show

    def watched(self: Backdrop, key: Key, size: tuple[int, int], paint: Callable[[], None]) -> bool:
        seen.append(show(self, key, size, paint))
        return seen[-1]

    monkeypatch.setattr(Backdrop, "show", watched)
    return seen


def test_a_copied_background_is_the_one_that_is_drawn(copies: list[bool]) -> None:
    view, window = scene("panda"), InWindow()
    wanted = picture(view)
    for _ in range(4):
        np.testing.assert_array_equal(window(view), wanted)
    assert copies == [False, True, True, True]


def test_robots_move_in_front_of_it(copies: list[bool]) -> None:
    view, window = scene("panda"), InWindow()
    robot = view.robots["panda"]
    for number in range(4):
        robot.predict(robot.q + 0.02)
        robot.measure(robot.q - 0.1 * number, 0.1)
        np.testing.assert_array_equal(window(view), picture(view))
    assert copies[-1]


def test_a_camera_theme_floor_or_size_that_changes_is_drawn_anew(copies: list[bool]) -> None:
    view, window = scene("scara"), InWindow()
    for _ in range(3):
        window(view)
    changes: list[Callable[[], object]] = [
        lambda: view.camera.turn(0.1, 0.0),
        lambda: view.use_theme(DARK),
        lambda: view.fit(1.0),
        lambda: setattr(view, "show_floor", False),
        lambda: setattr(view, "show_floor", True),
    ]
    for change in changes:
        change()
        for _ in range(3):
            np.testing.assert_array_equal(window(view), picture(view))
    for _ in range(3):
        np.testing.assert_array_equal(window(view, (200, 160)), picture(view, size=(200, 160)))
    assert copies.count(True) >= 10


def test_two_eyes_copy_nothing(copies: list[bool]) -> None:
    view, window = scene("scara"), InWindow()
    for stereo in (Stereo.ANAGLYPH, Stereo.SIDE_BY_SIDE):
        view.stereo = stereo
        for _ in range(3):
            np.testing.assert_array_equal(window(view), picture(view))
    assert not copies
