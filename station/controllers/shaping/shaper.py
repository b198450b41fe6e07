"""`Shaper`: predicted robot in, setpoint within the arm's own limits out, every tick; `shaping_tick` for kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from station.controllers.shaping.follow import brake, follow, range_of, slowest_stop
from station.controllers.shaping.limits import (
    JointLimits,
    ShapingError,
    ShapingLimits,
    ShapingSettings,
    check_limits,
    numbers_of,
)
from station.controllers.shaping.motion import can_stop
from station.controllers.shaping.parking import load, park, planned
from station.controllers.shaping.press import hold_back
from station.controllers.shaping.start import begin
from station.controllers.shaping.state import Acting, Refusal, Shaped, ShapingInputs, ShapingState
from station.controllers.shaping.tube import is_in_tube, remember_sent
from station.controllers.supervisor.words import Shape, Stopped
from station.kernel import Floats, Floats2, entry, kernel

SLACK = 1e-9  # part of a limit, for rounding
TINY = 1e-12  # [rad | m] and derivatives, for rounding


class Shaper:
    """Setpoints for one arm. A tick reads no clock, does not wait, allocates next to nothing and never raises."""

    def __init__(self, limits: Sequence[JointLimits], settings: ShapingSettings | None = None) -> None:
        if not limits:
            raise ShapingError("no joints; allowed: at least one")
        for number, joint in enumerate(limits, start=1):
            check_limits(str(number), joint)
        self.limits, self.settings = tuple(limits), settings or ShapingSettings()
        self.numbers = numbers_of(self.limits, self.settings)
        self.state = ShapingState(n=len(limits))
        self.setpoint: Floats = np.full((3, len(limits)), math.nan)
        self.tick(self.inputs())  # compile or load now, not in the first real tick
        self.state.reset()

    def inputs(self) -> ShapingInputs:
        """Inputs for an arm of so many joints."""
        return ShapingInputs(n=len(self.limits))

    def tick(self, inputs: ShapingInputs) -> Shaped:
        """One tick; `inputs.start()` is taken away."""
        shaping_tick(self.state, self.numbers, inputs, self.setpoint)
        return self.shaped()

    def shaped(self) -> Shaped:
        """What the last tick said, also if it was done by a kernel."""
        state = self.state
        return Shaped(
            q=self.setpoint[0],
            v=self.setpoint[1],
            a=self.setpoint[2],
            running=state.running,
            stopped=state.stopped,
            at_rest=state.at_rest,
            acting=state.acting,
            slow=state.slow,
            parked=state.park_loaded and state.park_done,
            follows=not state.running or state.following,
        )

    def park(self, posture: ArrayLike) -> float:
        """Plan the move to a posture [rad | m]; ticks that want `PARK` then go along it. Returns how long it takes [s].

        Must be running and at rest; not for within a tick. Raises a ShapingError for a posture outside the limits.
        """
        if not (self.state.running and self.state.at_rest):
            raise ShapingError("the arm is not started or moves; allowed: park from a standstill")
        goal = np.asarray(posture, dtype=float).ravel()
        moves, duration = planned(self.state.q, goal, self.limits)
        load(self.state, moves)
        return duration

    @property
    def refusals(self) -> int:
        """Targets and setpoints that were refused, in all."""
        return self.state.refusals

    @property
    def last_refusal(self) -> tuple[Refusal, int]:
        """Why the last one was refused, and for which joint, from 0."""
        return self.state.reason, self.state.reason_joint

    @property
    def apart(self) -> Floats:
        """How far each joint was from where it was sent, in the last tick that compared [rad | m]."""
        return self.state.apart.copy()


@entry
def shaping_tick(state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs, setpoint: Floats2) -> None:
    """Write the setpoint, 3×n: positions, speeds, accelerations; `inputs.start()` is taken away.

    While there is none (not started, or idle) the setpoint is not a number, which no controller sends.
    """
    if prepare(state, limits, inputs):
        strides = strides_of(state, limits)
        for _ in range(strides):
            if state.running:
                _wish(state, limits, inputs, state.step / strides)
                take(state, limits, state.step / strides)
        remember_sent(state, state.step)
    write(state, setpoint)


@kernel
def prepare(state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs) -> bool:
    """Whether there is a setpoint to be moved on in this tick, by how long, and what forbids to follow with it."""
    dt, backwards = _time_step(state, limits, inputs.now)
    state.step, state.acting = dt, Acting.NOTHING
    if inputs.starts and begin(state, limits, inputs):
        backwards = False  # what was before is over
    inputs.starts = False
    wanted = inputs.wanted
    if wanted == Shape.IDLE or not state.running:
        state.running = False
        return False
    state.slow = 1.0
    state.following = not limits.tube or is_in_tube(state, limits, inputs)
    if (wanted == Shape.FOLLOW or wanted == Shape.PARK) and state.stopped == Stopped.FINE:
        state.stopped = Stopped.STALE if backwards else _reason_to_stop(state, limits, inputs)
        if wanted == Shape.FOLLOW:
            hold_back(state, inputs)
    return True


@kernel
def _time_step(state: ShapingState, limits: ShapingLimits, now: float) -> tuple[float, bool]:
    """Time that this tick stands for [s], and whether the clock is wrong: then a period, so that it brakes."""
    if not math.isfinite(now):
        return limits.period, True
    passed = now - state.last_now if state.ticked else 0.0
    state.last_now, state.ticked = now, True
    if passed < 0.0:
        return limits.period, True
    return min(passed, limits.longest), False


@kernel
def _reason_to_stop(state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs) -> Stopped:
    """What forbids going on: a target that is old or no number, an arm that is not where it was sent."""
    if not state.following:
        return Stopped.TUBE
    if inputs.wanted != Shape.FOLLOW:
        return Stopped.FINE
    for i in range(limits.low.size):
        if not (math.isfinite(inputs.target[i]) and math.isfinite(inputs.target_v[i])):
            _note_refusal(state, Refusal.NOT_FINITE)
            state.reason_joint = i
            return Stopped.REFUSED
    return Stopped.FINE if abs(inputs.now - inputs.target_time) <= limits.target_limit else Stopped.STALE


@kernel
def strides_of(state: ShapingState, limits: ShapingLimits) -> int:
    """In how many strides the time of this tick is gone through.

    A late one is gone through stride by stride, so that what is sent is a motion within limits by the clock on the
    wall: an arm that has coasted on meanwhile is met where it is.
    """
    return max(math.ceil(state.step / limits.stride - 1e-9), 1) if state.step > 0.0 else 0


@kernel
def may_follow(state: ShapingState, inputs: ShapingInputs) -> bool:
    """Whether the arm is to go after its target, and nothing forbids it."""
    return inputs.wanted == Shape.FOLLOW and state.stopped == Stopped.FINE


@kernel
def may_park(state: ShapingState, inputs: ShapingInputs) -> bool:
    """The same for the move to a posture."""
    return inputs.wanted == Shape.PARK and state.stopped == Stopped.FINE and state.park_loaded


@kernel
def _wish(state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs, dt: float) -> None:
    """Make the next setpoint."""
    if may_follow(state, inputs):
        follow(state, limits, inputs, dt)
        if state.slow < 1.0:
            state.acting |= Acting.SLOWED
    elif may_park(state, inputs):
        park(state, dt)
    else:
        brake(state, limits, slowest_stop(state, limits), dt)


@kernel
def take(state: ShapingState, limits: ShapingLimits, dt: float) -> None:
    """Check the next setpoint and take it; what does not pass is replaced by a controlled stop."""
    reason = refusal(state, limits, dt)
    if reason != Refusal.NONE:
        _note_refusal(state, reason)
        state.stopped = Stopped.REFUSED
        brake(state, limits, slowest_stop(state, limits), dt)
        if not _is_finite(state):  # not even that: nothing is sent, and the arm stops by itself
            state.running = False
            return
    for i in range(state.q.size):
        state.q[i], state.v[i], state.a[i] = state.new_q[i], state.new_v[i], state.new_a[i]


@kernel
def write(state: ShapingState, setpoint: Floats2) -> None:
    """The setpoint as positions, speeds, accelerations; and whether it stands still."""
    still = True
    for i in range(state.q.size):
        setpoint[0, i], setpoint[1, i], setpoint[2, i] = state.q[i], state.v[i], state.a[i]
        still = still and state.v[i] == 0.0 and state.a[i] == 0.0
    if not state.running:
        setpoint[:, :] = math.nan
    state.at_rest = still or not state.running


# The last check before bytes: of what is about to be sent against what was sent last, whoever made it ----------------


@kernel
def refusal(state: ShapingState, limits: ShapingLimits, dt: float) -> Refusal:
    """Why what is about to be sent may not be; NONE if it may."""
    for i in range(limits.low.size):
        reason = _refusal_of_joint(state, limits, i, dt)
        if reason != Refusal.NONE:
            state.reason_joint = i
            return reason
    return Refusal.NONE


@kernel
def _note_refusal(state: ShapingState, reason: Refusal) -> None:
    """Count a refusal and keep why."""
    state.refusals += 1
    state.reason = reason


@kernel
def _is_finite(state: ShapingState) -> bool:
    """Whether what is about to be sent is all numbers."""
    fine = True
    for i in range(state.q.size):
        fine = fine and math.isfinite(state.new_q[i] + state.new_v[i] + state.new_a[i])
    return fine


@kernel
def _refusal_of_joint(state: ShapingState, limits: ShapingLimits, i: int, dt: float) -> Refusal:
    """The same for one joint; what is checked first is what is worst."""
    was_q, was_v, was_a = state.q[i], state.v[i], state.a[i]
    q, v, a = state.new_q[i], state.new_v[i], state.new_a[i]
    speed, most, jerk = limits.speed[i], limits.acceleration[i], limits.jerk[i]
    low, high = range_of(was_q, limits.low[i], limits.high[i])
    wide, rounding = 1.0 + SLACK, TINY * (1.0 + abs(was_q))
    if not (math.isfinite(q) and math.isfinite(v) and math.isfinite(a)):
        return Refusal.NOT_FINITE
    if not low - SLACK <= q <= high + SLACK:
        return Refusal.OUT_OF_RANGE
    if not abs(q - was_q) <= limits.leap[i]:
        return Refusal.JUMP
    if not (abs(v) <= speed * wide and abs(q - was_q) <= speed * dt * wide + rounding):
        return Refusal.TOO_FAST
    if not (abs(a) <= most * wide and abs(v - was_v) <= most * dt * wide + TINY):
        return Refusal.TOO_SUDDEN
    if not abs(a - was_a) <= jerk * dt * wide + TINY * (1.0 + most):
        return Refusal.TOO_JERKY
    off_q, off_v = q - was_q - 0.5 * dt * (was_v + v), v - was_v - 0.5 * dt * (was_a + a)
    if not (abs(off_q) <= jerk * dt**3 / 6.0 + rounding and abs(off_v) <= 0.5 * jerk * dt**2 + TINY * (1.0 + speed)):
        return Refusal.NOT_SMOOTH
    if not can_stop(q, v, a, low, high, speed, most, jerk, SLACK):
        return Refusal.CANNOT_STOP
    return Refusal.NONE
