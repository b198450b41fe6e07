"""`EventsPanel`: the log of events; it listens from the start, seen or not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets

from station.view.desk import desk_of
from station.view.errors import ViewRequestError
from station.view.moment import Moment
from station.view.panels.events_log import MOST, Kind
from station.view.panels.panel import Panel

if TYPE_CHECKING:
    from station.view.window import ViewWindow

ALL = "all events"


class EventsPanel(Panel):
    """State transitions with their causes, limits that act, losses of links, orders; may be saved."""

    title = "Events"
    key = "Ctrl+E"
    area = QtCore.Qt.DockWidgetArea.BottomDockWidgetArea

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        self.log = window.events
        self._shown, self._filter = 0, ALL  # entries ever that are on the screen
        self.lines = QtWidgets.QPlainTextEdit()
        self.lines.setReadOnly(True)
        self.lines.setMaximumBlockCount(MOST)
        self.lines.setFont(QtGui.QFontDatabase.systemFont(QtGui.QFontDatabase.SystemFont.FixedFont))
        self.setWidget(self._laid_out())
        desk_of(window, window.follower).answered.connect(self._ordered)

    def _laid_out(self) -> QtWidgets.QWidget:
        whole = QtWidgets.QWidget()
        column, row = QtWidgets.QVBoxLayout(whole), QtWidgets.QHBoxLayout()
        column.setContentsMargins(6, 4, 6, 6)
        kinds = QtWidgets.QComboBox()
        kinds.addItems([ALL, *Kind])
        kinds.currentTextChanged.connect(self._choose)
        save = QtWidgets.QPushButton("Save…")
        save.clicked.connect(self._ask_where)
        self.number = QtWidgets.QLabel()
        row.addWidget(kinds)
        row.addWidget(self.number, 1)
        row.addWidget(save)
        column.addLayout(row)
        column.addWidget(self.lines)
        return whole

    def refresh(self, moment: Moment) -> None:
        """Add what is new."""
        del moment  # the log has heard of it already
        new = self.log.count - self._shown
        if not new:
            return
        entries = list(self.log.entries)[-new:]
        self._shown = self.log.count
        text = "\n".join(str(entry) for entry in entries if self._filter in (ALL, entry.kind))
        if text:
            self.lines.appendPlainText(text)
        gone = self.log.count - len(self.log.entries)
        self.number.setText(f"{self.log.count} events" + (f", the first {gone} are gone" if gone else ""))

    def save(self, path: Path) -> None:
        """Write the log to a file; the window says what became of it."""
        try:
            self.log.save(path)
        except ViewRequestError as error:
            self.window_of.say(str(error))
        else:
            self.window_of.say(f"{path}: {len(self.log.entries)} events")

    def _ask_where(self) -> None:
        name, _ = QtWidgets.QFileDialog.getSaveFileName(self, "Save the log of events", "events.txt", "Text (*.txt)")
        if name:
            self.save(Path(name))

    def _choose(self, kind: str) -> None:
        self._filter, self._shown = kind, self.log.count - len(self.log.entries)
        self.lines.clear()
        self.refresh(self.window_of.follower.moment)

    def _ordered(self, text: str, done: bool) -> None:
        del done
        self.log.add(Kind.ORDER, text)
