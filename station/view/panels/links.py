"""`LinksPanel`: device, arm, gripper, servo and publication, with the health of their links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtCore, QtWidgets

from station.view.moment import Moment
from station.view.panels.links_health import Health, Rates, healths
from station.view.panels.panel import Panel
from station.view.panels.supervisor_words import AMBER, GREEN, RED, badge

if TYPE_CHECKING:
    from station.view.window import ViewWindow

MOST_LINES = 6
EVERY = 5  # refreshes between two of the texts: numbers that change faster cannot be read


class Part(QtWidgets.QGroupBox):
    """One end of the station: status, mark if emulated, lines."""

    def __init__(self) -> None:
        super().__init__()
        column, grid = QtWidgets.QVBoxLayout(self), QtWidgets.QGridLayout()
        self.status, self.emulated, self.where = QtWidgets.QLabel(), QtWidgets.QLabel("EMULATED"), QtWidgets.QLabel()
        self.emulated.setStyleSheet(badge(AMBER))
        self.where.setWordWrap(True)
        self.where.setTextFormat(QtCore.Qt.TextFormat.PlainText)
        row = QtWidgets.QHBoxLayout()
        row.addWidget(self.status)
        row.addStretch(1)
        row.addWidget(self.emulated)
        column.addLayout(row)
        column.addWidget(self.where)
        column.addLayout(grid)
        self.lines = [(QtWidgets.QLabel(), QtWidgets.QLabel()) for _ in range(MOST_LINES)]
        for place, (left, right) in enumerate(self.lines):
            grid.addWidget(left, place, 0)
            grid.addWidget(right, place, 1)
            right.setAlignment(QtCore.Qt.AlignmentFlag.AlignRight)

    def show_health(self, health: Health) -> None:
        """Show one."""
        self.setTitle(health.name)
        self.status.setText(health.status.lower())
        self.status.setStyleSheet(badge(GREEN if health.is_good else RED))
        self.emulated.setVisible(health.is_emulated)
        self.where.setText(health.where)
        for place, (left, right) in enumerate(self.lines):
            what, amount = health.lines[place] if place < len(health.lines) else ("", "")
            left.setText(what)
            right.setText(amount)
            left.setVisible(bool(what))
            right.setVisible(bool(what))


class LinksPanel(Panel):
    """Who is connected, how old what they say is, how often it comes, and what got lost."""

    title = "Links"
    key = "Ctrl+L"

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        self.rates = Rates()
        window.follower.listeners.append(self.rates.take)
        self._turn = 0
        self.parts = [Part() for _ in range(5)]
        self.nobody = QtWidgets.QLabel("no station runs")
        whole = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(whole)
        column.addWidget(self.nobody)
        for part in self.parts:
            part.hide()
            column.addWidget(part)
        column.addStretch(1)
        scroll = QtWidgets.QScrollArea()
        scroll.setWidget(whole)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(QtCore.Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll, self._whole = scroll, whole
        self.setWidget(scroll)

    def refresh(self, moment: Moment) -> None:
        """Now and then: numbers are to be read."""
        self._turn += 1
        if self._turn % EVERY != 1:
            return
        found = healths(moment, self.rates)
        source = self.window_of.follower.source
        own = getattr(source, "health", None)
        if own is not None:
            found.append(own())
        self.nobody.setVisible(not found)
        margin = self._scroll.verticalScrollBar().sizeHint().width()
        self._scroll.setMinimumWidth(self._whole.minimumSizeHint().width() + margin)
        for place, part in enumerate(self.parts):
            part.setVisible(place < len(found))
            if place < len(found):
                part.show_health(found[place])
