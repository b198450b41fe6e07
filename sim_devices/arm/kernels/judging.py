"""Is what was asked, and what happens, within the limits of the arm?"""

from __future__ import annotations

import math

from sim_devices.arm.kernels.cache import Floats, kernel

# What is found.
FINE, LAGS, FORCE, TORQUE, SPEED, ACCELERATION, NOT_FINITE, OUTSIDE, JUMPS = range(9)
HAIR = 1e-9  # of rounding, beyond a limit [rad | m]


@kernel
def judge(
    past: Floats,
    newest: int,
    length: int,
    tick: float,
    moves: bool,
    measured: Floats,
    most: Floats,
    wrench: Floats,
    most_force: float,
    most_torque: float,
) -> tuple[int, int, float]:
    """What is wrong with the motion of the last moments: kind, joint and value.

    Rows of `most`: following error, speed, acceleration. The last two count only for setpoints, if `moves`.
    """
    n, size = past.shape[1], past.shape[0]
    middle, first = (newest - length) % size, (newest - 2 * length) % size
    for i in range(n):
        error = abs(past[newest, i] - measured[0, i])
        if error > most[0, i]:
            return LAGS, i, error
    force = math.sqrt(wrench[0] ** 2 + wrench[1] ** 2 + wrench[2] ** 2)
    if force > most_force:
        return FORCE, 0, force
    torque = math.sqrt(wrench[3] ** 2 + wrench[4] ** 2 + wrench[5] ** 2)
    if torque > most_torque:
        return TORQUE, 0, torque
    if moves:
        time = length * tick
        for i in range(n):
            speed = abs(past[newest, i] - past[middle, i]) / time
            if speed > most[1, i]:
                return SPEED, i, speed
            acceleration = abs(past[newest, i] - 2.0 * past[middle, i] + past[first, i]) / time**2
            if acceleration > most[2, i]:
                return ACCELERATION, i, acceleration
    return FINE, 0, 0.0


@kernel
def admit(q: Floats, before: Floats, bounds: Floats) -> tuple[int, int, float]:
    """What is wrong with a setpoint after the one before it. Rows of `bounds`: low, high, largest jump."""
    for i in range(q.size):
        if not math.isfinite(q[i]):
            return NOT_FINITE, i, 0.0
    for i in range(q.size):
        if not bounds[0, i] - HAIR <= q[i] <= bounds[1, i] + HAIR:
            return OUTSIDE, i, q[i]
    for i in range(q.size):
        jump = abs(q[i] - before[i])
        if jump > bounds[2, i]:
            return JUMPS, i, jump
    return FINE, 0, 0.0
