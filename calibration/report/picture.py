"""The plots of a result as one picture, for documents."""

from __future__ import annotations

import io
from collections.abc import Iterator

import matplotlib
from matplotlib.figure import Figure

from calibration.report import plots
from calibration.report.page import judgements
from calibration.results import Result
from station.monitor.pages import style

HEADING = 0.3  # [inch]
DPI = 110


def picture(result: Result) -> bytes:
    """PNG."""
    chosen = list(_plots(result))
    title = f"{result.method.capitalize()} of {result.subject.name or result.subject.id[:16]}"
    with matplotlib.rc_context(style.SETTINGS):
        heights = [0.4, *(HEADING + height for _, height, _ in chosen)]
        figure = Figure(figsize=(plots.WIDTH, sum(heights)), facecolor="white", dpi=DPI, layout="constrained")
        parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        parts[0].text(0.01, 0.3, title, fontsize=14, fontweight="bold")
        for part, (name, _, draw) in zip(parts[1:], chosen, strict=True):
            part.suptitle(name, x=0.01, ha="left", fontsize=10, fontweight="bold")
            draw(part)
        content = io.BytesIO()
        figure.savefig(content, format="png", metadata={"Software": None})
    return content.getvalue()


def _plots(result: Result) -> Iterator[tuple[str, float, plots.Draw]]:
    errors = result.values.get("held_back")
    if isinstance(errors, dict) and errors.get("after"):
        yield "Errors on held-back data", 2.5, plots.held_back(errors)
    for name, judgement in judgements(result.values):
        yield f"Residuals {name}".strip(), 2.6, plots.residuals(judgement)
        height, draw = plots.parameters(judgement)
        if height > 0.0:
            yield f"Parameters {name}".strip(), height, draw
        if judgement.get("singular_values"):
            yield f"Identifiability {name}".strip(), 1.9, plots.identifiability(judgement)
