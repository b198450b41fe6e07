"""Plots of a result, as drawings that stand inside a page; plain data as the result file has them."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter, StrMethodFormatter

from calibration.parameters import Floats
from calibration.units import SHOWN
from station.monitor.pages import style
from station.monitor.pages.page import slim

WIDTH = 9.6  # [inch]
BEFORE, AFTER, BAD = style.TARGET, style.PREDICTED, style.BAD
ROW = 0.19  # of one parameter [inch]
LEAST = 1e-4  # standard deviations that are drawn: exact data have none

Draw = Callable[[style.Canvas], None]


def drawn(title: str, height: float, draw: Draw) -> str:
    """A figure as SVG for a page."""
    with matplotlib.rc_context({**style.SETTINGS, "svg.hashsalt": title}):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure)
        content = io.StringIO()
        figure.savefig(content, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return slim(content.getvalue()).replace("<svg ", f"<svg role=img aria-label='{title}' ", 1)


def residuals(judgement: dict[str, Any]) -> Draw:
    """Every observation before and after, and how often which size came."""
    before, after = _numbers(judgement["nominal_residuals"]), _numbers(judgement["residuals"])
    outliers = np.array(judgement["outliers"], dtype=np.int64)
    good = np.setdiff1d(np.arange(len(after)), outliers)

    def draw(figure: style.Canvas) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(3, 1), sharey=True)
        places = np.arange(len(after))
        left.plot(places, np.maximum(before, LEAST), ".", color=BEFORE, markersize=4, label="nominal")
        left.plot(good, np.maximum(after[good], LEAST), ".", color=AFTER, markersize=4, label="calibrated")
        if len(outliers):
            left.plot(outliers, after[outliers], "x", color=BAD, markersize=5, label="left out")
        left.axhline(1.0, color=style.MUTED, linewidth=0.8, linestyle=":")
        left.set_yscale("log")
        left.set_xlabel("observation")
        left.set_ylabel("standard deviations of the noise")
        _plain(left)
        left.xaxis.set_major_locator(MaxNLocator(integer=True))
        style.legend(left, 3)
        both = np.concatenate([before, after[good]])
        low, high = max(float(both.min()), LEAST), max(float(both.max()), 2.0 * LEAST)
        bins = np.geomspace(low, high * 1.001, 25).tolist()
        for values, tint in ((before, BEFORE), (after[good], AFTER)):
            right.hist(np.maximum(values, LEAST), bins=bins, orientation="horizontal", color=tint, alpha=0.7)
        right.set_xlabel("observations")
        right.xaxis.set_major_locator(MaxNLocator(4, integer=True))

    return draw


def held_back(errors: dict[str, Any]) -> Draw:
    """Errors on data that the estimate did not see, from the smallest to the largest."""
    factor, unit = SHOWN.get(str(errors["unit"]), (1.0, str(errors["unit"])))

    def draw(figure: style.Canvas) -> None:
        axes = figure.subplots()
        for name, tint, label in (("before", BEFORE, "nominal"), ("after", AFTER, "calibrated")):
            values = np.sort(factor * np.abs(_numbers(errors[name])))
            share = 100.0 * (np.arange(len(values)) + 0.5) / len(values)
            axes.step(np.maximum(values, 1e-9), share, color=tint, where="mid", label=label)
            rms = float(np.sqrt(np.mean(values**2)))
            axes.axvline(max(rms, 1e-9), color=tint, linewidth=0.8, linestyle=":")
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel(f"error [{unit}]; dotted: root mean square")
        axes.set_ylabel("share of observations [%]")
        axes.set_ylim(0.0, 100.0)
        style.legend(axes, 2)

    return draw


def parameters(judgement: dict[str, Any]) -> tuple[float, Draw]:
    """Each estimate less its nominal value, with twice its standard deviation; height [inch] and drawing."""
    free = [one for one in judgement["parameters"] if not one["fixed"]]
    units = list(dict.fromkeys(str(one["unit"]) for one in free))
    counts = [sum(str(one["unit"]) == unit for one in free) for unit in units]

    def draw(figure: style.Canvas) -> None:
        panels = figure.subplots(len(units), 1, height_ratios=[count + 2.5 for count in counts], squeeze=False)[:, 0]
        for axes, unit in zip(panels, units, strict=True):
            _estimates(axes, [one for one in free if str(one["unit"]) == unit], unit)

    return sum(count * ROW + 0.55 for count in counts), draw


def _estimates(axes: Axes, some: list[dict[str, Any]], unit: str) -> None:
    factor, shown = SHOWN.get(unit, (1.0, unit))
    change = factor * _numbers([one["value"] for one in some]) - factor * _numbers([one["nominal"] for one in some])
    spread = factor * _numbers([one["deviation"] for one in some])
    rows = np.arange(len(some))
    axes.axvline(0.0, color=style.MUTED, linewidth=0.8)
    axes.errorbar(change, rows, xerr=2.0 * spread, fmt="o", markersize=3.5, color=AFTER, elinewidth=1.2, capsize=2)
    axes.set_yticks(rows, [str(one["name"]) for one in some])
    axes.set_ylim(len(some) - 0.4, -0.6)
    axes.set_xlabel(f"estimate less nominal value, ± 2 standard deviations [{shown or '1'}]")


def identifiability(judgement: dict[str, Any]) -> Draw:
    """Singular values: how well the best and the worst combination of parameters is told."""
    values = _numbers(judgement["singular_values"])

    def draw(figure: style.Canvas) -> None:
        axes = figure.subplots()
        axes.bar(np.arange(1, len(values) + 1), values, color=AFTER, width=0.7)
        axes.set_yscale("log")
        _plain(axes)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("combination of parameters, best told first")
        axes.set_ylabel("singular value")

    return draw


def _plain(axes: Axes) -> None:
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _numbers(values: Any) -> Floats:
    """Numbers of a file, in which those that are not finite are text."""
    return np.nan_to_num(np.array([float(one) for one in values], dtype=np.float64), posinf=1e12, neginf=-1e12)
