"""Draw a hand at an emulated syntaxer with a wall in it: `python -m sim_devices.hand.picture FILE.svg`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from sim_devices.hand.hand import Hand
from sim_devices.syntaxer.plant import Plant
from station.devices.syntaxer import SyntaxerModel
from station.kernel import Floats

SCRIPT = """tighten 0.4 in 0.2
reach 0.22 0.05 0.03 in 0.8; circle radius=0.04 period=1.5 for 3
push x=0.17 force=5 for 0.8; tremor 0.5mm; hold 0.6; tremor 0
twist z=8deg for 0.4; let go; hold 0.8"""
WALL, WALL_STIFFNESS = 0.19, 500.0  # [m], [N/m]
PERIOD, FOLD = 0.00025, 4  # of the physics [s]; ticks of the wall are as many times longer
SHORTEST = 0.3  # move with room for its name [s]
SPARSE = 9  # milliseconds from one point of a curve to the next
WIDE, LEFT = 900.0, 70.0  # of the curves on the paper
COLOURS = ("#1f5fa8", "#c0392b", "#2e8b57")
STYLE = """<style>
text { font: 13px sans-serif; fill: #203040 }
.title { font: bold 14px sans-serif }
.frame { fill: none; stroke: #203040; stroke-width: 1 }
.line { fill: none; stroke-width: 1.6 }
.target { fill: none; stroke-width: 1.2; stroke-dasharray: 5 4; opacity: 0.75 }
.grid { stroke: #d8dde3; stroke-width: 1 }
.mark { stroke: #8090a0; stroke-width: 1; stroke-dasharray: 2 3 }
</style>"""


def run() -> tuple[Hand, Floats]:
    """A row per millisecond: time [s], target and handle [mm], force [N], wanted and real rotation about z [°]."""
    hand, plant, model = Hand(SCRIPT, seed=1), Plant(start="middle"), SyntaxerModel()
    plant.place((0.23, 0.0, -0.02))
    currents, rows = np.zeros(6), []
    for step in range(round(hand.duration / PERIOD)):
        now = step * PERIOD
        wrench = hand.wrench(now, plant.position, plant.rotation_vector, plant.velocity)
        if step % FOLD == 0:
            seen = model.pose(plant.counts)[0, 3]
            push = max(WALL_STIFFNESS * (WALL - seen), 0.0)
            holds = hand.timeline.held(hand.timeline.at(now)).holds
            currents = model.currents((push, 0.0, 0.0, 0.0, 0.0, 0.0)).amperes if holds else np.zeros(6)
            place = [*(1e3 * hand.target[:3]), *(1e3 * plant.position)]
            turned = np.degrees([hand.target[5], plant.rotation_vector[2]])
            rows.append([now, *place, *wrench[:3], *turned])
        plant.step(PERIOD, currents, False, wrench)
    return hand, np.array(rows)


class Panel:
    """One diagram over time; `low` to `high` from bottom to top."""

    def __init__(self, top: float, tall: float, low: float, high: float, seconds: float) -> None:
        self.top, self.tall, self.low, self.high, self.seconds = top, tall, low, high, seconds
        self.parts = [f'<rect class="frame" x="{LEFT}" y="{top}" width="{WIDE}" height="{tall}"/>']

    def y(self, value: float) -> float:
        """Height on the paper."""
        return self.top + self.tall * (self.high - value) / (self.high - self.low)

    def words(self, x: float, y: float, text: str, look: str = "", colour: str = "#203040") -> None:
        """A line of text."""
        self.parts.append(f'<text class="{look}" style="fill: {colour}" x="{x:.1f}" y="{y:.1f}">{text}</text>')

    def grid(self, values: tuple[float, ...]) -> None:
        """Lines and numbers at some heights."""
        for value in values:
            y = self.y(value)
            self.parts.insert(0, f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDE}" y2="{y:.1f}"/>')
            self.words(LEFT - 38.0, y + 4.0, f"{value:g}")

    def curve(self, times: Floats, values: Floats, colour: str, look: str = "line") -> None:
        """A curve, without points that lie level between their neighbours."""
        across = LEFT + WIDE * times[::SPARSE] / self.seconds
        heights = [round(self.y(value), 1) for value in values[::SPARSE].tolist()]
        level = [False, *(a == b == c for a, b, c in zip(heights, heights[1:], heights[2:], strict=False)), False]
        kept = [f"{x:.0f},{y}" for x, y, flat in zip(across.tolist(), heights, level, strict=True) if not flat]
        self.parts.append(f'<polyline class="{look}" stroke="{colour}" points="{" ".join(kept)}"/>')


def drawing() -> str:
    """Three diagrams: place, force, rotation."""
    hand, rows = run()
    times, seconds = rows[:, 0], hand.duration
    place = Panel(50.0, 270.0, -240.0, 240.0, seconds)
    force = Panel(350.0, 160.0, -7.0, 3.0, seconds)
    turned = Panel(550.0, 120.0, -4.0, 12.0, seconds)
    place.grid((-200.0, -100.0, 0.0, 100.0, 200.0))
    force.grid((-5.0, 0.0))
    turned.grid((0.0, 8.0))
    for axis, (name, colour) in enumerate(zip("xyz", COLOURS, strict=True)):
        place.curve(times, rows[:, 1 + axis], colour, "target")
        place.curve(times, rows[:, 4 + axis], colour)
        force.curve(times, rows[:, 7 + axis], colour)
        place.words(LEFT + 400.0 + 30.0 * axis, 20.0, name, "title", colour)
    turned.curve(times, rows[:, 10], COLOURS[2], "target")
    turned.curve(times, rows[:, 11], COLOURS[2])
    place.words(LEFT, 20.0, "handle [mm]; dashed: where the arm wants it", "title")
    force.words(LEFT, 340.0, "force of the hand on the handle [N]", "title")
    turned.words(LEFT, 540.0, "rotation about z [°]", "title")
    parts = [*place.parts, *force.parts, *turned.parts, *moves(hand, seconds)]
    size = f'viewBox="0 0 {LEFT + WIDE + 20.0:.0f} 710" width="{LEFT + WIDE + 20.0:.0f}"'
    paper = '<rect x="0" y="0" width="100%" height="100%" fill="#ffffff"/>'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', STYLE, paper, *parts, "</svg>"]) + "\n"


def moves(hand: Hand, seconds: float) -> list[str]:
    """When each move begins, and its name; then the times."""
    parts, begin = [], 0.0
    for move in hand.timeline.moves:
        name = {"LetGo": "let go"}.get(type(move).__name__, type(move).__name__.lower())
        x = LEFT + WIDE * begin / seconds
        if 0.0 < move.takes < 1e9 or name == "let go":
            parts.append(f'<line class="mark" x1="{x:.1f}" y1="50" x2="{x:.1f}" y2="670"/>')
        if SHORTEST < move.takes < 1e9:
            held = hand.timeline.held(hand.timeline.at(begin))
            shown = "let go" if not held.holds else "tremor" if held.tremor else name
            parts.append(f'<text x="{x + 3.0:.1f}" y="44">{shown}</text>')
        begin += move.takes
    for second in range(int(seconds) + 1):
        x = LEFT + WIDE * second / seconds
        parts.append(f'<text x="{x:.1f}" y="690" text-anchor="middle">{second} s</text>')
    return parts


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawing(), encoding="utf-8")
