"""`HapticsPanel`: every effect on or off and how strong, what it does now, and how stiff the coupling may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6 import QtCore, QtWidgets

from station.servo.shared import Cause, SetGain
from station.view.desk import desk_of
from station.view.moment import Moment
from station.view.panels.haptics_bound import Spring, passivity_told, spring_of
from station.view.panels.haptics_row import EffectRow
from station.view.panels.panel import Panel
from station.view.panels.supervisor_words import RED, badge

if TYPE_CHECKING:
    from station.view.window import ViewWindow

SWITCHED: list[Cause] = [cause for cause in Cause if cause not in (Cause.LIMITS, Cause.PASSIVITY)]
TAKEN: tuple[Cause, ...] = (Cause.LIMITS, Cause.PASSIVITY)
SEND = 60  # between two orders of a slider that is moved [ms]


class HapticsPanel(Panel):
    """Effects with their gains; orders go out at most every 60 ms, the newest value of each slider."""

    title = "Haptics"
    key = "Ctrl+H"

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        self.desk = desk_of(window, window.follower)
        self.rows = {cause: EffectRow(cause, self._wanted) for cause in SWITCHED}
        self.taken = {cause: QtWidgets.QLabel() for cause in TAKEN}
        self.bound, self.now, self.passivity = QtWidgets.QLabel(), QtWidgets.QLabel(), QtWidgets.QLabel()
        for label in (self.bound, self.now, self.passivity):
            label.setWordWrap(True)
        self._to_send: dict[Cause, float] = {}
        self._timer = QtCore.QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._send)
        self._spring: Spring | None = None
        self._known = -1  # station whose spring it is
        self.setWidget(self._laid_out())

    def _laid_out(self) -> QtWidgets.QWidget:
        whole = QtWidgets.QWidget()
        column, grid = QtWidgets.QVBoxLayout(whole), QtWidgets.QGridLayout()
        for number, head in enumerate(("effect", "gain", "", "force now")):
            grid.addWidget(QtWidgets.QLabel(head), 0, number)
        for number, row in enumerate(self.rows.values(), start=1):
            for place, widget in enumerate((row.switch, row.slider, row.percent, row.force)):
                grid.addWidget(widget, number, place)
        for number, (cause, label) in enumerate(self.taken.items(), start=1 + len(self.rows)):
            grid.addWidget(QtWidgets.QLabel(f"taken away by {cause.name.lower()}"), number, 0, 1, 3)
            grid.addWidget(label, number, 3)
        grid.setColumnStretch(1, 1)
        column.addLayout(grid)
        box = QtWidgets.QGroupBox("Stability")
        inside = QtWidgets.QVBoxLayout(box)
        for label in (self.now, self.bound, self.passivity):
            inside.addWidget(label)
        column.addWidget(box)
        column.addStretch(1)
        return whole

    def refresh(self, moment: Moment) -> None:
        """Gains as the station has them, forces since the last time."""
        snapshot = moment.snapshot
        whole = self.widget()
        if whole is not None:
            whole.setEnabled(snapshot is not None and not self.desk.unreachable)
        if snapshot is None:
            return
        rows = moment.recorded("wrench_parts")
        parts = rows[:, :, :3] if len(rows) else snapshot.wrench_parts[None, :, :3]
        strongest = np.linalg.norm(parts, axis=2).max(axis=0)
        for cause, row in self.rows.items():
            row.show(float(snapshot.gains[cause]), float(strongest[cause]), cause in self._to_send)
        for cause, label in self.taken.items():
            label.setText(f"{strongest[cause]:.2f} N")
        self._show_bound(moment, float(snapshot.gains[Cause.COUPLING]))
        self.passivity.setText("\n".join(passivity_told(snapshot)))

    def _show_bound(self, moment: Moment, gain: float) -> None:
        if moment.epoch != self._known:
            self._known, self._spring = moment.epoch, spring_of(self.window_of.scene.bench, moment.text)
            self.bound.setText("" if self._spring is None else self._spring.text)
        if self._spring is None:
            self.now.setText("bound of the stiffness: not known for this device")
            return
        self.now.setText(self._spring.told(gain))
        self.now.setStyleSheet(badge(RED) if self._spring.is_beyond(gain) else "")

    def _wanted(self, cause: Cause, gain: float) -> None:
        """A slider was moved."""
        self._to_send[cause] = gain
        if not self._timer.isActive():
            self._timer.start(SEND)

    def _send(self) -> None:
        for cause, gain in self._to_send.items():
            name = f"{cause.name.lower()} {'off' if gain == 0.0 else f'at {100.0 * gain:.0f} %'}"
            self.desk.order(SetGain(cause, gain), name)
        self._to_send.clear()
