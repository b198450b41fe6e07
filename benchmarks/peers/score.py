"""From outcomes to figures: one judge for all, from joint values alone, by kinematics that are not any entrant's."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from os import environ
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers.bodies import Array, forward, rotation_angle
from benchmarks.peers.case import Case
from benchmarks.peers.rounds import OURS, Entrant, Outcome

Figures = dict[str, float]


class Row(NamedTuple):
    """One entrant's figures; a missing entrant has a note and NaN."""

    label: str
    figures: Figures
    note: str = ""


class Table(NamedTuple):
    """Rows under one title with the conditions they were measured in."""

    title: str
    conditions: str
    rows: list[Row]


def quick() -> bool:
    """True for a smoke run, by `--quick` or STATION_BENCH_QUICK=1: few targets, few rounds, figures without worth."""
    return "--quick" in sys.argv or environ.get("STATION_BENCH_QUICK", "") not in ("", "0")


def times(outcome: Outcome, ours: Outcome) -> Figures:
    """Median and 99th percentile over all rounds, and the median over rounds of our median to theirs."""
    spent = np.concatenate([np.array(one) for one in outcome.us])
    if outcome.hopeless:
        return dict.fromkeys(("p50 µs", "p99 µs", "ours/peer"), math.nan)
    return {
        "p50 µs": float(np.percentile(spent, 50)),
        "p99 µs": float(np.percentile(spent, 99)),
        "ours/peer": ratio(outcome, ours),
    }


def ratio(outcome: Outcome, ours: Outcome, typical: Callable[[list[float]], Any] = np.median) -> float:
    """Median over the rounds of (our typical time / its typical time)."""
    if outcome.hopeless or ours.hopeless:
        return math.nan
    return float(np.median([typical(a) / typical(b) for a, b in zip(ours.us, outcome.us, strict=False)]))


def errors(case: Case, q: Array) -> tuple[Array, Array]:
    """Distance [m] and angle [rad] between the followed body and its target after each step."""
    reached = forward(case.bodies, q)[case.frame]
    targets = case.targets[: len(q)]
    return np.linalg.norm(reached[:, :3, 3] - targets[:, :3, 3], axis=1), rotation_angle(reached, targets)


def closure_gaps(case: Case, q: Array) -> Figures:
    """Largest gap of all loops over all steps [µm], and largest turn where there are welds [µrad]."""
    poses = forward(case.bodies, q)
    pairs = [(poses[c.one], poses[c.other]) for c in case.closures]
    welds = [(poses[c.one], poses[c.other]) for c in case.closures if c.kind == "weld"]
    apart = max(float(np.linalg.norm(a[:, :3, 3] - b[:, :3, 3], axis=1).max()) for a, b in pairs)
    figures = {"closure max µm": 1e6 * apart}
    if welds:
        figures["closure max µrad"] = 1e6 * max(float(rotation_angle(a, b).max()) for a, b in welds)
    return figures


def rate(
    entrants: Sequence[Entrant],
    outcomes: dict[str, Outcome],
    judge: Callable[[Outcome, Outcome], Figures],
) -> list[Row]:
    """One row per entrant: `judge(outcome, ours)` gives its figures, NaN if it is missing."""
    ours = outcomes.get(OURS, Outcome(missing=True))
    judged = {e.label: judge(outcomes[e.label], ours) for e in entrants if not outcomes[e.label].missing}
    columns: dict[str, None] = dict.fromkeys(name for figures in judged.values() for name in figures)
    rows = []
    for entrant in entrants:
        reason = outcomes[entrant.label].reason
        note = "; ".join(part for part in (entrant.note, reason) if part)
        figures = judged.get(entrant.label, dict.fromkeys(columns, math.nan))
        rows.append(Row(entrant.label, figures, note))
    return rows


def flat(tables: Sequence[Table]) -> Figures:
    """All figures under 'title | entrant | figure'."""
    return {
        f"{table.title} | {row.label} | {name}": value
        for table in tables
        for row in table.rows
        for name, value in row.figures.items()
    }


def readable(table: Table) -> str:
    """The table as text."""
    columns = list(dict.fromkeys(name for row in table.rows for name in row.figures))
    head = ["", *columns, ""]
    body = [
        [row.label, *(_number(row.figures.get(name, math.nan)) for name in columns), row.note] for row in table.rows
    ]
    widths = [max(len(line[column]) for line in [head, *body]) for column in range(len(head))]
    lines = [
        "  ".join(
            cell.ljust(width) if column in (0, len(head) - 1) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in [head, *body]
    ]
    return "\n".join([table.title, f"({table.conditions})", *lines, ""])


def _number(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e7 else f"{value:.4g}"


def show(tables: Sequence[Table]) -> None:
    """Print all tables."""
    print(*(readable(table) for table in tables), sep="\n")
