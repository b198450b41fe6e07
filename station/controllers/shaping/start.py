"""Beginning to lead an arm: with a motion, never with a leap.

While setpoints are being sent, the motion that they are is continued: the arm is on its way along it, and whatever else
came next would be a step. Otherwise it begins where the arm is, as fast as it moves.
"""

from __future__ import annotations

import math

from station.controllers.shaping.follow import range_of
from station.controllers.shaping.limits import ShapingLimits
from station.controllers.shaping.motion import can_stop
from station.controllers.shaping.state import ShapingInputs, ShapingState
from station.controllers.shaping.tube import forget_sent, is_in_tube
from station.controllers.supervisor.words import Stopped
from station.kernel import Floats2, entry, kernel

HALVINGS = 20
STANDS = 0.02  # of the speed limit: what is measured as slower than this stands still


@kernel
def begin(state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs) -> bool:
    """Begin to lead the arm; returns whether it began anew, at the measured place."""
    state.park_loaded = False
    if state.running:
        follows = not limits.tube or is_in_tube(state, limits, inputs)
        state.stopped = Stopped.FINE if follows else Stopped.TUBE
        return False
    state.stopped = Stopped.TUBE  # until the arm is known to be where it may be
    if not abs(inputs.measured_age) <= limits.measured_limit:
        return False
    for i in range(limits.low.size):
        q = inputs.measured[i]
        out = max(limits.low[i] - q, q - limits.high[i])
        if not (math.isfinite(q) and out <= limits.outside):
            return False
    for i in range(limits.low.size):
        state.q[i], state.v[i] = _measured_motion(limits, inputs, i)
        state.a[i] = 0.0
    state.running, state.stopped = True, Stopped.FINE
    forget_sent(state)
    return True


@entry
def beginning(state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs, motion: Floats2) -> None:
    """Where and how fast each joint would be if it began now; `motion` is 2×n: places, speeds."""
    for i in range(limits.low.size):
        if state.running:
            motion[0, i], motion[1, i] = state.q[i], state.v[i]
        else:
            motion[0, i], motion[1, i] = _measured_motion(limits, inputs, i)


@kernel
def _measured_motion(limits: ShapingLimits, inputs: ShapingInputs, i: int) -> tuple[float, float]:
    """Where a joint is by the time that it hears of it, and its speed as far as it can stop from it.

    A measurement is of the past, and a setpoint is for the future: an arm that moves has gone on meanwhile.
    """
    q, v, speed = inputs.measured[i], inputs.measured_v[i], limits.speed[i]
    if not (math.isfinite(v) and abs(v) > STANDS * speed):  # stands, or cannot be measured
        return q, 0.0
    delay = inputs.delay if 0.0 <= inputs.delay < math.inf else 0.0
    ahead = min(max(v, -speed), speed) * (max(inputs.measured_age, 0.0) + delay)
    low, high = range_of(q, limits.low[i], limits.high[i])
    q = min(max(q + ahead, low), high)
    return q, _speed_to_begin_with(limits, i, q, v)


@kernel
def _speed_to_begin_with(limits: ShapingLimits, i: int, q: float, v: float) -> float:
    """The measured speed, or as much of it as lets the joint stop within its limits."""
    speed, most, jerk = limits.speed[i], limits.acceleration[i], limits.jerk[i]
    low, high = range_of(q, limits.low[i], limits.high[i])
    if can_stop(q, v, 0.0, low, high, speed, most, jerk, 0.0):
        return v
    part, step = 0.0, 0.5
    for _ in range(HALVINGS):
        if can_stop(q, (part + step) * v, 0.0, low, high, speed, most, jerk, 0.0):
            part += step
        step *= 0.5
    return part * v
