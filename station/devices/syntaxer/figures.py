"""Published figures against the model: `python -m station.devices.syntaxer.figures [PICTURE.svg]`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from station.devices.syntaxer import force_map, rotation, translation
from station.devices.syntaxer.geometry import Cylinder, Syntaxer
from station.devices.syntaxer.kernels import layout
from station.devices.syntaxer.model import SyntaxerModel

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
        return translation.survey(model.packed, translation.cylinder_points(cylinder, spokes=48))

    by_reach = span(lambda cylinder: bool((look(cylinder).margins > 0.0).all()), model.geometry.cylinder)
    by_stops = span(lambda cylinder: look(cylinder).inside, model.geometry.cylinder)
    return by_reach, by_stops


def currents_for(model: SyntaxerModel, force: float, *, weight: bool) -> Currents:
    """Motor current that a force [N] asks for, by place and direction [A]."""
    found = translation.survey(model.packed, translation.cylinder_points(model.geometry.cylinder))
    middle = translation.survey(model.packed, model.middle)
    per_ampere = model.packed.chains[:, layout.TORQUE_PER_AMPERE]

    def worst(at: translation.Survey) -> float:
        carried = np.abs(at.weights) if weight else 0.0
        return float(((force * np.linalg.norm(at.jacobians, axis=1) + carried) / per_ampere).max())

    return Currents(worst(found), worst(middle), _best(found, force, per_ampere, weight))


def _best(found: translation.Survey, force: float, per_ampere: layout.Floats, weight: bool) -> float:
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
    at = translation.survey(model.packed, translation.cylinder_points(cylinder))
    degrees, stop = np.degrees(at.angles), np.degrees(at.rooms.min())
    yield f"  taken at {1e3 * cylinder.near:.0f} to {1e3 * cylinder.far:.0f} mm"
    yield f"  arm angles there: {degrees.min():.1f} to {degrees.max():.1f}°, nearest stop {stop:.1f}°"
    yield f"  margin to singularities (smallest sine): {at.margins.min():.3f}, at best {at.margins.max():.3f}"
    steps = 1e6 * translation.step_per_count(at, model.packed)
    yield f"  handle per encoder count: {steps.min():.0f} to {steps.max():.0f} µm"
    damping = translation.least_damping(at, [chain.damping for chain in model.geometry.chains]).min()
    spring, rate = model.capabilities.axes[0].stiffness, model.geometry.rate
    yield f"  damping {damping:.2f} N·s/m at least, hence springs up to {spring:.0f} N/m at {rate:.0f} Hz"


def force_lines(model: SyntaxerModel) -> Iterator[str]:
    """What the motors give, with and without the weight, and what the published forces ask for."""
    packed, motor = model.packed, model.geometry.motor
    at = translation.survey(packed, translation.cylinder_points(model.geometry.cylinder))
    yield f"force: {motor.continuous:g} A for long, {motor.peak:g} A for a moment, weight carried"
    for name, amperes in (("for long", packed.continuous), ("for a moment", packed.peak)):
        limits = translation.torque_limits(packed, amperes)
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
    at = translation.survey(model.packed, translation.cylinder_points(geometry.cylinder))
    return float((np.abs(at.weights) / model.packed.chains[:, layout.TORQUE_PER_AMPERE]).max())


def paramat_lines(model: SyntaxerModel) -> Iterator[str]:
    """Conditioning, lengths, torques and stiffness of the rotation stage."""
    packed, paramat = model.packed, model.geometry.paramat
    places = [rotation.turned_by(packed, vector) for vector in rotation.cube(paramat.range, 7)]
    conditions = [float(np.linalg.cond(at.strings)) for at in places]
    neutral = rotation.turned_by(packed, np.zeros(3))
    yield f"PARAMAT: ±{np.degrees(paramat.range):.0f}° about each axis"
    yield f"  condition of the strings: {np.linalg.cond(neutral.strings):.2f} neutral, {max(conditions):.2f} at worst"
    travel = np.array([at.lengths for at in places]) - packed.struts[:, layout.NEUTRAL]
    yield f"  strings travel {1e3 * travel.min():.1f} to {1e3 * travel.max():.1f} mm"
    push = packed.struts[:, layout.PRETENSION] - packed.struts[:, layout.SPRING] * travel
    yield f"  springs push {push.min():.1f} to {push.max():.1f} N"
    steps = [
        np.linalg.norm(np.linalg.inv(at.strings) * packed.struts[:, layout.LENGTH_PER_COUNT], axis=0) for at in places
    ]
    yield f"  rotation per encoder count: up to {np.degrees(np.max(steps)) * 60:.2f} arc minutes"
    axes = model.capabilities.axes[3:]
    yield f"  torque for long: {', '.join(f'{axis.force:.3f}' for axis in axes)} N·m about x, y, z"
    own = np.diag(rotation.stiffness(packed, neutral, packed.struts[:, layout.PRETENSION]))
    yield f"  stiffness without current: {', '.join(f'{value:.2f}' for value in own)} N·m/rad"
    for pretension in (4.0, 6.0, 8.0, 12.0):
        yield f"  pretension {pretension:g} N: {stiffness_span(model.geometry, pretension)}"


def stiffness_span(geometry: Syntaxer, pretension: float) -> str:
    """Range of stiffness about x to the full angle, if the strings were tightened so far [N]."""
    struts = [replace(strut, pretension=pretension) for strut in geometry.paramat.struts]
    paramat = replace(geometry.paramat, struts=(struts[0], struts[1], struts[2]))
    packed = SyntaxerModel(replace(geometry, paramat=paramat)).packed
    spans = []
    for name, amperes in (("for long", packed.continuous), ("for a moment", packed.peak)):
        low, high = rotation.stiffness_range(packed, 0, paramat.range, amperes)
        spans.append(f"{low:.2f} to {high:.2f} N·m/rad {name}")
    return "stiffness about x adjustable " + ", ".join(spans)


def main(arguments: list[str]) -> int:
    """Print the figures and draw the map."""
    model = SyntaxerModel()
    for line in lines(model):
        sys.stdout.write(line + "\n")
    picture = Path(arguments[0]) if arguments else PICTURE
    picture.write_text(force_map.drawing(model), encoding="utf8")
    sys.stdout.write(f"map: {picture}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
