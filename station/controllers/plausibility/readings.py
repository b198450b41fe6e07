"""Whether a reading of an arm can be: against the reading before it, and its efforts against weight and tool force."""

from __future__ import annotations

import math

from station.controllers.plausibility.state import (
    LONGEST,
    STANDING_SPEED,
    Doubt,
    Found,
    PlausibilityBounds,
    PlausibilityState,
    Reading,
)
from station.kernel import Floats1, Floats2, entry, kernel
from station.mechanism.memory import JointKind, MechanismMemory

GRAVITY = 9.80665  # [m/s²]
SMOOTHING = 0.1  # time constant of residuals [s]
TURNING = 0.15  # of the speed that it reaches at its largest acceleration while it is watched: so slow is standing
NO_READING = 2.0  # times its largest: an effort beyond that says nothing
IN_A_ROW = 2.5  # readings: of an arm that measures seldom, three in a row say that a joint stands
BRAKED = 0.2  # share of the weight: drives that hold less than this in all leave it to brakes


@entry
def judge_reading(
    state: PlausibilityState,
    bounds: PlausibilityBounds,
    said: Reading,
    time: float,
    arrival: float,
    robot: MechanismMemory,
    tool: int,
    wrench: Floats1,
    measures_wrench: bool,
    point: Floats2,
) -> bool:
    """Judge a reading by the one before and by its efforts; False: put it aside and wait for the next.

    Args:
        state: what is remembered.
        bounds: from when on to doubt.
        said: the reading.
        time: of the arm's clock [s].
        arrival: of ours [s].
        robot: as it is measured.
        tool: number of the body that the force is measured on.
        wrench: on it, in axes of the world [N, N·m].
        measures_wrench: whether that is known.
        point: pose of the frame that it is measured in, 4×4 [m].
    """
    before = state.arrival
    if not take_reading(state, bounds, said, time, arrival):
        return False
    passed = arrival - before
    if bounds.weighs and 0.0 < passed <= LONGEST and math.isfinite(said.effort[0]):
        judge_efforts(state, bounds, said, passed, robot, tool, wrench, measures_wrench, point)
    return True


@kernel
def note(found: Found, doubt: Doubt, joint: int, value: float, stop: bool) -> None:
    """Keep what was found; what has stopped the arm first stays to be read until it is led again."""
    if not found.firm:
        if found.doubt != doubt or found.joint != joint or stop:
            found.news = True
        found.doubt, found.joint, found.value = doubt, joint, value
    if stop:
        found.stop, found.firm = True, True


@kernel
def take_reading(
    state: PlausibilityState, bounds: PlausibilityBounds, said: Reading, time: float, arrival: float
) -> bool:
    """Compare joints with the reading before; False: put it aside, it says what no motion could have done.

    One such reading is put aside, and the next one shows what is true.
    """
    passed = max(time - state.time, arrival - state.arrival)
    if not (0.0 < passed <= LONGEST and arrival > state.arrival):
        passed = 0.0  # nothing to compare with
    step, joint = _largest_step(state, bounds, said, passed)
    steps = step > bounds.step_stop
    if steps and not state.aside:
        state.aside = True
        return False
    if step > bounds.step_warn:
        note(state.found, Doubt.STEP, joint, step * bounds.scale[joint], steps)
    if state.aside and not steps:
        state.glitches += 1
    state.time, state.arrival, state.aside = time, arrival, False
    for i in range(said.q.size):
        _remember(state, bounds, said, i, 0.0 if steps else passed)
    return True


@kernel
def _largest_step(
    state: PlausibilityState, bounds: PlausibilityBounds, said: Reading, passed: float
) -> tuple[float, int]:
    """How far a joint is from where it can be after so long [s], over its scale [rad], and which.

    A joint goes on as fast as it was, or stops, or anything between; besides, it may be knocked by many times its own
    acceleration.
    """
    worst, joint = 0.0, 0
    for i in range(said.q.size if passed > 0.0 else 0):
        way, on = said.q[i] - state.place[i], state.pace[i] * passed
        knocked = min(0.5 * bounds.knock * bounds.acceleration[i] * passed**2, 2.0 * bounds.speed[i] * passed)
        out = (max(way - max(on, 0.0), min(on, 0.0) - way) - knocked) / bounds.scale[i]
        if out > worst:
            worst, joint = out, i
    return worst, joint


@kernel
def _remember(state: PlausibilityState, bounds: PlausibilityBounds, said: Reading, i: int, passed: float) -> None:
    """Place and speed of a joint, and for how long it stands; `passed` is 0 if the reading before says nothing."""
    q, speed = said.q[i], said.v[i]
    fast = math.isfinite(speed) and abs(speed) > STANDING_SPEED * bounds.scale[i]
    away = passed == 0.0 or abs(q - state.anchor[i]) > bounds.stands * bounds.scale[i]
    if not math.isfinite(speed) or passed == 0.0:
        speed = (q - state.place[i]) / passed if passed > 0.0 else 0.0
    if passed > 0.0 and q == state.place[i]:
        state.same[i] += passed
    else:
        state.went[i] = (q - state.place[i]) / (state.same[i] + passed) if passed > 0.0 else 0.0
        state.same[i] = 0.0
    state.stood[i] = 0.0 if away or fast else state.stood[i] + passed
    state.pace[i], state.place[i] = speed, q
    if away:
        state.anchor[i] = q


@kernel
def _weight_on(robot: MechanismMemory, joint: int, bounds: PlausibilityBounds) -> float:
    """Effort of a joint that holds the bodies behind it against their weight [N·m | N]."""
    parents, turns = robot.parents, robot.joint_kind[joint] == JointKind.REVOLUTE
    rotation, position = robot.rotation, robot.position
    x, y, z = rotation[joint, 0, 2], rotation[joint, 1, 2], rotation[joint, 2, 2]
    effort = 0.0
    for body in range(bounds.mass.size):
        k, mass = body, bounds.mass[body]
        while k >= 0 and k != joint:
            k = parents[k]
        if k != joint or mass == 0.0:
            continue
        if not turns:
            effort += z * mass * GRAVITY
            continue
        first_x = mass * (position[body, 0] - position[joint, 0])
        first_y = mass * (position[body, 1] - position[joint, 1])
        for m in range(3):
            first_x += rotation[body, 0, m] * bounds.moment[body, m]
            first_y += rotation[body, 1, m] * bounds.moment[body, m]
        effort += (x * first_y - y * first_x) * GRAVITY
    return effort


@kernel
def _given_by_tool(robot: MechanismMemory, joint: int, tool: int, wrench: Floats1, point: Floats2) -> float:
    """Effort that a wrench on the tool gives a joint, in axes of the world [N·m | N]."""
    parents, rotation, position = robot.parents, robot.rotation, robot.position
    k = tool
    while k >= 0 and k != joint:
        k = parents[k]
    if k != joint:
        return 0.0
    effort = 0.0
    if robot.joint_kind[joint] != JointKind.REVOLUTE:
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
    state: PlausibilityState,
    bounds: PlausibilityBounds,
    said: Reading,
    passed: float,
    robot: MechanismMemory,
    tool: int,
    wrench: Floats1,
    measures_wrench: bool,
    point: Floats2,
) -> None:
    """Compare efforts with what weight and the force on the tool explain, for joints that stand.

    Without a measured force nothing stops here: an effort may come from what the tool touches.
    """
    held = borne = 0.0
    for i in range(said.q.size):
        if not abs(said.effort[i]) <= NO_READING * bounds.effort[i]:
            return
        weight = _weight_on(robot, i, bounds)
        state.unexplained[i] = said.effort[i] - weight
        if measures_wrench:
            state.unexplained[i] += _given_by_tool(robot, i, tool, wrench, point)
        held, borne = held + abs(said.effort[i]), borne + abs(weight)
    part, rest, worst, joint = 1.0 - math.exp(-passed / SMOOTHING), math.inf, 0.0, 0
    for i in range(said.q.size):
        if held < BRAKED * borne or not math.isfinite(state.unexplained[i]):  # brakes hold it
            state.residual[:], state.strained[:] = 0.0, 0.0
            return
        state.residual[i] += part * (state.unexplained[i] - state.residual[i])
        rest = min(rest, state.stood[i])
        share = min(abs(state.residual[i]), abs(state.unexplained[i])) / bounds.effort[i]
        if share > worst:
            worst, joint = share, i
        _judge_strain(state, bounds, i, passed, measures_wrench, said.v[i])
    if rest >= bounds.rest and worst > bounds.weight_warn:
        stop = measures_wrench and worst > bounds.weight_stop
        note(state.found, Doubt.WEIGHT, joint, state.residual[joint], stop)


@kernel
def _judge_strain(
    state: PlausibilityState,
    bounds: PlausibilityBounds,
    i: int,
    passed: float,
    measures_wrench: bool,
    speed: float,
) -> None:
    """A joint that stands under an effort that nothing explains: its encoder is stuck, or something holds it.

    Where a motion turns round a joint stands under a large effort, too, but not for long: it is slow for a shorter time
    than is waited for here. A joint that does not measure its speed is not judged.
    """
    slow = min(STANDING_SPEED * bounds.scale[i], TURNING * bounds.acceleration[i] * bounds.strain_time)
    strained = abs(speed) <= slow and abs(state.unexplained[i]) > bounds.strain * bounds.effort[i]
    state.strained[i] = state.strained[i] + passed if strained else 0.0
    if state.strained[i] > max(bounds.strain_time, IN_A_ROW * passed):
        note(state.found, Doubt.STRAINS, i, state.unexplained[i], measures_wrench)
