"""What is asked of a method (`Goal`), what it answers (`Solution`), and what can go wrong.

StationError
└── ClassicError (ValueError)       a question that cannot be asked so: unknown names, wrong shapes, values out of place
    ├── NotSerialError              the path to the frame is part of a loop or coupled with other joints
    └── OutsideDomainError          the method cannot treat this mechanism or this kind of target
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.errors import StationError


class ClassicError(StationError, ValueError):
    """A question to the methods of the books that cannot be asked so."""


class NotSerialError(ClassicError):
    """The path from the base to the frame is not a free serial chain; the message names links and constraint."""


class OutsideDomainError(ClassicError):
    """The method cannot treat this mechanism or target; the message names links and offsets."""


Floats = NDArray[np.float64]


class Status(StrEnum):
    """Why a method came to its end."""

    SOLVED = "solved"  # errors within the tolerances
    STALLED = "stalled"  # no progress any more: a local minimum, a stop or the edge of the workspace
    CAPPED = "capped"  # the largest number of iterations was reached
    UNREACHABLE = "unreachable"  # proven out of reach; the answer is the method's nearest pose


class Errors(NamedTuple):
    """Distance [m] and angle [rad] between a pose and its target: true errors, never squared."""

    position: float
    rotation: float

    @staticmethod
    def of(error: Floats) -> Errors:
        """Of a pose error [m, rad] of six numbers, linear first."""
        x, y, z, a, b, c = error.tolist()
        return Errors(math.hypot(x, y, z), math.hypot(a, b, c))


class Goal(NamedTuple):
    """A target and when it counts as met."""

    target: Floats  # 4×4 pose in the world [m]
    position_only: bool = False
    tolerance: float = 1e-6  # [m]
    rotation_tolerance: float = 1e-6  # [rad]
    max_iterations: int = 1000

    def measure(self, errors: Errors) -> float:
        """Largest error in units of its tolerance: at most 1 where the goal is met."""
        position = errors.position / self.tolerance
        return position if self.position_only else max(position, errors.rotation / self.rotation_tolerance)


class Solution(NamedTuple):
    """The best joint values found, always within the stops, and how good they are."""

    status: Status
    q: Floats  # joint values from the base to the frame [rad | m]
    iterations: int
    position_error: float  # [m]
    rotation_error: float  # [rad], also where only the position was asked for
    message: str
