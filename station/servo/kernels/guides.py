"""Guides of the world, put where the hand has to be for the followed frame to be there."""

from __future__ import annotations

import math

from station.haptics.kernels.layout import (
    G_DIRECTION,
    G_POINT,
    G_POINT_COUNT,
    G_POINTS,
    GUIDE_SIZE,
    HAND,
    KIND,
    MOST_GUIDES,
    NO_GUIDE,
)
from station.servo.kernels import at
from station.servo.kernels.cache import feeling as kernel
from station.servo.kernels.hand import times

Address = int


@kernel
def fill_guides(mem: Address) -> None:
    """Copy every guide of the world, mapped back to the hand; for ticks in which the hand moves the robot."""
    world, guides = at.world_guides(mem), at.haptics_guides(mem)
    for g in range(MOST_GUIDES):
        if int(world[g, KIND]) == NO_GUIDE:
            continue
        points = int(world[g, G_POINT_COUNT])
        for i in range(G_POINTS + 3 * points, GUIDE_SIZE):
            guides[g, i] = 0.0
        for i in range(G_POINTS):
            guides[g, i] = world[g, i]
        _place(mem, g, G_POINT)
        for nth in range(points):
            _place(mem, g, G_POINTS + 3 * nth)
        _direct(mem, g)


@kernel
def _place(mem: Address, g: int, start: int) -> None:
    """A point of the world at the hand."""
    world, guides, target, inputs = at.world_guides(mem), at.haptics_guides(mem), at.target(mem), at.haptics_inputs(mem)
    away = (
        world[g, start] - target[0, 3],
        world[g, start + 1] - target[1, 3],
        world[g, start + 2] - target[2, 3],
    )
    moved = times(at.straight_back(mem), away)
    for i in range(3):
        guides[g, start + i] = inputs[HAND + i] + moved[i]


@kernel
def _direct(mem: Address, g: int) -> None:
    """A direction of the world at the hand; none stays none."""
    world, guides = at.world_guides(mem), at.haptics_guides(mem)
    turned = times(at.straight_back(mem), (world[g, G_DIRECTION], world[g, G_DIRECTION + 1], world[g, G_DIRECTION + 2]))
    size = math.sqrt(turned[0] ** 2 + turned[1] ** 2 + turned[2] ** 2)
    for i in range(3):
        guides[g, G_DIRECTION + i] = turned[i] / size if size > 0.0 else 0.0
