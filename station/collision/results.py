"""What the surroundings answer, and what can go wrong with them.

StationError
└── CollisionError (ValueError)      solids that cannot be made, or a question that has no answer
    └── MeshError (OSError)          a mesh file that cannot be used
"""

from __future__ import annotations

from enum import IntFlag
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.errors import StationError


class CollisionError(StationError, ValueError):
    """Surroundings that cannot be made, or a question that they cannot understand."""


class MeshError(CollisionError, OSError):
    """A mesh file that is missing, broken, or encloses nothing."""


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Condition(IntFlag):
    """What is not as it should be in a tick; nothing of it raises."""

    FINE = 0
    QUERY_FAILED = 1  # the library gave no answer for a pair: its last direction stays in use, and is still sound
    NOT_FINITE = 2  # the place of a body is not a number: nothing is told
    TOO_MANY = 4  # more is near than there is room for; the nearest are told


class Pair(NamedTuple):
    """Two solids that may touch; `frame` is the link or frame that carries the first."""

    body: str
    obstacle: str
    frame: int
    with_itself: bool  # the second one is a body of the robot, not an obstacle


class Distance(NamedTuple):
    """How far a body is from an obstacle; negative: how deep it is inside."""

    pair: Pair
    distance: float  # signed [m]
    point: Floats  # of the body, nearest to (or deepest in) the obstacle, in the world [m]
    obstacle_point: Floats  # of the obstacle [m]
    normal: Floats  # unit vector away from the obstacle


class Told(NamedTuple):
    """What a tick says; the rows themselves are in `Surroundings.rows`."""

    rows: int  # that are near, nearest first
    contacts: int  # half-spaces written into the mechanism's memory
    nearest: float  # smallest distance told [m]; inf: nothing within the horizon
    condition: Condition


class LeftOut(NamedTuple):
    """A pair that is not looked at, and why."""

    body: str
    obstacle: str
    why: str


class Touch(NamedTuple):
    """Where a motion first comes too near to something."""

    pair: Pair
    segment: int  # between path[segment] and path[segment + 1]
    fraction: float  # of that segment, 0 to 1
    q: Floats  # joint values there [rad | m]
    distance: float  # [m]
    point: Floats  # of the body [m]
    normal: Floats


class Passage(NamedTuple):
    """Whether a motion is free."""

    touch: Touch | None  # earliest; None: the whole motion is clear
    nearest: float  # smallest distance that was looked at on the way [m]
    queries: int  # exact distances that it took

    @property
    def clear(self) -> bool:
        """Whether nothing is touched from start to end."""
        return self.touch is None
