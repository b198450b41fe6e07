"""Joints that are locked and freed while a hand leads the robot: as bounds of the solver, without a jump.

**Locked.** A joint that stands has no way left. One that moves brakes: with an acceleration limit within the way in
which it can stop, without one by BRAKE. A robot that is put elsewhere is locked there.

**Freed.** The hand may have gone on meanwhile. The way that is free grows with a speed that grows from zero, so a
joint that is pulled sets out softly.

**Felt.** What holds a locked joint is felt by the coupling, as everything that the robot cannot do. The springs before
its stops would push for nothing: they fade, as if the stops went away, and come back likewise.
"""

from __future__ import annotations

import math

from station.kernel import entry
from station.mechanism.memory import JointKind
from station.servo.state import Lock, RobotMemory

BRAKE = 10.0  # of a locked joint whose file has no acceleration [rad/s²]; a sliding one: robot lengths per s²
SETTING_OUT = 2.5  # acceleration with which the way of a freed joint grows [rad/s²], or robot lengths per s²
FADING = 0.5  # speed with which stops of a locked joint go out of what is felt [rad/s]
GONE = 1.0  # where nobody feels them [rad]
AT_REST = 1e-9  # speed that is none [rad/s | m/s]


@entry
def keep_locks(led: RobotMemory, dt: float) -> None:
    """Bound the joints that are or were locked, before a step of `dt` [s]; ends by itself when all are free again."""
    robot, any_left = led.robot, False
    for j in range(led.lock.size):
        if led.lock[j] == Lock.FREE:
            continue
        unit = 1.0 if robot.joint_kind[j] == JointKind.REVOLUTE else robot.length
        if led.lock[j] == Lock.LOCKED:
            led.unfelt[j] = min(led.unfelt[j] + FADING * dt, GONE)
            q, v, a = robot.q[j], robot.v[j], robot.a_max[j]
            low, high = led.low[j], led.high[j]
            stops = a < math.inf
            way = v * abs(v) / (2.0 * a) if stops else math.copysign(max(abs(v) - BRAKE * unit * dt, 0.0) * dt, v)
            if abs(v) < AT_REST:
                way = 0.0
            if not stops or not low <= q <= high:
                low, high = led.own_low[j], led.own_high[j]
            led.low[j] = max(low, min(q, q + way))
            led.high[j] = min(high, max(q, q + way))
        else:
            led.unfelt[j] = max(led.unfelt[j] - FADING * dt, 0.0)
            led.freed_for[j] += dt
            wider = SETTING_OUT * unit * led.freed_for[j] * dt
            led.low[j] = max(led.low[j] - wider, led.own_low[j])
            led.high[j] = min(led.high[j] + wider, led.own_high[j])
            far = 0.5 * SETTING_OUT * led.freed_for[j] ** 2 > 4.0 * math.pi  # stops or none: there is room enough
            if far:
                led.low[j], led.high[j] = led.own_low[j], led.own_high[j]
            if led.low[j] == led.own_low[j] and led.high[j] == led.own_high[j] and led.unfelt[j] == 0.0:
                led.lock[j] = Lock.FREE
        any_left = any_left or led.lock[j] != Lock.FREE
        if led.has_obstacles:  # they narrow the stops of the robot further, and begin with these
            led.surroundings.low_stop[j], led.surroundings.high_stop[j] = led.low[j], led.high[j]
        else:
            robot.q_min[j], robot.q_max[j] = led.low[j], led.high[j]
    led.has_locks = any_left
