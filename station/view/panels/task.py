"""`TaskPanel`: a task on the virtual robot: what was found, where, and the robot at any time of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets

from station.view.moment import Moment
from station.view.panels.panel import Panel
from station.view.panels.supervisor_words import GREEN
from station.view.task.path import TaskPath, finding_words
from station.view.theme import Theme

if TYPE_CHECKING:
    from station.view.window import ViewWindow

STEPS = 1000  # of the slider
WHEN = QtCore.Qt.ItemDataRole.UserRole  # where a row of the list keeps its time


class TaskPanel(Panel):
    """Leads the virtual robot along a task: by a slider, by playing, by findings, marks and segments."""

    title = "Task"
    key = "Ctrl+T"

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        assert window.task_path is not None
        self.path: TaskPath = window.task_path
        self._theme: Theme | None = None  # whose colours it has
        self._played = 0.0  # when the robot was last moved by playing [s]
        whole = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(whole)
        self.outcome = QtWidgets.QLabel(self.path.task.outcome)
        self.outcome.setWordWrap(True)
        column.addWidget(self.outcome)
        column.addLayout(self._transport())
        self.list = QtWidgets.QListWidget()
        self.list.setWordWrap(True)
        self.list.itemClicked.connect(lambda item: self.go(item.data(WHEN)))
        self._fill()
        column.addWidget(self.list, 1)
        for note in self.path.task.notes:
            told = QtWidgets.QLabel(note)
            told.setWordWrap(True)
            column.addWidget(told)
        self.setWidget(whole)
        self.setMinimumWidth(330)

    def _transport(self) -> QtWidgets.QHBoxLayout:
        row = QtWidgets.QHBoxLayout()
        self.play = QtWidgets.QPushButton("Play")
        self.play.setCheckable(True)
        self.play.toggled.connect(self._play)
        self.slider = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.valueChanged.connect(lambda value: self.go(value / STEPS * self.path.task.duration))
        self.when = QtWidgets.QLabel()
        row.addWidget(self.play)
        row.addWidget(self.slider, 1)
        row.addWidget(self.when)
        return row

    def _fill(self) -> None:
        """Findings, then marks and segments in the order of time."""
        task = self.path.task
        for number, finding in enumerate(task.findings, start=1):
            self._add(finding_words(number, finding), finding.worst)
        rows = [(mark.time, f"{mark.time:.2f} s: {mark.name}") for mark in task.marks]
        for segment in task.segments:
            name = f" {segment.name}" if segment.name else ""
            rows.append((segment.begin, f"{segment.begin:.2f} to {segment.end:.2f} s: {segment.kind}{name}"))
        for when, text in sorted(rows):
            self._add(text, when)

    def _add(self, text: str, when: float) -> None:
        item = QtWidgets.QListWidgetItem(text)
        item.setData(WHEN, when)
        self.list.addItem(item)

    def _use_theme(self) -> None:
        """Findings in the red of the picture."""
        theme = self.window_of.scene.theme
        if theme is self._theme:
            return
        self._theme = theme
        red = QtGui.QColor.fromRgbF(*theme.ramp[2])
        for row in range(len(self.path.task.findings)):
            self.list.item(row).setForeground(red)
        colour = red.name() if self.path.task.findings else GREEN
        self.outcome.setStyleSheet(f"color: {colour}; font-weight: 700;")

    def go(self, seconds: float) -> None:
        """Put the robot where it is at a time of the task [s], unless a station moves it."""
        window, path = self.window_of, self.path
        if window.studio.live:
            self.play.setChecked(False)
            window.say("a station moves the robot; the task is only drawn")
            return
        window.design.put(
            path.task.robot, path.go(seconds)
        )  # dragging goes on from there, within stops and loops closed
        window.design.moved.discard(path.task.robot)  # but the task is seen as it is
        self.when.setText(f"{path.time:.2f} of {path.task.duration:.2f} s")
        with QtCore.QSignalBlocker(self.slider):
            self.slider.setValue(round(path.time / max(path.task.duration, 1e-9) * STEPS))
        window.canvas.update()

    def refresh(self, moment: Moment) -> None:
        """Go on playing."""
        del moment
        self._use_theme()
        if not self.play.isChecked():
            return
        now = time.monotonic()
        self._played, passed = now, now - self._played
        self.go(self.path.time + passed)
        if self.path.time >= self.path.task.duration:
            self.play.setChecked(False)

    def _play(self, on: bool) -> None:
        self.play.setText("Pause" if on else "Play")
        self._played = time.monotonic()
        if on and self.path.time >= self.path.task.duration:
            self.go(0.0)
