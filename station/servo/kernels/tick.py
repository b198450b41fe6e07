"""`run_tick`: a whole tick in compiled code, interrupted only where Python has a part in it.

It returns what is needed next, one of the numbers below; the servo sees to that and calls it again from there. In the
usual tick, with a device that compiled code can talk to and no arm or obstacle, nothing is needed until it is DONE.
"""

from __future__ import annotations

import numpy as np
from numba import carray
from numpy.typing import NDArray

from station.calling import by_address
from station.controllers.supervisor.kernels import layout as supervisor
from station.devices import swift
from station.devices.age import STATE as DELAY_SIZE
from station.devices.age import delay_of
from station.servo.kernels import at, wiring
from station.servo.kernels.cache import ticking as kernel
from station.servo.kernels.fields import (
    CONDITION,
    FIRST_RANK,
    GAVE_WAY,
    MEASURED_AGE,
    POSITION_ERROR,
    ROTATION_ERROR,
    SOLVER_STATUS,
    TASKS,
)
from station.servo.kernels.wiring import (
    call_decide,
    call_feel,
    call_show,
    call_step,
    call_supervise,
    call_waiting,
)
from station.servo.pacing.kernels.block import TICK, _pointer, words
from station.servo.pacing.kernels.clock import now as time_now
from station.servo.pacing.kernels.pace import mark, wait
from station.servo.pacing.kernels.statistics import finish
from station.servo.pacing.stages import Stage

Address = int
Words = NDArray[np.int64]
Numbers = NDArray[np.float64]

# What is needed next, in the order of a tick.
BEGIN = 0
WAIT = 1  # for the moment of the tick, on a clock of Python's or while other threads of Python run
DEVICE = 2  # its newest sample
COMMANDS = 3  # somebody has sent some
ARM = 4  # its newest measurement
OBEY = 5  # the supervisor's orders to the arm
OBSTACLES = 6  # what bounds the next step
REFINE = 7  # the same after the step
FORCE = 8  # let it through from now on, or not any more
PUSH = 9  # the wrench to the device
SETPOINT = 10  # to the arm
RARELY = 11  # what changes rarely
DONE = 12

SLOWLY = 64  # ticks between two looks at what changes rarely
NANO = 1e-9  # [s/ns]
_DEVICE, _SOLVE, _HAPTICS = int(Stage.DEVICE), int(Stage.SOLVE), int(Stage.HAPTICS)
_SEND, _PUBLISH = int(Stage.SEND), int(Stage.PUBLISH)
_ENGAGED = float(supervisor.ENGAGED)

_receive, _transmit = by_address(swift.RECEIVE), by_address(swift.TRANSMIT)


@kernel
def run_tick(wires: Address, after: int) -> int:
    """Go on with the tick after what was needed last, BEGIN at first; returns what is needed next, at the end DONE."""
    to = carray(_pointer(wires), (wiring.WORDS,), np.int64)
    now = carray(_pointer(to[wiring.NUMBERS]), (wiring.NUMBERS_SIZE,), np.float64)
    need = DONE
    if after < DEVICE:
        need = _sense(to, now, after)
    if need == DONE and after < OBEY:
        need = _supervise(to, now, after)
    if need == DONE and after < FORCE:
        need = _move(to, now, after)
    if need == DONE and after < RARELY:
        need = _send(to, now, after)
    if need == DONE:
        _publish(to, now)
    return need


@kernel
def _sense(to: Words, tick: Numbers, after: int) -> int:
    """Wait, and take the newest sample."""
    if after < WAIT:
        if to[wiring.WAITS_IN_PYTHON] != 0:
            return WAIT
        wait(to[wiring.PACE])
    if to[wiring.SWIFT_RECEIVE] == 0:
        return DEVICE
    said = carray(_pointer(to[wiring.SWIFT_NUMBERS]), (swift.SIZE,), np.float64)
    if said[swift.AS_USUAL] != 1.0:
        return DEVICE
    moment = time_now(to[wiring.PACE]) * NANO
    answer = _receive(to[wiring.SWIFT_RECEIVE], (to[wiring.SWIFT_MEMORY], moment))
    if answer == swift.LOOK:
        return DEVICE
    tick[wiring.FRESH] = 1.0 if answer == swift.FRESH else 0.0
    if answer == swift.FRESH:
        pose, velocity = at.sample_pose(to[wiring.MEMORY]), at.sample_velocity(to[wiring.MEMORY])
        for i in range(4):
            for j in range(4):
                pose[i, j] = said[swift.POSE + 4 * i + j]
        for i in range(6):
            velocity[i] = said[swift.VELOCITY + i]
        tick[wiring.BUTTONS], tick[wiring.GRIP] = said[swift.BUTTONS], said[swift.GRIP]
        tick[wiring.DEVICE_TIME], tick[wiring.SEQUENCE] = said[swift.DEVICE_TIME], said[swift.SEQUENCE]
        tick[wiring.ARRIVAL] = moment
    tick[wiring.DEVICE_READY], tick[wiring.DEVICE_BAD] = 1.0, 0.0
    tick[wiring.FORCE_ENABLED] = said[swift.FORCE]
    return DONE


@kernel
def _supervise(to: Words, tick: Numbers, after: int) -> int:
    """What was asked, how the arm is doing, and what follows from both."""
    if after < COMMANDS:
        # A device that lets go of the force, as by its watchdog, is as good as lost: a person has to press anew.
        taken = tick[wiring.WAS_ENGAGED] == 1.0 and tick[wiring.PUSHES] == 1.0 and tick[wiring.FORCE_ENABLED] != 1.0
        tick[wiring.READY] = 1.0 if tick[wiring.DEVICE_READY] == 1.0 and not taken else 0.0
        tick[wiring.NOW] = mark(to[wiring.PACE], _DEVICE) * NANO
        if call_waiting(to[wiring.P_WAITING], (to[wiring.INTAKE],)):
            return COMMANDS
    if after < ARM and to[wiring.HAS_ARM] != 0:
        return ARM
    moment, mem = tick[wiring.NOW], to[wiring.MEMORY]
    elapsed = max(moment - tick[wiring.LAST], 0.5 * tick[wiring.PERIOD])
    tick[wiring.STEP_TIME], tick[wiring.LAST] = min(elapsed, tick[wiring.LONGEST_STEP]), moment
    inputs, button = at.supervisor_inputs(mem), int(tick[wiring.STOP_BUTTON])
    inputs[supervisor.DEVICE_BAD] = tick[wiring.DEVICE_BAD]
    # Pressed until a sample says that it is up: a slow device, or one that was lost meanwhile, does not let go of it.
    if button >= 0 and (int(tick[wiring.BUTTONS]) >> button) & 1 == 1:
        inputs[supervisor.ASKED_ESTOP] = 1.0
    resync = call_supervise(
        to[wiring.P_SUPERVISE],
        (
            mem,
            moment,
            tick[wiring.READY] == 1.0,
            tick[wiring.FRESH] == 1.0,
            int(tick[wiring.BUTTONS]),
            tick[wiring.ARRIVAL],
        ),
    )
    tick[wiring.RESYNC] = 1.0 if resync else 0.0
    return OBEY if to[wiring.HAS_ARM] != 0 and (resync or _has_orders(at.supervisor_outputs(mem))) else DONE


@kernel
def _has_orders(outputs: Numbers) -> bool:
    """Whether the supervisor wants something of the arm besides setpoints."""
    return bool(
        outputs[supervisor.STOP] == 1.0
        or outputs[supervisor.ACTIVATE] == 1.0
        or outputs[supervisor.DEACTIVATE] == 1.0
        or outputs[supervisor.RESET_ARM] == 1.0
        or outputs[supervisor.RELEASE_TORQUE] == 1.0
    )


@kernel
def _move(to: Words, tick: Numbers, after: int) -> int:
    """The hand mapped, the predicted robot moved, and what the hand is to feel."""
    mem, robot, ready, fresh = to[wiring.MEMORY], to[wiring.ROBOT], tick[wiring.READY] == 1.0, tick[wiring.FRESH] == 1.0
    moment, elapsed, device_time = tick[wiring.NOW], tick[wiring.STEP_TIME], tick[wiring.DEVICE_TIME]
    memory = at.memory(mem)
    if after < OBSTACLES:
        call_decide(
            to[wiring.P_DECIDE],
            (
                mem,
                robot,
                moment,
                ready,
                fresh,
                int(tick[wiring.BUTTONS]),
                device_time,
                tick[wiring.ARRIVAL],
                int(tick[wiring.SEQUENCE]),
            ),
        )
        if to[wiring.HAS_OBSTACLES] != 0:
            return OBSTACLES
    if after < REFINE:
        status, position_error, rotation_error, condition, gave_way = call_step(
            to[wiring.P_STEP],
            (robot, int(memory[TASKS]), int(memory[FIRST_RANK]), int(tick[wiring.CONTACTS]), elapsed),
        )
        memory[SOLVER_STATUS], memory[CONDITION] = status, condition
        memory[POSITION_ERROR], memory[ROTATION_ERROR] = position_error, rotation_error
        memory[GAVE_WAY] = 1.0 if gave_way else 0.0
        if to[wiring.HAS_OBSTACLES] != 0:
            return REFINE
    mark(to[wiring.PACE], _SOLVE)
    call_feel(to[wiring.P_FEEL], (mem, robot, moment, elapsed, ready, fresh, device_time, memory[MEASURED_AGE]))
    mark(to[wiring.PACE], _HAPTICS)
    orders = at.supervisor_outputs(mem)
    engaged = orders[supervisor.OUT_STATE] == _ENGAGED
    begins_or_ends = engaged != (tick[wiring.WAS_ENGAGED] == 1.0)
    too_much = orders[supervisor.FORCE] != 1.0 and tick[wiring.FORCE_ENABLED] == 1.0
    return FORCE if begins_or_ends or too_much else DONE


@kernel
def _send(to: Words, tick: Numbers, after: int) -> int:
    """The wrench to the hand, the setpoint to the arm."""
    if after < PUSH:
        if to[wiring.SWIFT_TRANSMIT] == 0:
            return PUSH
        said = carray(_pointer(to[wiring.SWIFT_NUMBERS]), (swift.SIZE,), np.float64)
        said[swift.STANDS] = 0.0 if tick[wiring.WAS_ENGAGED] == 1.0 else 1.0
        if said[swift.AS_USUAL] != 1.0:
            return PUSH
        wrench = at.wrench(to[wiring.MEMORY])
        for i in range(6):
            said[swift.WRENCH + i] = wrench[i]
        moment = time_now(to[wiring.PACE]) * NANO
        if _transmit(to[wiring.SWIFT_TRANSMIT], (to[wiring.SWIFT_MEMORY], moment)) != swift.SENT:
            return PUSH
        tick[wiring.FORCE_ENABLED] = said[swift.FORCE]
    if after < SETPOINT:
        tick[wiring.SENT] = mark(to[wiring.PACE], _SEND)  # the force is out; the setpoint counts for this stage, too
        if to[wiring.HAS_ARM] != 0:
            return SETPOINT
    if to[wiring.HAS_ARM] != 0:
        mark(to[wiring.PACE], _SEND)
    rare = words(to[wiring.PACE])[TICK] % SLOWLY == 0 or tick[wiring.DEVICE_CHANGED] == 1.0
    return RARELY if rare else DONE


@kernel
def _publish(to: Words, tick: Numbers) -> None:
    """Everything into shared state, and the tick counted."""
    pace, mem, fresh = to[wiring.PACE], to[wiring.MEMORY], tick[wiring.FRESH] == 1.0
    call_show(
        to[wiring.P_SHOW],
        (
            mem,
            to[wiring.ROBOT],
            to[wiring.SHARED],
            to[wiring.LINK],
            pace,
            int(words(pace)[TICK]),
            tick[wiring.NOW],
            tick[wiring.NOW] + tick[wiring.DAY],
            int(tick[wiring.DEVICE_CODE]),
            tick[wiring.FORCE_ENABLED] == 1.0,
            fresh,
            tick[wiring.GRIP],
            int(tick[wiring.SEQUENCE]),
        ),
    )
    mark(pace, _PUBLISH)
    latency = -1
    if fresh:
        state = carray(_pointer(to[wiring.DELAY]), (DELAY_SIZE,), np.float64)
        arrival = tick[wiring.ARRIVAL]
        held_up = delay_of(state, tick[wiring.DEVICE_TIME], arrival)
        latency = int(np.rint((held_up - arrival) / NANO + tick[wiring.SENT]))
    late = finish(pace, latency)
    at.supervisor_inputs(mem)[supervisor.LATE] = 1.0 if late else 0.0
