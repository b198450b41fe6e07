"""Moves from standstill to a posture, planned by ruckig: all joints arrive together, within speed, acceleration, jerk.

Planned once, outside the tick, and gone along by `park` as pieces of constant jerk. The following of a moving target
is not done by ruckig: docs/safety.md says why.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import ruckig  # type: ignore[import-not-found]  # it has no types

from station.controllers.shaping.limits import JointLimits, ShapingError
from station.controllers.shaping.motion import after
from station.controllers.shaping.state import MOST_PIECES, ShapingState
from station.kernel import Floats, kernel

ROOM = 0.999  # of each limit: rounding must not bring a move beyond it


def planned(start: Floats, goal: Floats, limits: Sequence[JointLimits]) -> tuple[list[Floats], float]:
    """Pieces for each joint (rows: start [s], q, v, a, jerk; the last is the standstill), and the duration [s]."""
    _check(start, goal, limits)
    count = len(limits)
    wish, trajectory = ruckig.InputParameter(count), ruckig.Trajectory(count)
    wish.current_position, wish.target_position = start.tolist(), goal.tolist()
    wish.max_velocity = [ROOM * joint.speed for joint in limits]
    wish.max_acceleration = [ROOM * joint.acceleration for joint in limits]
    wish.max_jerk = [ROOM * joint.jerk for joint in limits]
    try:
        result = ruckig.Ruckig(count).calculate(wish, trajectory)
    except ruckig.RuckigError as error:
        raise ShapingError(f"no move to this posture was found ({error}); allowed: a posture further away") from error
    if int(result) < 0:
        raise ShapingError(f"no move to this posture was found ({result}); allowed: a posture further away")
    return [_pieces(profile) for profile in trajectory.profiles[0]], float(trajectory.duration)


def _pieces(profile: ruckig.Profile) -> Floats:
    """Pieces that last some time, and the standstill at the end."""
    begins = np.concatenate([[0.0], np.cumsum(profile.t)])
    jerks = [*profile.j, 0.0]
    rows = np.array([begins, profile.p, profile.v, profile.a, jerks]).T
    rows[-1, 1:] = profile.pf, 0.0, 0.0, 0.0
    lasting = [k for k in range(len(rows) - 1) if profile.t[k] > 0.0]
    return rows[[*lasting, len(rows) - 1]]


def _check(start: Floats, goal: Floats, limits: Sequence[JointLimits]) -> None:
    if goal.shape != (len(limits),):
        raise ShapingError(f"posture has {goal.size} joints; allowed: {len(limits)}")
    for number, (joint, begin, end) in enumerate(zip(limits, start, goal, strict=True), start=1):
        low, high = min(joint.low, begin), max(joint.high, begin)  # from outside it may come back
        if not (joint.low <= end <= joint.high and low <= begin <= high):
            raise ShapingError(f"joint {number} of the posture is {end:g}; allowed: {joint.low:g} to {joint.high:g}")


assert MOST_PIECES >= 8  # seven pieces of ruckig and the standstill


def load(state: ShapingState, moves: Sequence[Floats]) -> None:
    """Have the pieces of each joint in the state, to begin with the first."""
    for i, pieces in enumerate(moves):
        state.piece_count[i], state.pieces[i, : len(pieces)] = len(pieces), pieces
    state.park_time, state.park_done, state.park_loaded = 0.0, False, True


@kernel
def park(state: ShapingState, dt: float) -> None:
    """All joints on with the move by a time [s]."""
    state.park_time += dt
    state.park_done = True
    for i in range(state.q.size):
        at, count, pieces = 0, state.piece_count[i], state.pieces
        for k in range(1, count):
            if pieces[i, k, 0] <= state.park_time:
                at = k
        last = at == count - 1
        passed = 0.0 if last else state.park_time - pieces[i, at, 0]
        q, v, a = after(pieces[i, at, 1], pieces[i, at, 2], pieces[i, at, 3], pieces[i, at, 4], passed)
        state.new_q[i], state.new_v[i], state.new_a[i] = q, v, a
        if not last:
            state.park_done = False
