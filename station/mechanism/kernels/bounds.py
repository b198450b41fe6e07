"""How far each joint may move in one step: position, speed and acceleration in one pair of numbers."""

from __future__ import annotations

import math

from station.mechanism.kernels import at
from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.memory import REVOLUTE, Block, Floats

LANDING = 4e-11  # by which closing loops may change the motion asked for [rad | m]
LARGEST_MOTION = 0.5  # of a joint in one step, whatever its speed limit [rad, or in lengths of the robot]


@kernel
def braking_speed(distance: float, a_max: float, dt: float) -> float:
    """Largest speed for this step after which braking by at most a_max·dt per step stops within `distance`.

    Moving at v and then at v - a·dt, v - 2·a·dt, … covers dt·((k + 1)·v - a·dt·k·(k + 1)/2) in k + 1 steps; k is the
    number of steps that still have a speed when the whole distance is used.
    """
    if distance <= 0.0:
        return 0.0
    if a_max == math.inf or distance == math.inf:
        return distance / dt
    unit = a_max * dt * dt
    k = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * distance / unit) - 1.0))
    return distance / ((k + 1.0) * dt) + 0.5 * a_max * dt * k


@kernel
def needs_braking(distance: float, speed: float, a_max: float, dt: float) -> bool:
    """Whether stopping within `distance` may ask for less than `speed`; in doubt it does, and the root is taken."""
    return 2.0 * a_max * distance <= speed * (speed + 2.0 * a_max * dt)


@kernel
def step_bounds(mem: Block, q: Floats, v: Floats, dt: float, ease: float, lower: Floats, upper: Floats) -> None:
    """Smallest and largest motion of every joint in this step [rad | m].

    Position limits are approached so that braking within the acceleration limits stops in time; the two then never
    contradict each other. `ease` is 1, or a factor for the acceleration limits where loops or contacts leave no other
    way; at infinity a joint may come to a stop at once.
    """
    a_max, q_max, q_min, v_max = at.a_max(mem), at.q_max(mem), at.q_min(mem), at.v_max(mem)
    joint_kind, length = at.joint_kind(mem), at.scale(mem)[0]
    slack = LANDING / dt if at.matrix(mem).shape[0] > 0 else 0.0  # so that closing loops breaks no speed limit
    stopping = 0.0  # time in which all joints together can come to rest [s]
    for j in range(q.size):
        if a_max[j] < math.inf:
            stopping = max(stopping, abs(v[j]) / (ease * a_max[j]))
    for j in range(q.size):
        a = ease * a_max[j]
        above, below = q_max[j] - q[j], q[j] - q_min[j]
        fastest = min(max(v_max[j] - slack, 0.0), LARGEST_MOTION * (1.0 if joint_kind[j] == REVOLUTE else length) / dt)
        if a == math.inf:
            # A joint without a limit of its own, such as a passive one in a loop, stops with the others.
            hi = min(fastest, max(above, 0.0) / (dt + 0.5 * stopping))
            lo = max(-fastest, -max(below, 0.0) / (dt + 0.5 * stopping))
        else:
            hi = lo = fastest
            if needs_braking(above, min(fastest, v[j] + a * dt), a, dt):
                hi = min(fastest, braking_speed(above, a, dt))
            if needs_braking(below, min(fastest, a * dt - v[j]), a, dt):
                lo = min(fastest, braking_speed(below, a, dt))
            lo = min(max(-lo, v[j] - a * dt), hi)
            hi = max(min(hi, v[j] + a * dt), lo)
        lower[j], upper[j] = lo * dt, hi * dt
