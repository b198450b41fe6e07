"""`Timeline`: where a replay is, and going somewhere else in it."""

from __future__ import annotations

import time

from PySide6 import QtCore, QtWidgets

from station.servo.shared import Play
from station.view.desk import OrderDesk
from station.view.moment import Moment

NOTCHES = 1000  # of the slider
STANDS = 0.3  # a replay whose time has not changed for so long is paused [s]


class Timeline(QtWidgets.QWidget):
    """Pause, a slider over the whole recording, and the time; hidden while there is no replay.

    Args:
        desk: that takes orders to the replay.
    """

    def __init__(self, desk: OrderDesk) -> None:
        super().__init__()
        self._desk = desk
        self._shown, self._changed = float("nan"), time.monotonic()  # time of the recording, and when it changed [s]
        self._seconds = 0.0  # of the recording
        self.paused = False
        self.button = QtWidgets.QToolButton()
        self.button.clicked.connect(lambda _=False: self._ask(Play(not self.paused)))
        self.slider = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
        self.slider.setRange(0, NOTCHES)
        self.slider.setMinimumWidth(160)
        self.slider.sliderMoved.connect(self.seek)
        self.label = QtWidgets.QLabel()
        row = QtWidgets.QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.button, self.slider, self.label):
            widget.setFocusPolicy(QtCore.Qt.FocusPolicy.NoFocus)
            row.addWidget(widget, 1 if widget is self.slider else 0)
        self.hide()

    def seek(self, notch: int) -> None:
        """Go to a notch of the slider; it goes on as before."""
        self._ask(Play(self.paused, self._seconds * notch / NOTCHES))

    def _ask(self, command: Play) -> None:
        self._desk.order(command, "replay")

    def refresh(self, moment: Moment) -> None:
        """Show where the replay is."""
        start, seconds = (moment.text.get(name) for name in ("replay_start", "replay_seconds"))
        there = isinstance(start, int | float) and isinstance(seconds, int | float) and moment.snapshot is not None
        self.setVisible(there)
        if not there or moment.snapshot is None:
            return
        now, at = time.monotonic(), float(moment.snapshot.time[0]) - float(start or 0.0)
        if at != self._shown:
            self._shown, self._changed = at, now
        self._seconds = max(float(seconds or 0.0), 1e-9)
        self.paused = now - self._changed > STANDS
        self.button.setText("▶" if self.paused else "⏸")
        self.button.setToolTip("go on" if self.paused else "pause")
        self.label.setText(f"{at:.1f} of {self._seconds:.1f} s")
        if not self.slider.isSliderDown():
            self.slider.setValue(round(NOTCHES * at / self._seconds))
