"""Reflected contact over a delayed link, per method, architecture and delay: `python -m benchmarks.delayed_wall`.

A hand taps a wall at the far end, strikes it in fast reversals, presses it with some 2 N, presses further, and leaves.
Between hand and wall: a device with one axis, the station's forces and their ledger, the two ends of
`station.bilateral`, a network (the delay each way, jitter of a fifth of it and 0.5 ms at least, 5 % lost, 1 % doubled,
overtaking) and an arm with the loops of the emulated one. Two grips, of which the worse counts. All on a virtual clock
and seeded: the same numbers every time.

    stable up to   largest wall at which no more than 5 mJ is generated, and hand and arm come to rest [N/m]
    generated      energy that the hand got out of a wall of 2 kN/m, since a moment at which nothing was felt, touched
                   or on the way [mJ]
    felt           force by depth, pressing that wall at rest, as part of 2 kN/m [%]
    firm           the same of what is added when the hand presses further [%]
    drag           mean force in free space at some 0.15 m/s [N]
    drift          of the arm from where the hand was, while pressing; and half a second after leaving [mm]

`station` in the name of a method: the arm takes setpoints and reports, all protection is at the hand. `both ends`: the
arm side runs its end, too. `--plot` draws docs/pictures/delayed-wall.svg.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress

from benchmarks.delayed_wall_plant import MOST
from benchmarks.delayed_wall_probe import SOFTEST, STIFFEST, Probe, cases, stiffest, worst

DELAYS = (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5)  # each way [s]
WALL = 2000.0  # that all are compared at [N/m]
PROCESSES = 2
FIGURE = Path(__file__).parents[1] / "docs" / "pictures" / "delayed-wall.svg"


class Cell(NamedTuple):
    """One method and architecture at one delay."""

    case: str
    delay: float  # each way [s]
    stiffest: float  # [N/m]; 0: not even the softest wall
    at_wall: Probe  # of WALL


def measured(case: str, delay: float) -> Cell:
    """One cell of all tables."""
    settings = cases(MOST)[case]
    return Cell(case, delay, stiffest(settings, delay), worst(settings, WALL, delay))


def all_cells(names: list[str], delays: tuple[float, ...], processes: int = PROCESSES) -> list[Cell]:
    """All cells, in the order of names and delays; compiled once before the processes start."""
    wanted = [(name, delay) for name in names for delay in delays]
    worst(cases(MOST)[names[0]], WALL, 0.0)
    with Progress(console=Console(stderr=True), transient=True) as bar, ProcessPoolExecutor(processes) as pool:
        task = bar.add_task("delayed wall", total=len(wanted))
        futures = [pool.submit(measured, *one) for one in wanted]
        for _ in as_completed(futures):
            bar.advance(task)
        return [future.result() for future in futures]


def stable_text(stiffness: float) -> str:
    """The largest stable wall for people."""
    if stiffness == 0.0:
        return f"< {SOFTEST:.0f}"
    return f"> {STIFFEST:.0f}" if stiffness >= STIFFEST else f"{stiffness:.0f}"


TABLES: dict[str, Callable[[Cell], str]] = {
    "stable up to [N/m]": lambda cell: stable_text(cell.stiffest),
    "generated at 2 kN/m [mJ]": lambda cell: f"{1e3 * cell.at_wall.generated:.1f}",
    "felt at 2 kN/m [%], firm [%]": lambda cell: (
        f"{100.0 * cell.at_wall.felt / WALL:.0f}, {100.0 * cell.at_wall.firm / WALL:.0f}"
        if cell.at_wall.stable
        else "–"
    ),
    "drag [N]": lambda cell: f"{cell.at_wall.drag:.2f}",
    "drift pressing, after [mm]": lambda cell: (
        f"{1e3 * cell.at_wall.drift:.1f}, {1e3 * cell.at_wall.left:.1f}" if cell.at_wall.stable else "–"
    ),
}


def tables(cells: list[Cell]) -> Iterator[str]:
    """Markdown: one table per figure, a line per method, a column per delay."""
    names, delays = list(dict.fromkeys(c.case for c in cells)), list(dict.fromkeys(c.delay for c in cells))
    found = {(cell.case, cell.delay): cell for cell in cells}
    for title, text in TABLES.items():
        yield f"| {title} | " + " | ".join(f"{1e3 * delay:g} ms" for delay in delays) + " |"
        yield "|---" * (1 + len(delays)) + "|"
        for name in names:
            yield f"| {name} | " + " | ".join(text(found[name, delay]) for delay in delays) + " |"
        yield ""


def ranges(cells: list[Cell]) -> Iterator[str]:
    """What the tables say, in lines: generated energy, and walls against those of no protection."""
    for kind in dict.fromkeys(cell.case.partition(",")[0] for cell in cells):
        here = [cell for cell in cells if cell.case.startswith(f"{kind},")]
        energies = [1e3 * cell.at_wall.generated for cell in here]
        by_force = max(1e3 * cell.at_wall.by_force for cell in here)
        walls = sorted(cell.stiffest for cell in here)
        yield (
            f"{kind}: generated {min(energies):.2f} to {max(energies):.2f} mJ at the port, at most {by_force:.2f} mJ "
            f"by forces alone; stable up to {stable_text(walls[0])} to {stable_text(walls[-1])} N/m"
        )


def run() -> dict[str, float]:
    """Figures for `python -m benchmarks`: the extremes over all delays."""
    figures = {}
    for kind in ("direct", "passivity station", "passivity both ends", "waves"):
        cells = all_cells([f"{kind}, P-F"], DELAYS)
        figures[f"{kind}: most generated at 2 kN/m [mJ]"] = max(1e3 * cell.at_wall.generated for cell in cells)
        figures[f"{kind}: least stable wall [N/m]"] = min(cell.stiffest for cell in cells)
    return figures


def main() -> None:
    """Tables on the screen, the plot if it is asked for."""
    parser = argparse.ArgumentParser(description="reflected contact over a delayed link, per method and delay")
    parser.add_argument("--plot", action="store_true", help=f"draw {FIGURE.name} of the documentation")
    parser.add_argument("--quick", action="store_true", help="three delays only")
    parser.add_argument("--json", action="store_true", help="all numbers for programs")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    asked = parser.parse_args()
    cells = all_cells(list(cases(MOST)), (0.0, 0.05, 0.5) if asked.quick else DELAYS, asked.processes)
    if asked.json:
        print(json.dumps([{**cell._asdict(), "at_wall": cell.at_wall._asdict()} for cell in cells], indent=1))
    else:
        print(*tables(cells), *ranges(cells), sep="\n")
    if asked.plot:
        from benchmarks.delayed_wall_plot import draw

        draw(cells, FIGURE)


if __name__ == "__main__":
    main()
