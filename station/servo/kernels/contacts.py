"""Obstacles for the solver, which must not enter them.

Slowing down is part of what the solver may do: towards an obstacle at distance d a body goes no faster than

    v = APPROACH·(d - stop_at)/(slow_from - stop_at)      for d < slow_from

and away from it as fast as it likes.
"""

from __future__ import annotations

from station.haptics.kernels.layout import OBSTACLES, SLOW
from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.memory import Block
from station.servo.kernels import at
from station.servo.kernels.cache import deciding as kernel
from station.servo.kernels.fields import CONTACTS, NEAREST, NOTHING_NEAR

Address = int
APPROACH = 0.25  # speed at which slowing begins [m/s]: that of hand guiding in ISO 10218


@kernel
def put_obstacles(mem: Address, robot: Block, dt: float) -> int:
    """Hand the obstacles near by to the solver; returns how many."""
    rows, settings, memory = at.obstacles(mem), at.haptics_settings(mem), at.memory(mem)
    count = int(memory[CONTACTS])
    stop_at, slow_from = settings[SLOW], settings[SLOW + 1]
    slowing = settings[OBSTACLES] > 0.0
    memory[NEAREST] = NOTHING_NEAR
    for c in range(count):
        distance = rows[c, 0]
        memory[NEAREST] = min(memory[NEAREST], distance)
        allowed = distance
        if slowing and 0.0 < distance < slow_from:
            speed = APPROACH * max(distance - stop_at, 0.0) / (slow_from - stop_at)
            allowed = min(distance, speed * dt)
        robot_at.contact_distance(robot)[c] = allowed
        robot_at.contact_frame(robot)[c] = int(rows[c, 7])
        for i in range(3):
            robot_at.contact_normal(robot)[c, i] = rows[c, 1 + i]
            robot_at.contact_point(robot)[c, i] = rows[c, 4 + i]
    return count
