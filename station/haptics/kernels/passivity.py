"""Passivity observer and controller in the time domain, with its known weak points treated.

B. Hannaford, J.-H. Ryu, "Time-domain passivity control of haptic interfaces", IEEE Trans. Robotics and Automation
18(1), 2002. There, a damper acts once more energy has come out than went in. Here:

- the energy of the *coming* interval is foreseen, from the way of the last one and a surprise ½·a·T². T is the longest
  interval of late, and the next sample may always get lost; while none comes, what was given meanwhile is reckoned
  with, tick by tick. The force is scaled down, keeping its direction, so that no more than what is available and a
  small allowance goes to the hand: energy is not generated first and taken back by a burst afterwards;
- a force that comes late cannot be taken back in time: what is still on the way is taken off the energy first;
- while no sample comes, the hand may have turned round; after a few periods the force fades;
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
    APPLIED,
    AVAILABLE,
    DAMPING_CAP,
    LATE,
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
BLIND = 2.5  # while no sample comes, a hand may do what it seldom does: so many times the acceleration
TRUSTED_BLIND, FADED_BLIND = 1.5, 2.5  # periods without a sample for which a force stays; in which it fades then


@kernel
def follow_ratio(state: Floats, settings: Floats, wanted: float, dt: float) -> bool:
    """Scale the wrench: down at once, up slowly; returns whether anything is taken away."""
    blind = (state[AGE] / settings[PERIOD] - TRUSTED_BLIND) / FADED_BLIND
    wanted *= 1.0 - min(max(blind, 0.0), 1.0)
    state[RATIO] = min(wanted, state[RATIO] + dt / settings[RECOVERY])
    for i in range(6):
        state[WRENCH + i] *= state[RATIO]
    return bool(state[RATIO] < 1.0)


@kernel
def control_passivity(state: Floats, settings: Floats, dt: float) -> bool:
    """Let through what energy there is for; returns whether anything is taken away."""
    age = state[AGE]
    horizon = state[AHEAD] + settings[PERIOD] if age == 0.0 else 2.0 * settings[PERIOD]
    rate, size = _outflow(state, WRENCH)
    given = _foreseen(state, settings, rate, size, horizon, age > 0.0)
    spent = state[SPENT] if age > 0.0 else 0.0
    budget = max(0.0, state[AVAILABLE] + settings[ALLOWANCE] - spent - on_the_way(state, settings))
    wanted = 1.0 if given <= budget else budget / given
    acts = follow_ratio(state, settings, wanted, dt)
    if state[AVAILABLE] < 0.0 and age == 0.0:
        acts = _take_back(state, settings) or acts
    rate, size = _outflow(state, WRENCH)
    state[SPENT] = spent + _foreseen(state, settings, rate, size, settings[PERIOD], True)
    return acts


@kernel
def on_the_way(state: Floats, settings: Floats) -> float:
    """What forces that were sent will still give to the hand, whatever is sent now [J]: 0 and more."""
    late = state[LATE]
    if late == 0.0:
        return 0.0
    rate, size = _outflow(state, APPLIED)
    return float(max(0.0, rate * late + size * 0.5 * settings[SURPRISE] * late * late))


@kernel
def _outflow(state: Floats, at: int) -> tuple[float, float]:
    """Power to a hand that goes on as in the last interval [W], and the size of force and torque [N]."""
    rate, straight, turning = 0.0, 0.0, 0.0
    for i in range(6):
        rate += state[at + i] * state[STEP + i]
        if i < 3:
            straight += state[at + i] ** 2
        else:
            turning += state[at + i] ** 2
    return rate / state[STEP_TIME], math.sqrt(straight) + math.sqrt(turning) / LEVER


@kernel
def _foreseen(state: Floats, settings: Floats, rate: float, size: float, time: float, blind: bool) -> float:
    """Energy that a force gives to the hand within a time [J].

    The hand may go further than foreseen by ½·a·t². While it is not seen, nothing is hoped of it: if it pressed, it
    may have turned round since.
    """
    since, surprise = state[AGE] + state[LATE], settings[SURPRISE]
    if blind:
        rate, surprise = max(rate, 0.0), BLIND * surprise
    return float(rate * time + size * 0.5 * surprise * ((since + time) ** 2 - since * since))


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
