"""Strings only pull: a string whose tension would fall below zero comes loose, and its drum turns by itself.

While it hangs through, its counter shows the drum, not the plate, and its current does not reach the plate. When the
drum has wound it in again, drum and plate go on together, with what momentum both had.
"""

from __future__ import annotations

from sim_devices.syntaxer.plant.cache import kernel
from sim_devices.syntaxer.plant.friction import sign
from sim_devices.syntaxer.plant.memory import (
    AFTER,
    BEFORE,
    CAUGHT,
    CURRENTS,
    JOINTS,
    LEDGER,
    LENGTHS,
    RATES,
    RIGHT,
    SLACK,
    SYSTEM,
)
from sim_devices.syntaxer.plant.numbers import (
    DAMPING,
    DISSIPATED,
    FRICTION,
    INERTIA,
    MOST_SLACK,
    MOTOR_WORK,
    PER_AMPERE,
)
from station.devices.syntaxer.kernels.layout import PRETENSION, Floats


@kernel
def follow_plate(state: Floats, work: Floats) -> None:
    """Drums of taut strings have paid out what lies between eye and plate."""
    for i in range(3):
        if state[SLACK, i] == 0.0:
            state[JOINTS, 3 + i] = work[LENGTHS, i]


@kernel
def tauten(state: Floats, work: Floats) -> None:
    """Strings that have been wound in are taut, and CAUGHT."""
    for i in range(3):
        work[CAUGHT, i] = 0.0
        if state[SLACK, i] != 0.0 and state[JOINTS, 3 + i] <= work[LENGTHS, i]:
            state[SLACK, i], work[CAUGHT, i] = 0.0, 1.0
            state[JOINTS, 3 + i] = work[LENGTHS, i]


@kernel
def rubbed(work: Floats, i: int) -> float:
    """Impulse of dry friction along a joint: what the system asks beyond its right side."""
    impulse: float = -work[RIGHT, i]
    for j in range(6):
        impulse += work[SYSTEM + i, j] * work[AFTER, j]
    return impulse


@kernel
def loosen(struts: Floats, joints: Floats, state: Floats, work: Floats, step: float) -> bool:
    """Let go of the drums whose strings would have to push; True if there is one."""
    loose = False
    for i in range(3):
        if state[SLACK, i] == 0.0:
            j = 3 + i
            gained = joints[j, INERTIA] * (work[AFTER, j] - state[RATES, j]) - rubbed(work, j)
            tension = struts[i, PRETENSION] - joints[j, PER_AMPERE] * state[CURRENTS, j]
            tension += joints[j, DAMPING] * work[AFTER, j] + gained / step
            if tension < 0.0:
                state[SLACK, i] = 1.0
                loose = True
    return loose


@kernel
def kick_slack_drums(struts: Floats, joints: Floats, common: Floats, state: Floats, work: Floats, step: float) -> None:
    """New rates of drums whose strings hang through."""
    for i in range(3):
        j = 3 + i
        inertia, before = joints[j, INERTIA], state[RATES, j]
        if state[SLACK, i] != 0.0:
            motor = joints[j, PER_AMPERE] * state[CURRENTS, j]
            pushed = step * (motor - struts[i, PRETENSION])
            asked = inertia * before + pushed
            left = max(abs(asked) - step * joints[j, FRICTION], 0.0)
            after = sign(asked) * left / (inertia + step * joints[j, DAMPING])
            mean = 0.5 * (before + after)
            state[LEDGER, MOTOR_WORK] += step * motor * mean
            state[LEDGER, DISSIPATED] -= (inertia * (after - before) - pushed) * mean
            if state[JOINTS, j] - work[LENGTHS, i] > common[MOST_SLACK] and after > 0.0:
                state[LEDGER, DISSIPATED] += 0.5 * inertia * after * after
                after = 0.0
            state[RATES, j] = after
        elif work[CAUGHT, i] != 0.0:  # drum and plate had rates of their own, and meet without rebound
            jerk = inertia * (work[AFTER, j] - before)
            state[LEDGER, DISSIPATED] += 0.5 * jerk * (work[BEFORE, j] - before)
