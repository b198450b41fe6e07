"""Whether a reading of an arm can be: against the reading before it, and its efforts against weight and tool force."""

from __future__ import annotations

import math

from station.controllers.plausibility.kernels.cache import kernel
from station.controllers.plausibility.kernels.layout import (
    ACCELERATION,
    ANCHOR,
    ARRIVAL,
    ASIDE,
    BRAKED,
    CODE,
    EFFORT,
    FIRM,
    GLITCHES,
    GRAVITY,
    JOINT,
    KNOCK,
    LONGEST,
    MASS,
    MOMENT,
    NEWS,
    NO_READING,
    NOW,
    PACE,
    PLACE,
    RESIDUAL,
    REST,
    SAID_EFFORT,
    SAID_Q,
    SAID_V,
    SAME,
    SCALE,
    SMOOTHING,
    SPEED,
    STANDING_SPEED,
    STANDS,
    STEP,
    STEP_STOP,
    STEP_WARN,
    STOOD,
    STOP,
    STRAIN,
    STRAIN_TIME,
    STRAINED,
    STRAINS,
    TIME,
    TURNING,
    VALUE,
    WEIGHT,
    WEIGHT_STOP,
    WEIGHT_WARN,
    WENT,
    Floats,
)
from station.mechanism.kernels import at
from station.mechanism.kernels.memory import REVOLUTE, Block


@kernel
def note(found: Floats, code: int, joint: int, value: float, stop: bool) -> None:
    """Keep what was found; what has stopped the arm first stays to be read until it is led again."""
    if found[FIRM] == 0.0:
        if found[CODE] != code or found[JOINT] != joint or stop:
            found[NEWS] = 1.0
        found[CODE], found[JOINT], found[VALUE] = code, joint, value
    if stop:
        found[STOP] = found[FIRM] = 1.0


@kernel
def take_reading(
    said: Floats,
    time: float,
    arrival: float,
    bounds: Floats,
    limits: Floats,
    state: Floats,
    about: Floats,
    found: Floats,
) -> bool:
    """Compare joints with the reading before; False: put it aside, it says what no motion could have done.

    One such reading is put aside, and the next one shows what is true.
    """
    passed = max(time - about[TIME], arrival - about[ARRIVAL])
    if not (0.0 < passed <= LONGEST and arrival > about[ARRIVAL]):
        passed = 0.0  # nothing to compare with
    step, joint = largest_step(said, passed, bounds, limits, state)
    steps = step > bounds[STEP_STOP]
    if steps and about[ASIDE] == 0.0:
        about[ASIDE] = 1.0
        return False
    if step > bounds[STEP_WARN]:
        note(found, STEP, joint, step * limits[SCALE, joint], steps)
    if about[ASIDE] > 0.0 and not steps:
        about[GLITCHES] += 1.0
    about[TIME], about[ARRIVAL], about[ASIDE] = time, arrival, 0.0
    for i in range(said.shape[1]):
        _remember(i, said, 0.0 if steps else passed, bounds, limits, state)
    return True


@kernel
def largest_step(said: Floats, passed: float, bounds: Floats, limits: Floats, state: Floats) -> tuple[float, int]:
    """How far a joint is from where it can be after so long [s], over its scale [rad], and which.

    A joint goes on as fast as it was, or stops, or anything between; besides, it may be knocked by many times its own
    acceleration.
    """
    worst, joint = 0.0, 0
    for i in range(said.shape[1] if passed > 0.0 else 0):
        way, on = said[SAID_Q, i] - state[PLACE, i], state[PACE, i] * passed
        knocked = min(0.5 * bounds[KNOCK] * limits[ACCELERATION, i] * passed**2, 2.0 * limits[SPEED, i] * passed)
        out = (max(way - max(on, 0.0), min(on, 0.0) - way) - knocked) / limits[SCALE, i]
        if out > worst:
            worst, joint = out, i
    return worst, joint


@kernel
def _remember(i: int, said: Floats, passed: float, bounds: Floats, limits: Floats, state: Floats) -> None:
    """Place and speed of a joint, and for how long it stands; `passed` is 0 if the reading before says nothing."""
    q, speed = said[SAID_Q, i], said[SAID_V, i]
    fast = math.isfinite(speed) and abs(speed) > STANDING_SPEED * limits[SCALE, i]
    away = passed == 0.0 or abs(q - state[ANCHOR, i]) > bounds[STANDS] * limits[SCALE, i]
    if not math.isfinite(speed) or passed == 0.0:
        speed = (q - state[PLACE, i]) / passed if passed > 0.0 else 0.0
    if passed > 0.0 and q == state[PLACE, i]:
        state[SAME, i] += passed
    else:
        state[WENT, i] = (q - state[PLACE, i]) / (state[SAME, i] + passed) if passed > 0.0 else 0.0
        state[SAME, i] = 0.0
    state[STOOD, i] = 0.0 if away or fast else state[STOOD, i] + passed
    state[PACE, i], state[PLACE, i] = speed, q
    if away:
        state[ANCHOR, i] = q


@kernel
def weight_on(mem: Block, joint: int, bodies: Floats, rotation: Floats, position: Floats) -> float:
    """Effort of a joint that holds the bodies behind it against their weight [N·m | N]."""
    parents, turns = at.parents(mem), at.joint_kind(mem)[joint] == REVOLUTE
    x, y, z = rotation[joint, 0, 2], rotation[joint, 1, 2], rotation[joint, 2, 2]
    effort = 0.0
    for body in range(bodies.shape[0]):
        k = body
        while k >= 0 and k != joint:
            k = parents[k]
        if k != joint or bodies[body, MASS] == 0.0:
            continue
        if not turns:
            effort += z * bodies[body, MASS] * GRAVITY
            continue
        first_x = bodies[body, MASS] * (position[body, 0] - position[joint, 0])
        first_y = bodies[body, MASS] * (position[body, 1] - position[joint, 1])
        for m in range(3):
            first_x += rotation[body, 0, m] * bodies[body, MOMENT + m]
            first_y += rotation[body, 1, m] * bodies[body, MOMENT + m]
        effort += (x * first_y - y * first_x) * GRAVITY
    return effort


@kernel
def given_by_tool(
    mem: Block, joint: int, tool: int, wrench: Floats, point: Floats, rotation: Floats, position: Floats
) -> float:
    """Effort that a wrench on the tool gives a joint, in axes of the world [N·m | N]."""
    parents = at.parents(mem)
    k = tool
    while k >= 0 and k != joint:
        k = parents[k]
    if k != joint:
        return 0.0
    effort = 0.0
    if at.joint_kind(mem)[joint] != REVOLUTE:
        for i in range(3):
            effort += rotation[joint, i, 2] * wrench[i]
        return effort
    for i in range(3):
        j, m = (i + 1) % 3, (i + 2) % 3
        turn = (point[j, 3] - position[joint, j]) * wrench[m] - (point[m, 3] - position[joint, m]) * wrench[j]
        effort += rotation[joint, i, 2] * (wrench[3 + i] + turn)
    return effort


@kernel
def judge_efforts(
    mem: Block,
    said: Floats,
    passed: float,
    tool: int,
    wrench: Floats,
    measures_wrench: bool,
    point: Floats,
    bodies: Floats,
    rotation: Floats,
    position: Floats,
    bounds: Floats,
    limits: Floats,
    state: Floats,
    found: Floats,
) -> None:
    """Compare efforts with what weight and the force on the tool explain, for joints that stand.

    Without a measured force nothing stops here: an effort may come from what the tool touches.
    """
    held = borne = 0.0
    for i in range(said.shape[1]):
        if not abs(said[SAID_EFFORT, i]) <= NO_READING * limits[EFFORT, i]:
            return
        weight = weight_on(mem, i, bodies, rotation, position)
        state[NOW, i] = said[SAID_EFFORT, i] - weight
        if measures_wrench:
            state[NOW, i] += given_by_tool(mem, i, tool, wrench, point, rotation, position)
        held, borne = held + abs(said[SAID_EFFORT, i]), borne + abs(weight)
    part, rest, worst, joint = 1.0 - math.exp(-passed / SMOOTHING), math.inf, 0.0, 0
    for i in range(said.shape[1]):
        if held < BRAKED * borne or not math.isfinite(state[NOW, i]):  # brakes hold it
            state[RESIDUAL], state[STRAINED] = 0.0, 0.0
            return
        state[RESIDUAL, i] += part * (state[NOW, i] - state[RESIDUAL, i])
        rest = min(rest, state[STOOD, i])
        share = min(abs(state[RESIDUAL, i]), abs(state[NOW, i])) / limits[EFFORT, i]
        if share > worst:
            worst, joint = share, i
        _judge_strain(i, passed, measures_wrench, said[SAID_V, i], bounds, limits, state, found)
    if rest >= bounds[REST] and worst > bounds[WEIGHT_WARN]:
        stop = measures_wrench and worst > bounds[WEIGHT_STOP]
        note(found, WEIGHT, joint, state[RESIDUAL, joint], stop)


@kernel
def _judge_strain(
    i: int,
    passed: float,
    measures_wrench: bool,
    speed: float,
    bounds: Floats,
    limits: Floats,
    state: Floats,
    found: Floats,
) -> None:
    """A joint that stands under an effort that nothing explains: its encoder is stuck, or something holds it.

    Where a motion turns round a joint stands under a large effort, too, but not for long: it is slow for a shorter time
    than is waited for here. A joint that does not measure its speed is not judged.
    """
    slow = min(STANDING_SPEED * limits[SCALE, i], TURNING * limits[ACCELERATION, i] * bounds[STRAIN_TIME])
    strained = abs(speed) <= slow and abs(state[NOW, i]) > bounds[STRAIN] * limits[EFFORT, i]
    state[STRAINED, i] = state[STRAINED, i] + passed if strained else 0.0
    if state[STRAINED, i] > bounds[STRAIN_TIME]:
        note(found, STRAINS, i, state[NOW, i], measures_wrench)
