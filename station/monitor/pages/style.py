"""How plots look: calm, thin lines, one colour for each thing, states as faint bands behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import MaxNLocator, NullFormatter, StrMethodFormatter
from numpy.typing import NDArray

from station.monitor.run import Run, Spell
from station.servo.shared import ServoState

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]
Canvas = Figure | SubFigure

INK, MUTED, GRID, TOTAL = "#24292f", "#6e7781", "#e4e7eb", "#d5dae0"
ON_STRIP = "#2b3036"  # the strip keeps its colours in the dark, and so do its words
TARGET, PREDICTED, BAD = "#e8a45c", "#2f6fb0", "#c0392b"
PALETTE = (
    "#2f6fb0", "#c0603a", "#3a8f6a", "#8d5fa8", "#b5912b", "#3f9aa8",
    "#b34a6f", "#6f7f2f", "#7a6a58", "#5c6370", "#a33b3b", "#4a4fa3",
)  # fmt: skip
STATES: Mapping[int, tuple[str, str]] = {  # band behind the curves, strip above them
    ServoState.OFF: ("#eef0f2", "#cfd4d9"),
    ServoState.READY: ("#eaf1f8", "#bcd4ec"),
    ServoState.ENGAGED: ("#ffffff", "#b9dec8"),
    ServoState.HOLD: ("#fbf3dc", "#efd48a"),
    ServoState.FAULT: ("#f9e1de", "#e59a90"),
}
UNKNOWN = ("#f2e6f5", "#b79ac2")
LEFT, RIGHT, TOP, BOTTOM = 0.72, 0.08, 0.03, 0.42  # margins [inch]
STRIP, LEGEND, TITLE, GAP = 0.13, 0.2, 0.26, 0.09  # heights, and between axes [inch]
COLUMNS = 600  # places of a curve on paper, each with its lowest and highest
MOST_BANDS = 200
SETTINGS: dict[Any, Any] = {
    "font.size": 8.5,
    "font.family": "sans-serif",
    "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "axes.titlesize": 9,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.0,
    "lines.solid_joinstyle": "round",
    "text.parse_math": False,  # a dollar in a name is a dollar
    "svg.fonttype": "none",  # letters stay letters: small, and they can be searched
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}


def colour(number: int) -> str:
    """Of the thing with this number, the same in every plot."""
    return PALETTE[number % len(PALETTE)]


def size(figure: Canvas) -> tuple[float, float]:
    """Width and height [inch], also of a part of a figure."""
    return float(figure.bbox.width) / figure.dpi, float(figure.bbox.height) / figure.dpi


def place(figure: Canvas, left: float, top: float, width: float, height: float, **more: Any) -> Axes:
    """Axes at a place [inch] counted from the upper left corner: no layout has to be searched for."""
    whole, tall = size(figure)
    return figure.add_axes((left / whole, 1.0 - (top + height) / tall, width / whole, height / tall), **more)


def time_axes(figure: Canvas, run: Run, shares: list[float], left: float = LEFT, gap: float = GAP) -> list[Axes]:
    """Axes under each other with one time, states behind, and a strip that names them on top."""
    whole, tall = size(figure)
    width, rest = whole - left - RIGHT, tall - STRIP - BOTTOM - 2 * TOP - LEGEND - gap * (len(shares) - 1)
    first = place(figure, left, TOP, width, STRIP)
    strip(first, run)
    made: list[Axes] = []
    top = 2 * TOP + STRIP + LEGEND
    for share in shares:
        height = rest * share / sum(shares)
        axes = place(figure, left, top, width, height, sharex=first)
        bands(axes, run)
        axes.tick_params(labelbottom=len(made) == len(shares) - 1)
        axes.yaxis.set_major_locator(MaxNLocator(4, prune="upper"))
        axes.yaxis.set_label_coords(-(left - 0.16) / width, 0.5)
        made.append(axes)
        top += height + gap
    made[-1].set_xlabel("time [s]")
    first.set_xlim(0.0, max(run.duration, 1e-3))
    return made


def side_by_side(figure: Canvas, shares: tuple[float, ...], left: float = LEFT, gap: float = 0.5) -> list[Axes]:
    """Axes beside each other, with room for titles."""
    whole, tall = size(figure)
    width, height = whole - left - RIGHT - gap * (len(shares) - 1), tall - TITLE - BOTTOM
    made = []
    for share in shares:
        own = width * share / sum(shares)
        made.append(place(figure, left, TITLE, own, height))
        left += own + gap
    return made


def shown(run: Run) -> list[Spell]:
    """The longest spells, in their order: nobody sees thousands."""
    longest = sorted(run.spells, key=lambda spell: -spell.duration)[:MOST_BANDS]
    return sorted(longest, key=lambda spell: spell.begin)


def bands(axes: Axes, run: Run) -> None:
    """States behind curves, and lines where something went wrong."""
    _spans(axes, run, side=0)
    across = axes.get_xaxis_transform()
    begins = [spell.begin for spell in run.faults[:MOST_BANDS]]
    axes.vlines(begins, 0.0, 1.0, color=BAD, linewidth=0.8, zorder=1, transform=across)
    gaps = [(gap.begin, gap.end - gap.begin) for gap in run.gaps[:MOST_BANDS]]
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": MUTED, "hatch": "////", "linewidth": 0.0}
    axes.broken_barh(gaps, (0.0, 1.0), transform=across, zorder=1, **look)


def strip(axes: Axes, run: Run) -> None:
    """States by name."""
    axes.set_axis_off()
    axes.set_ylim(0.0, 1.0)
    _spans(axes, run, side=1)
    for spell in shown(run):
        if spell.duration > 0.012 * len(spell.name) * run.duration:
            middle = (spell.begin + spell.end) / 2.0
            axes.text(middle, 0.46, spell.name.lower(), ha="center", va="center", fontsize=7, color=ON_STRIP)


def _spans(axes: Axes, run: Run, side: int) -> None:
    """All spells of a state as one thing: a hundred single ones take seconds to draw."""
    spells = shown(run)
    for state in sorted({spell.state for spell in spells}):
        if state == ServoState.ENGAGED and not side:
            continue  # what should be is white
        spans = [(spell.begin, spell.duration) for spell in spells if spell.state == state]
        tint = STATES.get(state, UNKNOWN)[side]
        axes.broken_barh(
            spans, (0.0, 1.0), transform=axes.get_xaxis_transform(), facecolor=tint, edgecolor="none", zorder=0
        )


def curve(axes: Axes, time: Floats, low: Singles, high: Singles, **look: Any) -> None:
    """A curve whose places have a lowest and a highest; one line if they are the same."""
    if np.array_equal(low, high, equal_nan=True):
        axes.plot(time, low, **look)
    else:
        both = np.column_stack([low, high]).ravel()
        axes.plot(np.repeat(time, 2), both, **look)


def legend(axes: Axes, columns: int) -> None:
    """Above the axes, in one row if it fits."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(
            loc="lower right", bbox_to_anchor=(1.0, 0.99), ncols=columns, borderaxespad=0.0, handlelength=1.2,
            columnspacing=1.2,
        )  # fmt: skip


def plain_log(axes: Axes, low: float, high: float) -> None:
    """A logarithmic axis with plain numbers from `low` to `high`; a linear one if that is less than a decade."""
    if low > 0.0 and high / low > 10.0:
        axes.set_xscale("log")
        axes.set_xlim(0.8 * low, 1.25 * high)
        plain_numbers(axes.xaxis)


def plain_numbers(axis: Axis) -> None:
    """1000 instead of a power of ten."""
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def room(axes: Axes, least: float, from_zero: bool = True) -> None:
    """No zooming into nothing: the axis spans at least so much."""
    low, high = axes.get_ylim()
    if from_zero:
        axes.set_ylim(0.0, max(high, least))
    elif high - low < least:
        middle = (low + high) / 2.0
        axes.set_ylim(middle - least / 2.0, middle + least / 2.0)
