"""`SupervisorPanel`: the state of a running station, and orders that matter: engage, hold, reset, tare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets

from station.servo.shared import Command, Engage, Hold, Reset, Tare
from station.view.banner import Tone
from station.view.desk import desk_of
from station.view.engaging import EngageKey
from station.view.moment import Link, Moment
from station.view.panels.panel import Panel
from station.view.panels.supervisor_words import AMBER, RED, badge, said

if TYPE_CHECKING:
    from station.view.window import ViewWindow

ORDERS: tuple[tuple[str, str, Command, str], ...] = (
    ("Engage", "E", Engage(), "Let the hand move the robot: as long as it is held down, or the device's dead-man is"),
    ("Hold", "H", Hold(), "Stop the robot where it is and free the hand; of several all"),
    ("Reset", "R", Reset(), "Leave a fault, if its cause is gone"),
    ("Tare", "T", Tare(), "The arm's force sensor feels nothing now; the arm must be at rest, and touch nothing"),
)
NO_FAULT = "no fault since this window is open"


class SupervisorPanel(Panel):
    """State, cause, orders. The keys work while the panel is hidden too; the stop is in the bar above."""

    title = "Supervisor"
    key = "Ctrl+U"

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        self.desk = desk_of(window, window.follower)
        self.desk.answered.connect(self._answered)
        self.log = window.events  # for the last fault
        self._told = ""  # across the window
        window.follower.listeners.append(self._listen)
        self.state, self.cause, self.next, self.waiting, self.signs, self.fault, self.answer = (
            QtWidgets.QLabel() for _ in range(7)
        )
        for label in (self.cause, self.next, self.waiting, self.signs, self.fault, self.answer):
            label.setWordWrap(True)
            label.setTextFormat(QtCore.Qt.TextFormat.PlainText)
        self.signs.setStyleSheet(badge(AMBER))
        self.state.setAlignment(QtCore.Qt.AlignmentFlag.AlignCenter)
        self.buttons = {name: self._button(name, key, order, tip) for name, key, order, tip in ORDERS}
        self.setWidget(self._laid_out())
        self._colour = ""
        self.refresh(Moment())

    def _button(self, name: str, key: str, order: Command, tip: str) -> QtWidgets.QPushButton:
        button = QtWidgets.QPushButton(f"{name} ({key})")
        button.setToolTip(tip)
        if isinstance(order, Engage):
            EngageKey(self.desk, button, self.window_of)
            return button
        button.clicked.connect(lambda _=False: self._order(order, name))
        shortcut = QtGui.QShortcut(QtGui.QKeySequence(key), self.window_of)
        shortcut.activated.connect(lambda: self._order(order, name))
        return button

    def _order(self, order: Command, name: str) -> None:
        """For the chosen part of the station; holding is for all."""
        if isinstance(order, Hold):
            self.desk.hold()
        else:
            self.desk.order(order, name.lower())

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
        column.addWidget(self.signs)  # below: it comes and goes, and buttons must stay where they are
        last = QtWidgets.QGroupBox("Last fault")
        QtWidgets.QVBoxLayout(last).addWidget(self.fault)
        column.addWidget(last)
        column.addWidget(self.answer)
        column.addStretch(1)
        return whole

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
        for name, button in self.buttons.items():
            senses = name != "Tare" or moment.text.get("measures_wrench") is True
            button.setEnabled(senses and not self.desk.unreachable)

    def _answered(self, text: str, done: bool) -> None:
        self.answer.setText(text)
        self.answer.setStyleSheet("" if done or not text else badge(RED))
        self.window_of.say(text)

    def _listen(self, moment: Moment) -> None:
        """Tell across the window when the station is no longer there."""
        follower = self.window_of.follower
        link, text = follower.link, ""
        if Link.ENDED in (link, moment.link):
            text = follower.trouble if link is Link.ENDED and follower.trouble else str(Link.ENDED)
        elif link is Link.SILENT:
            text = follower.trouble or str(Link.SILENT)
        if text != self._told:  # once: a person may click it away
            self._told = text
            self.window_of.banner.tell(text, Tone.TROUBLE, "station")
