"""The plot of `benchmarks.virtual_wall`: stiffness over period, both logarithmic, as an SVG without any library."""

from __future__ import annotations

import math
from collections.abc import Iterable

WIDE, HIGH, LEFT, TOP, GAP = 330.0, 320.0, 80.0, 50.0, 40.0
SPAN_X, SPAN_Y = (2e-4, 2.5e-3), (500.0, 500_000.0)
BOUND = "min(2·b/T, 2·f/Δ)"
WORDS = "dots: largest stable wall as set (top: no end found); rings: what it feels like, pressed"
COLOURS = {"coupling-only": "#808890", "observer-controller": "#1f5fa8", "energy-bounding": "#2e8b57"}
STYLE = """<style>
text { font: 13px sans-serif; fill: #203040 }
.title { font: bold 14px sans-serif }
.frame { fill: none; stroke: #203040 }
.grid { stroke: #d8dde3 }
.line { fill: none; stroke-width: 2 }
.bound { fill: none; stroke: #c0392b; stroke-width: 2; stroke-dasharray: 6 4 }
.late { fill: none; stroke: #c0392b; stroke-width: 2; stroke-dasharray: 2 3 }
</style>"""

Point = tuple[str, str, float, float, float, float]  # method, grip, period [s], bound, stiffest, felt there [N/m]


def plot(
    points: list[Point],
    span: tuple[float, float] = SPAN_Y,
    named: str = BOUND,
    late: dict[float, float] | None = None,
    words: str = WORDS,
) -> str:
    """One panel per grip; `span` of stiffness [N/m], name of the bound, another one by period [s], a caption."""
    grips = list(dict.fromkeys(point[1] for point in points))
    width, height = LEFT + len(grips) * (WIDE + GAP) + 10.0, TOP + HIGH + 120.0
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}">', STYLE]
    parts.append(f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>')
    for number, grip in enumerate(grips):
        here = [point for point in points if point[1] == grip]
        parts += _panel(LEFT + number * (WIDE + GAP), grip, here, number == 0, span, late or {})
    parts += _legend(TOP + HIGH + 75.0, named, late is not None)
    parts.append(f'<text x="{LEFT:g}" y="{TOP + HIGH + 103:g}">{words}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _panel(
    left: float, grip: str, points: list[Point], named: bool, span: tuple[float, float], late: dict[float, float]
) -> list[str]:
    """Axes, the bounds, and a line per method."""

    def x(period: float) -> float:
        return left + WIDE * math.log(period / SPAN_X[0]) / math.log(SPAN_X[1] / SPAN_X[0])

    def y(stiffness: float) -> float:
        inside = min(max(stiffness, span[0]), span[1])
        return TOP + HIGH * (1.0 - math.log(inside / span[0]) / math.log(span[1] / span[0]))

    parts = [f'<text class="title" x="{left + WIDE / 2:g}" y="{TOP - 15:g}" text-anchor="middle">{grip} grip</text>']
    for stiffness in (decade for decade in (1e2, 1e3, 1e4, 1e5) if span[0] <= decade <= span[1]):
        parts.append(f'<path class="grid" d="M {left:g} {y(stiffness):.1f} h {WIDE:g}"/>')
        if named:
            label = f"{stiffness:,.0f}".replace(",", " ")
            parts.append(f'<text x="{left - 8:g}" y="{y(stiffness) + 4:.1f}" text-anchor="end">{label}</text>')
    for period in sorted({point[2] for point in points}):
        parts.append(f'<path class="grid" d="M {x(period):.1f} {TOP:g} v {HIGH:g}"/>')
        label = f"{1e3 * period:g}"
        parts.append(f'<text x="{x(period):.1f}" y="{TOP + HIGH + 20:g}" text-anchor="middle">{label}</text>')
    parts.append(f'<rect class="frame" x="{left:g}" y="{TOP:g}" width="{WIDE:g}" height="{HIGH:g}"/>')
    parts.append(f'<text x="{left + WIDE / 2:g}" y="{TOP + HIGH + 42:g}" text-anchor="middle">period [ms]</text>')
    if named:
        turn = f"rotate(-90 18 {TOP + HIGH / 2:g})"
        parts.append(
            f'<text x="18" y="{TOP + HIGH / 2:g}" text-anchor="middle" transform="{turn}">stiffness [N/m]</text>'
        )
    bound = {point[2]: point[3] for point in points}
    parts.append(f'<polyline class="bound" points="{_joined((x(p), y(k)) for p, k in sorted(bound.items()))}"/>')
    if late:
        parts.append(f'<polyline class="late" points="{_joined((x(p), y(k)) for p, k in sorted(late.items()))}"/>')
    for width, (method, colour) in zip((6, 4, 2), reversed(COLOURS.items()), strict=True):  # all seen at the top
        line = [(x(point[2]), y(point[4])) for point in points if point[0] == method]
        parts.append(
            f'<polyline class="line" stroke="{colour}" style="stroke-width:{width}" points="{_joined(line)}"/>'
        )
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colour}"/>' for a, b in line]
        felt = [(x(point[2]), y(point[5])) for point in points if point[0] == method]
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="5" fill="none" stroke="{colour}"/>' for a, b in felt]
    return parts


def _joined(points: Iterable[tuple[float, float]]) -> str:
    """Points of a polyline."""
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in points)


def _legend(height: float, named: str, late: bool) -> list[str]:
    """Names of the lines."""
    parts, at = [], LEFT
    for name, colour in COLOURS.items():
        parts.append(f'<path class="line" stroke="{colour}" d="M {at:g} {height:g} h 28"/>')
        parts.append(f'<text x="{at + 34:g}" y="{height + 4:g}">{name}</text>')
        at += 60.0 + 7.5 * len(name)
    parts.append(f'<path class="bound" d="M {at:g} {height:g} h 28"/>')
    parts.append(f'<text x="{at + 34:g}" y="{height + 4:g}">{named}</text>')
    if late:
        at += 60.0 + 6.0 * len(named)
        parts.append(f'<path class="late" d="M {at:g} {height:g} h 28"/>')
        parts.append(f'<text x="{at + 34:g}" y="{height + 4:g}">2·b/(T + 2·d)</text>')
    return parts
