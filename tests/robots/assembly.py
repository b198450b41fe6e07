"""A small plain loop closer in numpy: what the mechanisms are assembled and counted with in these tests.

Gauss-Newton with the least change of all joints alike. A weld has six rows (distance and rotation vector between
its two frames), a ball three (distance); both in world axes [m, rad].
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from station.mad.curve import moved_to, slopes_of
from station.mad.scene import ClosureKind, Link, Robot
from station.mad.units import JointType
from tests.robots.elementary import Array, world


class NotClosedError(Exception):
    """The loops of a robot cannot be closed from where they were started."""


class Stop(NamedTuple):
    """A joint beyond a stop [rad | m]."""

    link: int
    value: float
    lo: float
    hi: float


def movable(robot: Robot) -> list[Link]:
    """The links with a joint, in file order: joint k of a vector q belongs to the k-th of them."""
    return [link for link in robot.links if link.joint is not JointType.FIXED]


def initial(robot: Robot) -> Array:
    """The joint values of the file [rad | m]."""
    return np.array([link.initial for link in movable(robot)])


def by_link(robot: Robot, q: Array) -> dict[int, float]:
    """A joint vector as joint values by link id."""
    return {link.id: float(value) for link, value in zip(movable(robot), q, strict=True)}


def closure(robot: Robot, q: Array) -> tuple[Array, Array]:
    """How far every loop and coupling is open [m, rad], and the Jacobian of that by q."""
    poses = world(robot, by_link(robot, q))
    errors, rows = [np.zeros(0)], [np.zeros((0, len(q)))]
    for constraint in robot.constraints:
        if not constraint.closes_loop:
            continue
        assert not constraint.axes
        assert constraint.kind in (ClosureKind.WELD, ClosureKind.BALL)
        first, second = (target.id for target in constraint.targets)
        at, to = poses[first], poses[second]
        count = 6 if constraint.kind is ClosureKind.WELD else 3
        turn = Rotation.from_matrix(at[:3, :3] @ to[:3, :3].T).as_rotvec()
        errors.append(np.concatenate([at[:3, 3] - to[:3, 3], turn])[:count])
        rows.append((point_jacobian(robot, poses, first) - point_jacobian(robot, poses, second))[:count])
    column, values = {link.id: k for k, link in enumerate(movable(robot))}, by_link(robot, q)
    for coupling in robot.couplings:
        row = np.zeros((1, len(q)))
        row[0, column[coupling.link]] = 1.0
        for link, slope in slopes_of(coupling, values).items():
            row[0, column[link]] -= slope
        moved = moved_to(coupling, values)
        errors.append(np.array([values[coupling.link] - float(moved)]))
        rows.append(row)
    return np.concatenate(errors), np.concatenate(rows)


def point_jacobian(robot: Robot, poses: dict[int, Array], name: int) -> Array:
    """6×n Jacobian of the origin of a link or frame, world axes, linear part first."""
    column = {link.id: k for k, link in enumerate(movable(robot))}
    items = {item.id: item for item in robot.placed()}
    jacobian = np.zeros((6, len(column)))
    point, at = poses[name][:3, 3], name
    while at != 0:
        item = items[at]
        if isinstance(item, Link) and item.joint is not JointType.FIXED:
            axis, origin = poses[at][:3, 2], poses[at][:3, 3]
            turns = item.joint is JointType.REVOLUTE
            linear = np.cross(axis, point - origin) if turns else axis
            jacobian[:, column[at]] = np.concatenate([linear, axis if turns else np.zeros(3)])
        at = item.pred
    return jacobian


def assemble(robot: Robot, q: Array, held: Collection[int] = (), tolerance: float = 1e-12) -> Array:
    """The joint values, nearest to q, at which all loops are closed; joints of links in `held` keep their values.

    Raises:
        NotClosedError: if there is no way to them in 50 steps.
    """
    free = np.array([link.id not in held for link in movable(robot)])
    q = q.copy()
    for _ in range(50):
        error, jacobian = closure(robot, q)
        if not error.size or np.abs(error).max() < tolerance:
            return q
        q[free] -= np.linalg.lstsq(jacobian[:, free], error, rcond=1e-8)[0]
    raise NotClosedError(f"{robot.name}: still open by {np.abs(error).max():.3g} after 50 steps")


def beyond_stops(robot: Robot, q: Array) -> list[Stop]:
    """Every joint of q that is outside its stops."""
    return [
        Stop(link.id, float(value), *link.stops)
        for link, value in zip(movable(robot), q, strict=True)
        if link.stops is not None and not link.stops.lo <= value <= link.stops.hi
    ]


def singular_values(robot: Robot, q: Array) -> Array:
    """Singular values of the closure Jacobian, largest first; empty without loops."""
    jacobian = closure(robot, q)[1]
    return np.asarray(np.linalg.svd(jacobian, compute_uv=False)) if jacobian.size else np.zeros(0)
