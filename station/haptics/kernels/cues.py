"""The haptic grammar: short, bounded, distinct cues.

    force = A·(pulse by pulse) sin(2π·f·t)      along one axis of the device

Every pulse has whole periods, so its impulse is zero: a hand that moves steadily gets no work from it, and the most
that any motion with speed up to v can get in a pulse is A·v·length·2/π. Cues pass through the ledger like all others.
"""

from __future__ import annotations

import math

from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import (
    ACTUATED,
    COUNTED,
    CUE,
    CUE_AXIS,
    CUE_COUNT,
    CUE_FORCE,
    CUES,
    PARTS,
    PLAYED,
    PLAYING,
    Floats,
)

NO_CUE, CLUTCH_CUE, LIMIT_CUE, STALE_CUE, MODE_CUE, FAULT_CUE = range(6)
LAST_CUE = FAULT_CUE


@kernel
def pattern(cue: int) -> tuple[float, float, float, float]:
    """Frequency [Hz], length of a pulse [s], pause after it [s], number of pulses; strength is the same for all."""
    if cue == CLUTCH_CUE:
        return 100.0, 0.020, 0.0, 1.0  # one click
    if cue == LIMIT_CUE:
        return 200.0, 0.060, 0.0, 1.0  # a short buzz
    if cue == STALE_CUE:
        return 40.0, 0.150, 0.0, 1.0  # a slow flutter
    if cue == MODE_CUE:
        return 100.0, 0.020, 0.080, 2.0  # two clicks
    if cue == FAULT_CUE:
        return 125.0, 0.040, 0.040, 3.0  # three buzzes
    return 1.0, 0.0, 0.0, 0.0


@kernel
def cue_wave(cue: int, time: float) -> float:
    """The cue some time [s] after its start, from -1 to 1; 0 before and afterwards."""
    frequency, pulse, pause, pulses = pattern(cue)
    if not (0.0 <= time < pulses * (pulse + pause)):
        return 0.0
    inside = time % (pulse + pause)
    return math.sin(2.0 * math.pi * frequency * inside) if inside < pulse else 0.0


@kernel
def cue_length(cue: int) -> float:
    """How long a cue takes [s], without the last pause."""
    _, pulse, pause, pulses = pattern(cue)
    return pulses * (pulse + pause) - pause if pulses > 0.0 else 0.0


@kernel
def add_cue(state: Floats, settings: Floats, inputs: Floats, gain: float, dt: float) -> None:
    """Start what is asked for, and go on with what is playing; a new cue replaces an old one."""
    if inputs[CUE_COUNT] != state[COUNTED]:
        state[COUNTED], state[PLAYING], state[PLAYED] = inputs[CUE_COUNT], inputs[CUE], 0.0
    cue = int(state[PLAYING])
    if cue == NO_CUE:
        return
    axis = int(settings[CUE_AXIS])
    wave = cue_wave(cue, state[PLAYED])
    state[PARTS + 6 * CUES + axis] += gain * settings[CUE_FORCE] * wave * settings[ACTUATED + axis]
    state[PLAYED] += dt
    if state[PLAYED] >= cue_length(cue):
        state[PLAYING] = 0.0
