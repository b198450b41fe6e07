"""Draw errors of places and forces before and after a calibration, place by place."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from calibration.report import plots
from station.monitor.pages import style

if TYPE_CHECKING:
    from calibration.syntaxer.figures import Checked

LOWEST = (2e-3, 0.01)  # of what is drawn [mm, %]
NOTHING_ELSE = {"Date": None, "Creator": None}  # in the file: the same data give the same bytes


def drawing(before: Checked, after: Checked) -> str:
    """SVG of two panels."""
    with matplotlib.rc_context({**style.SETTINGS, "svg.hashsalt": "calibration-syntaxer"}):
        figure = Figure(figsize=(plots.WIDTH, 3.4), facecolor="white", layout="constrained")
        left, right = figure.subplots(1, 2)
        order = np.argsort(before.positions)
        number = np.arange(len(order))
        for one, colour, name in ((before, plots.BEFORE, "nominal"), (after, plots.AFTER, "calibrated")):
            left.plot(number, 1e3 * one.positions[order], ".", color=colour, label=name)
            right.plot(number, np.maximum(100.0 * one.forces[order], LOWEST[1]), ".", color=colour, label=name)
        left.fill_between(number, LOWEST[0], 1e3 * after.steps[order], color=style.MUTED, alpha=0.2, label="one count")
        right.axhline(2.0, color=style.MUTED, linewidth=0.8, linestyle=":", label="2 %")
        left.set_ylabel("error of the place [mm]")
        right.set_ylabel("error of the force [% of full force]")
        for axes in (left, right):
            axes.set_yscale("log")
            axes.set_xlabel("place, by its error before")
            style.legend(axes, 3)
            axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axes.yaxis.set_minor_formatter(NullFormatter())
        left.set_ylim(LOWEST[0], 20.0)
        right.set_ylim(LOWEST[1], 20.0)
        content = io.StringIO()
        figure.savefig(content, format="svg", metadata=NOTHING_ELSE)
    return content.getvalue()
