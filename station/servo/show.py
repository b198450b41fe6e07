"""Everything into shared state, once per tick."""

from __future__ import annotations

from station.devices.mapping.state import Mode
from station.haptics.state import CAUSES, EFFECTS
from station.haptics.state import Acting as Holding
from station.kernel import entry, kernel
from station.mechanism.memory import MechanismMemory
from station.mechanism.results import Status
from station.servo.resistance import at_stop
from station.servo.shared.memory import publish
from station.servo.shared.state import SharedState, fill_timing
from station.servo.shared.words import Acting
from station.servo.state import Lock, PartMemory


@entry
def show_tick(mem: PartMemory) -> None:
    """Fill all that the tick knows and publish it."""
    robot, shared, decision, engagement = mem.robot, mem.shared, mem.decision, mem.engagement
    if mem.fresh:
        shared.hand_grip, shared.hand_sequence = mem.grip, mem.sequence
    shared.hand_buttons = mem.buttons
    shared.device_status, shared.force_enabled = mem.device_code, mem.force_enabled
    shared.tick, shared.time, shared.wall_time = mem.pace.tick, mem.now, mem.now + mem.day
    shared.state, shared.cause = decision.state, decision.cause
    shared.fault, shared.waiting = decision.fault, decision.waiting
    shared.dead_man = mem.facts.dead_man
    shared.engagement = engagement
    shared.disengaged_by = mem.mapping_state.cause
    shared.leads = mem.leads
    shared.clutched = engagement == Mode.CLUTCHED
    shared.hand_age = mem.now - mem.arrival
    _show_robot(mem, robot, shared)
    _show_forces(mem, shared)
    shared.acting = _acting(mem, robot, shared)
    fill_timing(shared, mem.pace)
    publish(mem.link)


@kernel
def _show_robot(mem: PartMemory, robot: MechanismMemory, shared: SharedState) -> None:
    q, v, pose, target = robot.q, robot.v, mem.frame_pose, mem.target
    shown_q, shown_v, acting = shared.predicted_q, shared.predicted_v, shared.joint_acting
    sample, hand = mem.sample_pose, shared.hand_pose
    first = mem.first_joint
    for j in range(shown_q.size):
        shown_q[j], shown_v[j], acting[j] = q[first + j], v[first + j], at_stop(robot, first + j)
        shared.joint_locked[j] = 0
        if mem.led.lock[first + j] == Lock.LOCKED:  # what holds it is no stop
            shared.joint_locked[j] = 2 if acting[j] != 0 else 1
            acting[j] = 0
    predicted, wanted = shared.predicted_pose, shared.target_pose
    for i in range(4):
        for k in range(4):
            predicted[i, k], wanted[i, k], hand[i, k] = pose[i, k], target[i, k], sample[i, k]
    velocity, speed = mem.sample_velocity, shared.hand_velocity
    for i in range(6):
        speed[i] = velocity[i]
    shared.predicted_age = shared.hand_age
    shared.solver_status = mem.led.solver_status
    shared.singularity, shared.obstacle_distance = mem.singularity, mem.led.nearest


@kernel
def _show_forces(mem: PartMemory, shared: SharedState) -> None:
    state, settings = mem.haptics_state, mem.haptics_settings.now
    sent, wrench, wanted = mem.wrench, shared.wrench, shared.wrench_wanted
    parts, energies, gains = shared.wrench_parts, shared.energy_parts, shared.gains
    for i in range(6):
        wrench[i], wanted[i] = sent[i], 0.0
    for cause in range(CAUSES):
        energies[cause] = state.cause_energy[cause]
        gains[cause] = settings.strength[cause] if cause < EFFECTS else 1.0
        for i in range(6):
            parts[cause, i] = state.parts[cause, i]
            if cause < EFFECTS:
                wanted[i] += parts[cause, i]
    shared.energy_rendered = state.rendered
    shared.energy_dissipated = state.dissipated
    shared.energy_available = state.available
    shared.energy_potential = state.potential
    shared.energy_lowest = state.lowest
    shared.passivity_ratio = state.ratio
    shared.slow_down = state.slow_down
    shared.haptics_fault = state.faults


@kernel
def _acting(mem: PartMemory, robot: MechanismMemory, shared: SharedState) -> Acting:
    """What holds something back."""
    acting, joints = Acting.NONE, shared.joint_acting
    for j in range(joints.size):
        if joints[j] == 2:
            acting |= Acting.JOINT_SPEED
        elif joints[j] != 0 or shared.joint_locked[j] == 2:
            acting |= Acting.JOINT_STOP
    n, pushed = robot.q.size, robot.felt
    for c in range(n, n + mem.led.contacts):
        if pushed[c] != 0.0:
            acting |= Acting.CONTACT
    if mem.led.gave_way:
        acting |= Acting.JOINT_ACCELERATION
    status = mem.led.solver_status
    acting |= Acting.SINGULARITY if status == Status.NEAR_SINGULAR else Acting.NONE
    acting |= Acting.REACH if status == Status.UNREACHABLE else Acting.NONE
    holding = mem.haptics_state.acting
    acting |= Acting.PASSIVITY if holding & Holding.PASSIVITY != 0 else Acting.NONE
    acting |= Acting.FORCE if holding & Holding.FORCE_LIMIT != 0 else Acting.NONE
    acting |= Acting.FORCE_SLEW if holding & Holding.SLEW_LIMIT != 0 else Acting.NONE
    acting |= Acting.POWER if holding & Holding.POWER_LIMIT != 0 else Acting.NONE
    own = mem.mapping_state.own_force
    outside = own[0] ** 2 + own[1] ** 2 + own[2] ** 2
    return acting | (Acting.WORKSPACE if outside > 0.0 else Acting.NONE)
