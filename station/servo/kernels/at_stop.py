"""Whether a joint is pushed against a limit."""

from __future__ import annotations

from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.memory import Block
from station.servo.kernels.cache import feeling as kernel


@kernel
def at_stop(robot: Block, j: int) -> int:
    """-1 where a joint is pushed against its lower stop, 1 against its upper, 2 at its speed limit, else 0."""
    q, v, felt = robot_at.q(robot)[j], robot_at.v(robot)[j], robot_at.felt(robot)[j]
    near = 1e-9 * max(1.0, abs(q))
    if felt == 0.0:
        return 0
    if q - robot_at.q_min(robot)[j] < near:
        return -1
    if robot_at.q_max(robot)[j] - q < near:
        return 1
    return 2 if abs(v) > robot_at.v_max(robot)[j] * (1.0 - 1e-9) else 0
