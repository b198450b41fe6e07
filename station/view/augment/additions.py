"""`Additions`: what is drawn of a scene beside its robots, ready for the graphics card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.view.drawing.arrows import Arrow
from station.view.drawing.label import Label
from station.view.drawing.segments import Lines
from station.view.geometry.mesh import EMPTY, Colour, Mesh, joined


class Additions(NamedTuple):
    """Solids, arrows, lines and texts in the world [m], and what becomes of the robot's own links."""

    mesh: Mesh = EMPTY
    arrows: tuple[Arrow, ...] = ()
    lines: tuple[Lines, ...] = ()
    labels: tuple[Label, ...] = ()
    tints: Mapping[int, Colour] = MappingProxyType({})  # by link; opacity tells how much of the colour
    opacities: Mapping[int, float] = MappingProxyType({})  # by link, 0 to 1


NOTHING = Additions()


def together(parts: Iterable[Additions]) -> Additions:
    """All of them as one; of two tints of a link the later one is seen, of two opacities the lesser."""
    all_parts = list(parts)
    tints: dict[int, Colour] = {}
    opacities: dict[int, float] = {}
    for part in all_parts:
        tints.update(part.tints)
        for name, opacity in part.opacities.items():
            opacities[name] = min(opacity, opacities.get(name, 1.0))
    return Additions(
        joined(part.mesh for part in all_parts),
        tuple(arrow for part in all_parts for arrow in part.arrows),
        tuple(lines for part in all_parts for lines in part.lines),
        tuple(label for part in all_parts for label in part.labels),
        tints,
        opacities,
    )


def spot(place: NDArray[np.float64]) -> tuple[float, float, float]:
    """A place [m] as a label takes it."""
    return float(place[0]), float(place[1]), float(place[2])


def line_strip(points: NDArray[np.float64], colour: Colour, width: float = 1.5) -> Lines:
    """Places (n, 3) [m] joined by lines; a place that is no number leaves a gap."""
    starts, ends = points[:-1], points[1:]
    real = np.isfinite(starts).all(axis=1) & np.isfinite(ends).all(axis=1)
    colours = np.tile(np.array(colour, np.float32), (int(real.sum()), 1))
    return Lines(starts[real], ends[real], colours, width)
