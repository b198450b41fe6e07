"""From samples of the hands to what is asked of the solver: supervisors, mapping, tasks, obstacles."""

from __future__ import annotations

import math

from station.collision.contacts import tell
from station.collision.survey import move_solids
from station.controllers.supervisor import ArmFact, SupervisorState, give_orders, judge
from station.controllers.supervisor.words import Stopped
from station.devices.mapping.mapping import mapping_tick
from station.devices.mapping.state import Mode
from station.kernel import address_of_record, entry, kernel
from station.kernel.so3 import difference, quaternion_of, vector_of
from station.mechanism.memory import MechanismMemory
from station.mechanism.results import Status
from station.mechanism.tasks import begin, braking_speed, put_pose
from station.servo.shared.words import Mode as Led
from station.servo.state import NOTHING_NEAR, Depends, PartMemory, RobotMemory, TickMemory, mechanism_at, part_at

NOT_LED = 1e-6  # weight of driven joints that nobody leads now, beside those that are led


@kernel
def tell_obstacles(led: RobotMemory, step_time: float) -> None:
    """Tell the solver what obstacles bound its next step, and the forces what is near."""
    table, rows = led.surroundings, led.obstacles
    for which in range(led.others.size):
        move_solids(table, mechanism_at(led.others[which]), which)
    count, led.contacts, _nearest, _condition = tell(led.robot, table, step_time)
    led.obstacle_count = min(count, rows.shape[0])
    led.nearest = table.rows[0, 0] if led.obstacle_count > 0 else NOTHING_NEAR
    for row in range(led.obstacle_count):
        for i in range(7):
            rows[row, i] = table.rows[row, i]
        rows[row, 7] = table.solid_body[table.pair_a[table.row_pair[row]]]


@entry
def map_hand(mem: PartMemory) -> None:
    """From the hand to the target of the frame that follows it; the supervisor has decided before."""
    buttons = mem.sample_buttons
    if mem.clutch or mem.begins_anew:
        buttons |= 1 << mem.mapping_settings.clutch
    mem.begins_anew = False
    before = mem.engagement
    mem.engagement = mapping_tick(
        mem.mapping_state,
        mem.mapping_settings,
        mem.now,
        mem.ready,
        mem.decision.permitted,
        mem.fresh,
        mem.sample_pose,
        mem.sample_velocity,
        buttons,
        mem.device_time,
        mem.sample_arrival,
        mem.sequence,
        mem.frame_pose,
        mem.camera,
        mem.target,
    )
    if mem.mode == Led.JOINTS:
        _lead_joints(mem, before == Mode.ENGAGED and mem.engagement == Mode.ENGAGED)


@kernel
def _lead_joints(mem: PartMemory, moves: bool) -> None:
    """What the hand has moved its target by since the last tick moves joints, axis by axis, where `moves` says so."""
    target, last, targets = mem.target, mem.last_target, mem.led.joint_targets
    turned = vector_of(difference(quaternion_of(target), quaternion_of(last)))
    for axis in range(6):
        joint = mem.hand_joints[axis]
        way = target[axis, 3] - last[axis, 3] if axis < 3 else turned[axis - 3]
        if moves and joint >= 0 and math.isfinite(way):
            targets[joint] += mem.hand_gains[axis] * way
    for i in range(4):
        for k in range(4):
            last[i, k] = target[i, k]


@entry
def ask_solver(tick: TickMemory, led: RobotMemory, step_time: float) -> None:
    """Put into the solver's memory what all parts of a robot want of it: poses of their frames, or joint values."""
    robot = led.robot
    begin(robot, led.continued)
    by_joints, known, count = False, True, 0
    for nth in range(led.planned):
        mem = part_at(tick.parts[led.task_part[nth]])
        if not mem.leads:
            continue
        if mem.mode == Led.JOINTS:
            by_joints = True
            continue
        level = led.task_level[nth]
        if not put_pose(robot, count, mem.frame, level, mem.target):
            known = False
            put_pose(robot, count, mem.frame, level, mem.frame_pose)
        if mem.engagement != Mode.ENGAGED or mem.last_engagement != Mode.ENGAGED:
            robot.task_continued[count] = False  # nobody leads: the target is where the robot is, and does not move it
        robot.task_axes[count] = led.task_axes[nth]
        count += 1
    if by_joints:
        _wish_for_joints(led, robot, step_time)
    led.tasks = count
    led.continued = known and not by_joints


@kernel
def _wish_for_joints(led: RobotMemory, robot: MechanismMemory, step_time: float) -> None:
    """Ask for values of driven joints: loops and limits rule.

    Passive joints follow. Driven ones reach what is asked for; where they are more than the loops leave free, those
    that are led do, and the others stay near what was asked of them.
    """
    wish, weight, targets = robot.wish, robot.wish_weight, led.joint_targets
    for j in range(wish.size):
        known = robot.driven[j] and math.isfinite(targets[j])  # no number: the joint goes as the others demand
        way = targets[j] - robot.q[j] if known else 0.0
        # No faster than what can be braked from: a wish alone would run past its end.
        fastest = braking_speed(abs(way), robot.a_max[j], step_time) * step_time
        wish[j] = math.copysign(min(abs(way), fastest), way)
        weight[j] = (1.0 if led.joint_led[j] else NOT_LED) if known else 0.0


@entry
def tell_supervisor(mem: PartMemory) -> None:
    """What the tick before left and what is asked in this one; commands and what the arm is doing are there already."""
    facts, decision, now = mem.facts, mem.decision, mem.now
    if mem.fresh:
        mem.arrival, mem.buttons = mem.sample_arrival, mem.sample_buttons
    button = mem.dead_man_button
    held = now < mem.held_until if button < 0 else (mem.buttons >> button) & 1 == 1
    # Samples that the mapping does not believe are as good as none: the person must press anew.
    believed = mem.last_engagement != Mode.NO_SAMPLE or not decision.permitted
    facts.now, facts.sample_age = now, now - mem.arrival
    facts.device_ready, facts.device_bad = mem.ready and believed, mem.device_bad
    facts.haptics_faults = mem.haptics_state.faults
    facts.dead_man = held
    facts.starter_silent = not now < mem.starter_until
    facts.closure_lost = mem.led.solver_status == Status.CLOSURE_LOST


@kernel
def is_stop_pressed(mem: PartMemory) -> bool:
    """Whether the emergency stop of a device is pressed.

    It is until a sample says that it is up: a slow device, or one that was lost meanwhile, does not let go of it.
    """
    button = mem.stop_button
    return button >= 0 and (mem.sample_buttons >> button) & 1 == 1


@entry
def supervise(tick: TickMemory) -> None:
    """Let the supervisors of all parts decide, each knowing of the others what it depends on.

    An emergency stop is everybody's. Whose arms are tied to each other, or is one arm, follow together.
    """
    count = tick.parts.size
    stop = False
    for nth in range(count):
        mem = part_at(tick.parts[nth])
        tell_supervisor(mem)
        stop = stop or mem.facts.asked_estop or is_stop_pressed(mem)
    for nth in range(count):
        mem = part_at(tick.parts[nth])
        mem.facts.asked_estop = stop
        _look_at_partners(tick, mem)
        judge(mem.supervisor_memory, mem.supervisor_limits, mem.facts, mem.decision)
    for nth in range(count):
        mem = part_at(tick.parts[nth])
        if count > 1:
            _look_at_leaders(tick, mem)
        give_orders(mem.supervisor_memory, mem.supervisor_limits, mem.facts, mem.decision)
        mem.resync = mem.decision.resync and mem.owns_arm


@kernel
def _look_at_partners(tick: TickMemory, mem: PartMemory) -> None:
    """Whether arms that a part is tied to follow, and whether something that it depends on is lost."""
    facts = mem.facts
    facts.partner_lost, facts.partners_follow = False, True
    stopped = False
    for nth in range(tick.parts.size):
        if nth == mem.number:
            continue
        other = part_at(tick.parts[nth])
        if is_same(mem, other) and other.owns_arm:
            facts.partners_follow = facts.partners_follow and other.facts.arm_fact == ArmFact.ACTIVE
            stopped = stopped or other.facts.stopped_for != Stopped.FINE
        depends = tick.depends[mem.number, nth]
        if depends & Depends.ARM != 0:
            arm = other.facts.arm_fact
            troubled = arm == ArmFact.STOPPED or arm == ArmFact.FAULT or arm == ArmFact.LOST
            facts.partner_lost = facts.partner_lost or troubled
        if depends & Depends.HAND != 0 and other.leads:
            facts.partner_lost = facts.partner_lost or not other.facts.device_ready
    if mem.supervisor_memory.state == SupervisorState.ENGAGED and (stopped or not facts.partners_follow):
        facts.partner_lost = True  # one that is tied has stopped by itself, or is stopped: going on would pull at it


@kernel
def _look_at_leaders(tick: TickMemory, mem: PartMemory) -> None:
    """Whether other hands lead the same robot, or wish to."""
    facts = mem.facts
    facts.led_by_others, facts.wanted_by_others = False, False
    for nth in range(tick.parts.size):
        other = part_at(tick.parts[nth])
        if nth != mem.number and is_same(mem, other):
            leads = other.supervisor_memory.state == SupervisorState.ENGAGED
            facts.led_by_others = facts.led_by_others or leads
            facts.wanted_by_others = facts.wanted_by_others or leads or other.supervisor_memory.requested


@kernel
def is_same(one: PartMemory, other: PartMemory) -> bool:
    """Whether two parts lead the same robot, or robots that are tied."""
    return bool(address_of_record(one.led) == address_of_record(other.led))
