"""The bar of a window: the stop looks live only where it is, Space never presses anything, age and kind are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6 import QtCore, QtGui, QtTest, QtWidgets

import robots
from station.bench import load
from station.clock import VirtualClock
from station.servo.shared import (
    CommandIntake,
    ControllerCode,
    EmergencyStop,
    Emulated,
    Play,
    Reason,
    ServoState,
    StateWriter,
)
from station.servo.shared.command import Command
from station.view.desk import REPLAYED, WATCHING
from station.view.local import LocalStation
from station.view.moment import Link
from station.view.window import ViewWindow, application

SPACE, LEFT = QtCore.Qt.Key.Key_Space, QtCore.Qt.MouseButton.LeftButton
LAPTOP = QtCore.QSize(1366, 768)  # [px]


class Station:
    """Shared state and mailbox of a station that does as it is told, and remembers it."""

    def __init__(self, folder: Path, text: dict[str, object]) -> None:
        self.writer = StateWriter(6, {"robot": "ur5e", **text}, "station", folder)
        self.intake = CommandIntake(6, "station", folder)
        self.obeyed: list[Command] = []

    def go(self) -> None:
        """One tick."""
        self.intake.serve(self._obey, 0)
        self.writer.shared.tick += 1
        self.writer.shared.time += 0.04
        self.writer.publish()

    def _obey(self, command: Command) -> Reason:
        self.obeyed.append(command)
        return Reason.ACCEPTED

    def close(self) -> None:
        self.intake.close()
        self.writer.close()


class ReadOnly(LocalStation):
    """A station that may only be watched, as one of another machine."""

    @property
    def commands(self) -> Path | None:
        return None


@pytest.fixture
def qt(monkeypatch: pytest.MonkeyPatch) -> QtWidgets.QApplication:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    return application()


@pytest.fixture
def window(qt: QtWidgets.QApplication, tmp_path: Path) -> Iterator[ViewWindow]:
    made = ViewWindow(load(robots.path("ur5e")), (1366, 700), folder=tmp_path, settings=tmp_path / "settings")
    made.asks = False
    made._timer.stop()
    made.show()
    made.refresh()
    qt.processEvents()
    yield made
    made.close()


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Station]:
    made = Station(tmp_path, {})
    yield made
    made.close()


def live(window: ViewWindow, station: Station) -> None:
    station.go()
    window._periods = 0  # it looks for a station at once
    window.refresh()
    station.go()


def looks_live(window: ViewWindow) -> bool:
    button = window.bar.stop_button
    return button.isEnabled() and button.text().startswith("STOP") and "#b3261e" in button.styleSheet()


def test_the_stop_of_a_window_without_a_station_does_not_look_live(window: ViewWindow) -> None:
    assert not looks_live(window)
    assert window.bar.stop_button.text() == "no STOP here"
    assert window.bar.state.text() == "NO STATION"


def test_the_stop_of_a_station_that_listens_looks_live_and_stops_when_it_is_pressed(
    window: ViewWindow, station: Station
) -> None:
    live(window, station)
    assert looks_live(window)
    QtTest.QTest.mousePress(window.bar.stop_button, LEFT)
    station.go()
    assert station.obeyed == [EmergencyStop()]


def test_the_stop_of_a_window_that_only_watches_does_not_look_live(
    window: ViewWindow, station: Station, tmp_path: Path
) -> None:
    window.follower.use(ReadOnly(folder=tmp_path))
    live(window, station)
    assert window.follower.link is Link.FOLLOWING
    assert not looks_live(window)
    assert window.bar.whose.text() == "WATCHING ONLY"
    QtTest.QTest.keyClick(window, SPACE)
    assert window.message == f"nothing is stopped from here: {WATCHING}"
    assert not any(button.isEnabled() for button in window.panels["Supervisor"].buttons.values())  # type: ignore[attr-defined]


def test_a_replay_says_so_has_no_live_stop_and_a_timeline_that_leads_it(window: ViewWindow, tmp_path: Path) -> None:
    station = Station(tmp_path, {"replay": "run.mcap", "replay_start": 0.0, "replay_seconds": 0.4})
    live(window, station)
    live(window, station)
    assert window.bar.whose.text() == "REPLAY"
    assert not looks_live(window)
    QtTest.QTest.keyClick(window, SPACE)
    station.go()
    assert station.obeyed == []
    assert window.message == f"nothing is stopped from here: {REPLAYED}"
    timeline = window.bar.timeline
    assert timeline.isVisible()
    assert timeline.label.text() == "0.1 of 0.4 s"
    assert timeline.slider.value() == 300
    timeline.seek(500)
    timeline.button.click()
    station.go()
    assert station.obeyed == [Play(False, 0.2), Play(True)]
    station.close()


def test_a_station_that_has_ended_leaves_a_state_in_doubt_and_no_stop(window: ViewWindow, station: Station) -> None:
    station.writer.shared.state = ServoState.ENGAGED
    live(window, station)
    window.refresh()
    assert window.bar.state.text() == "ENGAGED"
    station.close()
    for _ in range(60):
        window.refresh()
    assert window.bar.state.text() == "ENGAGED?"
    assert not looks_live(window)


@pytest.mark.parametrize("there", [True, False], ids=["station", "no station"])
def test_space_never_presses_what_has_the_focus(window: ViewWindow, station: Station, there: bool) -> None:
    if there:
        live(window, station)
    pressed: list[str] = []
    panel = QtWidgets.QDockWidget("other", window)
    whole = QtWidgets.QWidget()
    column = QtWidgets.QVBoxLayout(whole)
    for kind in (QtWidgets.QPushButton, QtWidgets.QToolButton, QtWidgets.QCheckBox, QtWidgets.QRadioButton):
        button = kind()
        button.clicked.connect(lambda _=False, name=kind.__name__: pressed.append(name))
        column.addWidget(button)
    panel.setWidget(whole)
    window.addDockWidget(QtCore.Qt.DockWidgetArea.LeftDockWidgetArea, panel)
    for one in whole.findChildren(QtWidgets.QAbstractButton):
        one.setFocus()
        QtTest.QTest.keyClick(one, SPACE)
    menu = window.menus.view
    menu.popup(window.mapToGlobal(QtCore.QPoint(50, 20)))
    menu.setActiveAction(menu.actions()[1])
    before = window.scene.camera.azimuth
    QtTest.QTest.keyClick(menu, SPACE)
    menu.hide()
    station.go()
    assert pressed == []
    assert window.scene.camera.azimuth == before
    assert (EmergencyStop() in station.obeyed) is there


def test_space_is_written_where_there_is_nothing_to_stop(window: ViewWindow) -> None:
    field = QtWidgets.QLineEdit(window)
    field.show()
    field.setFocus()
    QtTest.QTest.keyClicks(field, "a b")
    assert field.text() == "a b"


def test_space_stops_also_while_somebody_writes(window: ViewWindow, station: Station) -> None:
    live(window, station)
    field = QtWidgets.QLineEdit(window)
    field.show()
    field.setFocus()
    QtTest.QTest.keyClick(field, SPACE)
    station.go()
    assert station.obeyed == [EmergencyStop()]


def test_what_is_emulated_and_how_long_things_take_are_told(window: ViewWindow, station: Station) -> None:
    station.writer.shared.emulated = Emulated.DEVICE | Emulated.CONTROLLER
    station.writer.shared.controller_status, station.writer.shared.link_round_trip = ControllerCode.ACTIVE, 0.163
    live(window, station)
    window.bar._due = -1.0
    window.refresh()
    assert window.bar.emulated.text() == "EMULATED: device, arm"
    assert window.bar.delays.text() == "to the arm and back 163.0 ms"
    assert window.bar.age.text().endswith(" old")


def test_a_window_that_lags_and_a_station_that_is_silent_say_so(window: ViewWindow, station: Station) -> None:
    live(window, station)
    bar, moment, clock = window.bar, replace(window.follower.moment, silence=0.01), VirtualClock()
    bar.use_clock(clock)
    clock.advance(0.04)
    bar.refresh(moment)
    assert bar.age.text() == "picture 50 ms old"
    clock.advance(2.0)
    bar.refresh(moment)
    assert bar.age.text() == "this window lags: 2.0 s old"
    clock.advance(0.04)
    bar.refresh(replace(moment, silence=3.0))
    assert bar.age.text() == "picture 3.0 s old"
    assert bar.stop_button.text() == "STOP?"
    assert bar.stop_button.isEnabled()  # whether it is heard is not known; it is tried


def test_a_recording_is_told_while_it_grows(window: ViewWindow, station: Station, tmp_path: Path) -> None:
    window.bar.recording = path = tmp_path / "run.mcap"
    path.write_bytes(b"some")
    live(window, station)
    window.bar._due = -1.0
    window.refresh()
    assert window.bar.rec.text() == "● REC"
    window.bar._grown -= 60.0
    window.bar._due = -1.0
    window.refresh()
    assert window.bar.rec.text() == "REC: nothing is written"


def test_no_panel_covers_the_bar(window: ViewWindow, station: Station, qt: QtWidgets.QApplication) -> None:
    live(window, station)
    panel = window.docks.show("Supervisor")
    qt.processEvents()
    bar = QtCore.QRect(window.bar.mapToGlobal(QtCore.QPoint()), window.bar.size())
    assert bar.width() == window.width()
    assert not bar.intersects(QtCore.QRect(panel.mapToGlobal(QtCore.QPoint()), panel.size()))
    panel.setFloating(True)
    panel.move(bar.center())
    qt.processEvents()
    assert not bar.intersects(panel.frameGeometry())
    assert not window.bar.toggleViewAction().isVisible()  # nobody can hide it


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_window_of_a_run_fits_a_small_laptop(
    window: ViewWindow, station: Station, qt: QtWidgets.QApplication, dark: bool
) -> None:
    window.use_dark(dark)
    station.writer.shared.emulated = Emulated.DEVICE | Emulated.CONTROLLER | Emulated.HAND
    station.writer.shared.state = ServoState.ENGAGED
    station.writer.shared.controller_status = ControllerCode.ACTIVE
    station.writer.shared.link_round_trip = 0.163
    station.writer.shared.spent[-1] = 0.0021
    live(window, station)
    window.docks.show("Supervisor")
    window.resize(LAPTOP - QtCore.QSize(0, 40))
    window.bar._due = -1.0
    window.refresh()
    qt.processEvents()
    hint = window.minimumSizeHint()
    assert hint.width() <= LAPTOP.width()
    assert hint.height() <= LAPTOP.height() - 40
    shown = [window.bar.stop_button, window.bar.state, window.bar.emulated, window.bar.delays, window.bar.age]
    for widget in shown:
        assert widget.isVisible()
        assert widget.width() >= widget.sizeHint().width(), widget
        assert contrast(widget) > 3.0


def contrast(widget: QtWidgets.QWidget) -> float:
    """Between the darkest and the lightest pixel of a widget, as WCAG has it."""
    image = widget.grab().toImage()
    tones = [
        _luminance(QtGui.QColor(image.pixel(x, y)))
        for x in range(4, image.width() - 4)
        for y in range(3, image.height() - 3)
    ]
    return (max(tones) + 0.05) / (min(tones) + 0.05)


def _luminance(colour: QtGui.QColor) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else float(((part + 0.055) / 1.055) ** 2.4)
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
