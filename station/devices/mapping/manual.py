"""Tables and figure of docs/mapping.md, from settings and kernels: `python -m station.devices.mapping.manual`."""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from station.devices.mapping.motion import response
from station.devices.mapping.settings import (
    Box,
    Bubble,
    Cylinder,
    Edge,
    Engagement,
    Guide,
    MappingSettings,
    Response,
    Sphere,
)
from station.devices.mapping.state import numbers_of
from station.devices.parameter import about
from station.devices.velocity.settings import VelocitySettings

MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
CLASSES = (MappingSettings, Response, Engagement, Edge, Box, Cylinder, Sphere, Bubble, Guide, VelocitySettings)
FIGURE = "pictures/mapping-response.svg"
SIZE = 400  # of the figure's plot [px]

CURVES = {
    "exponent 1": (Response(dead_zone=0.1, exponent=1.0), "#808080"),
    "exponent 1.5 (default)": (Response(dead_zone=0.1), "#c04020"),
    "exponent 3, blend 0.5": (Response(dead_zone=0.1, exponent=3.0, blend=0.5), "#4878a8"),
    "exponent 3": (Response(dead_zone=0.1, exponent=3.0), "#207040"),
}


def table(settings: type[Any]) -> str:
    """The parameters of a class as a Markdown table."""
    lines = ["| parameter | default | unit | allowed | meaning |", "|---|---|---|---|---|"]
    for name, default, description in about(settings):
        row = (f"`{name}`", _told(default), description.unit, description.allowed, description.meaning)
        lines.append("| " + " | ".join(part.replace("|", "\\|") for part in row) + " |")
    return "\n".join(lines) + "\n"


def refreshed(text: str) -> str:
    """The page with all its tables made anew."""
    tables = {settings.__name__: table(settings) for settings in CLASSES}
    return MARKED.sub(lambda found: found[1] + tables[found[2]] + found[3], text)


def figure() -> str:
    """Response curves as an SVG, drawn by the kernel that the servo uses."""
    left, top = 60, 20
    bottom, middle = top + SIZE, top + SIZE / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE + 90} {SIZE + 80}" width="{SIZE + 90}">',
        "<style>text { font: 14px sans-serif; fill: #203040 } .c { fill: none; stroke-width: 2.5 }</style>",
        f'<rect width="{SIZE + 90}" height="{SIZE + 80}" fill="#ffffff"/>',
        f'<rect x="{left}" y="{top}" width="{SIZE * 0.1:g}" height="{SIZE}" fill="#eeeeee"/>',
        f'<path d="M {left} {top} v {SIZE} h {SIZE}" stroke="#203040" fill="none"/>',
        _words(left + SIZE / 2, bottom + 45, "part of the travel", "middle"),
        _words(18, middle, "part of the rate", "middle", upright=True),
        _words(left + 18, bottom - 40, "dead zone", "start", upright=True),
    ]
    for part in (0.0, 0.5, 1.0):
        parts.append(_words(left + SIZE * part, bottom + 20, f"{part:g}", "middle"))
        parts.append(_words(left - 8, bottom - SIZE * part + 5, f"{part:g}", "end"))
    for row, (label, (chosen, colour)) in enumerate(CURVES.items()):
        numbers = numbers_of(replace(MappingSettings(), response=chosen))
        curve = [(float(x), response(numbers, float(x))) for x in np.linspace(0.0, 1.0, 101)]
        points = " ".join(f"{left + SIZE * x:.1f},{bottom - SIZE * y:.1f}" for x, y in curve)
        height = top + 20 + 22 * row
        parts.append(f'<polyline class="c" stroke="{colour}" points="{points}"/>')
        parts.append(f'<path class="c" stroke="{colour}" d="M {left + 60} {height - 5} h 30"/>')
        parts.append(_words(left + 98, height, label, "start"))
    return "\n".join([*parts, "</svg>\n"])


def _words(x: float, y: float, words: str, anchor: str, upright: bool = False) -> str:
    """A line of text in the figure."""
    turn = f' transform="rotate(-90 {x:g} {y:g})"' if upright else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{turn}>{words}</text>'


def _told(default: object) -> str:
    """A default as a person writes it; a tuple of equal members once."""
    if isinstance(default, tuple):
        members = [_told(member) for member in default]
        if len(set(members)) == 1:
            return f"{members[0]} each"
        half = len(members) // 2
        if len(members) == 6 and len(set(members[:half])) == 1 and len(set(members[half:])) == 1:
            return f"{members[0]} straight, {members[half]} turning"
        return ", ".join(members)
    if default is None or isinstance(default, bool):
        return "none" if default is None else ("yes" if default else "no")
    if isinstance(default, Enum):
        return str(default.value)
    return f"{default:g}" if isinstance(default, float) else str(default)


def main(docs: Path) -> None:
    """Refresh page and figure."""
    page = docs / "mapping.md"
    page.write_text(refreshed(page.read_text(encoding="utf8")), encoding="utf8")
    (docs / FIGURE).write_text(figure(), encoding="utf8")


if __name__ == "__main__":
    main(Path(__file__).parents[3] / "docs")
