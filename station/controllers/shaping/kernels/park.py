"""A move that was planned beforehand: pieces of constant jerk for each joint."""

from __future__ import annotations

from station.controllers.shaping.kernels.cache import kernel
from station.controllers.shaping.kernels.layout import (
    COUNT,
    J_JOINTS,
    J_ROW,
    NEW_A,
    NEW_Q,
    NEW_V,
    P_ROW,
    PARK_DONE,
    PARK_TIME,
    PIECE,
    Floats,
)
from station.controllers.shaping.kernels.motion import after


@kernel
def pieces_at(joints: int, i: int) -> int:
    """Where the pieces of a joint stand in the state."""
    return J_JOINTS + J_ROW * joints + P_ROW * i


@kernel
def park(state: Floats, settings: Floats, dt: float) -> None:
    """All joints on with the move by a time [s]."""
    joints = int(settings[COUNT])
    state[PARK_TIME] += dt
    state[PARK_DONE] = 1.0
    for i in range(joints):
        row, pieces = J_JOINTS + J_ROW * i, pieces_at(joints, i)
        at = pieces + 1
        for k in range(1, int(state[pieces])):
            if state[pieces + 1 + PIECE * k] <= state[PARK_TIME]:
                at = pieces + 1 + PIECE * k
        last = at == pieces + 1 + PIECE * (int(state[pieces]) - 1)
        passed = 0.0 if last else state[PARK_TIME] - state[at]
        q, v, a = after(state[at + 1], state[at + 2], state[at + 3], state[at + 4], passed)
        state[row + NEW_Q], state[row + NEW_V], state[row + NEW_A] = q, v, a
        if not last:
            state[PARK_DONE] = 0.0
