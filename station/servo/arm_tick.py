"""The arm in a tick: what it has said, put where everybody looks for it, and the setpoint that it is sent.

`hear_arm` and `send_setpoint` talk to an arm whose driver has kernels (`Controller.native`). With any other one, and
whenever something is not usual, `ArmSide` does, and calls the same parts with Python's in between.
"""

from __future__ import annotations

import math

from station.bilateral import BilateralStatus
from station.controllers.native import RECEIVE, TRANSMIT, Received, Transmitted
from station.controllers.plausibility.motions import judge_motion
from station.controllers.plausibility.readings import judge_reading
from station.controllers.plausibility.state import Doubt
from station.controllers.shaping import Acting, Stopped, shaping_tick
from station.controllers.shaping.press import pressing
from station.controllers.shaping.shaper import write
from station.controllers.tare import LARGEST
from station.controllers.wrench import correct_wrench
from station.kernel import Floats1, Floats2, entry, kernel
from station.mechanism.closures import follow_driven
from station.mechanism.memory import MechanismMemory
from station.mechanism.tree import forward, frame_pose
from station.servo.pacing.clock import now as time_now
from station.servo.reflection import held_back, put_words, reflect, take_contact
from station.servo.shared.words import ControllerCode
from station.servo.state import NEVER, ArmMemory, Carried, PartMemory

LOOPS_EVERY = 10  # ticks between two looks where the passive joints of a measured robot with loops are
NANO = 1e-9  # [s/ns]


# What it has said ----------------------------------------------------------------------------------------------------


@kernel
def hear_arm(mem: PartMemory) -> bool:
    """Take the newest sample, and tell the supervisor how the arm is doing; False: Python has to do it."""
    arm = mem.arm
    if arm.receive == 0 or (arm.in_loops and mem.pace.tick % LOOPS_EVERY == 0):
        return False
    answer = RECEIVE(arm.receive, arm.driver, arm.sample, time_now(mem.pace) * NANO)
    if answer == Received.LOOK:
        return False
    arm.fresh = answer == Received.FRESH
    if arm.fresh and take_sample(mem):
        place_arm(mem)
        feel_arm(mem)
    judge_arm(mem)
    return True


@entry
def take_sample(mem: PartMemory) -> bool:
    """Whether the newest sample is taken: its joints are numbers, and can be where they are said to be."""
    arm = mem.arm
    sample, reading = arm.sample, arm.reading
    fine = True
    for i in range(arm.q.size):
        fine = fine and math.isfinite(sample.q[i])
        reading.q[i] = sample.q[i]
        reading.v[i] = sample.v[i] if sample.has_velocity else math.nan
        reading.effort[i] = sample.effort[i] if sample.has_effort else math.nan
    if not fine:
        return False
    body = arm.measured.frame_body[arm.frame]
    if not judge_reading(
        arm.doubts,
        arm.bounds,
        reading,
        sample.controller_time,
        sample.arrival,
        arm.measured,
        body,
        mem.measured_wrench,
        arm.has_wrench,
        arm.pose,
    ):
        return False
    arm.known, arm.arrival = True, sample.arrival
    for i in range(arm.q.size):
        arm.q[i] = reading.q[i]
    return True


@entry
def place_arm(mem: PartMemory) -> None:
    """The measured robot: joints, bodies, the frame that follows the hand; and the force on its tool as it is told."""
    arm = mem.arm
    robot, reading, inputs = arm.measured, arm.reading, arm.shaping_inputs
    for i in range(reading.q.size):  # for the tolerance tube: what the arm holds back on purpose is left out
        inputs.measured[i], inputs.measured_v[i] = reading.q[i] - held_back(arm, i), reading.v[i]
    if not arm.in_loops:
        for i in range(arm.driven.size):
            robot.q[arm.driven[i]] = reading.q[i]
    if arm.is_carried:
        stand_on(arm.carried, robot)
    if arm.is_carried or not arm.in_loops:
        forward(robot, robot.q, robot.rotation, robot.position)
    frame_pose(robot, arm.frame, robot.rotation, robot.position, arm.pose)
    _show_place(mem, arm)
    if arm.sample.has_wrench:
        _correct(arm)


@kernel
def stand_on(carried: Carried, robot: MechanismMemory) -> None:
    """Put the base of a robot onto what carries it, where that is now; bodies are moved by the next `forward`."""
    carrier, base = carried.carrier, carried.base
    frame_pose(carrier, carried.frame, carrier.rotation, carrier.position, carried.under)
    _compose(carried.under, carried.mount, base)
    for nth in range(carried.joints.size):
        _compose(base, carried.before[nth], robot.before[carried.joints[nth]])
    for nth in range(carried.frames.size):
        _compose(base, carried.offset[nth], robot.frame_offset[carried.frames[nth]])


@kernel
def _compose(a: Floats2, b: Floats2, out: Floats2) -> None:
    """The pose a·b, of upper three rows."""
    for i in range(3):
        for k in range(4):
            out[i, k] = a[i, 0] * b[0, k] + a[i, 1] * b[1, k] + a[i, 2] * b[2, k]
        out[i, 3] += a[i, 3]


@kernel
def _show_place(mem: PartMemory, arm: ArmMemory) -> None:
    robot, reading, shared = arm.measured, arm.reading, mem.shared
    for i in range(robot.q.size):
        shared.measured_q[i] = robot.q[i]
    for i in range(arm.driven.size):
        if math.isfinite(reading.v[i]):
            shared.measured_v[arm.driven[i]] = reading.v[i]
    for i in range(4):
        for k in range(4):
            shared.measured_pose[i, k] = arm.pose[i, k]


@kernel
def _correct(arm: ArmMemory) -> None:
    """What the sensor tells, as it was calibrated; see `WrenchCorrection`."""
    told, wrench = arm.sample.wrench, arm.wrench
    for i in range(6):
        wrench[i] = told[i]
    if not arm.is_calibrated:
        return
    robot, pose = arm.measured, arm.pose
    if arm.tool >= 0:
        pose = arm.tool_pose
        frame_pose(robot, arm.tool, robot.rotation, robot.position, pose)
    correct_wrench(arm.gain, arm.weight, arm.offset, pose, told, wrench)


@entry
def feel_arm(mem: PartMemory) -> None:
    """The force on the tool, and what of it the hand is to feel; one that is not measured now is none."""
    arm = mem.arm
    if arm.sample.has_wrench:
        arm.has_wrench = turn_wrench(arm.wrench, arm.pose, arm.bias, mem.measured_wrench, mem.shared.measured_wrench)
    else:
        forget_wrench(mem)
    take_contact(mem)


@entry
def forget_wrench(mem: PartMemory) -> None:
    """What was measured before is over."""
    mem.arm.has_wrench = False
    for i in range(6):
        mem.measured_wrench[i], mem.shared.measured_wrench[i] = 0.0, math.nan


@kernel
def turn_wrench(wrench: Floats1, pose: Floats2, bias: Floats1, felt: Floats1, shown: Floats1) -> bool:
    """What the tool measures, without its bias and in axes of the world.

    Returns False for what no sensor can tell: then nothing is felt, and no number is shown.
    """
    sound = True
    for i in range(6):
        sound = sound and abs(wrench[i]) <= LARGEST  # false for NaN
    for i in range(3):
        felt[i] = felt[3 + i] = 0.0
        for k in range(3):
            if sound:
                felt[i] += pose[i, k] * (wrench[k] - bias[k])
                felt[3 + i] += pose[i, k] * (wrench[3 + k] - bias[3 + k])
    for i in range(6):
        shown[i] = felt[i] if sound else math.nan
    return sound


@entry
def judge_arm(mem: PartMemory) -> None:
    """How the arm is doing: for the supervisor, for shaping, for the hand and for all who look."""
    arm, shaped, found, now = mem.arm, mem.arm.shaping_state, mem.arm.doubts.found, mem.now
    if arm.code == ControllerCode.LOST:
        forget_wrench(mem)
    age = now - arm.arrival if arm.known else NEVER
    facts = mem.facts
    facts.arm_fact, facts.arm_partly, facts.measured_age = arm.fact, arm.partly, age
    facts.stopped_for, facts.at_rest = shaped.stopped, shaped.at_rest
    facts.follows = shaped.following or not shaped.running
    if found.stop:  # brakes in this tick; the supervisor hears of it in the next
        found.stop = False
        shaped.stopped = Stopped.TUBE
        # A joint whose encoder stands is driven on and on.
        arm.runs_away = found.doubt == Doubt.STRAINS or found.doubt == Doubt.FROZEN
    arm.shaping_inputs.measured_age, arm.shaping_inputs.delay = age, arm.delay
    reflect(mem, age)
    shared = mem.shared
    shared.controller_status = arm.code
    shared.measured_age = age + arm.way if age < NEVER else NEVER
    shared.commanded_age = now - arm.sent_at
    if arm.has_wrench and not arm.tared:
        shared.reflection_status |= BilateralStatus.UNTARED
    if shaped.acting & Acting.PRESSING:  # in the tick before
        shared.reflection_status |= BilateralStatus.PRESSING


@kernel
def hear_of_arm(mem: PartMemory) -> None:
    """The same for a part whose arm another part hears: it leads another frame of the same robot."""
    arm, shaped, facts, shared = mem.arm, mem.arm.shaping_state, mem.facts, mem.shared
    age = mem.now - arm.arrival if arm.known else NEVER
    facts.arm_fact, facts.arm_partly, facts.measured_age = arm.fact, arm.partly, age
    facts.stopped_for, facts.at_rest = shaped.stopped, shaped.at_rest
    facts.follows = shaped.following or not shaped.running
    shared.controller_status = arm.code
    shared.measured_age = age + arm.way if age < NEVER else NEVER
    shared.commanded_age = mem.now - arm.sent_at
    if not (arm.fresh and arm.known):
        return
    robot = arm.measured
    for i in range(robot.q.size):
        shared.measured_q[i] = robot.q[i]
    for i in range(arm.driven.size):
        shared.commanded_q[arm.driven[i]] = arm.setpoint.q[i]
        if math.isfinite(arm.reading.v[i]):
            shared.measured_v[arm.driven[i]] = arm.reading.v[i]
    frame_pose(robot, mem.measured_frame, robot.rotation, robot.position, shared.measured_pose)


# What it is sent -----------------------------------------------------------------------------------------------------


@entry
def tell_shaping(mem: PartMemory, target_time: float) -> None:
    """What the next setpoint is made from. `target_time`: of the hand behind it [s]."""
    arm, robot, inputs = mem.arm, mem.robot, mem.arm.shaping_inputs
    for i in range(arm.driven.size):
        inputs.target[i], inputs.target_v[i] = robot.q[arm.led[i]], robot.v[arm.led[i]]
    inputs.now, inputs.wanted, inputs.target_time = mem.now, mem.decision.shape, target_time
    inputs.pressed = pressing(arm.met, mem.measured_wrench, mem.period, mem.frame_pose, arm.pose, arm.press)


@entry
def make_setpoint(mem: PartMemory) -> bool:
    """The next setpoint, into `setpoint`; whether it is to be sent. That of a tied arm is shaped already."""
    arm, decision = mem.arm, mem.decision
    state, inputs, setpoint = arm.shaping_state, arm.shaping_inputs, arm.setpoint
    if arm.tied:
        write(state, arm.shaped)
    else:
        shaping_tick(state, arm.shaping_limits, inputs, arm.shaped)
    if not state.running:
        return False
    judge_motion(arm.doubts, arm.bounds, state, arm.shaping_limits, inputs, mem.measured_wrench, arm.has_wrench)
    arm.unsent += 1
    if not decision.send or arm.unsent < arm.send_every:
        return False
    arm.unsent = 0
    setpoint.sequence += 1
    for i in range(arm.driven.size):
        setpoint.q[i], setpoint.v[i] = arm.shaped[0, i], arm.shaped[1, i]
    setpoint.has_words = arm.two_port
    if arm.two_port:
        put_words(arm)
    return True


@kernel
def send_setpoint(mem: PartMemory) -> bool:
    """Send it by the driver's kernel; False: Python has to do it."""
    arm = mem.arm
    if arm.transmit == 0:
        return False
    if TRANSMIT(arm.transmit, arm.driver, arm.setpoint, time_now(mem.pace) * NANO) == Transmitted.SENT:
        setpoint_sent(mem)
    return True


@entry
def setpoint_sent(mem: PartMemory) -> None:
    """It went out: where it puts the robot, passive joints as the predicted robot's loops have them."""
    arm, shared, robot = mem.arm, mem.shared, mem.arm.commanded
    arm.sent_at = mem.now
    for j in range(robot.q.size):
        robot.q[j] = mem.robot.q[mem.first_joint + j]
    for i in range(arm.driven.size):
        robot.q[arm.driven[i]] = arm.setpoint.q[i]
    if arm.in_loops and robot.q.size == mem.robot.q.size:  # with robots tied to it, its loops are those of the whole
        follow_driven(robot, mem.robot, arm.driven)
    if arm.is_carried:
        stand_on(arm.carried_on, robot)
    forward(robot, robot.q, robot.rotation, robot.position)
    frame_pose(robot, arm.frame, robot.rotation, robot.position, shared.commanded_pose)
    shared.commanded_pose[3, 3] = 1.0
    for j in range(robot.q.size):
        shared.commanded_q[j] = robot.q[j]
