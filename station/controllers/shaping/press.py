"""How hard the tool presses on what it has met, and what that leaves of the speed: going back is always free.

A hard contact is remembered for a moment, as the tool bounces: without that it would come down again at full speed, on
a setpoint that has hurried after the predicted robot meanwhile, and hit harder than the first time.
"""

from __future__ import annotations

import math

from station.controllers.shaping.state import Acting, ShapingInputs, ShapingState
from station.kernel import Floats1, Floats2, entry, kernel

FREE = 0.3  # of the most it may press: nothing happens up to here
FULL = 0.8  # and from here on setpoints stand, with room for what is under way
YIELD = 0.01  # of the speed limit, at which a joint that presses too hard goes back to where it is measured
BACK = 0.002  # way out of a contact from which the tool is free [m]; less, and it would be held and let go by turns
MEMORY = 0.5  # time constant with which a contact is forgotten [s]


@kernel
def remember(met: Floats1, force: Floats1, dt: float) -> None:
    """Keep the hardest contact of late in `met` (3) [N]; `force` is that on the tool, of this moment [N]."""
    now = before = 0.0
    fading = math.exp(-dt / MEMORY)
    for i in range(3):
        met[i] *= fading
        now += force[i] * force[i]
        before += met[i] * met[i]
    if not now <= before:
        for i in range(3):
            met[i] = force[i]


@entry
def pressing(met: Floats1, force: Floats1, dt: float, wanted: Floats2, there: Floats2, most: float) -> float:
    """`remember`, then `pressed`; 2 if it presses harder than it may at this moment, so that it has to yield."""
    remember(met, force, dt)
    share = pressed(met, wanted, there, most)
    square = 0.0
    for i in range(3):
        square += force[i] * force[i]
    return 2.0 if share >= 1.0 and square > most * most else share


@kernel
def pressed(met: Floats1, wanted: Floats2, there: Floats2, most: float) -> float:
    """How hard the tool presses towards where it is wanted: 0 little enough, 1 as hard as it may.

    Args:
        met: force of the hardest contact of late on the tool [N].
        wanted: pose of the predicted tool, 4×4 [m].
        there: pose of the measured one, 4×4 [m].
        most: that it may press [N].
    """
    square = further = 0.0
    for i in range(3):
        square += met[i] * met[i]
        further += met[i] * (there[i, 3] - wanted[i, 3])
    size = math.sqrt(square)
    share = (size / most - FREE) / (FULL - FREE)
    if share <= 0.0:
        return 0.0
    share = min(share, 1.0) * min(max(1.0 + further / (size * BACK), 0.0), 1.0)
    return share if share == share else 1.0  # what is no number is on the safe side


@kernel
def hold_back(state: ShapingState, inputs: ShapingInputs) -> None:
    """Slow the arm as far as it presses; what is no number counts as hard."""
    left = 1.0 - inputs.pressed
    if not left <= 1.0:
        left = 0.0 if left != left else 1.0
    if left <= 0.0:
        state.acting |= Acting.PRESSING
    state.slow = min(state.slow, max(left, 0.0) ** 2)  # the harder it presses, the more gently it goes on
