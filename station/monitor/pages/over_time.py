"""Plots over the time of a run."""

from __future__ import annotations

import math

import numpy as np

from station.monitor.bench import readable
from station.monitor.pages import style
from station.monitor.pages.style import colour, curve
from station.monitor.run import Run
from station.servo.pacing import Measure
from station.servo.shared import Cause

LANE = 0.36  # of a joint [inch]
LEAST_FORCE, LEAST_TORQUE, LEAST_ENERGY = 5e-3, 1e-5, 1e-6  # [N], [N·m], [J]: less is not drawn


def tracking(figure: style.Canvas, run: Run) -> None:
    """Where the hand wanted the frame, where it was, and how far that is apart."""
    curves = run.curves.thinned(style.COLUMNS)
    axes = style.time_axes(figure, run, [0.9, 0.9, 0.9, 0.9, 0.7])
    wanted, reached = curves.of("target"), curves.of("predicted")
    for i, name in enumerate("xyz"):
        for (low, high), tint, label, width in (
            (wanted, style.TARGET, "target", 2.2),
            (reached, style.PREDICTED, "predicted", 0.9),
        ):
            look = {"color": tint, "label": label, "linewidth": width}
            curve(axes[i], curves.time, 1e3 * low[:, i], 1e3 * high[:, i], **look)
        axes[i].set_ylabel(f"{name} [mm]")
        style.room(axes[i], 1.0, from_zero=False)
    style.legend(axes[0], 2)
    for place, (unit, factor, least) in enumerate((("mm", 1e3, 0.1), ("°", math.degrees(1.0), 0.1))):
        low, high = (factor * side[:, place] for side in curves.of("error"))
        curve(axes[3 + place], curves.time, low, high, color=style.INK, linewidth=0.8)
        axes[3 + place].set_ylabel(f"error [{unit}]")
        style.room(axes[3 + place], least)


def joints(figure: style.Canvas, run: Run) -> None:
    """Every joint in a lane that is as wide as its range; red where it is at a stop, amber at its speed limit."""
    curves = run.curves.thinned(style.COLUMNS)
    (axes,) = style.time_axes(figure, run, [1.0], left=1.15)
    lows, highs = curves.of("joints")
    acting = curves.of("joint_acting")
    labels = []
    for i, joint in enumerate(run.bench.joints):
        bottom = -float(i)
        ends = (joint.low, joint.high) if joint.limited else _own_range(lows[:, i], highs[:, i])
        low, high = (bottom + 0.1 + 0.8 * (side[:, i] - ends[0]) / (ends[1] - ends[0]) for side in (lows, highs))
        for end in (0.1, 0.9):
            axes.axhline(bottom + end, color=style.MUTED if joint.limited else style.GRID, linewidth=0.5)
        curve(axes, curves.time, low, high, color=style.PREDICTED, linewidth=0.9)
        stopped = (np.abs(acting[0][:, i]) == 1) | (acting[1][:, i] == 1)
        for where, tint in ((acting[1][:, i] == 2, style.TARGET), (stopped, style.BAD)):
            marked = np.where(where, (low + high) / 2.0, np.nan)
            axes.plot(curves.time, marked, color=tint, linewidth=2.4, solid_capstyle="round")
        first, last = (f"{joint.shown(end):.0f}" for end in ends)
        labels.append(f"{joint.name}\n{first} … {last}{joint.unit}" + ("" if joint.limited else ", no stops"))
    axes.set_yticks([0.5 - i for i in range(len(labels))], labels, fontsize=7)
    axes.set_ylim(1.0 - max(len(labels), 1), 1.0)
    axes.grid(visible=False, axis="y")


def forces(figure: style.Canvas, run: Run) -> None:
    """Force and torque on the hand by cause."""
    curves = run.curves.thinned(style.COLUMNS)
    torque = float(np.nanmax(curves.of("torque")[1], initial=0.0)) > LEAST_TORQUE
    axes = style.time_axes(figure, run, [2.0, 1.0] if torque else [1.0])
    names = (
        ("force", "force_parts", "force [N]", LEAST_FORCE),
        ("torque", "torque_parts", "torque [N·m]", LEAST_TORQUE),
    )
    for plot, (total, parts, label, least) in zip(axes, names, strict=False):
        whole = curves.of(total)[1][:, 0]
        plot.fill_between(curves.time, np.nan_to_num(whole), color=style.TOTAL, linewidth=0.0, label="all together")
        low, high = curves.of(parts)
        for number, cause in enumerate(Cause):
            if np.nanmax(high[:, number], initial=0.0) > least:
                look = {"color": colour(number), "label": readable(cause.name)}
                curve(plot, curves.time, low[:, number], high[:, number], **look)
        plot.set_ylabel(label)
        style.room(plot, 1.0 if total == "force" else 0.01)
    style.legend(axes[0], 7)


def energy(figure: style.Canvas, run: Run) -> None:
    """The ledger at the hand, and what each cause took from it."""
    curves = run.curves.thinned(style.COLUMNS)
    axes = style.time_axes(figure, run, [1.0, 1.0], gap=0.3)
    ledger = (
        ("energy", "from the hand into forces", style.PREDICTED),
        ("energy_dissipated", "taken by the device", "#3a8f6a"),
        ("energy_potential", "held by springs", "#b5912b"),
        ("energy_lowest", "lowest of the ledger: below 0 is generated", style.BAD),
    )
    for name, label, tint in ledger:
        low, high = curves.of(name)
        curve(axes[0], curves.time, 1e3 * low[:, 0], 1e3 * high[:, 0], color=tint, label=label)
    low, high = curves.of("energy_parts")
    for number, cause in enumerate(Cause):
        if np.nanmax(np.abs([low[:, number], high[:, number]]), initial=0.0) > LEAST_ENERGY:
            look = {"color": colour(number), "label": readable(cause.name)}
            curve(axes[1], curves.time, 1e3 * low[:, number], 1e3 * high[:, number], **look)
    for plot, label in zip(axes, ("energy [mJ]", "by cause [mJ]"), strict=True):
        plot.set_ylabel(label)
        style.room(plot, 0.1, from_zero=False)
        style.legend(plot, 7)


def ticks(figure: style.Canvas, run: Run) -> None:
    """Cost of a tick and lateness of waking up over the run; the largest where ticks share a place."""
    curves = run.curves.thinned(style.COLUMNS)
    (axes,) = style.time_axes(figure, run, [1.0])
    largest = curves.of("spent")[1]
    for measure, label in ((Measure.WAKE_UP, "late to wake up"), (Measure.TICK, "cost of the tick")):
        values = np.where(largest[:, measure] > 0.0, 1e6 * largest[:, measure], np.nan)
        axes.plot(curves.time, values, color=colour(measure), linewidth=0.8, label=label)
    axes.set_ylabel("time [µs]")
    if math.isfinite(run.period):
        axes.axhline(1e6 * run.period, color=style.INK, linewidth=0.8, linestyle=(0, (4, 3)), label="one period")
        axes.set_yscale("log")
        style.plain_numbers(axes.yaxis)
    style.legend(axes, 3)


def _own_range(low: style.Singles, high: style.Singles) -> tuple[float, float]:
    """From the least to the most of a curve, for joints without stops."""
    first, last = (
        float(np.nan_to_num(value)) for value in (np.nanmin(low, initial=np.inf), np.nanmax(high, initial=-np.inf))
    )
    return (first, last) if last - first > 1e-6 else (first - 0.5, first + 0.5)
