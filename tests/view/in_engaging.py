"""Key E and the button Engage of a window on a servo whose device has no dead-man, told as JSON.

Run by test_engaging.py as its own process. The servo is on a virtual clock that goes on with the window's events.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from PySide6 import QtCore, QtGui, QtTest, QtWidgets

import station
from station.servo.shared import ServoState
from station.view.panels.supervisor import SupervisorPanel
from station.view.virtual_bench import PromptStation
from station.view.window import ViewWindow, application
from tests.servo.rigs import GANTRY, Bench
from tests.servo.test_held_engagement import buttonless

LEFT, E = QtCore.Qt.MouseButton.LeftButton, QtCore.Qt.Key.Key_E
NO_MODIFIER = QtCore.Qt.KeyboardModifier.NoModifier


class Seat:
    """Somebody before the window."""

    def __init__(self, qt: QtWidgets.QApplication, window: ViewWindow, bench: Bench) -> None:
        self.qt, self.window, self.bench = qt, window, bench

    def go(self, ticks: int = 400) -> str:
        """Let servo and window live; the state then."""
        for _ in range(ticks // 10):
            self.bench.ticks(10)
            self.qt.processEvents()
            time.sleep(0.01)  # the window's timers are on the wall's time
            self.qt.processEvents()
        self.window.refresh()
        return str(self.bench.servo.part.state.name)

    def again(self) -> None:
        """The key, as the system repeats it."""
        for kind in (QtCore.QEvent.Type.KeyRelease, QtCore.QEvent.Type.KeyPress):
            self.qt.sendEvent(self.window, QtGui.QKeyEvent(kind, E, NO_MODIFIER, "e", True))


def held(seat: Seat, panel: SupervisorPanel) -> dict[str, Any]:
    """Held down in every way, and let go in every way."""
    window, button, seen = seat.window, panel.buttons["Engage"], {}
    seen["at first"] = seat.go(50)
    QtTest.QTest.keyPress(window, E)
    seen["key down"] = seat.go()
    seat.again()
    seen["key repeated"] = seat.go()
    QtTest.QTest.keyRelease(window, E)
    seen["key up"] = seat.go(50)
    QtTest.QTest.mousePress(button, LEFT)
    seen["button down"] = seat.go()
    QtTest.QTest.mouseRelease(button, LEFT)
    seen["button up"] = seat.go(50)
    QtTest.QTest.keyPress(window, E)
    seen["key down again"] = seat.go(50)
    seat.qt.sendEvent(window, QtCore.QEvent(QtCore.QEvent.Type.WindowDeactivate))
    seen["focus lost"] = seat.go(50)
    QtTest.QTest.keyRelease(window, E)
    return seen


def hung(seat: Seat, panel: SupervisorPanel) -> dict[str, Any]:
    """A window that hangs with the key down, and lives again."""
    seen: dict[str, Any] = {}
    QtTest.QTest.keyPress(seat.window, E)
    seen["key down"] = seat.go(50)
    seat.bench.ticks(120)  # without the window
    seen["window hangs"] = str(seat.bench.servo.part.state.name)
    seen["lives again"] = seat.go()
    seen["told"] = panel.answer.text()
    QtTest.QTest.keyRelease(seat.window, E)
    seen["key up"] = seat.go(50)
    QtTest.QTest.keyPress(seat.window, E)
    seen["pressed anew"] = seat.go(50)
    seat.window.close()
    seen["window closed"] = seat.go(120)
    return seen


def typed(seat: Seat) -> str:
    """The letter, into a field of the window."""
    field = QtWidgets.QLineEdit(seat.window)
    field.show()
    field.setFocus()
    QtTest.QTest.keyClick(field, E)
    return f"{field.text()} {seat.go(50)}"


def main() -> None:
    """Press, let go, and tell."""
    folder, qt = Path(sys.argv[1]), application()
    with buttonless(folder) as bench:
        window = ViewWindow(station.loads(GANTRY), (320, 240), folder=folder / "none", settings=folder / "settings")
        window.follower.use(PromptStation(bench.servo.part.writer.path))
        window.show()
        window.activateWindow()
        qt.processEvents()
        panel = window.panels["Supervisor"]
        assert isinstance(panel, SupervisorPanel)
        panel.show()
        seat = Seat(qt, window, bench)
        assert bench.servo.part.state is ServoState.READY
        seen: dict[str, Any] = {"typed": typed(seat), "held": held(seat, panel), "hung": hung(seat, panel)}
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main()
