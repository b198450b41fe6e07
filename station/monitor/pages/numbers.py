"""Plots of distributions: how long things take, and which stage is to blame."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from station.monitor.bench import readable
from station.monitor.histogram import Histogram
from station.monitor.pages import style
from station.monitor.run import Run
from station.servo.pacing import Measure, Stage

BARS = 40  # about so many in one histogram


def times(figure: style.Canvas, run: Run) -> None:
    """Histograms of what a tick costs and of hand-to-force latency."""
    left, right = style.side_by_side(figure, (1.0, 1.0))
    plots = (
        (left, "Tick", 1e6, "µs", ((Measure.TICK, "cost of a tick"), (Measure.WAKE_UP, "late to wake up"))),
        (right, "Hand to force", 1e3, "ms", ((Measure.LATENCY, ""),)),
    )
    for axes, title, factor, unit, measures in plots:
        for measure, label in measures:
            edges, counts = run.times[measure].bars(BARS)
            if counts.size:
                tint = style.colour(measure)
                axes.stairs(counts, factor * edges, fill=True, color=tint, alpha=0.55, label=label or None)
        axes.set_title(f"{title}: {_percentiles(run.times[measures[0][0]], factor, unit)}")
        axes.set_xlabel(f"time [{unit}]")
        if axes.patches:
            style.plain_log(axes, *_span(run, [measure for measure, _ in measures], factor))
            _period(axes, factor * run.period)
            axes.set_yscale("log")
            style.plain_numbers(axes.yaxis)
            axes.set_ylim(bottom=0.7)
    left.set_ylabel("ticks")
    if left.get_legend_handles_labels()[0]:
        left.legend(loc="upper right", bbox_to_anchor=(0.94, 1.0))


def _span(run: Run, measures: list[Measure], factor: float) -> tuple[float, float]:
    """From the least to the most of some times, the period included; from 0 to 0 if there is none."""
    edges = np.concatenate([run.times[measure].bars(BARS)[0] for measure in measures])
    known = [value for value in (*edges, run.period) if math.isfinite(value)] or [0.0]
    return factor * min(known), factor * max(known)


def _period(axes: Axes, period: float) -> None:
    """A line at one period."""
    if math.isfinite(period):
        axes.axvline(period, color=style.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        look: dict[str, Any] = {"fontsize": 7, "color": style.MUTED, "rotation": 90, "va": "bottom", "ha": "right"}
        axes.annotate(
            "one period", (period, 0.03), xycoords=("data", "axes fraction"), xytext=(-1, 0),
            textcoords="offset points", **look,
        )  # fmt: skip


def _percentiles(histogram: Histogram, factor: float, unit: str) -> str:
    """In words."""
    if not histogram.samples:
        return "not measured"
    p50, p99, worst = (
        factor * value for value in (histogram.percentile(50.0), histogram.percentile(99.0), histogram.worst)
    )
    return f"p50 {p50:.3g}, p99 {p99:.3g}, max {worst:.3g} {unit}"


def stages(figure: style.Canvas, run: Run) -> None:
    """How long each stage takes, from its median to its largest, and the late ticks that it caused."""
    left, right = style.side_by_side(figure, (2.0, 1.0), gap=0.25)
    names = [readable(stage.name) for stage in Stage]
    rows = range(len(names))
    for row, stage in zip(rows, Stage, strict=True):
        histogram = run.times[Measure[stage.name]]
        if histogram.samples:
            p50, p99, worst = (
                1e6 * v for v in (histogram.percentile(50.0), histogram.percentile(99.0), histogram.worst)
            )
            left.plot([p50, worst], [row, row], color=style.GRID, linewidth=3.0, solid_capstyle="round")
            left.plot([p50, p99], [row, row], color=style.colour(0), linewidth=3.0, alpha=0.5, solid_capstyle="round")
            left.plot([p50], [row], "o", color=style.colour(0), markersize=5)
            left.plot([worst], [row], "|", color=style.INK, markersize=8)
    style.plain_log(left, *_span(run, [Measure[stage.name] for stage in Stage], 1e6))
    left.set_xlabel("median, 99 of 100, largest [µs]")
    left.set_title("Time of each stage")
    late = [run.late_by_stage.get(stage, 0) for stage in Stage]
    right.barh(rows, late, height=0.55, color=style.TARGET, alpha=0.8)
    for row, count in zip(rows, late, strict=True):
        right.text(count, row, f" {count}", va="center", fontsize=8, color=style.INK if count else style.MUTED)
    right.set_xlim(0.0, max(1.0, 1.2 * max(late)))
    right.set_xlabel("late ticks")
    right.set_title("Late because of it")
    right.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    left.set_yticks(rows, names)
    for axes in (left, right):
        axes.set_ylim(len(names) - 0.5, -0.5)
    right.tick_params(labelleft=False)
    right.grid(visible=False, axis="y")
    left.grid(visible=False, axis="y")
