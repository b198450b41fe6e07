"""`supervise` and `decide`: the first part of a tick, from a sample of the hand to what is asked of the solver."""

from __future__ import annotations

import math

from station.controllers.supervisor.kernels.layout import DEAD_MAN as PRESSED
from station.controllers.supervisor.kernels.layout import (
    DEVICE_READY,
    FIRST_COMMAND,
    HAPTICS,
    LAST_COMMAND,
    NOW,
    PERMITTED,
    RESYNC,
    SAMPLE_AGE,
    SOLVER_LOST,
    STARTER_SILENT,
)
from station.controllers.supervisor.kernels.tick import supervisor_tick
from station.devices.mapping.kernels.layout import CLUTCH as CLUTCH_BUTTON
from station.devices.mapping.kernels.layout import NO_SAMPLE
from station.devices.mapping.kernels.tick import mapping_tick
from station.haptics.kernels.layout import FAULTS
from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.memory import Block
from station.mechanism.kernels.tasks import begin, put_pose
from station.servo.kernels import at
from station.servo.kernels.cache import deciding as kernel
from station.servo.kernels.fields import (
    ARRIVAL,
    AXES,
    BUTTONS,
    CLUTCH,
    CONTINUED,
    DEAD_MAN_BUTTON,
    ENGAGEMENT,
    FRAME,
    HELD_UNTIL,
    LAST_ENGAGEMENT,
    MODE,
    PLACE_FIRST,
    SOLVER_STATUS,
    STARTER_UNTIL,
    TASKS,
)

Address = int
POSITION, RATE, JOINTS = 0, 1, 2  # how the hand moves the target, as `Mode` of shared state
STRAIGHT_AXES, TURNING_AXES = 7, 56  # bits
CLOSURE_LOST = 4  # status of the solver


@kernel
def decide(
    mem: Address,
    robot: Block,
    now: float,
    ready: bool,
    fresh: bool,
    buttons: int,
    device_time: float,
    arrival: float,
    sequence: int,
) -> None:
    """Map, and put what is wanted into the solver's memory; the supervisor has decided before.

    One tick at `now` [s]. `ready`: the device gives samples and takes forces. `fresh` and what follows are of the
    newest sample, whose pose and velocity are in the table.
    """
    memory = at.memory(mem)
    if memory[CLUTCH] == 1.0:
        buttons |= 1 << int(at.mapping_settings(mem)[CLUTCH_BUTTON])
    memory[ENGAGEMENT] = mapping_tick(
        at.mapping_state(mem),
        at.mapping_settings(mem),
        now,
        ready,
        at.supervisor_outputs(mem)[PERMITTED] == 1.0,
        fresh,
        at.sample_pose(mem),
        at.sample_velocity(mem),
        buttons,
        device_time,
        arrival,
        sequence,
        at.frame_pose(mem),
        at.camera(mem),
        at.target(mem),
    )
    joints = int(memory[MODE]) == JOINTS
    memory[TASKS] = _ask_for_joints(mem, robot) if joints else _ask_for_frame(mem, robot, int(memory[FRAME]))


@kernel
def supervise(mem: Address, now: float, ready: bool, fresh: bool, buttons: int, arrival: float) -> bool:
    """Let the supervisor decide, on what the tick before left and what is asked in this one.

    Commands, faults and what the arm is doing are in its inputs. Returns whether the predicted robot has to begin at
    the measured pose before anything else happens.
    """
    memory, inputs = at.memory(mem), at.supervisor_inputs(mem)
    if fresh:
        memory[ARRIVAL], memory[BUTTONS] = arrival, buttons
    button = int(memory[DEAD_MAN_BUTTON])
    held = now < memory[HELD_UNTIL] if button < 0 else (int(memory[BUTTONS]) >> button) & 1 == 1
    # Samples that the mapping does not believe are as good as none: the person must press anew.
    believed = int(memory[LAST_ENGAGEMENT]) != NO_SAMPLE or at.supervisor_outputs(mem)[PERMITTED] == 0.0
    inputs[NOW], inputs[SAMPLE_AGE] = now, now - memory[ARRIVAL]
    inputs[DEVICE_READY] = 1.0 if ready and believed else 0.0
    inputs[HAPTICS] = at.haptics_state(mem)[FAULTS]
    inputs[PRESSED] = 1.0 if held else 0.0
    inputs[STARTER_SILENT] = 0.0 if now < memory[STARTER_UNTIL] else 1.0
    inputs[SOLVER_LOST] = 1.0 if int(memory[SOLVER_STATUS]) == CLOSURE_LOST else 0.0
    supervisor_tick(at.supervisor_state(mem), at.supervisor_settings(mem), inputs, at.supervisor_outputs(mem))
    for command in range(FIRST_COMMAND, LAST_COMMAND + 1):  # each counts for one tick
        inputs[command] = 0.0
    return bool(at.supervisor_outputs(mem)[RESYNC] == 1.0)


@kernel
def _ask_for_joints(mem: Address, robot: Block) -> int:
    """Ask for joint values; returns the number of tasks, which is none: values are wished, loops and limits rule."""
    begin(robot, False)
    wish, weight, targets = robot_at.wish(robot), robot_at.wish_weight(robot), at.joint_targets(mem)
    for j in range(wish.size):
        known = math.isfinite(targets[j])  # no number: the joint goes as the others demand
        wish[j] = targets[j] - robot_at.q(robot)[j] if known else 0.0
        weight[j] = 1.0 if known else 0.0
    at.memory(mem)[CONTINUED] = 0.0
    return 0


@kernel
def _ask_for_frame(mem: Address, robot: Block, frame: int) -> int:
    """Ask for the target; returns the number of tasks."""
    memory, target = at.memory(mem), at.target(mem)
    begin(robot, memory[CONTINUED] == 1.0)
    known = put_pose(robot, 0, frame, 0, target)
    if not known:
        put_pose(robot, 0, frame, 0, at.frame_pose(mem))
    memory[CONTINUED] = 1.0 if known else 0.0
    axes = int(memory[AXES])
    if memory[PLACE_FIRST] == 0.0 or not known:
        robot_at.task_axes(robot)[0] = axes
        return 1
    robot_at.task_axes(robot)[0] = axes & STRAIGHT_AXES
    put_pose(robot, 1, frame, 1, target)
    robot_at.task_axes(robot)[1] = axes & TURNING_AXES
    return 2
