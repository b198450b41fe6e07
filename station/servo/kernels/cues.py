"""Which cue to play: the clutch, a limit reached, a stale link, a change of mode, and what somebody else asks for."""

from __future__ import annotations

from station.controllers.supervisor.kernels.layout import CHANGED, FAULT, OUT_STATE
from station.devices.mapping.kernels.layout import CLUTCHED, ENGAGED
from station.haptics.kernels.cues import CLUTCH_CUE, FAULT_CUE, LIMIT_CUE, MODE_CUE, NO_CUE, STALE_CUE
from station.haptics.kernels.layout import CUE, CUE_COUNT
from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.memory import Block
from station.servo.kernels import at
from station.servo.kernels.at_stop import at_stop
from station.servo.kernels.cache import feeling as kernel
from station.servo.kernels.fields import (
    CUE_PAUSE,
    CUE_WANTED,
    LAST_ENGAGEMENT,
    LAST_LIMITED,
    LAST_LINK,
    LAST_MODE,
    MODE,
)

Address = int
PAUSE = 0.5  # between two cues of a limit: one that comes and goes must not rattle [s]


@kernel
def choose_cue(mem: Address, robot: Block, engagement: int, link: bool, dt: float) -> None:
    """Start a cue in this tick if something worth telling has happened."""
    memory, inputs = at.memory(mem), at.haptics_inputs(mem)
    limited = 0.0
    for j in range(robot_at.q(robot).size):
        if abs(at_stop(robot, j)) == 1:
            limited = 1.0
    before, orders = int(memory[LAST_ENGAGEMENT]), at.supervisor_outputs(mem)
    cue = NO_CUE
    if memory[CUE_WANTED] != 0.0:
        cue = int(memory[CUE_WANTED])
    elif orders[CHANGED] == 1.0 and orders[OUT_STATE] == FAULT:
        cue = FAULT_CUE
    elif memory[LAST_LINK] == 1.0 and not link:
        cue = STALE_CUE
    elif memory[LAST_MODE] != memory[MODE]:
        cue = MODE_CUE
    elif (engagement == CLUTCHED and before == ENGAGED) or (engagement == ENGAGED and before == CLUTCHED):
        cue = CLUTCH_CUE
    elif limited == 1.0 and memory[LAST_LIMITED] == 0.0 and memory[CUE_PAUSE] <= 0.0 and engagement == ENGAGED:
        cue, memory[CUE_PAUSE] = LIMIT_CUE, PAUSE
    if cue != NO_CUE:
        inputs[CUE] = cue
        inputs[CUE_COUNT] += 1.0
    memory[CUE_WANTED] = 0.0
    memory[CUE_PAUSE] = max(0.0, memory[CUE_PAUSE] - dt)
    memory[LAST_ENGAGEMENT], memory[LAST_LIMITED] = engagement, limited
    memory[LAST_LINK], memory[LAST_MODE] = 1.0 if link else 0.0, memory[MODE]
