"""`SweepPanel`: where a frame can go and how well, found beside the window, drawn into the scene, written to files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6 import QtCore, QtGui, QtWidgets

from station.errors import StationError
from station.mad.scene import ORIGIN, Vector
from station.view.design.cloud import RAMP, cloud, export
from station.view.design.errors import one_line
from station.view.design.leading import led_frame
from station.view.design.sweep import LEAST_SAMPLES, MOST_SAMPLES, Reachable, SweepRequest
from station.view.design.sweeping import State, Sweeping
from station.view.moment import Moment
from station.view.panels.panel import Panel

if TYPE_CHECKING:
    from station.view.window import ViewWindow

CLOUD = "workspace"  # name of the points in the scene
USUAL = 10_000  # samples
WHOLE = "whole"
LEAST = 0.006  # of a point over the reach of the robot
REDRAW = 8  # refreshes between two pictures of a sweep that goes on


class SweepPanel(Panel):
    """Starts and cancels sweeps, and shows what was found."""

    title = "Workspace"
    key = "Ctrl+K"

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        self._studio = window.studio
        self.sweeping: Sweeping | None = None
        self.found = Reachable()
        self._swept, self._drawn, self._refreshed = -1, -1, 0  # revision that was swept; samples that are drawn
        self.target = QtWidgets.QComboBox()
        self.samples = QtWidgets.QSpinBox()
        self.samples.setRange(LEAST_SAMPLES, MOST_SAMPLES)
        self.samples.setSingleStep(5000)
        self.samples.setValue(USUAL)
        self.turning = QtWidgets.QCheckBox("turning counts too")
        self.start, self.cancel = QtWidgets.QPushButton("Sweep"), QtWidgets.QPushButton("Cancel")
        self.start.clicked.connect(lambda _=False: self.begin())
        self.cancel.clicked.connect(lambda _=False: self.stop())
        self.progress = QtWidgets.QProgressBar()
        self.progress.setRange(0, 1000)
        self.shown = QtWidgets.QCheckBox("show")
        self.shown.setChecked(True)
        self.shown.toggled.connect(lambda _=False: self._draw())
        self.cut = QtWidgets.QComboBox()
        self.cut.addItems([WHOLE, "x ≥ base", "y ≥ base", "z ≥ base"])
        self.cut.activated.connect(lambda _=0: self._draw())
        self.export = QtWidgets.QPushButton("Export…")
        self.export.clicked.connect(lambda _=False: self._ask())
        self.result = QtWidgets.QLabel("reachable places, coloured by dexterity")
        self.result.setWordWrap(True)
        self.put(self._laid_out())
        self._studio.changed.connect(self.show_targets)
        self.show_targets()

    def _laid_out(self) -> QtWidgets.QWidget:
        whole = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(whole)
        form = QtWidgets.QFormLayout()
        form.addRow("Frame", self.target)
        form.addRow("Samples", self.samples)
        form.addRow("", self.turning)
        column.addLayout(form)
        for widgets in ((self.start, self.cancel), (self.progress,), (self.shown, self.cut, self.export)):
            row = QtWidgets.QHBoxLayout()
            for widget in widgets:
                row.addWidget(widget)
            column.addLayout(row)
        column.addWidget(Legend())
        column.addWidget(self.result)
        column.addStretch(1)
        return whole

    def show_targets(self) -> None:
        """List everything that can be swept, what a hand leads first."""
        chosen = self.target.currentData()
        self.target.clear()
        for robot in self._studio.design.bench.robots:
            led = led_frame(robot)[0]
            for item in sorted(robot.placed(), key=lambda item: item.id != led):
                name = f" “{item.name}”" if item.name else ""
                words = f"{robot.name}: {type(item).__name__.lower()} {item.id}{name}"
                self.target.addItem(words, (robot.name, item.id))
                if (robot.name, item.id) == chosen:
                    self.target.setCurrentIndex(self.target.count() - 1)
        self._say()

    # Sweeping ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start a sweep; one that goes on is cancelled."""
        self.stop()
        robot, frame = self.target.currentData() or ("", 0)
        try:
            request = SweepRequest(
                robot=self._studio.design.robot(robot),
                frame=frame,
                samples=self.samples.value(),
                turning=self.turning.isChecked(),
            )
            self.sweeping = Sweeping(request)
        except (StationError, OSError) as error:
            self.result.setText(one_line(error))
            return
        self.found, self._swept, self._drawn = Reachable(), self._studio.design.revision, -1
        self._say()

    def stop(self) -> None:
        """Cancel a sweep; what was found is kept."""
        if self.sweeping is not None and self.sweeping.running:
            self.sweeping.cancel()
            self._take()

    def refresh(self, moment: Moment) -> None:
        """Show how far it is."""
        del moment
        self._refreshed += 1
        sweeping = self.sweeping
        if sweeping is not None and (self.found.tried != sweeping.found.tried or not sweeping.running):
            self._take()

    def _take(self) -> None:
        """What was found since the last look."""
        assert self.sweeping is not None
        over = not self.sweeping.running
        self.found = self.sweeping.found
        self.progress.setValue(round(1000 * self.sweeping.share))
        if over or self._refreshed % REDRAW == 0:
            self._draw()
        self._say()
        if over:
            self.sweeping = None

    def _say(self) -> None:
        running = self.sweeping is not None and self.sweeping.running
        self.start.setEnabled(bool(self.target.count()))
        self.cancel.setEnabled(running)
        self.export.setEnabled(bool(len(self.found.points)))
        if self.sweeping is not None and self.sweeping.state is State.FAILED:
            self.result.setText(f"the sweep failed: {self.sweeping.trouble}")
        elif self.found.tried:
            self.result.setText("; ".join(self._words()))

    def _words(self) -> list[str]:
        found = self.found
        lines = [f"{len(found.points)} places of {found.closed} configurations"]
        if found.closed < found.tried:
            lines.append(f"loops did not close in {found.tried - found.closed} of {found.tried}")
        if len(found.points):
            extent = " × ".join(f"{1000.0 * value:.0f}" for value in np.ptp(found.points, axis=0))
            lines.append(f"extent {extent} mm, cells of {1000.0 * found.cell:.3g} mm, {_volume(found.volume)}")
            middle = np.median(found.dexterity)
            lines.append(f"dexterity {found.dexterity.min():.2f} to {found.dexterity.max():.2f}, median {middle:.2f}")
        if self._swept != self._studio.design.revision:
            lines.append("THE ROBOT HAS CHANGED SINCE: sweep again")
        return lines

    # Showing -----------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        scene = self.window_of.scene
        if self.shown.isChecked() and len(self.found.points):
            axis = self.cut.currentIndex() - 1
            base = self._base()
            place = float(base[axis]) if axis >= 0 else 0.0
            scene.solids[CLOUD] = cloud(self.found, axis if axis >= 0 else None, place, LEAST * scene.reach)
        else:
            scene.solids.pop(CLOUD, None)
        self.window_of.canvas.update()

    def _base(self) -> Vector:
        robot, _ = self.target.currentData() or ("", 0)
        found = [item for item in self._studio.design.bench.robots if item.name == robot]
        return found[0].base.pos if found else ORIGIN

    def _ask(self) -> None:
        name, _ = QtWidgets.QFileDialog.getSaveFileName(
            self, "Export", "workspace.csv", "Table (*.csv);;Point cloud (*.ply)"
        )
        if name:
            self.write(Path(name))

    def write(self, path: Path) -> bool:
        """Write what was found to a file; returns whether it went well."""
        try:
            export(self.found, path)
        except StationError as error:
            self.window_of.say(one_line(error))
            return False
        self.window_of.say(f"{len(self.found.points)} places written to {path}")
        return True

    def leave(self) -> None:
        """The window closes: a sweep ends with it."""
        if self.sweeping is not None:
            self.sweeping.cancel()


def _volume(cubic_metres: float) -> str:
    """In words."""
    return f"{cubic_metres:.2f} m³" if cubic_metres >= 0.1 else f"{1000.0 * cubic_metres:.3g} L"


class Legend(QtWidgets.QWidget):
    """The colours from dexterity 0 to 1."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(30)

    def paintEvent(self, _event: QtGui.QPaintEvent) -> None:  # noqa: N802 (Qt's name)
        """A bar with its ends named."""
        painter = QtGui.QPainter(self)
        ramp = QtGui.QLinearGradient(0.0, 0.0, float(self.width()), 0.0)
        for place, (red, green, blue) in zip(np.linspace(0.0, 1.0, len(RAMP)), RAMP, strict=True):
            ramp.setColorAt(float(place), QtGui.QColor.fromRgbF(red, green, blue))
        painter.fillRect(0, 0, self.width(), 12, ramp)
        below = self.rect().adjusted(0, 12, 0, 0)
        for side, text in (
            (QtCore.Qt.AlignmentFlag.AlignLeft, "0"),
            (QtCore.Qt.AlignmentFlag.AlignHCenter, "dexterity"),
            (QtCore.Qt.AlignmentFlag.AlignRight, "1"),
        ):
            painter.drawText(below, side, text)
        painter.end()
