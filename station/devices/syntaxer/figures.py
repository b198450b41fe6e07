"""Published figures against the model: `python -m station.devices.syntaxer.figures [PICTURE.svg]`.

The picture is how much force the syntaxer gives in its worst direction, over the upright section of its workspace.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from station.devices.syntaxer import rotation, translation
from station.devices.syntaxer.geometry import Cylinder, Syntaxer
from station.devices.syntaxer.model import SyntaxerModel
from station.kernel import Floats

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


PICTURE = Path("docs/pictures/syntaxer-force.svg")
PUBLISHED_FORCES = (5.0, 10.0)  # of the thesis [N]


class Currents(NamedTuple):
    """Current of the most loaded motor for a force at the handle [A]."""

    worst: float  # in the worst place and direction
    middle: float  # in the middle of the cylinder, worst direction
    best: float  # in the best place and direction


def span(fits: Callable[[Cylinder], bool], cylinder: Cylinder, step: float = 0.001) -> tuple[float, float] | None:
    """Nearest and farthest start of the cylinder before the plate [m] for which something holds."""
    starts = [step * n for n in range(round(0.05 / step), round(0.25 / step))]
    long = cylinder.far - cylinder.near
    good = [near for near in starts if fits(replace(cylinder, near=near, far=near + long))]
    return (good[0], good[-1]) if good else None


def cylinder_spans(model: SyntaxerModel) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Where the cylinder fits by reach alone, and where also within the stops [m]."""

    def look(cylinder: Cylinder) -> translation.Survey:
        return translation.survey(model.parts, translation.cylinder_points(cylinder, spokes=48))

    by_reach = span(lambda cylinder: bool((look(cylinder).margins > 0.0).all()), model.geometry.cylinder)
    by_stops = span(lambda cylinder: look(cylinder).inside, model.geometry.cylinder)
    return by_reach, by_stops


def currents_for(model: SyntaxerModel, force: float, *, weight: bool) -> Currents:
    """Motor current that a force [N] asks for, by place and direction [A]."""
    found = translation.survey(model.parts, translation.cylinder_points(model.geometry.cylinder))
    middle = translation.survey(model.parts, model.middle)
    per_ampere = model.parts.chains.torque_per_ampere

    def worst(at: translation.Survey) -> float:
        carried = np.abs(at.weights) if weight else 0.0
        return float(((force * np.linalg.norm(at.jacobians, axis=1) + carried) / per_ampere).max())

    return Currents(worst(found), worst(middle), _best(found, force, per_ampere, weight))


def _best(found: translation.Survey, force: float, per_ampere: Floats, weight: bool) -> float:
    """Smallest limit at which the best place and direction gives a force [A], by halving."""
    low, high = 0.0, 100.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        room = (np.abs(found.weights) < middle * per_ampere).all(axis=1) if weight else np.full(len(found.points), True)
        reached = translation.strongest_force(found, middle * per_ampere, weight=weight)[room]
        low, high = (low, middle) if bool((reached >= force).any()) else (middle, high)
    return high


def lines(model: SyntaxerModel) -> Iterator[str]:
    """All figures, one per line."""
    yield from workspace_lines(model)
    yield from force_lines(model)
    yield from paramat_lines(model)


def workspace_lines(model: SyntaxerModel) -> Iterator[str]:
    """Where the cylinder fits, margins and resolution."""
    cylinder = model.geometry.cylinder
    long = cylinder.far - cylinder.near
    yield f"workspace: cylinder of radius {1e3 * cylinder.radius:.0f} mm, height {1e3 * long:.0f} mm, axis along x"
    for name, found in zip(("by reach alone", "within the stops"), cylinder_spans(model), strict=True):
        where = f"starts {1e3 * found[0]:.0f} to {1e3 * found[1]:.0f} mm before the plate" if found else "fits nowhere"
        yield f"  {name}: {where}"
    at = translation.survey(model.parts, translation.cylinder_points(cylinder))
    degrees, stop = np.degrees(at.angles), np.degrees(at.rooms.min())
    yield f"  taken at {1e3 * cylinder.near:.0f} to {1e3 * cylinder.far:.0f} mm"
    yield f"  arm angles there: {degrees.min():.1f} to {degrees.max():.1f}°, nearest stop {stop:.1f}°"
    yield f"  margin to singularities (smallest sine): {at.margins.min():.3f}, at best {at.margins.max():.3f}"
    steps = 1e6 * translation.step_per_count(at, model.parts)
    yield f"  handle per encoder count: {steps.min():.0f} to {steps.max():.0f} µm"
    damping = translation.least_damping(at, [chain.damping for chain in model.geometry.chains]).min()
    spring, rate = model.capabilities.axes[0].stiffness, model.geometry.rate
    yield f"  damping {damping:.2f} N·s/m at least, hence springs up to {spring:.0f} N/m at {rate:.0f} Hz"


def force_lines(model: SyntaxerModel) -> Iterator[str]:
    """What the motors give, with and without the weight, and what the published forces ask for."""
    parts, motor = model.parts, model.geometry.motor
    at = translation.survey(parts, translation.cylinder_points(model.geometry.cylinder))
    yield f"force: {motor.continuous:g} A for long, {motor.peak:g} A for a moment, weight carried"
    for name, amperes in (("for long", parts.continuous), ("for a moment", parts.peak)):
        limits = translation.torque_limits(parts, amperes)
        weakest = translation.weakest_force(at, limits)
        strongest = translation.strongest_force(at, limits)
        yield f"  {name}: worst direction {weakest.min():.1f} to {weakest.max():.1f} N, best {strongest.max():.1f} N"
    for force in PUBLISHED_FORCES:
        for name, weight in (("without weight", False), ("weight carried", True)):
            need = currents_for(model, force, weight=weight)
            yield (
                f"  {force:g} N, {name}: {need.worst:.2f} A in the worst place and direction, "
                f"{need.middle:.2f} A in the middle, {need.best:.2f} A in the best"
            )
    for name, geometry in (("balanced", model.geometry), ("no balancer", replace(model.geometry, balancer=(0.0,) * 3))):
        yield f"  weight alone, {name}: up to {weight_current(geometry):.2f} A"


def weight_current(geometry: Syntaxer) -> float:
    """Largest current that carries the weight anywhere in the cylinder [A]."""
    model = SyntaxerModel(geometry)
    at = translation.survey(model.parts, translation.cylinder_points(geometry.cylinder))
    return float((np.abs(at.weights) / model.parts.chains.torque_per_ampere).max())


def paramat_lines(model: SyntaxerModel) -> Iterator[str]:
    """Conditioning, lengths, torques and stiffness of the rotation stage."""
    parts, paramat = model.parts, model.geometry.paramat
    places = [rotation.turned_by(parts, vector) for vector in rotation.cube(paramat.range, 7)]
    conditions = [float(np.linalg.cond(at.strings)) for at in places]
    neutral = rotation.turned_by(parts, np.zeros(3))
    yield f"PARAMAT: ±{np.degrees(paramat.range):.0f}° about each axis"
    yield f"  condition of the strings: {np.linalg.cond(neutral.strings):.2f} neutral, {max(conditions):.2f} at worst"
    travel = np.array([at.lengths for at in places]) - parts.struts.neutral
    yield f"  strings travel {1e3 * travel.min():.1f} to {1e3 * travel.max():.1f} mm"
    push = parts.struts.pretension - parts.struts.spring * travel
    yield f"  springs push {push.min():.1f} to {push.max():.1f} N"
    steps = [np.linalg.norm(np.linalg.inv(at.strings) * parts.struts.length_per_count, axis=0) for at in places]
    yield f"  rotation per encoder count: up to {np.degrees(np.max(steps)) * 60:.2f} arc minutes"
    axes = model.capabilities.axes[3:]
    yield f"  torque for long: {', '.join(f'{axis.force:.3f}' for axis in axes)} N·m about x, y, z"
    own = np.diag(rotation.stiffness(parts, neutral, parts.struts.pretension))
    yield f"  stiffness without current: {', '.join(f'{value:.2f}' for value in own)} N·m/rad"
    for pretension in (4.0, 6.0, 8.0, 12.0):
        yield f"  pretension {pretension:g} N: {stiffness_span(model.geometry, pretension)}"


def stiffness_span(geometry: Syntaxer, pretension: float) -> str:
    """Range of stiffness about x to the full angle, if the strings were tightened so far [N]."""
    struts = [replace(strut, pretension=pretension) for strut in geometry.paramat.struts]
    paramat = replace(geometry.paramat, struts=(struts[0], struts[1], struts[2]))
    parts = SyntaxerModel(replace(geometry, paramat=paramat)).parts
    spans = []
    for name, amperes in (("for long", parts.continuous), ("for a moment", parts.peak)):
        low, high = rotation.stiffness_range(parts, 0, paramat.range, amperes)
        spans.append(f"{low:.2f} to {high:.2f} N·m/rad {name}")
    return "stiffness about x adjustable " + ", ".join(spans)


def main(arguments: list[str]) -> int:
    """Print the figures and draw the map."""
    model = SyntaxerModel()
    for line in lines(model):
        sys.stdout.write(line + "\n")
    picture = Path(arguments[0]) if arguments else PICTURE
    picture.write_text(drawing(model), encoding="utf8")
    sys.stdout.write(f"map: {picture}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
