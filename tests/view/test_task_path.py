"""A task in the picture and in its panel; what was found stands out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6 import QtWidgets

import robots
import station
from station.view.errors import ViewRequestError
from station.view.panels.task import TaskPanel
from station.view.png import render_png
from station.view.task import ShownFinding, ShownMark, ShownSegment, ShownTask
from station.view.task.path import TaskPath
from station.view.theme import DARK, LIGHT
from station.view.window import ViewWindow, application
from tests.view.pictures import SIZE, bare, picture, project, scene

FOUND = (
    ShownFinding("collision", "link 3 is 62.4 mm inside wall, at 0.500 s", 0.4, 0.6, 0.5),
    ShownFinding("collision", "link 4 is 12.0 mm inside wall, at 0.505 s", 0.45, 0.55, 0.505),
    ShownFinding("speed", "joint 2 is too fast, at 0.9 s", 0.9, 0.9, 0.9),
)


def wave(findings: tuple[ShownFinding, ...] = FOUND) -> ShownTask:
    """Joints of a Panda along a wave for a second."""
    bench = station.load(robots.path("panda"))
    arm = bench["panda"]
    times = np.linspace(0.0, 1.0, 201)
    q = np.tile(arm.q, (len(times), 1))
    q[:, 0] += 1.2 * times
    places = []
    for row in q:
        arm.q = row
        places.append(arm.pose(9)[:3, 3])
    segments = (ShownSegment(0.0, 0.7, "free", "reach"), ShownSegment(0.7, 1.0, "contact", "push"))
    marks = (ShownMark(0.7, "at the part"),)
    return ShownTask("carry", "panda", 0.005, q, np.array(places), segments, findings, marks)


def test_the_path_is_drawn_where_it_is_red_where_something_was_found() -> None:
    view = bare(scene("panda"))
    view.robots["panda"].predicted.shown = False
    task = wave()
    TaskPath(view, task)
    view.status = []
    image = picture(view).astype(float)
    for time, colour in ((0.2, LIGHT.measured_trail), (0.42, LIGHT.ramp[2]), (0.8, LIGHT.ramp[1])):
        x, y = project(view, task.places[None, task.sample_at(time)])[0]
        near = image[int(y) - 2 : int(y) + 3, int(x) - 2 : int(x) + 3].reshape(-1, 3)
        gap = np.abs(near - 255.0 * np.array(colour[:3])).max(axis=1).min()
        assert gap < 40.0, (time, near)


def test_it_is_seen_through_what_stands_in_front() -> None:
    """Findings are often inside an obstacle."""
    view = bare(scene("panda"))
    view.frames = []
    task = wave()
    path = TaskPath(view, task)
    path.go(0.5)
    view.show_labels, view.status = False, []
    with_path = picture(view).astype(float)
    red = (with_path[..., 0] > 150.0) & (with_path[..., 1] < 90.0) & (with_path[..., 2] < 90.0)
    assert red.sum() > 40


def test_findings_of_one_kind_at_one_place_have_one_name() -> None:
    view = scene("panda")
    TaskPath(view, wave())
    assert [label.text for label in view.labels] == ["1 to 2 collision", "3 speed", "at the part"]
    assert view.status == ["task carry, 1.0 s: 3 findings"]


def test_the_robot_goes_where_it_is_at_a_time() -> None:
    view, task = scene("panda"), wave()
    path = TaskPath(view, task)
    path.go(0.5)
    assert np.allclose(view.robots["panda"].pose(9)[:3, 3], task.places[100])
    path.go(99.0)
    assert path.time == 1.0
    assert np.allclose(view.robots["panda"].q, task.q[-1])


def test_colours_follow_the_theme_and_nothing_is_drawn_twice() -> None:
    view = scene("panda")
    path = TaskPath(view, wave())
    before = len(view.lines), len(view.labels)
    view.use_theme(DARK)
    path.draw()
    assert (len(view.lines), len(view.labels)) == before
    assert view.labels[0].colour == DARK.ramp[2]


def test_a_task_of_another_robot_is_one_clear_line() -> None:
    with pytest.raises(ViewRequestError, match=r"the task is for robot 'panda'; this scene has: scara"):
        TaskPath(scene("scara"), wave())


def test_a_picture_lists_what_was_found(tmp_path: Path) -> None:
    bench = station.load(robots.path("panda"))
    drawn = render_png(bench, tmp_path / "task.png", size=SIZE, task=wave())
    assert drawn.status[1] == "1 collision, 0.40 to 0.60 s: link 3 is 62.4 mm inside wall"
    assert drawn.status[3] == "3 speed, 0.90 s: joint 2 is too fast"
    assert np.allclose(drawn.robots["panda"].q, wave().q[100])  # where the first finding is worst
    assert (tmp_path / "task.png").stat().st_size > 1000


@pytest.fixture
def window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ViewWindow]:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    application()
    found = ViewWindow(station.load(robots.path("panda")), (640, 400), folder=tmp_path, settings=tmp_path)
    found.show_task(wave())
    found.show()
    QtWidgets.QApplication.processEvents()
    yield found
    found.asks = False
    found.close()


def test_a_dark_window_shows_it_in_colours_for_the_dark(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QT_QPA_PLATFORM", "offscreen")
        application()
        window = ViewWindow(
            station.load(robots.path("panda")), (320, 200), theme="dark", folder=tmp_path, settings=tmp_path
        )
        window.show_task(wave())
        assert window.scene.labels[0].colour == DARK.ramp[2]
        window.use_dark(False)
        assert window.scene.labels[0].colour == LIGHT.ramp[2]
        window.asks = False
        window.close()
    assert "Traceback" not in capfd.readouterr().err  # Qt only prints what goes wrong in a slot


def panel_of(window: ViewWindow) -> TaskPanel:
    panel = window.panels["Task"]
    assert isinstance(panel, TaskPanel)
    return panel


def test_the_panel_begins_at_the_first_finding_and_lists_everything(window: ViewWindow) -> None:
    panel = panel_of(window)
    assert panel.when.text() == "0.50 of 1.00 s"
    rows = [panel.list.item(row).text() for row in range(panel.list.count())]
    assert rows[0].startswith("1 collision, 0.40 to 0.60 s: link 3 is 62.4 mm inside wall")
    assert rows[3:] == ["0.00 to 0.70 s: free reach", "0.70 s: at the part", "0.70 to 1.00 s: contact push"]


def test_a_click_on_a_row_and_the_slider_lead_the_robot(window: ViewWindow) -> None:
    panel, task = panel_of(window), wave()
    panel.list.itemClicked.emit(panel.list.item(2))
    assert np.allclose(window.scene.robots["panda"].q, task.q[task.sample_at(0.9)])
    panel.slider.setValue(250)
    assert np.allclose(window.scene.robots["panda"].q, task.q[50])
    assert np.allclose(window.design.joint_values("panda"), task.q[50])  # dragging goes on from there


def test_it_plays_to_its_end(window: ViewWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    panel, now = panel_of(window), [100.0]
    monkeypatch.setattr("station.view.panels.task.time.monotonic", lambda: now[0])
    panel.go(0.0)
    panel.play.click()
    now[0] += 0.3
    panel.refresh(window.follower.moment)
    assert panel.path.time == pytest.approx(0.3)
    now[0] += 5.0
    panel.refresh(window.follower.moment)
    assert panel.path.time == 1.0
    assert not panel.play.isChecked()
    panel.play.click()  # again from the begin
    assert panel.path.time == 0.0


def test_a_pose_beyond_a_stop_is_seen_as_it_is(window: ViewWindow) -> None:
    panel, q = panel_of(window), wave().q.copy()
    q[:, 5] += 9.0
    panel.path.task = ShownTask("beyond", "panda", 0.005, q, wave().places, wave().segments)
    panel.go(0.5)
    window.refresh()
    assert np.allclose(window.scene.robots["panda"].q, q[100])
    assert window.design.joint_values("panda")[5] < q[100, 5]  # from there one can only drag it within its stops
