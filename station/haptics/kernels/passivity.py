"""Passivity observer and controller in the time domain, with its known weak points treated.

B. Hannaford, J.-H. Ryu, "Time-domain passivity control of haptic interfaces", IEEE Trans. Robotics and Automation
18(1), 2002. There, a damper acts once more energy has come out than went in. Here:

- the energy of the *coming* interval is foreseen, from the way of the last one and a surprise ½·a·T². T is the longest
  interval of late, the next sample may always get lost, and while none comes, what was given meanwhile is reckoned
  with. The force is scaled down, keeping its direction, so that no more than what is available and a small allowance
  goes to the hand: energy is not generated first and taken back by a burst afterwards;
- near standstill nothing is divided by the velocity: the way foreseen is small, and so is what is taken away;
- only a deficit that is there nevertheless is taken back, by a damper with a cap, above a floor of the velocity that
  encoder steps cannot reach;
- the scale falls at once and rises slowly: no chatter.
"""

from __future__ import annotations

import math

from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import (
    ACTUATED,
    AGE,
    AHEAD,
    ALLOWANCE,
    AVAILABLE,
    DAMPING_CAP,
    PERIOD,
    RATIO,
    RECOVERY,
    RESOLUTION,
    SPEED_FLOOR,
    SPENT,
    STEP,
    STEP_TIME,
    SURPRISE,
    WRENCH,
    Floats,
)

LEVER = 0.05  # a wrist surprises by turning as a hand at this distance from its axis does [m]


@kernel
def follow_ratio(state: Floats, settings: Floats, wanted: float, dt: float) -> bool:
    """Scale the wrench: down at once, up slowly; returns whether anything is taken away."""
    state[RATIO] = min(wanted, state[RATIO] + dt / settings[RECOVERY])
    for i in range(6):
        state[WRENCH + i] *= state[RATIO]
    return bool(state[RATIO] < 1.0)


@kernel
def control_passivity(state: Floats, settings: Floats, dt: float) -> bool:
    """Let through what energy there is for; returns whether anything is taken away."""
    age, ahead = state[AGE], state[AHEAD]
    rate, size = _outflow(state)
    given = rate * (ahead + settings[PERIOD]) + size * _surprise(settings, age, ahead)
    spent = state[SPENT] if age > 0.0 else 0.0
    budget = max(0.0, state[AVAILABLE] + settings[ALLOWANCE] - spent)
    wanted = 1.0 if given <= budget else budget / given
    acts = follow_ratio(state, settings, wanted, dt)
    if state[AVAILABLE] < 0.0 and state[AGE] == 0.0:
        acts = _take_back(state, settings) or acts
    rate, size = _outflow(state)
    tick = settings[PERIOD]
    state[SPENT] = spent + max(0.0, rate * tick + size * _surprise(settings, age, tick))
    return acts


@kernel
def _outflow(state: Floats) -> tuple[float, float]:
    """Power to a hand that goes on as in the last interval [W], and the size of force and torque [N]."""
    rate, straight, turning = 0.0, 0.0, 0.0
    for i in range(6):
        rate += state[WRENCH + i] * state[STEP + i]
        if i < 3:
            straight += state[WRENCH + i] ** 2
        else:
            turning += state[WRENCH + i] ** 2
    return rate / state[STEP_TIME], math.sqrt(straight) + math.sqrt(turning) / LEVER


@kernel
def _surprise(settings: Floats, age: float, time: float) -> float:
    """How much further than foreseen a hand may go within a time, if not seen since `age` [m]."""
    return float(0.5 * settings[SURPRISE] * ((age + time) ** 2 - age * age))


@kernel
def _take_back(state: Floats, settings: Floats) -> bool:
    """A damper for energy that was generated nevertheless."""
    square = 0.0
    for i in range(3):
        square += (state[STEP + i] / state[STEP_TIME]) ** 2
    floor = max(settings[SPEED_FLOOR], 2.0 * settings[RESOLUTION] / state[STEP_TIME])
    if square < floor * floor:
        return False
    damping = min(settings[DAMPING_CAP], -state[AVAILABLE] / (square * settings[PERIOD]))
    for i in range(3):
        state[WRENCH + i] -= damping * state[STEP + i] / state[STEP_TIME] * settings[ACTUATED + i]
    return True
