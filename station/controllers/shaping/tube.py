"""How far the arm is from where it was sent.

A measurement is of the past, and an arm lags behind its setpoint. So a joint counts as on its way as long as it is
between the least and the most that was sent to it within that lag; beyond that it is apart by the distance. Within the
inner tube nothing happens, from there to the outer tube the arm is slowed, all joints alike, to a share of the speed
at which their targets move, and beyond it stops.
"""

from __future__ import annotations

import math

from station.controllers.shaping.limits import ShapingLimits
from station.controllers.shaping.state import BUCKET_TIME, BUCKETS, ShapingInputs, ShapingState
from station.kernel import kernel


@kernel
def forget_sent(state: ShapingState) -> None:
    """As if the setpoint had always been where it is now."""
    state.bucket, state.bucket_age, state.slow = 0, 0.0, 1.0
    for bucket in range(BUCKETS):
        for i in range(state.q.size):
            state.sent_least[bucket, i] = state.sent_most[bucket, i] = state.q[i]


@kernel
def remember_sent(state: ShapingState, dt: float) -> None:
    """Keep the setpoint that is being sent."""
    state.bucket_age += dt
    fresh = state.bucket_age >= BUCKET_TIME
    if fresh:
        state.bucket, state.bucket_age = (state.bucket + 1) % BUCKETS, 0.0
    for i in range(state.q.size):
        q = state.q[i]
        state.sent_least[state.bucket, i] = q if fresh else min(state.sent_least[state.bucket, i], q)
        state.sent_most[state.bucket, i] = q if fresh else max(state.sent_most[state.bucket, i], q)


@kernel
def sent_between(state: ShapingState, i: int, back: int) -> tuple[float, float]:
    """Least and most that a joint was sent within the last so many buckets [rad | m]."""
    least, most = math.inf, -math.inf
    for k in range(back + 1):
        bucket = (state.bucket - k + BUCKETS) % BUCKETS
        least, most = min(least, state.sent_least[bucket, i]), max(most, state.sent_most[bucket, i])
    return least, most


@kernel
def is_in_tube(state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs) -> bool:
    """Judge the newest measurement: sets what the tube leaves of the speed; false if the arm is outside or unknown."""
    state.worst, state.slow = 0.0, 1.0
    age = inputs.measured_age
    if not abs(age) <= limits.measured_limit:
        return False
    delay = inputs.delay if 0.0 <= inputs.delay < math.inf else 0.0
    back = min(BUCKETS - 1, 1 + int(min((max(age, 0.0) + delay + limits.lag) / BUCKET_TIME, 1e6)))
    for i in range(limits.low.size):
        measured, inner, outer = inputs.measured[i], limits.inner[i], limits.outer[i]
        least, most = sent_between(state, i, back)
        apart = max(measured - most, least - measured, 0.0)
        if not math.isfinite(measured) or apart > outer:
            state.worst, state.worst_joint = 1.0, i
            return False
        state.apart[i] = apart
        if apart / outer > state.worst:
            state.worst, state.worst_joint = apart / outer, i
        left = (outer - apart) / (outer - inner)
        state.slow = min(state.slow, left)
    return True
