"""Dry friction that really sticks: rates after a kick with friction taken into account, not added to it.

The rates after a kick minimise ½·uᵀ·A·u - bᵀ·u + Σ Lᵢ·|uᵢ|, L being the most impulse that friction can give. This is
convex and its answer is exact: a joint whose friction can hold it has a rate of exactly zero, and no sign flips to and
fro. If it is known who sticks and who slides which way, it is a linear system; who does mostly stays as it was.

Strings only pull: a string whose tension would fall below zero comes loose, and its drum turns by itself.

While it hangs through, its counter shows the drum, not the plate, and its current does not reach the plate. When the
drum has wound it in again, drum and plate go on together, with what momentum both had.
"""

from __future__ import annotations

import math

from sim_devices.syntaxer.plant.numbers import Physics
from sim_devices.syntaxer.plant.state import PlantState, Work
from station.devices.syntaxer.state import Struts
from station.kernel import kernel

ATTEMPTS = 12
SWEEPS = 3  # of improving the guess between two attempts
HAIR = 1e-9  # of the limit: a joint at the edge of sliding may stick


@kernel
def sliding(work: Work) -> int:
    """Improve `after` to the answer; signs in it are the first guess. Returns how many attempts it took."""
    for attempt in range(ATTEMPTS):
        solve_as_guessed(work)
        if fits(work):
            for i in range(6):
                work.after[i] = work.scratch[i]
            return attempt + 1
        descend(work, SWEEPS)
    descend(work, 10 * ATTEMPTS)  # never needed so far; always nearer, whatever comes
    return ATTEMPTS + 1


@kernel
def sign(value: float) -> float:
    """Of a number: -1, 0 or 1."""
    return 1.0 if value > 0.0 else (-1.0 if value < 0.0 else 0.0)


@kernel
def solve_as_guessed(work: Work) -> None:
    """Rates if those that are zero stick and all others slide on the way they go: by Cholesky."""
    for i in range(6):
        stuck = work.after[i] == 0.0
        for j in range(i + 1):
            unit = 1.0 if i == j else 0.0
            total = unit if stuck or work.after[j] == 0.0 else work.system[i, j]
            for k in range(j):
                total -= work.factor[i, k] * work.factor[j, k]
            work.factor[i, j] = math.sqrt(total) if i == j else total / work.factor[j, j]
        total = 0.0 if stuck else work.right[i] - work.limits[i] * sign(work.after[i])
        for k in range(i):
            total -= work.factor[i, k] * work.scratch[k]
        work.scratch[i] = total / work.factor[i, i]
    for back in range(6):
        i = 5 - back
        total = work.scratch[i]
        for k in range(i + 1, 6):
            total -= work.factor[k, i] * work.scratch[k]
        work.scratch[i] = total / work.factor[i, i]


@kernel
def fits(work: Work) -> bool:
    """Whether what slides goes the way it was guessed and what sticks can be held."""
    for i in range(6):
        if work.after[i] == 0.0:
            held = work.right[i]
            for j in range(6):
                held -= work.system[i, j] * work.scratch[j]
            if not abs(held) <= work.limits[i] * (1.0 + HAIR):
                return False
        elif not (work.scratch[i] * work.after[i] > 0.0 or (work.limits[i] == 0.0)):
            return False
    return True


@kernel
def descend(work: Work, sweeps: int) -> None:
    """One joint after the other to its best rate."""
    for _ in range(sweeps):
        for i in range(6):
            asked = work.right[i] + work.system[i, i] * work.after[i]
            for j in range(6):
                asked -= work.system[i, j] * work.after[j]
            work.after[i] = sign(asked) * max(abs(asked) - work.limits[i], 0.0) / work.system[i, i]


@kernel
def follow_plate(state: PlantState, work: Work) -> None:
    """Drums of taut strings have paid out what lies between eye and plate."""
    for i in range(3):
        if not state.slack[i]:
            state.joints[3 + i] = work.lengths[i]


@kernel
def tauten(state: PlantState, work: Work) -> None:
    """Strings that have been wound in are taut, and `caught`."""
    for i in range(3):
        work.caught[i] = False
        if state.slack[i] and state.joints[3 + i] <= work.lengths[i]:
            state.slack[i], work.caught[i] = False, 1.0
            state.joints[3 + i] = work.lengths[i]


@kernel
def rubbed(work: Work, i: int) -> float:
    """Impulse of dry friction along a joint: what the system asks beyond its right side."""
    impulse: float = -work.right[i]
    for j in range(6):
        impulse += work.system[i, j] * work.after[j]
    return impulse


@kernel
def loosen(struts: Struts, physics: Physics, state: PlantState, work: Work, step: float) -> bool:
    """Let go of the drums whose strings would have to push; True if there is one."""
    loose = False
    for i in range(3):
        if not state.slack[i]:
            j = 3 + i
            gained = physics.inertia[j] * (work.after[j] - state.rates[j]) - rubbed(work, j)
            tension = struts.pretension[i] - physics.per_ampere[j] * state.currents[j]
            tension += physics.damping[j] * work.after[j] + gained / step
            if tension < 0.0:
                state.slack[i] = True
                loose = True
    return loose


@kernel
def kick_slack_drums(struts: Struts, physics: Physics, state: PlantState, work: Work, step: float) -> None:
    """New rates of drums whose strings hang through."""
    for i in range(3):
        j = 3 + i
        inertia, before = physics.inertia[j], state.rates[j]
        if state.slack[i]:
            motor = physics.per_ampere[j] * state.currents[j]
            pushed = step * (motor - struts.pretension[i])
            asked = inertia * before + pushed
            left = max(abs(asked) - step * physics.friction[j], 0.0)
            after = sign(asked) * left / (inertia + step * physics.damping[j])
            mean = 0.5 * (before + after)
            state.ledger.motor_work += step * motor * mean
            state.ledger.dissipated -= (inertia * (after - before) - pushed) * mean
            if state.joints[j] - work.lengths[i] > physics.most_slack and after > 0.0:
                state.ledger.dissipated += 0.5 * inertia * after * after
                after = 0.0
            state.rates[j] = after
        elif work.caught[i]:  # drum and plate had rates of their own, and meet without rebound
            jerk = inertia * (work.after[j] - before)
            state.ledger.dissipated += 0.5 * jerk * (work.before[j] - before)
