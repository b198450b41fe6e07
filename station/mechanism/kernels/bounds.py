"""How far each joint may move in one step: position, speed and acceleration in one pair of numbers."""

from __future__ import annotations

import math

from station.mechanism.kernels import at
from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.memory import Block, Floats


@kernel
def braking_speed(distance: float, a_max: float, dt: float) -> float:
    """Largest speed for this step after which braking by at most a_max·dt per step stops within `distance`.

    Moving at v and then at v - a·dt, v - 2·a·dt, … covers dt·((k + 1)·v - a·dt·k·(k + 1)/2) in k + 1 steps; k is the
    number of steps that still have a speed when the whole distance is used.
    """
    if distance <= 0.0:
        return 0.0
    if a_max == math.inf:
        return distance / dt
    unit = a_max * dt * dt
    k = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * distance / unit) - 1.0))
    return distance / ((k + 1.0) * dt) + 0.5 * a_max * dt * k


@kernel
def step_bounds(
    mem: Block, q: Floats, v: Floats, dt: float, with_acceleration: bool, lower: Floats, upper: Floats
) -> None:
    """Smallest and largest motion of every joint in this step [rad | m].

    With acceleration limits the position limits are approached so that braking stops in time; the two then never
    contradict each other. Without, a joint may come to a stop at once.
    """
    a_max, q_max, q_min, v_max = at.a_max(mem), at.q_max(mem), at.q_min(mem), at.v_max(mem)
    for j in range(q.size):
        a = a_max[j] if with_acceleration else math.inf
        hi = min(v_max[j], braking_speed(q_max[j] - q[j], a, dt))
        lo = max(-v_max[j], -braking_speed(q[j] - q_min[j], a, dt))
        if a < math.inf:
            lo = min(max(lo, v[j] - a * dt), hi)
            hi = max(min(hi, v[j] + a * dt), lo)
        lower[j], upper[j] = lo * dt, hi * dt
