"""Whether joints move as they were told."""

from __future__ import annotations

import math

from station.controllers.plausibility.readings import note
from station.controllers.plausibility.state import Doubt, PlausibilityBounds, PlausibilityState
from station.controllers.shaping.limits import ShapingLimits
from station.controllers.shaping.state import BUCKET_TIME, BUCKETS, ShapingInputs, ShapingState
from station.controllers.shaping.tube import sent_between
from station.controllers.supervisor.words import Shape
from station.kernel import Floats1, entry, kernel

LONG = 0.5  # delay of a link, there and back, that is not known yet [s]
FOLLOWS = 0.5  # share of what a joint was told from which it counts as following
BACKWARDS = 0.3  # … against it, from which it counts as going the other way
UNTOUCHED = 0.1  # of the force up to which two joints, and one that stops dead, are blamed: that of one that is held
LIKE = (0.6, 1.6)  # motion of a joint that was not told, over what is missing of one that was
WENT_LEAST = 0.05  # that a joint must have gone, to be found frozen [rad/s]
FROZEN_OVER = 0.15  # of the told motion that is missed: so much of a joint that went, and stopped dead
HELD_FOR = 0.1  # that a joint must have stood, to be found held [s]


@entry
def judge_motion(
    state: PlausibilityState,
    bounds: PlausibilityBounds,
    sent: ShapingState,
    limits: ShapingLimits,
    inputs: ShapingInputs,
    force: Floats1,
    measures_force: bool,
) -> None:
    """Compare told and measured motion; `sent`, `limits` and `inputs` are of shaping, `force` is on the tool [N].

    Told is what a joint was told all the time that link and arm may lag, so one that lags is not blamed; nor is any
    while the tool touches something: a soft arm is held or pushed back by little. Where the force is not measured, a
    joint that stands is only told of.
    """
    touches = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)
    if inputs.wanted != Shape.FOLLOW or not touches <= bounds.free:
        return
    untouched = touches <= UNTOUCHED * bounds.free
    delay = inputs.delay if 0.0 <= inputs.delay < math.inf else LONG
    lag = max(inputs.measured_age, 0.0) + delay + limits.lag
    back = min(BUCKETS - 1, 1 + int(min(lag / BUCKET_TIME, 1e6)))
    for i in range(state.place.size):
        least, most = sent_between(sent, i, back)
        if not state.right[i]:
            _judge_first(state, bounds, sent, inputs, i, back, least, most, untouched)
        measured, told = inputs.measured[i], bounds.told
        missing = max(least - measured, 0.0) + min(most - measured, 0.0)  # one of both is none
        if untouched and abs(missing) > told * bounds.scale[i] and state.stood[i] > HELD_FOR:
            note(state.found, Doubt.HELD, i, missing, measures_force)
        if state.same[i] > 0.0 and abs(state.went[i]) > WENT_LEAST * bounds.scale[i]:
            since = min(int(state.same[i] / BUCKET_TIME), BUCKETS - 1 - back)
            expected = _least_way(sent, i, back, since, math.copysign(1.0, state.went[i]))
            if expected > FROZEN_OVER * told * bounds.scale[i]:
                note(state.found, Doubt.FROZEN, i, expected, measures_force)


@kernel
def _least_way(sent: ShapingState, i: int, back: int, since: int, sign: float) -> float:
    """How far a joint was told to go in a direction (1 or -1) within `since` buckets, whatever it lags up to `back`."""
    low, high, least = sent.sent_least, sent.sent_most, math.inf
    for k in range(back + 1):
        newer, older = (sent.bucket - k + BUCKETS) % BUCKETS, (sent.bucket - k - since + BUCKETS) % BUCKETS
        least = min(least, 0.5 * sign * (low[newer, i] + high[newer, i] - low[older, i] - high[older, i]))
    return least


@kernel
def _judge_first(
    state: PlausibilityState,
    bounds: PlausibilityBounds,
    sent: ShapingState,
    inputs: ShapingInputs,
    i: int,
    back: int,
    least: float,
    most: float,
    untouched: bool,
) -> None:
    """Judge the first motion of a joint since the arm is led.

    Blamed are a joint that goes the other way, and two of which the one moves as the other was told.
    """
    begun = state.begun[i]
    told = max(least - begun, 0.0) + min(most - begun, 0.0)
    if abs(told) < bounds.told * bounds.scale[i]:
        return
    moved = inputs.measured[i] - begun
    if moved / told >= FOLLOWS:
        state.right[i] = True
    elif moved / told <= -BACKWARDS and untouched:
        note(state.found, Doubt.OPPOSITE, i, told, True)
    else:
        _look_for_other(state, bounds, sent, inputs, i, told - moved, back)


@kernel
def _look_for_other(
    state: PlausibilityState,
    bounds: PlausibilityBounds,
    sent: ShapingState,
    inputs: ShapingInputs,
    i: int,
    missing: float,
    back: int,
) -> None:
    """Whether another joint has moved by what is missing of this one's motion."""
    for k in range(state.place.size):
        if k == i or bounds.scale[k] != bounds.scale[i]:
            continue
        least, most = sent_between(sent, k, back)
        moved = inputs.measured[k]
        beyond = max(moved - max(most, state.begun[k]), 0.0) + min(moved - min(least, state.begun[k]), 0.0)
        if LIKE[0] <= beyond / missing <= LIKE[1]:
            state.found.other = k
            note(state.found, Doubt.ORDER, i, missing, True)
            return
