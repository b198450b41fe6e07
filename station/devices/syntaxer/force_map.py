"""Draw how much force the syntaxer gives in its worst direction, over the upright section of its workspace, as SVG."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from station.devices.syntaxer.kernels.layout import Floats
from station.devices.syntaxer.model import SyntaxerModel

CELL = 0.0025  # side of a cell [m]
LEFT, RIGHT, LOW, HIGH = 0.05, 0.40, -0.24, 0.24  # of the section [m]
SCALE = 1000.0  # drawing units per metre: one per millimetre
BAND = 1.0  # force per colour [N]
COLOURS = (  # dark to light, also for who cannot tell red from green
    "#440154",
    "#482475",
    "#414487",
    "#355f8d",
    "#2a788e",
    "#21918c",
    "#22a884",
    "#44bf70",
    "#7ad151",
    "#bddf26",
    "#fde725",
)
STYLE = """<style>
text { font: 13px sans-serif; fill: #203040 }
.title { font: bold 15px sans-serif }
.frame { fill: none; stroke: #203040; stroke-width: 1 }
.cylinder { fill: none; stroke: #ffffff; stroke-width: 2.5; stroke-dasharray: 7 4 }
</style>"""


def drawing(model: SyntaxerModel) -> str:
    """Two maps side by side, for long and for a moment, with one scale of colours."""
    arm = model.geometry.motor
    wide = (RIGHT - LEFT) * SCALE
    panels = [
        *panel(model, 60.0, True, f"for long: {arm.continuous:g} A"),
        *panel(model, 60.0 + wide + 50.0, False, f"for a moment: {arm.peak:g} A"),
        *key(60.0 + 2.0 * wide + 80.0),
    ]
    width, height = 60.0 + 2.0 * wide + 205.0, (HIGH - LOW) * SCALE + 110.0
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}">'
    paper = f'<rect x="0" y="0" width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>'
    return "\n".join([head, STYLE, paper, *panels, "</svg>"]) + "\n"


def section(model: SyntaxerModel, for_long: bool) -> Floats:
    """Force in the middle of each cell [N], one row per height, top first, from the plate to the operator."""
    x = np.arange(LEFT + CELL / 2.0, RIGHT, CELL)
    z = np.arange(HIGH - CELL / 2.0, LOW, -CELL)
    points = np.array([[along, 0.0, up] for up in z for along in x])
    return model.capability_map(points, for_long=for_long).reshape(len(z), len(x))


def panel(model: SyntaxerModel, left: float, for_long: bool, title: str) -> list[str]:
    """One map, its frame and axes; `left` is where it starts on the paper."""
    forces = section(model, for_long)
    side, top = CELL * SCALE, 50.0
    parts = [text(left, top - 14.0, title, "title")]
    for number, line in enumerate(forces):
        start = 0
        for colour, run in groupby(map(colour_of, line.tolist())):  # cells of one colour are one rectangle
            count = len(list(run))
            if colour:
                parts.append(rect(left + start * side, top + number * side, count * side, side, f'fill="{colour}"'))
            start += count
    wide, tall = forces.shape[1] * side, forces.shape[0] * side
    parts.append(rect(left, top, wide, tall, 'class="frame"'))
    cylinder = model.geometry.cylinder
    corner = left + (cylinder.near - LEFT) * SCALE, top + (HIGH - cylinder.radius) * SCALE
    size = (cylinder.far - cylinder.near) * SCALE, 2.0 * cylinder.radius * SCALE
    parts.append(rect(*corner, *size, 'class="cylinder"'))
    under, middle = top + tall, top + HIGH * SCALE
    parts += [text(left + x - LEFT * SCALE, under + 18.0, str(x), anchor="middle") for x in (100, 200, 300)]
    parts.append(text(left + wide / 2.0, under + 40.0, "x, from the plate to the operator [mm]", anchor="middle"))
    parts += [text(left - 6.0, middle - z + 4.0, str(z), anchor="end") for z in (-200, -100, 0, 100, 200)]
    parts.append(text(left - 6.0, top - 14.0, "z [mm]", anchor="end"))
    return parts


def key(left: float) -> list[str]:
    """What the colours mean."""
    parts = [text(left, 36.0, "force [N]", "title"), text(left, 54.0, "in any direction")]
    for number, colour in enumerate(reversed(COLOURS)):
        top, low = 66.0 + 24.0 * number, BAND * (len(COLOURS) - 1 - number)
        parts.append(rect(left, top, 24.0, 24.0, f'fill="{colour}"'))
        more = f"{low:g} and more" if number == 0 else f"{low:g} to {low + BAND:g}"
        parts.append(text(left + 32.0, top + 16.0, more))
    under = 66.0 + 24.0 * len(COLOURS)
    parts.append(rect(left, under + 14.0, 24.0, 16.0, 'fill="#3b528b"'))
    parts.append(rect(left, under + 14.0, 24.0, 16.0, 'class="cylinder"'))
    parts.append(text(left + 32.0, under + 27.0, "cylinder"))
    parts.append(text(left, under + 52.0, "white: out of"))
    parts.append(text(left, under + 68.0, "reach or stops"))
    return parts


def colour_of(force: float) -> str:
    """Colour of a force [N]; none where the handle cannot go."""
    if not force >= 0.0:
        return ""
    return COLOURS[min(int(force / BAND), len(COLOURS) - 1)]


def rect(x: float, y: float, width: float, height: float, look: str) -> str:
    """A rectangle."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {look}/>'


def text(x: float, y: float, words: str, look: str = "label", anchor: str = "start") -> str:
    """A line of text."""
    return f'<text class="{look}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'
