"""How a window is divided among cameras, and that the mouse acts on the pane under it."""

from __future__ import annotations

import numpy as np
import pytest

from station.view.camera import PoseCamera
from station.view.panes import BORDER, MAIN, Panes, Part
from station.view.picking import Hit
from station.view.scene_view import SceneView
from tests.view.pictures import from_text, project, scene

SIZE = (1000.0, 600.0)
BOX = "RAFF v2.0 Box\nobstacle crate { box { 400 300 200 } }\n"


class Mouse:
    """A hand at a window of several panes."""

    def __init__(self, view: SceneView) -> None:
        self.picked: list[Hit | None] = []
        self.panes = Panes(view, self.picked.append)
        self.panes.split(True)
        for part in self.panes.parts(SIZE):
            self.panes._fit(part)

    def part(self, name: str) -> Part:
        return next(part for part in self.panes.parts(SIZE) if part.name == name)

    def middle(self, name: str) -> tuple[float, float]:
        part = self.part(name)
        return part.left + 0.5 * part.width, part.top + 0.5 * part.height

    def drag(self, name: str, by: tuple[float, float]) -> None:
        x, y = self.middle(name)
        self.panes.press(1, (x, y), SIZE)
        assert self.panes.move((x + by[0], y + by[1]), False, SIZE)
        self.panes.release((x + by[0], y + by[1]), SIZE)


@pytest.fixture
def mouse() -> Mouse:
    return Mouse(scene("panda"))


def test_panes_fill_the_window_and_do_not_overlap(mouse: Mouse) -> None:
    parts = mouse.panes.parts(SIZE)
    assert [part.name for part in parts] == ["", "top", "front", "side", "tool"]
    assert sum(part.width * part.height for part in parts) == pytest.approx(SIZE[0] * SIZE[1])
    for x in np.linspace(0.5, SIZE[0] - 0.5, 37):
        for y in np.linspace(0.5, SIZE[1] - 0.5, 31):
            assert sum(part.holds((x, y)) for part in parts) == 1
    assert parts[0].width == pytest.approx(MAIN * SIZE[0])


def test_the_tool_pane_rides_on_the_robot_and_others_look_along_axes(mouse: Mouse) -> None:
    assert isinstance(mouse.part("tool").camera, PoseCamera)
    for name, axis in (("top", 2), ("front", 1), ("side", 0)):
        back = mouse.part(name).camera.axes()[:, 2]
        assert abs(back[axis]) == pytest.approx(1.0)
        assert mouse.part(name).camera.opening == 0.0


def test_without_a_tool_there_is_no_tool_pane() -> None:
    assert list(Mouse(from_text(BOX)).panes.others) == ["top", "front", "side"]


def test_a_drag_moves_the_pane_that_it_began_in_and_no_other(mouse: Mouse) -> None:
    cameras = {part.name: part.camera.copy() for part in mouse.panes.parts(SIZE)}
    mouse.drag("top", (-400.0, 5.0))  # it ends in the main pane
    moved = mouse.part("top").camera
    assert not np.allclose(moved.centre, cameras["top"].centre)
    assert moved.azimuth == cameras["top"].azimuth  # a view along an axis stays one
    for name in ("", "front", "side"):
        assert np.array_equal(mouse.part(name).camera.centre, cameras[name].centre)
    mouse.drag("", (30.0, 0.0))
    assert mouse.part("").camera.azimuth != cameras[""].azimuth


def test_the_wheel_acts_on_the_pane_under_it(mouse: Mouse) -> None:
    before = {part.name: part.camera.distance for part in mouse.panes.parts(SIZE)}
    mouse.panes.wheel(2.0, mouse.middle("front"), SIZE)
    after = {part.name: part.camera.distance for part in mouse.panes.parts(SIZE)}
    assert after["front"] < before["front"]
    assert all(after[name] == before[name] for name in before if name != "front")


def test_a_click_in_a_small_pane_picks_what_is_seen_there(mouse: Mouse) -> None:
    view, part = mouse.panes.view, mouse.part("front")
    elbow = view.robots["panda"].pose(4)[:3, 3]
    sight = part.camera.sight(part.aspect, view.floor.centre, 10.0)
    x, y, _, w = sight.view_projection @ [*elbow, 1.0]
    place = part.left + 0.5 * (1.0 + x / w) * part.width, part.top + 0.5 * (1.0 - y / w) * part.height
    mouse.panes.press(1, place, SIZE)
    mouse.panes.release(place, SIZE)
    hit = mouse.picked[-1]
    assert hit is not None
    assert hit.id in (3, 4)
    assert np.linalg.norm((hit.point - elbow)[[0, 2]]) < 0.02  # square to the view


def test_small_panes_show_everything_until_they_are_moved(mouse: Mouse) -> None:
    part = mouse.part("top")
    narrow = part._replace(width=0.4 * part.width)
    mouse.panes._fit(narrow)
    sight = part.camera.sight(narrow.aspect, mouse.panes.view.floor.centre, 10.0)
    points = mouse.panes.view.points()
    clip = np.column_stack([points, np.ones(len(points))]) @ sight.view_projection.T
    assert np.abs(clip[:, :2] / clip[:, 3:]).max() <= 1.0
    mouse.drag("top", (12.0, 0.0))
    before = part.camera.distance
    mouse.panes._fit(part)
    assert part.camera.distance == before


def test_what_was_seen_before_the_window_was_divided_is_seen_then(mouse: Mouse) -> None:
    points = mouse.panes.view.points()
    whole = project(mouse.panes.view, points, (700, 600))  # the main pane
    assert whole[:, 0].min() > 0.0
    assert whole[:, 0].max() < 700.0
    distance = mouse.panes.view.camera.distance
    mouse.panes.split(True)
    assert mouse.panes.view.camera.distance == distance
    mouse.panes.split(False)
    assert mouse.panes.view.camera.distance == pytest.approx(MAIN * distance)
    assert BORDER > 0
