"""Colours: paint of generated bodies, and the light and dark surroundings."""

from __future__ import annotations

from typing import NamedTuple

from station.view.errors import ViewRequestError

Colour = tuple[float, float, float, float]  # red, green, blue, opacity, each 0 to 1


class Paint(NamedTuple):
    """Of generated bodies; light and dark enough for both themes."""

    body: Colour = (0.80, 0.82, 0.85, 1.0)
    rod: Colour = (0.62, 0.68, 0.76, 1.0)
    plate: Colour = (0.46, 0.60, 0.72, 1.0)
    base: Colour = (0.38, 0.42, 0.48, 1.0)
    rail: Colour = (0.55, 0.58, 0.62, 1.0)
    joint: Colour = (0.25, 0.28, 0.33, 1.0)
    driven: Colour = (0.95, 0.52, 0.12, 1.0)
    mark: Colour = (0.93, 0.93, 0.90, 1.0)
    tool: Colour = (0.16, 0.50, 0.62, 1.0)
    camera: Colour = (0.18, 0.20, 0.24, 1.0)
    mesh: Colour = (0.74, 0.76, 0.79, 1.0)
    obstacle: Colour = (0.72, 0.42, 0.34, 1.0)


PAINT = Paint()


class Theme(NamedTuple):
    """The surroundings of a scene."""

    name: str
    background: Colour
    grid: Colour
    grid_strong: Colour
    shadow: Colour
    text: Colour
    text_back: Colour
    predicted_trail: Colour
    measured_trail: Colour
    ghost: Colour
    stale: Colour
    force: Colour
    commanded_trail: Colour
    hand: Colour  # cursor of the hand, and where its device can go
    guide: Colour
    track: Colour  # of a gauge that is not filled
    ramp: tuple[Colour, Colour, Colour]  # of a quantity: little, half, full
    causes: tuple[Colour, ...]  # of forces on the hand, by `Cause`
    ambient: float  # light from everywhere
    key: float  # light from over the shoulder
    fill: float  # light from the other side


LIGHT = Theme(
    name="light",
    background=(0.955, 0.96, 0.965, 1.0),
    grid=(0.80, 0.82, 0.85, 1.0),
    grid_strong=(0.62, 0.65, 0.70, 1.0),
    shadow=(0.865, 0.872, 0.885, 1.0),
    text=(0.10, 0.12, 0.15, 1.0),
    text_back=(1.0, 1.0, 1.0, 0.72),
    predicted_trail=(0.86, 0.38, 0.02, 1.0),
    measured_trail=(0.05, 0.42, 0.75, 1.0),
    ghost=(0.10, 0.48, 0.82, 0.42),
    stale=(0.78, 0.10, 0.12, 0.42),
    force=(0.80, 0.05, 0.25, 1.0),
    commanded_trail=(0.45, 0.20, 0.62, 1.0),
    hand=(0.00, 0.50, 0.42, 1.0),
    guide=(0.20, 0.52, 0.10, 1.0),
    track=(0.52, 0.55, 0.60, 0.55),
    ramp=((0.22, 0.52, 0.74, 1.0), (0.92, 0.64, 0.05, 1.0), (0.82, 0.10, 0.12, 1.0)),
    causes=(
        (0.25, 0.35, 0.80, 1.0),
        (0.80, 0.10, 0.12, 1.0),
        (0.60, 0.15, 0.65, 1.0),
        (0.70, 0.38, 0.10, 1.0),
        (0.15, 0.52, 0.12, 1.0),
        (0.00, 0.50, 0.42, 1.0),
        (0.80, 0.05, 0.38, 1.0),
        (0.42, 0.45, 0.50, 1.0),
        (0.62, 0.52, 0.00, 1.0),
        (0.30, 0.30, 0.34, 1.0),
        (0.52, 0.32, 0.32, 1.0),
        (0.36, 0.48, 0.60, 1.0),
    ),
    ambient=0.50,
    key=0.52,
    fill=0.16,
)
DARK = Theme(
    name="dark",
    background=(0.085, 0.095, 0.11, 1.0),
    grid=(0.17, 0.19, 0.22, 1.0),
    grid_strong=(0.30, 0.33, 0.38, 1.0),
    shadow=(0.050, 0.056, 0.066, 1.0),
    text=(0.90, 0.92, 0.95, 1.0),
    text_back=(0.05, 0.06, 0.07, 0.66),
    predicted_trail=(1.0, 0.62, 0.20, 1.0),
    measured_trail=(0.35, 0.72, 1.0, 1.0),
    ghost=(0.40, 0.74, 1.0, 0.42),
    stale=(1.0, 0.30, 0.28, 0.45),
    force=(1.0, 0.35, 0.50, 1.0),
    commanded_trail=(0.78, 0.56, 1.0, 1.0),
    hand=(0.25, 0.88, 0.76, 1.0),
    guide=(0.55, 0.86, 0.40, 1.0),
    track=(0.52, 0.56, 0.62, 0.55),
    ramp=((0.32, 0.66, 0.92, 1.0), (1.0, 0.76, 0.20, 1.0), (1.0, 0.30, 0.28, 1.0)),
    causes=(
        (0.50, 0.62, 1.0, 1.0),
        (1.0, 0.36, 0.34, 1.0),
        (0.86, 0.50, 0.92, 1.0),
        (0.94, 0.62, 0.34, 1.0),
        (0.50, 0.86, 0.44, 1.0),
        (0.25, 0.88, 0.76, 1.0),
        (1.0, 0.42, 0.66, 1.0),
        (0.70, 0.73, 0.78, 1.0),
        (0.92, 0.82, 0.30, 1.0),
        (0.82, 0.84, 0.88, 1.0),
        (0.80, 0.60, 0.60, 1.0),
        (0.62, 0.76, 0.90, 1.0),
    ),
    ambient=0.40,
    key=0.62,
    fill=0.20,
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def theme_named(name: str) -> Theme:
    """The theme of that name; raises ViewRequestError that lists them."""
    if name not in THEMES:
        raise ViewRequestError(f"no theme '{name}'; there are: {', '.join(THEMES)}")
    return THEMES[name]
