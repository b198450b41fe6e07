"""All plots and facts of a run on one page: HTML that needs nothing else, or a picture."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable
from html import escape
from typing import Any, NamedTuple

import matplotlib
from matplotlib.figure import Figure

from station.monitor.glyphs import number
from station.monitor.pages import numbers, over_time, style
from station.monitor.pages.sheet import SHEET
from station.monitor.plain import named
from station.monitor.run import Run
from station.monitor.summary import StateSpell, Summary
from station.monitor.summary_text import EMPTY, facts_of, facts_of_all, facts_of_part

WIDTH = 9.6  # [inch]
HEADING = 0.42  # of a plot in the picture [inch]
PICTURE_DPI = 110
MOST_ROWS, MOST_FAULTS = 50, 12  # of a table
FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"


class Plot(NamedTuple):
    """One figure of the page."""

    title: str
    caption: str
    height: float  # [inch]
    draw: Callable[[style.Canvas, Run], None]
    per_joint: float = 0.0  # more height for each joint [inch]
    of_all: bool = False  # of the servo, not of one of its parts

    def tall(self, run: Run) -> float:
        """Height for this run [inch]."""
        return self.height + self.per_joint * max(len(run.bench.joints), 2)


PLOTS = (
    Plot(
        "Tracking",
        "Where the hand wanted the followed frame, where the predicted robot put it, and how far that is apart.",
        5.6,
        over_time.tracking,
    ),
    Plot(
        "Forces on the hand by cause",
        "Size of each part. Parts may oppose each other, so they need not add up to the size of all together.",
        3.7,
        over_time.forces,
    ),
    Plot(
        "Energy",
        "The ledger at the hand, and what went from the hand into each cause.",
        3.9,
        over_time.energy,
    ),
    Plot(
        "Joints",
        "Each lane is as wide as the joint's range. Red: at a stop. Amber: at the speed limit.",
        0.8,
        over_time.joints,
        over_time.LANE,
    ),
    Plot("Time of ticks", "Over the run; logarithmic.", 2.2, over_time.ticks, of_all=True),
    Plot(
        "How long things take",
        "Every tick is counted, on a logarithmic scale. Latency: from the device's time stamp to the force.",
        2.7,
        numbers.times,
        of_all=True,
    ),
    Plot("Stages of a tick", "", 2.4, numbers.stages, of_all=True),
)


def html(run: Run) -> bytes:
    """One page, with its plots inside."""
    summary = Summary.of(run)
    head = "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>\n"
    title = _title(summary)
    parts = [head, f"<title>{escape(title)}</title>\n<style>{SHEET}</style>\n<main>", _header(title, summary)]
    if run.empty:
        parts.append(f"<p class=empty>{escape(EMPTY)}.</p>")
    elif run.further:
        parts += [_facts(facts_of_all(summary)), *(_figure(plot, run) for plot in PLOTS if plot.of_all)]
        for part, told in zip(run.parts, summary.parts, strict=True):
            parts += [f"<h1>{escape(told.part)}: {escape(told.robot)}</h1>"]
            parts += [f"<p class=empty>{escape(EMPTY)}.</p>"] if part.empty else _part(part, told)
    else:
        parts += [_tiles(summary), _facts(facts_of(summary)), _faults(summary)]
        parts += [_figure(plot, run) for plot in PLOTS]
        parts.append(_states(summary, run))
    return "\n".join([*parts, "</main></html>\n"]).encode()


def _part(run: Run, summary: Summary) -> list[str]:
    """One of several parts; what is of all is told once."""
    plots = [_figure(plot, run) for plot in PLOTS if not plot.of_all]
    return [_tiles(summary), _facts(facts_of_part(summary)), _faults(summary), *plots, _states(summary, run)]


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><th>{escape(name)}<td>{escape(text)}\n" for name, text in facts)
    return f"<table class=facts>{rows}</table>"


def _title(summary: Summary) -> str:
    return f"Run of {' and '.join(dict.fromkeys(part.robot for part in summary.parts))}"


def picture(run: Run) -> bytes:
    """The same as one picture (PNG)."""
    summary = Summary.of(run)
    lines = [EMPTY] if run.empty else [_colon(line) for line in facts_of(summary)]
    if run.further and not run.empty:
        lines = [_colon(line) for line in facts_of_all(summary)]
        for told in summary.parts:
            lines += [told.part, *(f"    {_colon(line)}" for line in facts_of_part(told))]
    plots = [
        (plot, part) for part in run.parts for plot in PLOTS if not part.empty and (part is run or not plot.of_all)
    ]
    heights = [0.55 + 0.185 * len(lines), *(HEADING + plot.tall(part) for plot, part in plots)]
    with matplotlib.rc_context(style.SETTINGS):
        figure = Figure(figsize=(WIDTH, sum(heights)), facecolor="white", dpi=PICTURE_DPI)
        parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        _at(parts[0], 0.2, _title(summary), 14)
        _at(parts[0], 0.5, "\n".join(lines), 8, linespacing=1.45)
        for place, (plot, part) in zip(parts[1:], plots, strict=True):
            heading, body = place.subfigures(2, 1, height_ratios=[HEADING, plot.tall(part)])
            _at(heading, 0.14, plot.title if plot.of_all else named(part.bench.part, plot.title), 11)
            plot.draw(body, part)
        content = io.BytesIO()
        figure.savefig(content, format="png", metadata={"Software": None})
    return content.getvalue()


def _colon(fact: tuple[str, str]) -> str:
    return f"{fact[0]}:  {fact[1]}"


def _at(figure: style.Canvas, top: float, text: str, size: float, **more: Any) -> None:
    """Text so far below the upper edge [inch]."""
    weight = "normal" if more else "bold"
    tall = style.size(figure)[1]
    figure.text(0.015, 1.0 - top / tall, text, va="top", fontsize=size, fontweight=weight, **more)


def _header(title: str, summary: Summary) -> str:
    badges = [f"<b class=emulated>EMULATED</b> {escape(', '.join(summary.emulated))}"] if summary.emulated else []
    seconds = f"{number(summary.duration, 1)} s"
    facts = [summary.began, seconds, f"{number(summary.rate, 0)} Hz", f"ended: {escape(summary.ending)}"]
    return f"<h1>{escape(title)}</h1>\n<p class=sub>{' · '.join(fact for fact in [*facts, *badges] if fact)}</p>"


def _tiles(summary: Summary) -> str:
    """The figures that are looked at first."""
    force = summary.strongest.force if summary.strongest else 0.0
    tiles = (
        (number(summary.latency_periods, 2), "periods", "hand to force, median"),
        (number(1e6 * summary.tick.p99, 0), "µs", "cost of 99 ticks in 100"),
        (f"{summary.late}", "late", f"of {summary.ticks} ticks"),
        (number(1e3 * summary.error.p50, 2), "mm", "tracking error, median"),
        (number(force, 2), "N", "largest force"),
        (number(1e3 * summary.energy.generated, 3), "mJ", "energy generated"),
    )
    cells = "".join(f"<div><b>{value}</b> {unit}<small>{what}</small></div>" for value, unit, what in tiles)
    return f"<div class=tiles>{cells}</div>"


def _faults(summary: Summary) -> str:
    if not summary.faults:
        return ""
    return f"<h2>What went wrong</h2>\n{_spells(summary.faults, MOST_FAULTS)}"


def _states(summary: Summary, run: Run) -> str:
    left_out = run.spells_left_out
    more = f"<p>{left_out} further changes were too many to keep.</p>" if left_out else ""
    return (
        f"<details><summary>States over time ({len(summary.states)})</summary>{_spells(summary.states)}{more}</details>"
    )


def _spells(spells: tuple[StateSpell, ...], most: int = MOST_ROWS) -> str:
    rows = "".join(
        f"<tr><td class=number>{number(spell.begin, 3)} s<td class=number>{number(spell.duration, 3)} s"
        f"<td>{escape(spell.state)}<td>{escape(spell.cause)}\n"
        for spell in spells[:most]
    )
    more = f"<tr><td colspan=4>and {len(spells) - most} more" if len(spells) > most else ""
    return f"<table class=spells><tr><th>at<th>for<th>state<th>because\n{rows}{more}</table>"


def _figure(plot: Plot, run: Run) -> str:
    with matplotlib.rc_context({**style.SETTINGS, "svg.hashsalt": run.bench.part + plot.title}):
        figure = Figure(figsize=(WIDTH, plot.tall(run)))
        plot.draw(figure, run)
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    caption = f"<figcaption>{escape(plot.caption)}</figcaption>" if plot.caption else ""
    label = f"role=img aria-label='{escape(plot.title, quote=True)}'"
    svg = slim(drawn.getvalue()).replace("<svg ", f"<svg {label} ", 1)
    return f"<figure><h2>{escape(plot.title)}</h2>{caption}\n{svg}</figure>"


def slim(svg: str) -> str:
    """A drawing that can stand inside a page: no preamble, no names that other drawings have too, fewer digits."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg, count=2)
    svg = re.sub(r' (?:d|x|y|transform|points)="[^"]*"', lambda match: re.sub(r"(?<=\d\.\d\d)\d+", "", match[0]), svg)
    return re.sub(r"font-family: [^;\"]*", f"font-family: {FONT}", svg).replace("\n   ", "\n")
