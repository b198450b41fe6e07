"""`SupervisorPanel`: the state of a running station, and orders that matter: engage, hold, reset, tare, and stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets

from station.servo.shared import Command, Engage, Hold, Reset, Tare
from station.view.banner import Tone
from station.view.desk import desk_of
from station.view.engaging import EngageKey
from station.view.moment import Link, Moment
from station.view.panels.events_log import EventLog
from station.view.panels.panel import Panel
from station.view.panels.supervisor_words import AMBER, RED, said

if TYPE_CHECKING:
    from station.view.window import ViewWindow

ORDERS: tuple[tuple[str, str, Command, str], ...] = (
    ("Engage", "E", Engage(), "Let the hand move the robot: as long as it is held down, or the device's dead-man is"),
    ("Hold", "H", Hold(), "Stop the robot where it is and free the hand"),
    ("Reset", "R", Reset(), "Leave a fault, if its cause is gone"),
    ("Tare", "T", Tare(), "The arm's force sensor feels nothing now; the arm must be at rest, and touch nothing"),
)
STOP = "STOP"
NO_FAULT = "no fault since this window is open"


class SupervisorPanel(Panel):
    """State, cause, orders. The keys work while the panel is hidden too; Space stops wherever the focus is."""

    title = "Supervisor"
    key = "Ctrl+U"

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        self.desk = desk_of(window, window.follower)
        self.desk.answered.connect(self._answered)
        self.log = EventLog(1)  # for the last fault
        self._told = ""  # across the window
        window.follower.listeners.append(self._listen)
        self.state, self.cause, self.next, self.waiting, self.signs, self.fault, self.answer = (
            QtWidgets.QLabel() for _ in range(7)
        )
        for label in (self.cause, self.next, self.waiting, self.signs, self.fault, self.answer):
            label.setWordWrap(True)
            label.setTextFormat(QtCore.Qt.TextFormat.PlainText)
        self.signs.setStyleSheet(f"color: {AMBER}; font-weight: 600;")
        self.state.setAlignment(QtCore.Qt.AlignmentFlag.AlignCenter)
        self.stop_button = QtWidgets.QPushButton(f"{STOP}\nspace")
        self.buttons = {name: self._button(name, key, order, tip) for name, key, order, tip in ORDERS}
        self.setWidget(self._laid_out())
        self._style_stop()
        self._colour = ""
        self.refresh(Moment())
        QtWidgets.QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]

    def _button(self, name: str, key: str, order: Command, tip: str) -> QtWidgets.QPushButton:
        button = QtWidgets.QPushButton(f"{name} ({key})")
        button.setToolTip(tip)
        if isinstance(order, Engage):
            EngageKey(self.desk, button, self.window_of)
            return button
        button.clicked.connect(lambda _=False: self.desk.order(order, name.lower()))
        shortcut = QtGui.QShortcut(QtGui.QKeySequence(key), self.window_of)
        shortcut.activated.connect(lambda: self.desk.order(order, name.lower()))
        return button

    def _laid_out(self) -> QtWidgets.QWidget:
        whole = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(whole)
        column.addWidget(self.state)
        column.addWidget(self.cause)
        column.addWidget(self.next)
        column.addWidget(self.waiting)
        row = QtWidgets.QHBoxLayout()
        for button in self.buttons.values():
            row.addWidget(button)
        column.addLayout(row)
        column.addWidget(self.stop_button)
        column.addWidget(self.signs)  # below: it comes and goes, and the stop must stay where it is
        last = QtWidgets.QGroupBox("Last fault")
        QtWidgets.QVBoxLayout(last).addWidget(self.fault)
        column.addWidget(last)
        column.addWidget(self.answer)
        column.addStretch(1)
        return whole

    def _style_stop(self) -> None:
        self.stop_button.setMinimumHeight(110)
        self.stop_button.setFocusPolicy(QtCore.Qt.FocusPolicy.NoFocus)
        self.stop_button.setToolTip("Emergency stop: everything stops, no force on the hand; Reset leads out of it")
        self.stop_button.setStyleSheet(
            f"QPushButton {{ background: {RED}; color: white; font-size: 26px; font-weight: 800; border: 3px solid "
            "#7a120c; border-radius: 14px; } QPushButton:pressed { background: #7a120c; }"
        )
        self.stop_button.pressed.connect(self.desk.stop)  # not on release: it must not wait

    def refresh(self, moment: Moment) -> None:
        """Show the state."""
        words = said(moment)
        self.state.setText(words.state)
        if words.colour != self._colour:  # a style sheet costs a new layout
            self._colour = words.colour
            self.state.setStyleSheet(
                f"background: {words.colour}; color: white; font-size: 20px; font-weight: 700; padding: 6px; "
                "border-radius: 6px;"
            )
        self.cause.setText(words.cause)
        self.next.setText(f"→ {words.next}" if words.next else "")
        self.waiting.setText(words.waiting)
        self._show_sensor(moment)
        self.fault.setText(NO_FAULT if self.log.last_fault is None else str(self.log.last_fault))

    def _show_sensor(self, moment: Moment) -> None:
        """Signs of the arm's force sensor; it is tared where there is one, and from here."""
        signs = self.window_of.scene.augment.signs if moment.snapshot is not None else ()
        self.signs.setText("\n".join(signs))
        self.signs.setVisible(bool(signs))
        self.buttons["Tare"].setEnabled(moment.text.get("measures_wrench") is True)

    def eventFilter(self, watched: QtCore.QObject, event: QtCore.QEvent) -> bool:  # noqa: N802 (Qt's name)
        """Space is the emergency stop, also where a button or a field would take it for itself."""
        kinds = (QtCore.QEvent.Type.ShortcutOverride, QtCore.QEvent.Type.KeyPress)
        if event.type() in kinds and isinstance(event, QtGui.QKeyEvent) and event.key() == QtCore.Qt.Key.Key_Space:
            if not self._is_ours(watched) or self.window_of.follower.source.commands is None:
                return False
            if event.type() == QtCore.QEvent.Type.KeyPress and not event.isAutoRepeat():
                self.desk.stop()
            event.accept()
            return True
        return False

    def _is_ours(self, widget: QtCore.QObject) -> bool:
        if isinstance(widget, QtGui.QWindow):
            return False  # Qt passes the key on to a widget of that window
        return isinstance(widget, QtWidgets.QWidget) and (
            widget.window() is self.window_of or widget.window().parent() is self.window_of
        )

    def _answered(self, text: str, done: bool) -> None:
        self.answer.setText(text)
        self.answer.setStyleSheet("" if done else f"color: {RED}; font-weight: 600;")
        self.window_of.say(text)

    def _listen(self, moment: Moment) -> None:
        """Remember faults, and tell across the window when the station is no longer there."""
        self.log.take(moment)
        follower = self.window_of.follower
        link, text = follower.link, ""
        if Link.ENDED in (link, moment.link):
            text = follower.trouble if link is Link.ENDED and follower.trouble else str(Link.ENDED)
        elif link is Link.SILENT:
            text = follower.trouble or str(Link.SILENT)
        if text != self._told:  # once: a person may click it away
            self._told = text
            self.window_of.banner.tell(text, Tone.TROUBLE, "station")
