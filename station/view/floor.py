"""The floor: a grid of round numbers that fades away, so that one sees sizes and where down is."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.view.theme import Theme

LINES = 15  # from the middle to the edge, about


class Floor(NamedTuple):
    """A square of lines at a height [m]."""

    height: float
    centre: NDArray[np.float64]
    radius: float  # where it has faded away
    spacing: float  # between thin lines


def floor_under(points: NDArray[np.float64], reach: float) -> Floor:
    """The floor of a scene of that reach [m]: at 0, or lower where something reaches below."""
    low, high = points.min(axis=0), points.max(axis=0)
    radius = max(1.5 * reach, 0.9 * float(np.linalg.norm(high[:2] - low[:2])))
    height = min(0.0, float(low[2]))
    spacing = round_number(radius / LINES)
    centre = np.append(np.round(0.5 * (low + high)[:2] / spacing) * spacing, height)
    return Floor(height, centre, radius, spacing)


def round_number(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above the value."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= value * (1.0 + 1e-9))


def floor_lines(floor: Floor, theme: Theme) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float32]]:
    """Starts, ends [m] and colours; every fifth line is strong. In pieces, so that each can fade at its far end."""
    count = math.ceil(floor.radius / floor.spacing)
    steps = floor.spacing * np.arange(-count, count + 1)
    pieces = np.linspace(-floor.radius, floor.radius, 9)
    starts, ends, colours = [], [], []
    for across, along in ((0, 1), (1, 0)):
        for step in steps:
            number = round((floor.centre[across] + step) / floor.spacing)
            colour = theme.grid_strong if number % 5 == 0 else theme.grid
            for a, b in itertools.pairwise(pieces):
                start, end = floor.centre.copy(), floor.centre.copy()
                start[across] += step
                end[across] += step
                start[along] += a
                end[along] += b
                starts.append(start)
                ends.append(end)
                colours.append(colour)
    return np.array(starts), np.array(ends), np.array(colours, np.float32)
