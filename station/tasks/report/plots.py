"""Plots of a recording, as drawings that stand inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from station.tasks.report.curves import Curves

WIDTH = 9.6  # [inch]
TARGET, PREDICTED, MEASURED, GRID, MUTED, INK = "#e8a45c", "#2f6fb0", "#3a8f6a", "#e4e7eb", "#6e7781", "#24292f"
SETTINGS: dict[Any, Any] = {
    "font.size": 8.5,
    "font.family": "sans-serif",
    "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "legend.frameon": False,
    "lines.linewidth": 1.0,
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "recording",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}
NOTHING = "nothing of this was recorded"


def styled(draw: Callable[[Curves], str]) -> Callable[[Curves], str]:
    """A plot in our style, whatever the user's is."""

    @wraps(draw)
    def drawn(curves: Curves) -> str:
        with matplotlib.rc_context(SETTINGS):
            return draw(curves)

    return drawn


@styled
def arm(curves: Curves) -> str:
    """How far the arm was from where it should be."""
    figure, (above, below) = _figure(3.2, 2)
    _band(above, curves, "arm_apart", 1e3, INK)
    above.set_ylabel("frame [mm]")
    _band(below, curves, "joint_error", 1e3, INK)
    below.set_ylabel("joint [mrad | mm]")
    return _drawn(figure, "Arm")


@styled
def way(curves: Curves) -> str:
    """The way of the followed frame, from above and from the side."""
    figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
    axes = figure.subplots(1, 2)
    looks = {"target": (TARGET, 2.2), "predicted": (PREDICTED, 1.0), "measured": (MEASURED, 1.0)}
    for one, (first, second) in zip(axes, ((0, 1), (0, 2)), strict=True):
        for name, (tint, width) in looks.items():
            places = curves.ways.get(name)
            if places is not None and np.isfinite(places).any():
                one.plot(1e3 * places[:, first], 1e3 * places[:, second], color=tint, linewidth=width, label=name)
        one.set_aspect("equal", "datalim")
        one.set_xlabel(f"{'xyz'[first]} [mm]")
        one.set_ylabel(f"{'xyz'[second]} [mm]")
    if axes[0].lines:
        axes[0].legend(loc="best")
    return _drawn(figure, "Way")


@styled
def margins(curves: Curves) -> str:
    """How near to trouble it was."""
    figure, (first, second, third) = _figure(4.0, 3)
    _band(first, curves, "singularity", 1.0, PREDICTED)
    first.set_ylabel("singularity")
    _band(second, curves, "obstacle_distance", 1e3, PREDICTED)
    second.set_ylabel("obstacle [mm]")
    for name, tint, label in (("hand_age", TARGET, "hand"), ("measured_age", MEASURED, "arm")):
        if curves.has(name):
            _band(third, curves, name, 1e3, tint, label)
    third.set_ylabel("age [ms]")
    if third.get_legend_handles_labels()[0]:
        third.legend(loc="upper right", ncols=2)
    return _drawn(figure, "Margins")


def _figure(height: float, rows: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = list(figure.subplots(rows, 1, sharex=True))
    axes[-1].set_xlabel("time [s]")
    return figure, axes


def _band(axes: Axes, curves: Curves, name: str, factor: float, tint: str, label: str = "") -> None:
    """Lowest to highest at each place."""
    if not curves.has(name):
        axes.text(0.5, 0.5, NOTHING, transform=axes.transAxes, ha="center", va="center", color=MUTED)
        return
    low, high = (factor * side for side in curves.of(name))
    axes.fill_between(curves.time, low, high, color=tint, linewidth=0.0, alpha=0.35)
    axes.plot(curves.time, high, color=tint, label=label or name)
    axes.update_datalim([(0.0, 0.0)])  # zero is always shown
    axes.autoscale_view(scalex=False)
    axes.set_xlim(0.0, max(curves.duration, 1e-3))


def _drawn(figure: Figure, title: str) -> str:
    content = io.StringIO()
    figure.savefig(content, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    svg = content.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->\n?", "", svg, flags=re.DOTALL)
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg, count=2)
    for name in set(re.findall(r'id="([^"]+)"', svg)):  # another drawing of the page may have the same names
        svg = re.sub(rf'(id="|#){re.escape(name)}(?=["\)])', rf"\g<1>{title}-{name}", svg)
    return svg.replace("<svg ", f"<svg role=img aria-label='{title}' ", 1)
