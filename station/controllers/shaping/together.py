"""Arms that hold one thing: all their joints follow alike.

What such arms are told has to keep the loop closed that the thing makes of them. If each joint went by what it alone
can do, joints would be behind by different amounts, and the arms would pull at each other. So the law of `follow.py`
takes the same numbers for all joints of all arms, the least that any of them allows:

    speed         v_d = λ·(v_target + κ·e)                     κ: k, or less where a joint could not stop in time
    acceleration  a_d = ρ·(η·(v_d - v) + κ'·(v_target - v))    η: 4·k, or less by the limits of jerk
    jerk          σ·(a_d - a)/dt                               λ, ρ, σ ≤ 1: by the limits of each

They change from tick to tick, but are the same for each joint. So the setpoint of a joint is a mean of where its target
was of late, with weights that all joints have in common: a loop that the targets keep closed stays closed, but for the
little by which their way bends meanwhile. For small errors this is the law of one arm.

If one of the arms may not follow, the others brake with it, and all stop at the same time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from station.controllers.shaping.follow import (
    FASTER,
    MOST_PER_TICK,
    SHARE,
    aim,
    brake,
    share_of_step,
    slowest_stop,
    speed_from,
    step_joint,
)
from station.controllers.shaping.limits import ShapingLimits
from station.controllers.shaping.parking import park
from station.controllers.shaping.shaper import may_follow, may_park, prepare, strides_of, take
from station.controllers.shaping.state import Acting, ShapingInputs, ShapingState
from station.controllers.shaping.tube import remember_sent
from station.kernel import Floats1, Ints1, Record, RecordAt, entry, field, kernel


class TiedArms(Record):
    """Arms that hold one thing, k of them with m joints in all, and what is common to these in a stride."""

    states: Ints1 = field("", "addresses of their `ShapingState`", shape="k")
    limits: Ints1 = field("", "and of their `ShapingLimits`", shape="k")
    inputs: Ints1 = field("", "and of their `ShapingInputs`", shape="k")
    brakes: bool = field("", "one of them may not follow, so none does")
    stop_time: float = field("s", "of the joint that needs longest")
    slow: float = field("", "what tube and press limit of any of them leave of the speed")
    yields: bool = field("", "one presses too hard: all go back to where they are")
    gain: float = field("1/s", "of the position loop, the least of them")
    dt: float = field("s", "time of the stride")
    acting: Acting
    part: float = field("", "of the step, that all may take")

    # Of all joints that follow, those of the first arm first.
    count: int
    error: Floats1 = field("rad | m", "that would be left at the end of the stride", shape="m")
    v: Floats1 = field("rad/s | m/s", shape="m")
    a: Floats1 = field("rad/s² | m/s²", shape="m")
    goal_v: Floats1 = field("rad/s | m/s", shape="m")
    fastest: Floats1 = field("rad/s | m/s", shape="m")
    most: Floats1 = field("rad/s² | m/s²", shape="m")
    jerk: Floats1 = field("rad/s³ | m/s³", "limit", shape="m")
    wanted: Floats1 = field("", "speed, then acceleration, then jerk", shape="m")


state_at, limits_at, inputs_at = RecordAt(ShapingState), RecordAt(ShapingLimits), RecordAt(ShapingInputs)


def tie(arms: Sequence[tuple[ShapingState, ShapingLimits, ShapingInputs]]) -> TiedArms:
    """Arms that are to follow together; their records have to live as long as this one."""
    tied = TiedArms(k=len(arms), m=sum(state.q.size for state, _, _ in arms))
    tied.states[:] = [state.address for state, _, _ in arms]
    tied.limits[:] = [limits.address for _, limits, _ in arms]
    tied.inputs[:] = [inputs.address for _, _, inputs in arms]
    return tied


@entry
def shape_together(tied: TiedArms) -> None:
    """One tick of all arms, up to the setpoints in their states; `inputs.start()` is taken away."""
    strides, tied.dt = 0, 0.0
    for k in range(tied.states.size):
        state, limits = state_at(tied.states[k]), limits_at(tied.limits[k])
        if prepare(state, limits, inputs_at(tied.inputs[k])):
            strides = max(strides, strides_of(state, limits))
            tied.dt = max(tied.dt, state.step)  # all have the same clock
    if strides > 0:
        tied.dt /= strides
    for _ in range(strides):
        _look_around(tied)
        if not tied.brakes:
            _agree(tied)
            _find_part(tied)
        _move(tied)
    for k in range(tied.states.size):
        state = state_at(tied.states[k])
        if state.running:
            remember_sent(state, state.step)


@kernel
def _look_around(tied: TiedArms) -> None:
    """Whether all arms may follow, and all joints that do."""
    tied.brakes, tied.yields, tied.stop_time, tied.slow, tied.gain = False, False, 0.0, 1.0, math.inf
    for k in range(tied.states.size):
        state, limits, inputs = state_at(tied.states[k]), limits_at(tied.limits[k]), inputs_at(tied.inputs[k])
        if state.running and not may_park(state, inputs):
            tied.brakes = tied.brakes or not may_follow(state, inputs)
            tied.yields = tied.yields or inputs.pressed > 1.0
            tied.slow, tied.gain = min(tied.slow, state.slow), min(tied.gain, limits.gain)
            tied.stop_time = max(tied.stop_time, slowest_stop(state, limits))
    tied.count = 0
    for k in range(tied.states.size):
        state, limits, inputs = state_at(tied.states[k]), limits_at(tied.limits[k]), inputs_at(tied.inputs[k])
        if state.running and not tied.brakes and may_follow(state, inputs):
            _gather(tied, state, limits, inputs)


@kernel
def _gather(tied: TiedArms, state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs) -> None:
    """The joints of one more arm."""
    for i in range(limits.low.size):
        row = tied.count + i
        goal, tied.goal_v[row], tied.fastest[row] = aim(limits, inputs, i, tied.slow, tied.yields)
        tied.error[row] = goal - (state.q[i] + state.v[i] * tied.dt)
        tied.v[row], tied.a[row] = state.v[i], state.a[i]
        tied.most[row], tied.jerk[row] = limits.acceleration[i], limits.jerk[i]
    tied.count += limits.low.size


@kernel
def _agree(tied: TiedArms) -> None:
    """The jerk of all joints, by the least of what each allows of every number: the order of `wanted_jerk`."""
    n, wanted, tied.acting = tied.count, tied.wanted, Acting.NOTHING
    gain = slope = min(tied.gain, MOST_PER_TICK / (FASTER * tied.dt))
    push = FASTER * gain
    for i in range(n):
        error = abs(tied.error[i])
        way, steep = speed_from(error, SHARE * tied.most[i], SHARE * tied.jerk[i])
        if gain * error > way:
            gain, slope = way / error, steep
    share = 1.0
    for i in range(n):
        wanted[i] = tied.goal_v[i] + gain * tied.error[i]
        share = _share(share, wanted[i], tied.fastest[i])
    if share < 1.0:
        slope, tied.acting = 0.0, Acting.SPEED
    for i in range(n):
        wanted[i] = share * wanted[i] - tied.v[i]
        if push * push * abs(wanted[i]) > 2.0 * SHARE * tied.jerk[i]:
            push = math.sqrt(2.0 * SHARE * tied.jerk[i] / abs(wanted[i]))
    share = 1.0
    for i in range(n):
        wanted[i] = push * wanted[i] + slope * (tied.goal_v[i] - tied.v[i])
        share = _share(share, wanted[i], tied.most[i])
    if share < 1.0:
        tied.acting |= Acting.ACCELERATION
    _reach_acceleration(tied, share)


@kernel
def _reach_acceleration(tied: TiedArms, part: float) -> None:
    """The jerk that reaches a part of the wanted accelerations in this stride, or comes as near as all can."""
    wanted, share = tied.wanted, 1.0
    for i in range(tied.count):
        wanted[i] = (part * wanted[i] - tied.a[i]) / tied.dt
        share = _share(share, wanted[i], tied.jerk[i])
    for i in range(tied.count):
        wanted[i] *= share


@kernel
def _share(share: float, wanted: float, most: float) -> float:
    """What may be had of something of which so much is wanted, or less."""
    return most / abs(wanted) if share * abs(wanted) > most else share


@kernel
def _find_part(tied: TiedArms) -> None:
    """How much of the step all joints may take: after it, each can still stop."""
    first, tied.part = 0, 1.0
    for k in range(tied.states.size):
        state, limits = state_at(tied.states[k]), limits_at(tied.limits[k])
        if state.running and may_follow(state, inputs_at(tied.inputs[k])):
            for i in range(limits.low.size):
                tied.part = share_of_step(state, limits, i, tied.wanted[first + i], tied.part, tied.dt)
            first += limits.low.size


@kernel
def _move(tied: TiedArms) -> None:
    """All arms by one stride, each within its own limits whatever was agreed on."""
    first = 0
    for k in range(tied.states.size):
        state, limits, inputs = state_at(tied.states[k]), limits_at(tied.limits[k]), inputs_at(tied.inputs[k])
        if not state.running:
            continue
        if may_park(state, inputs):
            park(state, tied.dt)
        elif tied.brakes:
            brake(state, limits, tied.stop_time, tied.dt)
        else:
            state.slow = tied.slow
            state.acting |= tied.acting | (Acting.SLOWED if tied.slow < 1.0 else Acting.NOTHING)
            for i in range(limits.low.size):
                wish = tied.wanted[first + i]
                step_joint(state, limits, i, wish, share_of_step(state, limits, i, wish, tied.part, tied.dt), tied.dt)
            first += limits.low.size
        take(state, limits, tied.dt)
