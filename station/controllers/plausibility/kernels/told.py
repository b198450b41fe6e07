"""Whether joints move as they were told."""

from __future__ import annotations

import math

from station.controllers.plausibility.kernels.cache import kernel
from station.controllers.plausibility.kernels.layout import (
    BEGUN,
    FREE,
    FROZEN,
    FROZEN_OVER,
    HELD,
    HELD_FOR,
    OPPOSITE,
    ORDER,
    OTHER,
    RIGHT,
    SAME,
    SCALE,
    STOOD,
    TOLD,
    WENT,
    WENT_LEAST,
    Floats,
)
from station.controllers.plausibility.kernels.measured import note
from station.controllers.shaping.kernels.layout import (
    BUCKET,
    BUCKET_TIME,
    BUCKETS,
    DELAY,
    FOLLOW,
    I_JOINTS,
    I_ROW,
    LAG,
    MEASURED,
    MEASURED_AGE,
    WANTED,
)
from station.controllers.shaping.kernels.tube import ring_at

LONG = 0.5  # delay of a link, there and back, that is not known yet [s]
FOLLOWS = 0.5  # share of what a joint was told from which it counts as following
BACKWARDS = 0.3  # … against it, from which it counts as going the other way
UNTOUCHED = 0.1  # of the force up to which two joints, and one that stops dead, are blamed: that of one that is held
LIKE = (0.6, 1.6)  # motion of a joint that was not told, over what is missing of one that was


@kernel
def told_between(sent: Floats, count: int, i: int, back: int) -> tuple[float, float]:
    """Least and most that a joint was told within the last so many buckets of what was sent [rad | m]."""
    least, most = math.inf, -math.inf
    for k in range(back + 1):
        place = ring_at(count, (int(sent[BUCKET]) - k + BUCKETS) % BUCKETS) + 2 * i
        least, most = min(least, sent[place]), max(most, sent[place + 1])
    return least, most


@kernel
def least_way(sent: Floats, count: int, i: int, back: int, since: int, sign: float) -> float:
    """How far a joint was told to go in a direction (1 or -1) within `since` buckets, whatever it lags up to `back`."""
    least = math.inf
    for k in range(back + 1):
        newer = ring_at(count, (int(sent[BUCKET]) - k + BUCKETS) % BUCKETS) + 2 * i
        older = ring_at(count, (int(sent[BUCKET]) - k - since + BUCKETS) % BUCKETS) + 2 * i
        least = min(least, 0.5 * sign * (sent[newer] + sent[newer + 1] - sent[older] - sent[older + 1]))
    return least


@kernel
def judge_motion(
    sent: Floats,
    shaping: Floats,
    inputs: Floats,
    force: Floats,
    measures_force: bool,
    bounds: Floats,
    limits: Floats,
    state: Floats,
    found: Floats,
) -> None:
    """Compare told and measured motion; `sent` is the state of shaping, `force` that on the tool [N].

    Told is what a joint was told all the time that link and arm may lag, so one that lags is not blamed; nor is any
    while the tool touches something: a soft arm is held or pushed back by little. Where the force is not measured, a
    joint that stands is only told of.
    """
    touches = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)
    if inputs[WANTED] != FOLLOW or not touches <= bounds[FREE]:
        return
    untouched = touches <= UNTOUCHED * bounds[FREE]
    delay = inputs[DELAY] if 0.0 <= inputs[DELAY] < math.inf else LONG
    lag = max(inputs[MEASURED_AGE], 0.0) + delay + shaping[LAG]
    back = min(BUCKETS - 1, 1 + int(min(lag / BUCKET_TIME, 1e6)))
    for i in range(state.shape[1]):
        least, most = told_between(sent, state.shape[1], i, back)
        if state[RIGHT, i] == 0.0:
            _judge_first(sent, inputs, i, back, least, most, untouched, bounds, limits, state, found)
        measured = inputs[I_JOINTS + I_ROW * i + MEASURED]
        missing = max(least - measured, 0.0) + min(most - measured, 0.0)  # one of both is none
        if untouched and abs(missing) > bounds[TOLD] * limits[SCALE, i] and state[STOOD, i] > HELD_FOR:
            note(found, HELD, i, missing, measures_force)
        if state[SAME, i] > 0.0 and abs(state[WENT, i]) > WENT_LEAST * limits[SCALE, i]:
            since = min(int(state[SAME, i] / BUCKET_TIME), BUCKETS - 1 - back)
            expected = least_way(sent, state.shape[1], i, back, since, math.copysign(1.0, state[WENT, i]))
            if expected > FROZEN_OVER * bounds[TOLD] * limits[SCALE, i]:
                note(found, FROZEN, i, expected, measures_force)


@kernel
def _judge_first(
    sent: Floats,
    inputs: Floats,
    i: int,
    back: int,
    least: float,
    most: float,
    untouched: bool,
    bounds: Floats,
    limits: Floats,
    state: Floats,
    found: Floats,
) -> None:
    """Judge the first motion of a joint since the arm is led.

    Blamed are a joint that goes the other way, and two of which the one moves as the other was told.
    """
    begun = state[BEGUN, i]
    told = max(least - begun, 0.0) + min(most - begun, 0.0)
    if abs(told) < bounds[TOLD] * limits[SCALE, i]:
        return
    moved = inputs[I_JOINTS + I_ROW * i + MEASURED] - begun
    if moved / told >= FOLLOWS:
        state[RIGHT, i] = 1.0
    elif moved / told <= -BACKWARDS and untouched:
        note(found, OPPOSITE, i, told, True)
    else:
        _look_for_other(sent, inputs, i, told - moved, back, limits, state, found)


@kernel
def _look_for_other(
    sent: Floats, inputs: Floats, i: int, missing: float, back: int, limits: Floats, state: Floats, found: Floats
) -> None:
    """Whether another joint has moved by what is missing of this one's motion."""
    count = state.shape[1]
    for k in range(count):
        if k == i or limits[SCALE, k] != limits[SCALE, i]:
            continue
        least, most = told_between(sent, count, k, back)
        moved = inputs[I_JOINTS + I_ROW * k + MEASURED]
        beyond = max(moved - max(most, state[BEGUN, k]), 0.0) + min(moved - min(least, state[BEGUN, k]), 0.0)
        if LIKE[0] <= beyond / missing <= LIKE[1]:
            found[OTHER] = k
            note(found, ORDER, i, missing, True)
            return
