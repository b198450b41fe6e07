"""Scenes that are not like the shipped ones: no robot, two robots, metres, fixed and sliding links, an empty base."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6 import QtWidgets

import robots
import station
from station.view.window import ViewWindow, application

STONES = "RAFF v2.0 Stones obstacle stone { pos { 0 0 100 } sphere 100 }"
METRES = """\
RAFF v2.0 Metres
unit m
robot crane { // in metres
  base { }
  link 1 { parameters { 0 0.5 0 0 } type prismatic pred 0 limits { 0.2 1.5 } }
  link 2 { parameters { 0 0.1 90 0.3 } type fixed pred 1 }
  link 3 { parameters { 30 0 0 0.4 } type revolute pred 2 }
  frame 4 { pred 3 pos { 0.3 0 0 } }
}
"""


@pytest.fixture
def qt(monkeypatch: pytest.MonkeyPatch) -> QtWidgets.QApplication:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    return application()


def opened(text: str, folder: Path, qt: QtWidgets.QApplication) -> ViewWindow:
    """A window with everything open."""
    path = folder / "scene.mad"
    path.write_text(text)
    window = ViewWindow(station.load(path), (500, 400), folder=folder, settings=folder)
    window.asks = False
    window.show()
    for title in window.panels:
        window.docks.show(title)
    for _ in range(3):
        window.refresh()
        qt.processEvents()
    return window


def test_a_scene_without_a_robot_is_shown(tmp_path: Path, qt: QtWidgets.QApplication) -> None:
    window = opened(STONES, tmp_path, qt)
    assert not window.message
    assert window.panes.frames > 0
    window.close()


def test_a_robot_that_goes_or_comes_with_a_save_is_followed(tmp_path: Path, qt: QtWidgets.QApplication) -> None:
    window = opened(METRES, tmp_path, qt)
    path = tmp_path / "scene.mad"
    crane = METRES[METRES.index("robot crane") :]
    window.docks.open_link("crane", 3)
    path.write_text(METRES + crane.replace("crane", "second", 1))
    window.studio.reload()
    assert list(window.scene.robots) == ["crane", "second"]
    window.docks.open_link("second", 1)
    path.write_text(METRES.replace("crane", "second", 1))
    window.studio.reload()
    for _ in range(3):
        window.refresh()
        qt.processEvents()
    assert list(window.scene.robots) == ["second"]
    assert list(window.docks.links) == [("second", 1)]
    assert not window.banner.isVisible()
    path.write_text("RAFF v2.0 Nothing")
    window.studio.reload()
    assert "no robot is left" in window.banner.text()
    assert list(window.scene.robots) == ["second"]
    window.close()


def test_metres_slides_and_fixed_links_are_shown_in_their_units(tmp_path: Path, qt: QtWidgets.QApplication) -> None:
    window = opened(METRES, tmp_path, qt)
    slide, fixed, end, base = (window.docks.open_link("crane", part) for part in (1, 2, 4, 0))
    assert slide.variable == "r"
    assert slide.rows["r"].unit == "m"
    assert slide.rows["r"].field.value() == pytest.approx(0.5)
    slide.rows["r"].field.setValue(9.0)
    assert window.design.joint_value("crane", 1) == pytest.approx(1.5), "up to its stop"
    assert "AT ITS STOP" in slide.state.text()
    assert fixed.variable is None
    assert not fixed.stops.isEnabled()
    fixed.rows["d"].field.setValue(0.25)
    end.rows["x"].field.setValue(0.35)
    base.rows["c"].field.setValue(90.0)
    window.refresh()
    assert "link 2 { parameters { 0 0.1 90 0.25 }" in window.design.text
    assert "pos { 0.35 0 0 }" in window.design.text
    assert "base { ori { 0 0 90 }  }" in window.design.text
    assert "// in metres" in window.design.text
    for _ in range(3):
        window.studio.undo()
    assert window.design.text == METRES
    window.close()


def test_a_limitless_joint_can_be_given_stops_and_lose_them(tmp_path: Path, qt: QtWidgets.QApplication) -> None:
    window = opened(METRES, tmp_path, qt)
    panel = window.docks.open_link("crane", 3)
    assert not panel.stops.isChecked()
    panel.stops.setChecked(True)
    link = window.design.link("crane", 3)
    assert link is not None
    assert link.stops is not None
    panel.stops.setChecked(False)
    assert window.design.text == METRES
    window.close()


@pytest.mark.parametrize("name", ["bennett", "robuter-ulm"])
def test_loops_of_one_freedom_and_wheels_are_opened_with_all_panels(
    name: str, tmp_path: Path, qt: QtWidgets.QApplication
) -> None:
    window = opened(robots.path(name).read_text(), tmp_path, qt)
    for part in window.scene.robots[name].body.ids:
        window.docks.open_link(name, part)
    for _ in range(2):
        window.refresh()
        qt.processEvents()
    assert len(window.docks.links) == len(window.scene.robots[name].body.ids)
    assert not window.message.startswith("panel")
    window.close()
