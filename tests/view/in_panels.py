"""What happens in the panels of a window on a running bench, told as JSON: run by test_panels.py as its own process.

The bench is the default one behind a link of 200 ms, on a virtual clock: what is seen does not depend on how busy the
machine is.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PySide6 import QtCore, QtTest, QtWidgets

from station.controllers import ControllerStatus
from station.servo.shared import Cause, Hold
from station.view.labels import age_words
from station.view.moment import Link, Moment
from station.view.panels.events import EventsPanel
from station.view.panels.haptics import HapticsPanel
from station.view.panels.links import LinksPanel
from station.view.panels.plots import PLOTS, PlotsPanel
from station.view.panels.supervisor import SupervisorPanel
from station.view.virtual_bench import PromptStation, VirtualBench, virtual_bench
from station.view.window import ViewWindow, application

LEFT, SPACE = QtCore.Qt.MouseButton.LeftButton, QtCore.Qt.Key.Key_Space
LOOK = 0.04  # of the bench's time between two looks [s]
LINK = 0.1  # that a message takes [s]
PATIENCE = 6.0  # of the bench's time, for something to happen [s]
TRIES = 10
TOOL = 7
HAND = (
    "tighten 0.5; reach 0.22 0 0 in 0.4; strength 2.5; press deadman; hold 0.2; "
    "circle radius=0.03 period=1.2 for 2.5; release deadman; hold 0.2; "
) + 60 * "press deadman; hold 0.8; release deadman; hold 0.2; "


class Seat:
    """Somebody before the window while the bench runs."""

    def __init__(self, qt: QtWidgets.QApplication, window: ViewWindow, bench: VirtualBench) -> None:
        self.qt, self.window, self.bench = qt, window, bench
        self.drawn: list[tuple[float, Any, Any, float]] = []  # time, places of the tools as drawn, age [s, m, m, s]
        self.supervisor = self._panel(SupervisorPanel)
        self.haptics = self._panel(HapticsPanel)
        self.links = self._panel(LinksPanel)
        self.plots = self._panel(PlotsPanel)
        self.events = self._panel(EventsPanel)
        window.follower.listeners.append(self._note)

    def _panel(self, kind: type[Any]) -> Any:
        panel = self.window.panels[kind.title]
        assert isinstance(panel, kind)
        panel.setFloating(True)  # none is behind another
        return panel

    def _note(self, moment: Moment) -> None:
        robot = self.window.scene.robots["ur5e"]
        if moment.snapshot is not None and robot.measured.shown:
            places = robot.pose(TOOL)[:3, 3].copy(), robot.pose(TOOL, measured=True)[:3, 3].copy()
            self.drawn.append((float(moment.snapshot.time[0]), *places, float(robot.measured.age or 0.0)))

    def go(self, seconds: float) -> None:
        """Let the bench and the window live for so long [s, of the bench]."""
        for _ in range(round(seconds / LOOK)):
            self.bench.advance(LOOK)
            self.window.refresh()
            self.qt.processEvents()

    def until(self, true: Callable[[], bool]) -> bool:
        """Live until something is true."""
        for _ in range(round(PATIENCE / LOOK)):
            if true():
                return True
            self.go(LOOK)
            time.sleep(0.002)  # answers are looked for by a timer
        return true()

    def state(self) -> str:
        return str(self.supervisor.state.text())

    def answered(self, text: str) -> bool:
        return self.until(lambda: self.supervisor.answer.text() == text)

    def gain(self, cause: Cause) -> float:
        snapshot = self.window.follower.moment.snapshot
        assert snapshot is not None
        return float(snapshot.gains[cause])


def lags(seat: Seat) -> dict[str, Any]:
    """By how much the ghost is behind the solid robot, from where both were drawn."""
    seat.drawn.clear()
    for _ in range(110):
        seat.bench.advance(0.02)
        seat.window.follower.update()
    times = np.array([row[0] for row in seat.drawn])
    solid, ghost = (np.array([row[place] for row in seat.drawn]) for place in (1, 2))
    late = times > times[0] + 0.5

    def apart(lag: float) -> float:
        """Of the ghost from where the solid robot was `lag` earlier [m]."""
        before = np.column_stack([np.interp(times[late] - lag, times, solid[:, axis]) for axis in range(3)])
        return float(np.sqrt(np.mean(np.sum((before - ghost[late]) ** 2, axis=1))))

    trials = np.arange(0.0, 0.45, 0.005)
    best = min(trials, key=apart)
    ages = [row[3] for row in seat.drawn]
    robot = seat.window.scene.robots["ur5e"]
    return {
        "lag": float(best),
        "apart_then": apart(float(best)),
        "apart_now": apart(0.0),
        "ages": [min(ages), max(ages)],
        "label": age_words(robot.measured.age, robot.measured.stale),
    }


def orders(seat: Seat) -> dict[str, Any]:
    """Stop, reset, engage, hold, by buttons and keys."""
    panel, seen = seat.supervisor, empty()
    panel.show()
    QtTest.QTest.mousePress(seat.window.bar.stop_button, LEFT)  # the press alone counts
    seen["stopped"] = seat.until(lambda: seat.state() == "FAULT")
    seen["stop_answer"] = seat.answered("emergency stop: done")
    seen["cause"], seen["fault"] = panel.cause.text(), panel.fault.text()
    QtTest.QTest.mouseRelease(seat.window.bar.stop_button, LEFT)
    panel.buttons["Engage"].click()
    seen["engage_refused"] = seat.answered("engage: refused, there is a fault: reset first")
    seen["said"] = seat.window.message
    seat.go(0.5)  # until it is known here that the arm has stopped too
    panel.buttons["Reset"].click()
    seen["reset"] = seat.answered("reset: done")
    seen["engaged_again"] = seat.until(lambda: seat.state() == "ENGAGED")
    panel.buttons["Hold"].click()
    seen["held"] = seat.until(lambda: seat.state() == "HOLD")
    seen["engaged_by_press"] = seat.until(lambda: seat.state() == "ENGAGED")
    field = seat.haptics.rows[Cause.STOPS].percent
    field.setFocus()
    seat.haptics.show()
    QtTest.QTest.keyClick(field, SPACE)  # also where a field has the focus
    seen["space_stops"] = seat.until(lambda: seat.state() == "FAULT")
    seat.haptics.hide()
    seat.go(0.5)
    QtTest.QTest.keyClick(seat.window, QtCore.Qt.Key.Key_R)
    seen["key_resets"] = seat.until(lambda: seat.state() != "FAULT")
    panel.hide()
    QtTest.QTest.keyClick(seat.window, SPACE)  # also while the panel is hidden
    seen["space_stops_hidden"] = seat.until(
        lambda: (moment := seat.window.follower.moment).snapshot is not None and int(moment.snapshot.state[0]) == 4
    )
    panel.show()
    seat.go(0.5)
    panel.buttons["Reset"].click()
    seat.until(lambda: seat.state() == "ENGAGED")
    panel.hide()
    return seen


def sensor(seat: Seat) -> dict[str, Any]:
    """A sensor without a bias that was found, tared by the button; and where there is none."""
    panel, arm, seen = seat.supervisor, seat.bench.servo.part.arm, empty()
    assert arm is not None
    panel.show()
    seen["no_sign"] = not panel.signs.isVisible()
    arm.tare.known = False
    seen["sign"] = seat.until(panel.signs.isVisible)
    seen["words"], seen["in_the_picture"] = panel.signs.text(), list(seat.window.scene.status)

    def tried(status: ControllerStatus, answer: str) -> bool:
        """Whether Tare is answered so while the arm is so: the hand goes on, and may be faster."""
        seat.until(lambda: arm.controller.status is status)
        panel.answer.clear()
        panel.buttons["Tare"].click()
        return seat.until(lambda: panel.answer.text().startswith("tare: ")) and panel.answer.text() == answer

    seen["refused"] = any(tried(ControllerStatus.ACTIVE, "tare: refused, not in this state") for _ in range(TRIES))
    for _ in range(TRIES):  # it needs a tenth of a second, and the hand presses the dead-man again and again
        panel.buttons["Hold"].click()
        seen["tared"] = tried(ControllerStatus.READY, "tare: done") or seen.get("tared", False)
        seat.go(0.6)
        if not panel.signs.isVisible():
            break
    seen["sign_goes"] = not panel.signs.isVisible()
    moment = seat.window.follower.moment
    seen["enabled"] = panel.buttons["Tare"].isEnabled()
    for name, other in (
        ("enabled_without_sensor", replace(moment, text={**moment.text, "measures_wrench": False})),
        ("enabled_without_station", Moment()),
    ):
        panel.refresh(other)
        seen[name] = panel.buttons["Tare"].isEnabled()
    panel.hide()
    seat.until(lambda: arm.controller.status is ControllerStatus.ACTIVE)
    return seen


def empty() -> dict[str, Any]:
    """Nothing seen yet."""
    return {}


def effects(seat: Seat) -> dict[str, Any]:
    """Switches and sliders of the haptics panel."""
    panel, seen = seat.haptics, empty()
    panel.show()
    seat.go(0.1)
    row = panel.rows[Cause.COUPLING]
    seen["bound"], seen["now"] = panel.bound.text(), panel.now.text()
    row.switch.click()
    seen["off"] = seat.until(lambda: seat.gain(Cause.COUPLING) == 0.0)
    row.switch.click()
    seen["on"] = seat.until(lambda: seat.gain(Cause.COUPLING) == 1.0)
    row.slider.setValue(150)
    seen["stronger"] = seat.until(lambda: seat.gain(Cause.COUPLING) == 1.5)
    seat.go(0.2)
    seen["beyond"] = panel.now.text()
    row.percent.setValue(100)
    seat.until(lambda: seat.gain(Cause.COUPLING) == 1.0)
    seen["passivity"] = panel.passivity.text()
    panel.hide()
    return seen


def curves(seat: Seat) -> dict[str, Any]:
    """What the plots show, paused and not."""
    panel, seen = seat.plots, empty()
    panel.show()
    seat.go(LOOK)
    for name in PLOTS:
        panel.choose(name, True)
    panel.use_span(2.0)
    seat.go(0.2)
    shown = {name: curve.getData()[0] for name, curve in panel.curves.items()}
    seen["drawn"] = sorted(name for name, along in shown.items() if along is not None and len(along))
    seen["most"] = max(len(along) for along in shown.values() if along is not None)
    seen["span"] = [float(shown["dexterity"][0]), float(shown["dexterity"][-1])]
    panel.pause.click()
    before = panel.curves["dexterity"].getData()[1].copy()
    seat.go(0.2)
    seen["paused"] = bool(np.array_equal(before, panel.curves["dexterity"].getData()[1]))
    seen["kept_while_paused"] = panel.history.newest > 0.0
    panel.pause.click()
    seat.go(0.1)
    seen["goes_on"] = not np.array_equal(before, panel.curves["dexterity"].getData()[1])
    panel.hide()
    return seen


def links(seat: Seat) -> dict[str, Any]:
    """What the panel of links says."""
    seat.links.show()
    seat.go(0.4)
    return {
        part.title(): {
            "status": part.status.text(),
            "emulated": part.emulated.isVisible(),
            **{left.text(): right.text() for left, right in part.lines if left.text()},
        }
        for part in seat.links.parts
        if part.isVisible()
    }


def efforts(seat: Seat) -> dict[str, Any]:
    """What is drawn of the efforts that the arm measures."""
    augment = seat.window.scene.augment
    augment.show("effort", "sphere")
    labels = [label.text for label in augment.additions().labels]
    notes = list(augment.notes)
    augment.hide("effort")
    return {"labels": labels, "notes": notes}


def main() -> None:
    folder = Path(sys.argv[1])
    qt = application()
    seen: dict[str, Any] = {}
    with virtual_bench(folder, LINK, HAND) as bench:
        window = ViewWindow(bench.scene, (320, 240), settings=folder / "settings")
        window.follower.use(PromptStation(bench.state))
        window.show()
        seat = Seat(qt, window, bench)
        seat.supervisor.show()
        seen["engaged"] = seat.until(lambda: seat.state() == "ENGAGED")
        seen["lags"] = lags(seat)
        seen["orders"] = orders(seat)
        seen["effects"] = effects(seat)
        seen["curves"] = curves(seat)
        seen["links"] = links(seat)
        seen["efforts"] = efforts(seat)
        seen["sensor"] = sensor(seat)
        other = ViewWindow(bench.scene, (320, 240), state=bench.state, settings=folder / "settings")
        other.show()
        other.refresh()
        tick = bench.servo.part.shared.tick
        other.close()
        seat.go(0.1)
        seen["goes_on_when_a_window_closes"] = bench.servo.part.shared.tick > tick
        seat.events.refresh(window.follower.moment)
        seen["events"] = seat.events.lines.toPlainText().splitlines()
        seat.events.save(folder / "log.txt")
        seen["saved"] = (folder / "log.txt").read_text().splitlines() == list(map(str, seat.events.log.entries))
        seat.events.save(folder / "none" / "log.txt")
        seen["not_saved"] = window.message
    window._periods = 0
    window.refresh()
    qt.processEvents()
    seen["ended"] = [window.follower.link is Link.ENDED, window.banner.isVisible(), window.banner.text()]
    seat.supervisor.refresh(window.follower.moment)
    seen["orders_look_live"] = [name for name, button in seat.supervisor.buttons.items() if button.isEnabled()]
    seat.supervisor.desk.order(Hold(), "hold")
    seen["order_to_nobody"] = seat.supervisor.answer.text()
    seen["survived"] = window.isVisible()
    window.close()
    qt.processEvents()
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main()
