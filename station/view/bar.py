"""`StateBar`: the line of a window that no panel covers: stop, state, whose station, what is not real, how old."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets

from station.clock import WALL, Clock
from station.servo.pacing import Measure
from station.servo.shared import ControllerCode, Emulated, Snapshot
from station.view.desk import desk_of
from station.view.hand import takes_text
from station.view.moment import NEVER, Link, Moment
from station.view.panels.links_health import milliseconds
from station.view.panels.supervisor_words import AMBER, BLUE, GREY, RED, badge, said
from station.view.timeline import Timeline

if TYPE_CHECKING:
    from station.view.window import ViewWindow

OLD = 0.5  # age of the picture from which on it is told in red, and the stop is doubtful [s]
SLOW = 0.16  # time between two pictures from which on a window says that it lags [s]
NUMBERS_EVERY = 0.25  # numbers that change with every picture cannot be read [s]
GROWS_WITHIN = 5.0  # a recording that has not grown for so long is none [s]
EMULATED = {Emulated.DEVICE: "device", Emulated.CONTROLLER: "arm", Emulated.HAND: "hand"}


class StateBar(QtWidgets.QToolBar):
    """Across the whole window, above all docks; panels that float are kept below it.

    Args:
        window: the window.
    """

    def __init__(self, window: ViewWindow) -> None:
        super().__init__("State", window)
        self.setObjectName("state")
        self._window, self.desk = window, desk_of(window, window.follower)
        self.recording: Path | None = None  # that a run writes
        self._size, self._grown = -1, -float("inf")  # of the recording [bytes], when it had become larger [s]
        self.use_clock(WALL)
        self._styles: dict[QtWidgets.QWidget, str] = {}
        self.stop_button = QtWidgets.QPushButton()
        self.stop_button.setFocusPolicy(QtCore.Qt.FocusPolicy.NoFocus)
        self.stop_button.pressed.connect(self.stop)  # not on release: it must not wait
        self.state, self.whose, self.rec, self.emulated, self.next, self.delays, self.age = (
            QtWidgets.QLabel() for _ in range(7)
        )
        self.timeline = Timeline(self.desk)
        self._lay_out()
        self.refresh(Moment())
        application = QtWidgets.QApplication.instance()
        assert application is not None
        application.installEventFilter(self)

    def use_clock(self, clock: Clock) -> None:
        """By whose time pictures follow each other; that of a test, for one."""
        self._clock = clock
        self._last = self._due = clock.now()  # picture before, next numbers [s]
        self._gap = 0.0  # longest time between two pictures lately [s]

    def _lay_out(self) -> None:
        self.setMovable(False)
        self.toggleViewAction().setEnabled(False)  # it cannot be hidden
        self.toggleViewAction().setVisible(False)
        self.setContextMenuPolicy(QtCore.Qt.ContextMenuPolicy.PreventContextMenu)
        whole = QtWidgets.QWidget()
        row = QtWidgets.QHBoxLayout(whole)
        row.setContentsMargins(2, 2, 6, 2)
        row.setSpacing(8)
        # A window that is too narrow cuts off what is at the right: the stop is at the left.
        row.setSizeConstraint(QtWidgets.QLayout.SizeConstraint.SetNoConstraint)
        for widget in (self.stop_button, self.state, self.whose, self.rec, self.emulated):
            row.addWidget(widget)
        row.addWidget(self.timeline, 1)
        self.next.setSizePolicy(QtWidgets.QSizePolicy.Policy.Ignored, QtWidgets.QSizePolicy.Policy.Preferred)
        self.next.setWordWrap(True)
        row.addWidget(self.next, 1)  # takes what is left
        row.addWidget(self.delays)
        row.addWidget(self.age)
        whole.setSizePolicy(QtWidgets.QSizePolicy.Policy.Ignored, QtWidgets.QSizePolicy.Policy.Fixed)
        whole.setFixedHeight(max(widget.sizeHint().height() for widget in (self.stop_button, self.timeline)) + 18)
        self.addWidget(whole)

    # The stop ----------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Emergency stop, or why there is none from here."""
        if self.desk.unreachable:
            self._window.say(f"nothing is stopped from here: {self.desk.unreachable}")
        else:
            self.desk.stop()

    def eventFilter(self, watched: QtCore.QObject, event: QtCore.QEvent) -> bool:  # noqa: N802 (Qt's name)
        """Space is the emergency stop wherever the focus is, and never presses a button or picks an entry."""
        kinds = (QtCore.QEvent.Type.ShortcutOverride, QtCore.QEvent.Type.KeyPress, QtCore.QEvent.Type.KeyRelease)
        if event.type() not in kinds or not isinstance(event, QtGui.QKeyEvent):
            return False
        if event.key() != QtCore.Qt.Key.Key_Space or not self._window.owns(watched):
            return False
        if self.desk.unreachable and takes_text(watched):
            return False  # there is nothing to stop, and somebody writes
        if event.type() == QtCore.QEvent.Type.KeyPress and not event.isAutoRepeat():
            self.stop()
        event.accept()
        return True

    # What is shown -----------------------------------------------------------------------------------------

    def refresh(self, moment: Moment) -> None:
        """Show a newer moment of the station; called with every picture."""
        now = self._clock.now()
        self._gap, self._last = max(now - self._last, self._gap), now
        replayed, unreachable = bool(moment.text.get("replay")), self.desk.unreachable
        live = moment.snapshot is not None and moment.link in (Link.FOLLOWING, Link.SILENT)
        silent = live and moment.silence > OLD and not replayed
        self._show_stop(unreachable, silent)
        words = said(moment)
        self._put(self.state, words.state, badge(words.colour))
        self.state.setToolTip(words.cause)
        self.next.setText("" if replayed else f"→ {words.next}" if words.next else words.waiting)
        self.next.setToolTip(self.next.text())
        self._show_whose(replayed, unreachable)
        self._show_recording(now)
        emulated = _emulated(moment.snapshot)
        self._put(self.emulated, f"EMULATED: {', '.join(emulated)}" if emulated else "", badge(AMBER))
        self.timeline.refresh(moment)
        if now >= self._due or silent:
            self._due = now + NUMBERS_EVERY
            self._put(self.delays, delay_words(moment) if not replayed else "", "")
            self._show_age(moment if live else Moment())
            self._gap = 0.0

    def _show_stop(self, unreachable: str, silent: bool) -> None:
        if unreachable:
            self._put(self.stop_button, "no STOP here", "")
            self.stop_button.setToolTip(f"Nothing is stopped from here: {unreachable}")
            style = (
                f"QPushButton {{ {SHAPE} font-weight: 400; background: {GREY}; color: white; "
                "border: 2px dashed #9aa1ab; }"
            )
        else:
            self._put(self.stop_button, "STOP?" if silent else "STOP (Space)", "")
            self.stop_button.setToolTip(
                "The station is silent: whether it stops is not known"
                if silent
                else "Emergency stop: everything stops, no force on the hand; Reset leads out of it"
            )
            style = (
                f"QPushButton {{ {SHAPE} background: {RED}; color: white; border: 2px solid #7a120c; }} "
                "QPushButton:pressed { background: #7a120c; }"
            )
        self.stop_button.setEnabled(not unreachable)
        self._style(self.stop_button, style)

    def _show_whose(self, replayed: bool, unreachable: str) -> None:
        """What kind of station this is, if it is none that obeys."""
        follower = self._window.follower
        if replayed:
            text = "REPLAY"
        elif unreachable and follower.link in (Link.FOLLOWING, Link.SILENT, Link.WAITING):
            text = "WATCHING ONLY"
        else:
            text = ""
        self._put(self.whose, text, badge(BLUE))

    def _show_recording(self, now: float) -> None:
        if self.recording is None or self.desk.unreachable:
            self._put(self.rec, "", "")
            return
        if now >= self._due:
            size = self.recording.stat().st_size if self.recording.exists() else -1
            if size > self._size:
                self._size, self._grown = size, now
        grows = now - self._grown < GROWS_WITHIN
        self.rec.setToolTip(f"{self.recording}: {max(self._size, 0) / 1e6:.1f} MB")
        self._put(self.rec, "● REC" if grows else "REC: nothing is written", badge(RED if grows else AMBER))

    def _show_age(self, moment: Moment) -> None:
        if moment.snapshot is None:
            self._put(self.age, "", "")
            return
        age = moment.silence + self._gap
        if self._gap > SLOW:
            self._put(self.age, f"this window lags: {rounded(age)} old", badge(AMBER if age < OLD else RED))
        else:
            self._put(self.age, f"picture {rounded(age)} old", badge(RED) if age > OLD else "")

    def _put(self, widget: QtWidgets.QLabel | QtWidgets.QPushButton, text: str, style: str) -> None:
        if widget.text() != text or widget.isHidden() == bool(text):
            widget.setText(text)
            widget.setVisible(bool(text))
        if isinstance(widget, QtWidgets.QLabel):
            self._style(widget, style)

    def _style(self, widget: QtWidgets.QWidget, style: str) -> None:
        if self._styles.get(widget) != style:  # a style sheet costs a new layout
            self._styles[widget] = style
            widget.setStyleSheet(style)

    def leave(self) -> None:
        """The window closes."""
        application = QtWidgets.QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)


SHAPE = "font-size: 15px; font-weight: 800; padding: 4px 14px; border-radius: 6px;"


def _emulated(snapshot: Snapshot | None) -> list[str]:
    """What is not real."""
    parts = Emulated.NONE if snapshot is None else Emulated(int(snapshot.emulated[0]))
    return [name for part, name in EMULATED.items() if part & parts]


def rounded(seconds: float) -> str:
    """A time as one reads it at a glance."""
    return f"{1e3 * seconds:.0f} ms" if seconds < 1.0 else f"{seconds:.1f} s"


def delay_words(moment: Moment) -> str:
    """From hand to force, and to the arm and back; what is not measured or not there is left out."""
    snapshot = moment.snapshot
    if snapshot is None:
        return ""
    parts = [("hand to force", float(snapshot.spent[Measure.LATENCY]))] if moment.text.get("pushes", True) else []
    if int(snapshot.controller_status[0]) != ControllerCode.NONE:
        parts.append(("to the arm and back", float(snapshot.link_round_trip[0])))
    return "   ".join(f"{name} {milliseconds(value)}" for name, value in parts if 0.0 < value < NEVER)
