"""What a check found, for people."""

from __future__ import annotations

import math

from station.tasks.verify.results import Margin, Verdict
from station.tasks.verify.robust import Robustness

MOST_SHOWN = 20  # findings


def verdict_text(verdict: Verdict) -> str:
    """Findings with their places, then margins."""
    lines = [f"task {verdict.task}, {verdict.duration:.2f} s, content {verdict.hash[:12]}"]
    lines += [
        f"  {finding.check:15} {finding.begin:8.3f} to {finding.end:.3f} s: {finding.text}"
        for finding in verdict.findings[:MOST_SHOWN]
    ]
    if len(verdict.findings) > MOST_SHOWN:
        lines.append(f"  … and {len(verdict.findings) - MOST_SHOWN} more")
    lines += [f"  {_margin(margin)}" for margin in verdict.margins]
    lines += [f"  note: {note}" for note in verdict.notes]
    outcome = "passed" if verdict.passed else f"did not pass: {len(verdict.findings)} findings"
    return "\n".join([*lines, f"{outcome} ({verdict.took:.2f} s)"])


def _margin(margin: Margin) -> str:
    if not math.isfinite(margin.room):
        return f"{margin.check:15} -          {margin.note}"
    where = "" if margin.at is None else f" at {margin.at.time:.3f} s"
    what = f" {margin.what}" if margin.what else ""
    note = f" ({margin.note})" if margin.note else ""
    return f"{margin.check:15} {margin.room:+9.4f}  {margin.unit}{what}{where}{note}"


def robustness_text(found: Robustness) -> str:
    """Margins over all variants."""
    lines = [f"{found.variants} variants, seed {found.seed}: {found.failed} fail"]
    lines += [
        f"  {spread.check:15} least {spread.least:+.4f}  1 % {spread.percentile:+.4f}  median {spread.median:+.4f}"
        f"  {spread.unit}, {spread.failed} fail"
        for spread in found.spreads
        if math.isfinite(spread.least)
    ]
    return "\n".join(lines)
