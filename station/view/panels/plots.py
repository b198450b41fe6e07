"""`PlotsPanel`: live curves of the last seconds: dexterity, forces by cause, energy, tracking error, latency."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6 import QtCore, QtWidgets

from station.servo.shared import Cause
from station.view.moment import Moment
from station.view.panels.panel import Panel
from station.view.panels.plots_history import CURVES, Floats, History, thinned

if TYPE_CHECKING:
    from station.view.window import ViewWindow

SPANS = (2.0, 5.0, 10.0, 30.0, 60.0)  # [s]
PLOTS = {
    "Dexterity": ("dexterity",),
    "Forces by cause [N]": tuple(name for name in CURVES if name.startswith("force ")),
    "Energy [mJ]": tuple(name for name in CURVES if name.startswith("energy ")),
    "Tracking error [mm]": ("tracking error", "arm behind"),
    "Latency [ms]": ("hand to force", "age of sample", "age of measurement"),
}
LEAST = {"Dexterity": 0.01, "Latency [ms]": 5.0}  # height of a plot: less is noise, not news
LEAST_HEIGHT = 0.1  # of the others
AT_FIRST = ("Forces by cause [N]", "Tracking error [mm]", "Latency [ms]")
COLOURS = (
    "#d1495b", "#2f6fb0", "#2e8b57", "#d98e04", "#7b5ea7", "#0f8b8d", "#a0522d", "#5c6370", "#c71585", "#6b8e23",
    "#8b0000", "#000080",
)  # fmt: skip
GROUND, INK = ("#ffffff", "#1e2126"), ("#30343b", "#c8ccd4")  # light, dark


class PlotsPanel(Panel):
    """Curves are drawn while the panel is seen; their history is kept from the start of the window."""

    title = "Plots"
    key = "Ctrl+P"
    area = QtCore.Qt.DockWidgetArea.BottomDockWidgetArea

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        self.history = History()
        window.follower.listeners.append(self.history.take)
        self.span = 10.0  # [s]
        self.paused = False
        self.plots: dict[str, Any] = {}
        self.curves: dict[str, Any] = {}
        self._graphs: Any = None
        self._drawn = -math.inf  # time of the newest tick that is drawn [s]
        self._dark: bool | None = None
        self._named: dict[str, list[str]] = {}  # curves in the legends
        self.chosen = list(AT_FIRST)
        self.setWidget(self._laid_out())

    def _laid_out(self) -> QtWidgets.QWidget:
        whole = QtWidgets.QWidget()
        self._column, row = QtWidgets.QVBoxLayout(whole), QtWidgets.QHBoxLayout()
        self._column.setContentsMargins(6, 4, 6, 4)
        self.pause = QtWidgets.QPushButton("Pause")
        self.pause.setCheckable(True)
        self.pause.toggled.connect(self._pause)
        self.spans = QtWidgets.QComboBox()
        for seconds in SPANS:
            self.spans.addItem(f"{seconds:g} s", seconds)
        self.spans.setCurrentIndex(SPANS.index(self.span))
        self.spans.currentIndexChanged.connect(lambda place: self.use_span(SPANS[place]))
        row.addWidget(self.pause)
        row.addWidget(self.spans)
        for name in PLOTS:
            choice = QtWidgets.QCheckBox(name.split(" [")[0])
            choice.setChecked(name in self.chosen)
            choice.toggled.connect(lambda on, name=name: self.choose(name, on))
            row.addWidget(choice)
        row.addStretch(1)
        self._column.addLayout(row)
        return whole

    def choose(self, name: str, on: bool) -> None:
        """Show or hide one of the plots."""
        self.chosen = [plot for plot in PLOTS if (plot == name and on) or (plot != name and plot in self.chosen)]
        self._arrange()

    def use_span(self, seconds: float) -> None:
        """How much time is seen [s]."""
        self.span = seconds
        for plot in self.plots.values():
            plot.setXRange(-seconds, 0.0, padding=0.0)
        self._draw()

    def refresh(self, moment: Moment) -> None:
        """Draw what is new, unless paused."""
        del moment  # the history has heard of it already
        if self._graphs is None:
            self._make()
        self._use_theme()
        news = self.history.newest - self._drawn
        if not self.paused and not 0.0 <= news < self.span / self._width():  # less than a pixel is not seen
            self._draw()

    def _make(self) -> None:
        """The graphs, when they are first seen: their library takes a third of a second to load."""
        import pyqtgraph as graphs  # type: ignore[import-untyped]

        self._graphs = graphs.GraphicsLayoutWidget()
        self._graphs.setMinimumHeight(180)
        self._column.addWidget(self._graphs, 1)
        for name, curves in PLOTS.items():
            plot = graphs.PlotItem()
            plot.setTitle(name, size="9pt")
            plot.setMouseEnabled(x=False, y=True)
            plot.hideButtons()  # and no grids: they cost twice what everything else does
            plot.setMenuEnabled(False)
            plot.getAxis("bottom").setLabel("[s]")
            plot.getAxis("bottom").setHeight(28)
            plot.setXRange(-self.span, 0.0, padding=0.0)
            plot.setLimits(minYRange=LEAST.get(name, LEAST_HEIGHT))
            if len(curves) > 1:
                plot.addLegend(offset=(4, 2), labelTextSize="8pt", verSpacing=-6)
            for number, curve in enumerate(curves):
                self.curves[curve] = plot.plot(pen=graphs.mkPen(COLOURS[number], width=1), connect="finite")
            self.plots[name] = plot
        self._arrange()

    def _arrange(self) -> None:
        """The chosen plots side by side."""
        if self._graphs is None:
            return
        self._graphs.clear()
        for name in self.chosen:
            self._graphs.addItem(self.plots[name])
        self._draw()

    def _draw(self) -> None:
        if self._graphs is None or not self.history.filled:
            return
        wanted = [curve for name in self.chosen for curve in PLOTS[name]]
        times, rows = self.history.since(self.span, [CURVES.index(curve) for curve in wanted])
        self._drawn = self.history.newest
        times, rows = thinned(times, rows, self.span, self._width())
        values = dict(zip(wanted, rows, strict=True))
        along = times - self.history.newest
        for name in self.chosen:
            seen = [curve for curve in PLOTS[name] if _is_seen(values[curve])]
            for curve in PLOTS[name]:
                self.curves[curve].setData(*((along, values[curve]) if curve in seen else ([], [])))
            self._name(name, seen)

    def _width(self) -> int:
        """Of one plot [px]."""
        return max(int(self._graphs.width() / max(len(self.chosen), 1)), 50)

    def _name(self, plot: str, seen: list[str]) -> None:
        """Name the curves that are seen, and no others."""
        legend = self.plots[plot].legend
        if legend is None or seen == self._named.get(plot):
            return
        self._named[plot] = seen
        legend.clear()
        legend.setLabelTextColor(INK[bool(self._dark)])
        for curve in seen:
            legend.addItem(self.curves[curve], curve.removeprefix("force ").removeprefix("energy "))

    def _use_theme(self) -> None:
        """Ground and letters as the scene has them."""
        dark = self.window_of.scene.theme.name == "dark"
        if dark == self._dark:
            return
        self._dark = dark
        ink = INK[dark]
        self._graphs.setBackground(GROUND[dark])
        for cause, (red, green, blue, _) in zip(Cause, self.window_of.scene.theme.causes, strict=False):
            self.curves[f"force {cause.name.lower()}"].setPen([round(255 * part) for part in (red, green, blue)])
        for name, plot in self.plots.items():
            plot.setTitle(name, size="9pt", color=ink)
            for side in ("left", "bottom"):
                plot.getAxis(side).setPen(ink)
                plot.getAxis(side).setTextPen(ink)
            if plot.legend is not None:
                plot.legend.setLabelTextColor(ink)

    def _pause(self, on: bool) -> None:
        self.paused = on
        self.pause.setText("Go on" if on else "Pause")


def _is_seen(row: Floats) -> bool:
    """Whether there is anything to draw: an effect that is all zero needs no line and no name."""
    return bool(np.any(np.isfinite(row) & (row != 0.0)))
