"""The plot of `benchmarks.delayed_wall`: largest stable wall and generated energy over delay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from benchmarks.delayed_wall_probe import GENERATED, SOFTEST, STIFFEST

if TYPE_CHECKING:
    from benchmarks.delayed_wall import Cell

COLOURS = {"direct": "#808890", "passivity station": "#1f5fa8", "passivity both ends": "#7a3fa0", "waves": "#2e8b57"}
WIDTHS = {"direct": 1.5, "passivity station": 3.0, "passivity both ends": 1.5, "waves": 1.5}  # all seen where they meet
LINES = {"P-F": "-", "P-P": "--", "4-ch": ":"}
LEAST = 0.02  # energy at the lower edge [mJ]


def draw(cells: list[Cell], figure: Path) -> None:
    """Two panels, a line per method and architecture."""
    mpl.rcParams["svg.hashsalt"] = "delayed-wall"
    drawn, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
    delays = sorted({cell.delay for cell in cells})
    for case in dict.fromkeys(cell.case for cell in cells):
        kind, _, architecture = case.partition(", ")
        here = sorted((cell for cell in cells if cell.case == case), key=lambda cell: cell.delay)
        look: dict[str, Any] = {"color": COLOURS[kind], "linestyle": LINES[architecture], "marker": "o"}
        look |= {"linewidth": WIDTHS[kind], "markersize": 2.0 + WIDTHS[kind]}
        places = range(len(delays))
        left.plot(places, [max(cell.stiffest, 0.7 * SOFTEST) for cell in here], label=case, **look)
        right.plot(places, [max(1e3 * cell.at_wall.generated, LEAST) for cell in here], **look)
    left.set(yscale="log", ylim=(0.6 * SOFTEST, 1.5 * STIFFEST), ylabel="largest stable wall [N/m]")
    left.set_title("stable wall (top: no end found; bottom: none)", fontsize=10)
    right.set(yscale="log", ylabel="energy given to the hand [mJ]")
    right.set_title("generated at a wall of 2 kN/m", fontsize=10)
    right.axhline(1e3 * GENERATED, color="#c0392b", linestyle="--", linewidth=1.0)
    right.text(len(delays) - 1.45, 1.15e3 * GENERATED, "5 mJ", color="#c0392b", fontsize=9)
    for panel in (left, right):
        panel.set_xticks(range(len(delays)), [f"{1e3 * delay:g}" for delay in delays])
        panel.set_xlabel("delay each way [ms]")
        panel.grid(visible=True, color="#d8dde3")
    drawn.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=9)
    drawn.savefig(figure, metadata={"Date": None})
    plt.close(drawn)
