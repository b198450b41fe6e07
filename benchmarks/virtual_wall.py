"""Largest stable stiffness of a virtual wall, per method and rate: `python -m benchmarks.virtual_wall [PLANT …]`.

Plants: `syntaxer`, the emulated one with all that lies between hand and forces (`wall_syntaxer.py` says how), and
`axis`, a simple model with one axis. Both unless said; `--no-plot` leaves the pictures in docs alone. Cases are shared
among `--workers` processes, 2 unless said; a bar shows how far it is, tables come as they are found.

**axis**: a hand taps a wall at 0.2 m/s, presses it with some 2 N, and leaves. Device: one axis with mass, viscous
damping, dry friction and encoder steps. The hand is a mass, spring and damper around the way it wants to go, held
loosely or tightly. A wall is stable if, pressed, the handle comes to rest (0.1 mm from peak to peak), and no more than
1 mJ was generated at the port between hand and device.

    bound      min(2·b/T, 2·f_c/Δ)
    stiffest   largest stable wall, as it is set [N/m]
    felt       what it is like there: force by depth, pressing at rest [N/m]
    buzz       power that the pressed wall gives the hand at 4 × the bound [mW]: energy generated all the time
    generated  energy generated from the beginning of tap or press at 4 × the bound [mJ]
    drag       mean force on a hand that moves freely [mN]: what the method costs where there is no wall
    error      of the force, pressing at rest at 4 × the bound, against the wall as it is set [%]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import wall_syntaxer
from benchmarks.virtual_wall_plant import GRIPS, Device, Grip, OneAxis, Plant
from benchmarks.virtual_wall_plot import plot
from benchmarks.wall_progress import shown
from station.haptics import (
    Body,
    Coupling,
    HapticRenderer,
    HapticSettings,
    Inputs,
    Limits,
    Method,
    Stability,
    stiffness_bound,
)

PERIODS = (0.25e-3, 0.5e-3, 1e-3, 2e-3)  # [s]
TAP, PRESS, LEAVE, END = 0.3, 0.5, 2.5, 2.8  # times of the probe [s]
RESTED, SHAKEN = 2.0, 1e-4  # from when the handle must rest [s], and how far it may still move [m]
GENERATED = 1e-3  # energy that counts as unstable [J]
SOFTEST, STIFFEST = 50.0, 400_000.0  # that are tried [N/m]
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
FIGURE, SYNTAXER_FIGURE = PICTURES / "virtual-wall.svg", PICTURES / "virtual-wall-syntaxer.svg"
CASES = len(Method) * len(GRIPS) * len(PERIODS)
HEAD = ["method", "grip", "T ms", "bound N/m", "stiffest N/m", "× bound", "felt N/m"]
HEAD += ["buzz mW", "generated mJ", "drag mN", "error %"]

Build = Callable[[Device, Grip, float], Plant]


class Probe(NamedTuple):
    """One probe of a wall."""

    shaken: float  # peak to peak of the handle while pressing [m]
    generated: float  # at the port [J], 0 and more
    buzz: float  # power to the hand while pressing [W], 0 and more
    error: float  # of the mean force while pressing, as part of it
    drag: float  # mean force before the wall [N]
    felt: float  # force by depth while pressing [N/m]

    @property
    def stable(self) -> bool:
        """Whether a person would call it a wall."""
        return self.shaken < SHAKEN and self.generated < GENERATED


class Row(NamedTuple):
    """A line of the table."""

    method: Method
    grip: str
    period: float  # [s]
    bound: float  # [N/m]
    stiffest: float  # [N/m]
    felt: float  # [N/m]
    at_four: Probe  # four times the bound


def wanted(time: float) -> float:
    """Where the hand wants to be [m]: a tap, a press, and away; the wall is at 0."""
    if time < TAP:
        return -0.03 + 0.2 * (time - 0.05) if time > 0.05 else -0.03
    if time < PRESS:
        return -0.01
    return 0.01 if time < LEAVE else -0.02


def probe(plant: Plant, method: Method, stiffness: float, period: float, device: Device) -> Probe:
    """Probe one wall."""
    body = Body(damping=device.damping, friction=device.friction, mass=device.mass, resolution=device.quantum)
    settings = HapticSettings(
        coupling=Coupling(stiffness=min(stiffness, 50_000.0), damping=0.0),
        body=body,
        stability=Stability(method=method, period=period),
        limits=Limits(ramp_in=1e-3, force=20.0, for_long=(20.0,) * 3 + (0.0,) * 3, peak=(20.0,) * 3 + (0.0,) * 3),
    )
    renderer, inputs = HapticRenderer(settings), Inputs()
    for numbers in (renderer.tuning.now, renderer.tuning.wanted):
        numbers.coupling.stiffness = stiffness  # also beyond what a person may set
    ticks = round(END / period)
    places, asked, felt, energy = np.zeros(ticks), np.zeros(ticks), np.zeros(ticks), np.zeros(ticks)
    for k in range(ticks):
        place = plant.read()
        inputs.hand[0], inputs.proxy[0] = place, min(place, 0.0)
        inputs.at(k * period, fresh=True)
        force = float(renderer.tick(inputs).wrench[0])
        places[k], asked[k], felt[k] = plant.place, -stiffness * max(0.0, place), force
        plant.advance(force, period, wanted(k * period))
        energy[k] = plant.energy
    times = np.arange(ticks) * period
    pressing, before = (times > RESTED) & (times < LEAVE), times < 0.15
    right = np.clip(asked[pressing], -20.0, 0.0)
    error = abs(float(np.mean(felt[pressing] - right)) / min(-1e-9, float(np.mean(right))))
    lost = float(energy[pressing][0] - energy[pressing][-1]) / (LEAVE - RESTED)
    drag = float(np.mean(np.abs(felt[before])))
    generated = max(float(energy[k] - energy[k:].min()) for k in (0, round(PRESS / period)))
    felt_stiffness = -float(np.mean(felt[pressing]) / np.mean(places[pressing]))
    return Probe(float(np.ptp(places[pressing])), generated, max(0.0, lost), error, drag, felt_stiffness)


def stiffest(build: Build, method: Method, period: float, device: Device, grip: Grip) -> float:
    """The largest stable stiffness [N/m]: coarse steps up to the first that is not, then halving."""
    last = SOFTEST
    for stiffness in np.geomspace(SOFTEST, STIFFEST, 27):  # a factor of 1.41
        if not probe(build(device, grip, period), method, float(stiffness), period, device).stable:
            low, high = last, float(stiffness)
            for _ in range(3):
                middle = (low * high) ** 0.5
                good = probe(build(device, grip, period), method, middle, period, device).stable
                low, high = (middle, high) if good else (low, middle)
            return low
        last = float(stiffness)
    return STIFFEST


def table_row(case: wall_syntaxer.Case) -> Row:
    """One method, grip and rate, on the simple axis."""
    method, name, period = case
    device, grip = Device(), GRIPS[name]
    bound = stiffness_bound(
        damping=device.damping, period=period, friction=device.friction, resolution=device.quantum
    ).bound
    best = stiffest(OneAxis, method, period, device, grip)
    four = probe(OneAxis(device, grip, period), method, 4.0 * bound, period, device)
    felt = probe(OneAxis(device, grip, period), method, best, period, device).felt
    return Row(method, name, period, bound, best, felt, four)


def table(workers: int) -> Iterator[Row]:
    """All methods, grips and rates, one after the other as they are found."""
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(table_row, product(Method, GRIPS, PERIODS))


def told(row: Row) -> str:
    """A line of Markdown."""
    best = f"> {STIFFEST:.0f}" if row.stiffest >= STIFFEST else f"{row.stiffest:.0f}"
    four = row.at_four
    cells = [str(row.method), row.grip, f"{1e3 * row.period:g}", f"{row.bound:.0f}", best]
    cells += [f"{row.stiffest / row.bound:.1f}", f"{row.felt:.0f}", f"{1e3 * four.buzz:.2f}"]
    cells += [f"{1e3 * four.generated:.2f}", f"{1e3 * four.drag:.1f}", f"{100.0 * four.error:.1f}"]
    return "| " + " | ".join(cells) + " |"


def on_axis(draw: bool, workers: int) -> None:
    """Table on the screen, plot in docs/pictures, of the simple model."""
    print(f"one axis: {Device()}")
    rows = shown("one axis", HEAD, table(workers), CASES, told)
    if draw:
        _draw(FIGURE, plot([(str(row.method), *row[1:6]) for row in rows]))


def on_syntaxer(draw: bool, workers: int) -> None:
    """The same of the emulated syntaxer."""
    print(f"emulated syntaxer, where the wall is: {wall_syntaxer.spot()}")
    rows = shown("emulated syntaxer", wall_syntaxer.HEAD, wall_syntaxer.rows(workers), CASES, wall_syntaxer.told)
    if draw:
        points = [(str(row.method), row.grip, row.period, row.by_rate, row.stiffest, row.true) for row in rows]
        late = {row.period: row.by_delay for row in rows}
        words = "dots: largest stable wall as set (top: no end found); rings: largest that is also felt as it is set"
        _draw(SYNTAXER_FIGURE, plot(points, (100.0, 60_000.0), "2·b/T", late, words))


def _draw(figure: Path, picture: str) -> None:
    figure.write_text(picture, encoding="utf8")
    print(f"plot: {figure.relative_to(Path.cwd()) if figure.is_relative_to(Path.cwd()) else figure}")


PLANTS = {"syntaxer": on_syntaxer, "axis": on_axis}


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description="largest stable stiffness of a virtual wall, per method and rate")
    parser.add_argument("plants", nargs="*", metavar="PLANT", help=f"{' or '.join(PLANTS)}; both if none is named")
    parser.add_argument("--no-plot", action="store_true", help="leave the pictures of the documentation alone")
    parser.add_argument("--workers", type=int, default=2, help="processes that share the cases (default: 2)")
    wanted = parser.parse_args()
    unknown = [name for name in wanted.plants if name not in PLANTS]
    if unknown:
        parser.error(f"no plant {', '.join(unknown)}; there are: {', '.join(PLANTS)}")
    if wanted.workers < 1:
        parser.error("--workers must be 1 or more")
    for name in wanted.plants or PLANTS:
        PLANTS[name](not wanted.no_plot, wanted.workers)


if __name__ == "__main__":
    main()
