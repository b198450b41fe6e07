"""What stands at a place to tell how much: a sphere, a colour, less opacity, an arrow."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache

import numpy as np

from station.view.augment.additions import Additions, spot
from station.view.augment.colours import ramp, ramp_colour
from station.view.augment.spots import Spots
from station.view.drawing.arrows import Arrow
from station.view.drawing.label import Label
from station.view.errors import ViewRequestError
from station.view.geometry.mesh import Mesh, joined, placed
from station.view.geometry.primitives import sphere
from station.view.theme import Theme

SPHERE = 2.8  # radius of a full sphere over that of the joint
SPHERE_OPACITY = 0.55
ARROW = 9.0  # length of a full arrow over the radius of the joint
CLEAREST = 0.15  # opacity of a link at full share
LEAST = 0.02  # share that is worth a mark


class Mark(StrEnum):
    """How a quantity is shown."""

    SPHERE = "sphere"  # its surface grows with the quantity
    COLOUR = "colour"  # of the link
    TRANSPARENCY = "transparency"  # of the link
    ARROW = "arrow"  # its length; a joint's along its axis, thumb of the right hand


def mark_named(name: str) -> Mark:
    """The mark of that name; raises ViewRequestError that lists them."""
    if name not in list(Mark):
        raise ViewRequestError(f"no mark '{name}'; there are: {', '.join(Mark)}")
    return Mark(name)


@lru_cache(maxsize=1)
def _ball() -> Mesh:
    return sphere(1.0)


def ball(place: np.ndarray, radius: float, colour: tuple[float, ...] | np.ndarray) -> Mesh:
    """A sphere [m]."""
    pose = np.eye(4)
    pose[:3, 3] = place
    mesh = placed(_ball(), pose, radius)
    return mesh._replace(colours=np.tile(np.asarray(colour, np.float32), (len(mesh.points), 1)))


def _spheres(spots: Spots, theme: Theme) -> Additions:
    colours = ramp(theme, spots.shares)
    colours[:, 3] = SPHERE_OPACITY
    shown = np.flatnonzero(spots.shares > LEAST)  # never one that is not known
    radii = SPHERE * spots.radii * np.sqrt(spots.shares)
    return Additions(mesh=joined(ball(spots.places[k], radii[k], colours[k]) for k in shown))


def _colours(spots: Spots, theme: Theme) -> Additions:
    known = np.flatnonzero(np.isfinite(spots.shares))
    return Additions(
        tints={spots.ids[k]: ramp_colour(theme, spots.shares[k], 0.25 + 0.6 * float(spots.shares[k])) for k in known}
    )


def _transparency(spots: Spots, _theme: Theme) -> Additions:
    known = np.flatnonzero(np.isfinite(spots.shares))
    return Additions(opacities={spots.ids[k]: 1.0 - (1.0 - CLEAREST) * float(spots.shares[k]) for k in known})


def _arrows(spots: Spots, theme: Theme) -> Additions:
    shown = np.flatnonzero(spots.shares > LEAST)
    signs = np.where(spots.values < 0.0, -1.0, 1.0)
    vectors = (ARROW * signs * spots.radii * spots.shares)[:, None] * spots.directions
    return Additions(
        arrows=tuple(
            Arrow(spots.places[k], vectors[k], ramp_colour(theme, spots.shares[k]), 0.25 * float(spots.radii[k]))
            for k in shown
        )
    )


DRAWN: dict[Mark, Callable[[Spots, Theme], Additions]] = {
    Mark.SPHERE: _spheres,
    Mark.COLOUR: _colours,
    Mark.TRANSPARENCY: _transparency,
    Mark.ARROW: _arrows,
}


def largest_label(spots: Spots, theme: Theme) -> tuple[Label, ...]:
    """The number at the place where the share is largest."""
    k = spots.largest
    if k is None:
        return ()
    text = f"{spots.names[k]}: {spots.values[k]:.3g} {spots.units[k]}"
    colour = ramp_colour(theme, spots.shares[k])
    return (Label(text, spot(spots.places[k]), colour, theme.text_back, (18.0, -10.0)),)
