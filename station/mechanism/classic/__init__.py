"""The methods of the books for inverse kinematics, on serial chains: to compare with, and to check against.

solution = solve(robot, 7, target, "dls")

chain.py             the serial path to a link or frame
jacobian_methods.py  pseudo-inverse, damped least squares, transpose
ccd.py               cyclic coordinate descent
fabrik/              forward and backward reaching
results.py           Goal, Solution, Status
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from station.mad.scene import Robot
from station.mechanism.classic.ccd import ccd
from station.mechanism.classic.chain import Chain
from station.mechanism.classic.fabrik import fabrik
from station.mechanism.classic.jacobian_methods import dls, pinv, transpose
from station.mechanism.classic.results import (
    ClassicError,
    Floats,
    Goal,
    NotSerialError,
    OutsideDomainError,
    Solution,
    Status,
)

Method = Callable[[Chain, Goal, Floats], Solution]

METHODS: dict[str, Method] = {"pinv": pinv, "dls": dls, "transpose": transpose, "ccd": ccd, "fabrik": fabrik}

__all__ = [
    "METHODS",
    "Chain",
    "ClassicError",
    "Goal",
    "Method",
    "NotSerialError",
    "OutsideDomainError",
    "Solution",
    "Status",
    "solve",
]


def solve(
    robot: Robot,
    frame: int,
    target: ArrayLike,
    method: str,
    q0: ArrayLike | None = None,
    position_only: bool = False,
    tolerance: float = 1e-6,
    max_iterations: int = 1000,
    rotation_tolerance: float | None = None,
) -> Solution:
    """Joint values that bring a link or frame of a robot to a target.

    Args:
        robot: its path to `frame` must be a free serial chain.
        frame: id of a link or frame.
        target: 4×4 pose in the world [m].
        method: a name in `METHODS`.
        q0: values to start from, of the joints from the base to the frame [rad | m]; values beyond a stop are brought
            to it. The initial values of the file if absent.
        position_only: the orientation does not count.
        tolerance: largest distance at the end [m], and largest angle [rad] unless `rotation_tolerance` is given.
        max_iterations: hard bound.
        rotation_tolerance: largest angle at the end [rad].

    Raises:
        ClassicError: a name, shape or value that cannot be; a path that is not serial (`NotSerialError`); a mechanism
            that the method cannot treat (`OutsideDomainError`). Not reaching a target is no error but a status.
    """
    if method not in METHODS:
        raise ClassicError(f"no method '{method}'; there are: {', '.join(METHODS)}")
    goal = Goal(
        target=_checked(target),
        position_only=position_only,
        tolerance=tolerance,
        rotation_tolerance=tolerance if rotation_tolerance is None else rotation_tolerance,
        max_iterations=max_iterations,
    )
    if not (0.0 < goal.tolerance < np.inf and 0.0 < goal.rotation_tolerance < np.inf and max_iterations >= 0):
        raise ClassicError("tolerances are positive [m, rad] and max_iterations is not negative")
    chain = Chain.to(robot, frame)
    return METHODS[method](chain, goal, chain.start(q0))


def _checked(target: ArrayLike) -> Floats:
    pose = np.array(target, dtype=float)
    if pose.shape != (4, 4) or not np.isfinite(pose).all():
        raise ClassicError(f"the target must be a finite 4×4 pose, not an array of shape {pose.shape}")
    turn = pose[:3, :3]
    rigid = np.allclose(turn @ turn.T, np.eye(3), atol=1e-6) and np.linalg.det(turn) > 0.0
    if not rigid or not np.allclose(pose[3], [0.0, 0.0, 0.0, 1.0]):
        raise ClassicError("the target must be a pose: a rotation, a position and the row 0 0 0 1")
    return pose
