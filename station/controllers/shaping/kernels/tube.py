"""How far the arm is from where it was sent.

A measurement is of the past, and an arm lags behind its setpoint. So a joint counts as on its way as long as it is
between the least and the most that was sent to it within that lag; beyond that it is apart by the distance. Within the
inner tube nothing happens, from there to the outer tube the arm is slowed, all joints alike, to a share of the speed
at which their targets move, and beyond it stops.
"""

from __future__ import annotations

import math

from station.controllers.shaping.kernels.cache import kernel
from station.controllers.shaping.kernels.layout import (
    APART,
    BUCKET,
    BUCKET_AGE,
    BUCKET_TIME,
    BUCKETS,
    COUNT,
    DELAY,
    I_JOINTS,
    I_ROW,
    INNER,
    J_JOINTS,
    J_ROW,
    LAG,
    MEASURED,
    MEASURED_AGE,
    MEASURED_LIMIT,
    OUTER,
    P_ROW,
    S_JOINTS,
    S_ROW,
    SLOW,
    WORST,
    WORST_JOINT,
    Floats,
    Q,
)


@kernel
def ring_at(joints: int, bucket: int) -> int:
    """Where a bucket stands in the state: least and most for each joint."""
    return J_JOINTS + (J_ROW + P_ROW) * joints + 2 * joints * bucket


@kernel
def forget_sent(state: Floats, settings: Floats) -> None:
    """As if the setpoint had always been where it is now."""
    joints = int(settings[COUNT])
    state[BUCKET], state[BUCKET_AGE], state[SLOW] = 0.0, 0.0, 1.0
    for bucket in range(BUCKETS):
        for i in range(joints):
            at = ring_at(joints, bucket) + 2 * i
            state[at] = state[at + 1] = state[J_JOINTS + J_ROW * i + Q]


@kernel
def remember_sent(state: Floats, settings: Floats, dt: float) -> None:
    """Keep the setpoint that is being sent."""
    joints = int(settings[COUNT])
    state[BUCKET_AGE] += dt
    fresh = state[BUCKET_AGE] >= BUCKET_TIME
    if fresh:
        state[BUCKET], state[BUCKET_AGE] = (int(state[BUCKET]) + 1) % BUCKETS, 0.0
    for i in range(joints):
        at, q = ring_at(joints, int(state[BUCKET])) + 2 * i, state[J_JOINTS + J_ROW * i + Q]
        state[at] = q if fresh else min(state[at], q)
        state[at + 1] = q if fresh else max(state[at + 1], q)


@kernel
def is_in_tube(state: Floats, settings: Floats, inputs: Floats) -> bool:
    """Judge the newest measurement: sets what the tube leaves of the speed; false if the arm is outside or unknown."""
    joints = int(settings[COUNT])
    state[WORST], state[SLOW] = 0.0, 1.0
    age = inputs[MEASURED_AGE]
    if not abs(age) <= settings[MEASURED_LIMIT]:
        return False
    delay = inputs[DELAY] if 0.0 <= inputs[DELAY] < math.inf else 0.0
    back = min(BUCKETS - 1, 1 + int(min((max(age, 0.0) + delay + settings[LAG]) / BUCKET_TIME, 1e6)))
    for i in range(joints):
        measured, tube = inputs[I_JOINTS + I_ROW * i + MEASURED], S_JOINTS + S_ROW * i
        least, most = math.inf, -math.inf
        for k in range(back + 1):
            at = ring_at(joints, (int(state[BUCKET]) - k + BUCKETS) % BUCKETS) + 2 * i
            least, most = min(least, state[at]), max(most, state[at + 1])
        apart = max(measured - most, least - measured, 0.0)
        if not math.isfinite(measured) or apart > settings[tube + OUTER]:
            state[WORST], state[WORST_JOINT] = 1.0, i
            return False
        state[J_JOINTS + J_ROW * i + APART] = apart
        if apart / settings[tube + OUTER] > state[WORST]:
            state[WORST], state[WORST_JOINT] = apart / settings[tube + OUTER], i
        left = (settings[tube + OUTER] - apart) / (settings[tube + OUTER] - settings[tube + INNER])
        state[SLOW] = min(state[SLOW], left)
    return True
