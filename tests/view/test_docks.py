"""Docks of the window: made from a list, shown and hidden, refreshed while they are seen, remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6 import QtCore, QtWidgets

import robots
import station
from station.view import window as window_module
from station.view.banner import Banner, Tone
from station.view.follow import Moment
from station.view.panels import Panel
from station.view.window import ViewWindow, application


class Counting(Panel):
    """Counts how often it is refreshed."""

    title = "Counting"
    key = "Ctrl+7"

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        self.refreshed = 0
        self.left = False

    def refresh(self, moment: Moment) -> None:
        assert isinstance(moment, Moment)
        self.refreshed += 1

    def leave(self) -> None:
        self.left = True


class OnTheLeft(Panel):
    """Stands elsewhere."""

    title = "On the left"
    area = QtCore.Qt.DockWidgetArea.LeftDockWidgetArea


class Breaking(Panel):
    """Cannot be refreshed."""

    title = "Breaking"

    def refresh(self, moment: Moment) -> None:
        raise RuntimeError(f"nothing to be made of {type(moment).__name__}")


class Unmakeable(Panel):
    """Cannot even be made."""

    title = "Unmakeable"

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        raise RuntimeError("no paper")


@pytest.fixture(scope="module")
def qt() -> Iterator[QtWidgets.QApplication]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QT_QPA_PLATFORM", "offscreen")
        yield application()


@pytest.fixture
def panels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_module, "PANELS", (Counting, OnTheLeft, Breaking, Unmakeable))


def opened(folder: Path) -> ViewWindow:
    window = ViewWindow(station.load(robots.path("scara")), (400, 300), folder=folder, settings=folder / "settings")
    window.show()
    return window


@pytest.mark.usefixtures("qt", "panels")
def test_panels_are_made_from_the_list_and_hidden(tmp_path: Path) -> None:
    window = opened(tmp_path)
    assert list(window.panels) == ["Counting", "On the left", "Breaking"]
    assert not any(panel.isVisible() for panel in window.panels.values())
    assert window.dockWidgetArea(window.panels["On the left"]) is QtCore.Qt.DockWidgetArea.LeftDockWidgetArea
    window.close()


@pytest.mark.usefixtures("qt", "panels")
def test_one_that_cannot_be_made_is_told_and_the_others_are_there(tmp_path: Path) -> None:
    window = opened(tmp_path)
    assert window.message == "panel Unmakeable: no paper"
    window.close()


@pytest.mark.usefixtures("qt", "panels")
def test_the_menu_shows_and_hides_a_panel(tmp_path: Path) -> None:
    window = opened(tmp_path)
    action = next(action for action in window.menus.panels.actions() if action.text() == "Counting")
    assert action.shortcut().toString() == "Ctrl+7"
    action.trigger()
    assert window.panels["Counting"].isVisible()
    action.trigger()
    assert not window.panels["Counting"].isVisible()
    window.close()


@pytest.mark.usefixtures("qt", "panels")
def test_only_panels_that_are_seen_are_refreshed(tmp_path: Path) -> None:
    window = opened(tmp_path)
    panel = window.panels["Counting"]
    assert isinstance(panel, Counting)
    window.refresh()
    assert panel.refreshed == 0
    panel.show()
    window.refresh()
    assert panel.refreshed == 1
    window.close()
    assert panel.left


@pytest.mark.usefixtures("qt", "panels")
def test_a_panel_that_breaks_is_told_and_the_window_stays(tmp_path: Path) -> None:
    window = opened(tmp_path)
    counting = window.panels["Counting"]
    assert isinstance(counting, Counting)
    window.panels["Breaking"].show()
    counting.show()
    window.refresh()
    assert window.message == "panel Breaking: nothing to be made of Moment"
    assert counting.refreshed == 1
    window.close()


@pytest.mark.usefixtures("qt", "panels")
def test_where_panels_are_is_remembered(tmp_path: Path) -> None:
    window = opened(tmp_path)
    window.panels["Counting"].show()
    window.addDockWidget(QtCore.Qt.DockWidgetArea.BottomDockWidgetArea, window.panels["Counting"])
    window.close()
    assert (tmp_path / "settings" / "view.ini").exists()
    again = opened(tmp_path)
    assert again.panels["Counting"].isVisible()
    assert not again.panels["Breaking"].isVisible()
    assert again.dockWidgetArea(again.panels["Counting"]) is QtCore.Qt.DockWidgetArea.BottomDockWidgetArea
    again.close()


@pytest.mark.usefixtures("qt", "panels")
@pytest.mark.parametrize("nonsense", ["", "[window]\npanels=12\ngeometry=abc\n", "\x00\xff not settings at all"])
def test_settings_that_make_no_sense_are_passed_over(tmp_path: Path, nonsense: str) -> None:
    folder = tmp_path / "settings"
    folder.mkdir()
    (folder / "view.ini").write_text(nonsense, encoding="latin1")
    window = opened(tmp_path)
    assert window.isVisible()
    window.close()


@pytest.mark.usefixtures("qt", "panels")
def test_settings_that_cannot_be_kept_are_forgotten(tmp_path: Path) -> None:
    (tmp_path / "settings").write_text("a file where a folder should be")
    opened(tmp_path).close()
    window = opened(tmp_path)
    assert window.isVisible()
    window.close()


@pytest.mark.usefixtures("qt")
@pytest.mark.parametrize(
    ("answer", "closes", "saved"), [("Save", True, True), ("Discard", True, False), ("Cancel", False, False)]
)
def test_edits_that_are_not_saved_are_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, closes: bool, saved: bool
) -> None:
    path = tmp_path / "scara.mad"
    path.write_text(robots.path("scara").read_text())
    window = ViewWindow(station.load(path), (400, 300), folder=tmp_path, settings=tmp_path)
    window.show()
    assert window.studio.edit(lambda source: source.text + "// more\n", "remark")
    button = QtWidgets.QMessageBox.StandardButton[answer]
    monkeypatch.setattr(QtWidgets.QMessageBox, "question", lambda *_: button)
    assert window.close() is closes
    assert path.read_text().endswith("// more\n") is saved
    window.asks = False
    window.close()


@pytest.mark.usefixtures("qt")
def test_the_banner_has_a_line_for_each_topic_and_goes_with_the_last() -> None:
    banner = Banner()
    banner.tell("the arm is gone")
    banner.tell("the file has changed", Tone.NOTE, "file")
    assert banner.text() == "the arm is gone\nthe file has changed"
    assert Tone.TROUBLE in banner.styleSheet()
    banner.tell("")
    assert banner.text() == "the file has changed"
    assert Tone.NOTE in banner.styleSheet()
    banner.tell("", topic="file")
    assert banner.isHidden()
