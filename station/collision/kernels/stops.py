"""Obstacles that move with the robot, and the robot's own bodies: kept apart by stops of the joints between the two.

A half-space of the solver stands still in the world. Against a body that moves itself it would say nothing: the solver
would carry both along and call it a way out. Between the two are the joints that move one but not the other. As far as
each of them brings the two nearer, it gets an equal share of the way that is left:

    r_j = normal·(velocity of a - velocity of b) per speed of joint j
    motion of joint j towards contact ≤ d / (k·|r_j|)

with k such joints, so that all together use up d at most. The stops are in force from `tell` until the next `pick`.
"""

from __future__ import annotations

from station.collision.kernels import table as at
from station.collision.kernels.cache import kernel
from station.collision.kernels.support import Vector
from station.mechanism.kernels import at as mechanism
from station.mechanism.kernels.memory import REVOLUTE, Block

NOTHING = 1e-9  # motion per joint motion that is none [m/rad | m/m]


@kernel
def own_stops(mem: Block, tab: Block) -> None:
    """Only the mechanism's own stops are in force again."""
    q_min, q_max, low, high = mechanism.q_min(mem), mechanism.q_max(mem), at.low_stop(tab), at.high_stop(tab)
    for j in range(q_min.size):
        q_min[j], q_max[j] = low[j], high[j]


@kernel
def _carries(mem: Block, joint: int, body: int) -> bool:
    """Whether a joint moves a body."""
    parents = mechanism.parents(mem)
    while body >= 0:
        if body == joint:
            return True
        body = parents[body]
    return False


@kernel
def _rate(mem: Block, joint: int, point: Vector, way: Vector) -> float:
    """Speed along a direction of a point that a joint moves, per speed of the joint [m/rad | m/m]."""
    rotation, position = mechanism.rotation(mem)[joint], mechanism.position(mem)[joint]
    x, y, z = rotation[0, 2], rotation[1, 2], rotation[2, 2]
    if mechanism.joint_kind(mem)[joint] != REVOLUTE:
        along: float = way[0] * x + way[1] * y + way[2] * z
        return along
    rx, ry, rz = point[0] - position[0], point[1] - position[1], point[2] - position[2]
    about: float = way[0] * (y * rz - z * ry) + way[1] * (z * rx - x * rz) + way[2] * (x * ry - y * rx)
    return about


@kernel
def stop_joints(mem: Block, a: int, b: int, point: Vector, way: Vector, left: float) -> None:
    """Stops for the joints between two bodies, so that a point of a comes nearer to b by at most `left` [m]."""
    q, q_min, q_max = mechanism.q(mem), mechanism.q_min(mem), mechanism.q_max(mem)
    count = 0
    for j in range(q.size):
        if _carries(mem, j, a) != _carries(mem, j, b) and abs(_rate(mem, j, point, way)) > NOTHING:
            count += 1
    for j in range(q.size):
        with_a = _carries(mem, j, a)
        if with_a == _carries(mem, j, b):
            continue
        rate = _rate(mem, j, point, way) if with_a else -_rate(mem, j, point, way)
        if abs(rate) > NOTHING:
            share = max(left, 0.0) / (count * abs(rate))
            if rate > 0.0:
                q_min[j] = min(max(q_min[j], q[j] - share), q[j])
            else:
                q_max[j] = max(min(q_max[j], q[j] + share), q[j])
