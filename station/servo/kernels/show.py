"""Everything into shared state, once per tick."""

from __future__ import annotations

from station.controllers.supervisor.kernels.layout import DEAD_MAN, OUT_CAUSE, OUT_FAULT, OUT_STATE, WAITING
from station.devices.mapping.kernels import layout as mapping_at
from station.devices.mapping.kernels.layout import CLUTCHED
from station.haptics.kernels import layout as felt
from station.mechanism.kernels import at as robot_at
from station.mechanism.kernels.memory import Block
from station.servo.kernels import at
from station.servo.kernels.at_stop import at_stop
from station.servo.kernels.cache import showing as kernel
from station.servo.kernels.fields import (
    ARRIVAL,
    BUTTONS,
    CONTACTS,
    ENGAGEMENT,
    GAVE_WAY,
    NEAREST,
    SINGULARITY,
    SOLVER_STATUS,
)
from station.servo.shared import at as shown
from station.servo.shared.kernels.publish import publish
from station.servo.shared.kernels.timing import fill_timing
from station.servo.shared.words import Acting

Address = int
_STOP, _SPEED, _ACCELERATION = int(Acting.JOINT_STOP), int(Acting.JOINT_SPEED), int(Acting.JOINT_ACCELERATION)
_CONTACT, _SINGULARITY, _REACH = int(Acting.CONTACT), int(Acting.SINGULARITY), int(Acting.REACH)
_PASSIVITY, _FORCE, _SLEW, _POWER = int(Acting.PASSIVITY), int(Acting.FORCE), int(Acting.FORCE_SLEW), int(Acting.POWER)
_WORKSPACE = int(Acting.WORKSPACE)
NEAR_SINGULAR, UNREACHABLE = 2, 3  # of the solver


@kernel
def show_tick(
    mem: Address,
    robot: Block,
    shared: Address,
    link: Address,
    pace: Address,
    tick: int,
    now: float,
    wall_time: float,
    device_code: int,
    force_enabled: bool,
    fresh: bool,
    grip: float,
    sequence: int,
) -> None:
    """Fill all that the tick knows and publish it. `grip` and `sequence` are of the newest sample, if it is fresh."""
    if fresh:
        shown.hand_grip(shared)[0], shown.hand_sequence(shared)[0] = grip, sequence
    shown.hand_buttons(shared)[0] = int(at.memory(mem)[BUTTONS])
    shown.device_status(shared)[0], shown.force_enabled(shared)[0] = device_code, 1 if force_enabled else 0
    shown.tick(shared)[0], shown.time(shared)[0], shown.wall_time(shared)[0] = tick, now, wall_time
    orders, memory = at.supervisor_outputs(mem), at.memory(mem)
    engagement = int(memory[ENGAGEMENT])
    shown.state(shared)[0], shown.cause(shared)[0] = int(orders[OUT_STATE]), int(orders[OUT_CAUSE])
    shown.fault(shared)[0], shown.waiting(shared)[0] = int(orders[OUT_FAULT]), int(orders[WAITING])
    shown.dead_man(shared)[0] = int(at.supervisor_inputs(mem)[DEAD_MAN])
    shown.engagement(shared)[0] = engagement
    shown.disengaged_by(shared)[0] = int(at.mapping_state(mem)[mapping_at.CAUSE])
    shown.clutched(shared)[0] = 1 if engagement == CLUTCHED else 0
    shown.hand_age(shared)[0] = now - memory[ARRIVAL]
    _show_robot(mem, robot, shared)
    _show_forces(mem, shared)
    shown.acting(shared)[0] = _acting(mem, robot, shared)
    fill_timing(shared, pace)
    publish(link)


@kernel
def _show_robot(mem: Address, robot: Block, shared: Address) -> None:
    q, v, pose, target = robot_at.q(robot), robot_at.v(robot), at.frame_pose(mem), at.target(mem)
    shown_q, shown_v, acting = shown.predicted_q(shared), shown.predicted_v(shared), shown.joint_acting(shared)
    sample, hand, memory = at.sample_pose(mem), shown.hand_pose(shared), at.memory(mem)
    for j in range(q.size):
        shown_q[j], shown_v[j], acting[j] = q[j], v[j], at_stop(robot, j)
    predicted, wanted = shown.predicted_pose(shared), shown.target_pose(shared)
    for i in range(4):
        for k in range(4):
            predicted[i, k], wanted[i, k], hand[i, k] = pose[i, k], target[i, k], sample[i, k]
    velocity, speed = at.sample_velocity(mem), shown.hand_velocity(shared)
    for i in range(6):
        speed[i] = velocity[i]
    shown.predicted_age(shared)[0] = shown.hand_age(shared)[0]
    shown.solver_status(shared)[0] = int(memory[SOLVER_STATUS])
    shown.singularity(shared)[0], shown.obstacle_distance(shared)[0] = memory[SINGULARITY], memory[NEAREST]


@kernel
def _show_forces(mem: Address, shared: Address) -> None:
    state, settings = at.haptics_state(mem), at.haptics_settings(mem)
    sent, wrench, wanted = at.wrench(mem), shown.wrench(shared), shown.wrench_wanted(shared)
    parts, energies, gains = shown.wrench_parts(shared), shown.energy_parts(shared), shown.gains(shared)
    for i in range(6):
        wrench[i], wanted[i] = sent[i], 0.0
    for cause in range(felt.CAUSES):
        energies[cause] = state[felt.CAUSE_ENERGY + cause]
        gains[cause] = settings[felt.SWITCH + cause] if cause < felt.EFFECTS else 1.0
        for i in range(6):
            parts[cause, i] = state[felt.PARTS + 6 * cause + i]
            if cause < felt.EFFECTS:
                wanted[i] += parts[cause, i]
    shown.energy_rendered(shared)[0] = state[felt.RENDERED]
    shown.energy_dissipated(shared)[0] = state[felt.DISSIPATED]
    shown.energy_available(shared)[0] = state[felt.AVAILABLE]
    shown.energy_potential(shared)[0] = state[felt.POTENTIAL]
    shown.energy_lowest(shared)[0] = state[felt.LOWEST]
    shown.passivity_ratio(shared)[0] = state[felt.RATIO]
    shown.slow_down(shared)[0] = state[felt.SLOW_DOWN]
    shown.haptics_fault(shared)[0] = int(state[felt.FAULTS])


@kernel
def _acting(mem: Address, robot: Block, shared: Address) -> int:
    """What holds something back, as bits."""
    acting, joints, memory = 0, shown.joint_acting(shared), at.memory(mem)
    for j in range(joints.size):
        if joints[j] == 2:
            acting |= _SPEED
        elif joints[j] != 0:
            acting |= _STOP
    n, pushed = joints.size, robot_at.felt(robot)
    for c in range(n, n + int(memory[CONTACTS])):
        if pushed[c] != 0.0:
            acting |= _CONTACT
    if memory[GAVE_WAY] == 1.0:
        acting |= _ACCELERATION
    status = int(memory[SOLVER_STATUS])
    acting |= _SINGULARITY if status == NEAR_SINGULAR else 0
    acting |= _REACH if status == UNREACHABLE else 0
    bits = int(at.haptics_state(mem)[felt.ACTING])
    acting |= _PASSIVITY if bits & felt.PASSIVITY_ACTS != 0 else 0
    acting |= _FORCE if bits & felt.AT_FORCE_LIMIT != 0 else 0
    acting |= _SLEW if bits & felt.AT_SLEW_LIMIT != 0 else 0
    acting |= _POWER if bits & felt.AT_POWER_LIMIT != 0 else 0
    own = at.mapping_state(mem)
    outside = own[mapping_at.OWN] ** 2 + own[mapping_at.OWN + 1] ** 2 + own[mapping_at.OWN + 2] ** 2
    return acting | (_WORKSPACE if outside > 0.0 else 0)
