"""Errors of the tool before and after, for the robots of the table, as one picture."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from benchmarks.calibration import Improvement, improvement
from benchmarks.calibration_cases import CROSS_DELTA, MACDAC, NOISE, UR5E
from station.monitor.pages import style


def draw(path: str | Path) -> None:
    """Write the picture (SVG or PNG, by its name)."""
    cases = {case.name: improvement(case, 1) for case in (MACDAC, UR5E, CROSS_DELTA)}
    with matplotlib.rc_context({**style.SETTINGS, "svg.hashsalt": "calibration"}):
        figure = Figure(figsize=(9.6, 2.8), layout="constrained", facecolor="white")
        for axes, (name, one) in zip(figure.subplots(1, len(cases), sharey=True), cases.items(), strict=True):
            for values, tint, label in ((one.before, style.TARGET, "before"), (one.after, style.PREDICTED, "after")):
                share = 100.0 * (np.arange(len(values)) + 0.5) / len(values)
                axes.step(1e3 * np.sort(values), share, color=tint, label=label)
            axes.axvline(1e3 * NOISE, color=style.MUTED, linewidth=0.8, linestyle=":")
            style.plain_log(axes, *_range(one))
            axes.set_title(f"{name}: {one.factor:.0f} × better")
            axes.set_xlabel("error of the tool [mm]")
        figure.axes[0].set_ylabel("share of poses [%]")
        figure.axes[0].legend(loc="upper left")
        figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else {"Software": None})


def _range(one: Improvement) -> tuple[float, float]:
    return 1e3 * float(one.after.min()), 1e3 * float(one.before.max())
