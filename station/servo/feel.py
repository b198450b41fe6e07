"""`feel`: the second part of a tick, from the step of the solver to the wrench on the hand.

With A the Jacobian of the mapping (hand → target) and A⁺ its inverse, zero along locked axes:

    proxy = hand - A⁺·(target - predicted)

so a robot that is where the hand wants it makes no force, whatever scale and frames are. While the hand does not move
the robot, the stretch of the last engaged tick is kept: forces fade along their ramp instead of ending with a jerk.
"""

from __future__ import annotations

import math

from station.controllers.supervisor import SupervisorState
from station.devices.mapping.state import Mode, place_of, turn_of
from station.haptics.guides import Shape, copy_guide, guide_of
from station.haptics.state import FAR, MOST_GUIDES, Cause, Cue
from station.haptics.tick import haptics_tick
from station.kernel import Floats, entry, kernel
from station.kernel.so3 import (
    applied,
    difference,
    product,
    quaternion_of,
    turn_by,
    unit,
    vector_of,
)
from station.kernel.vectors import Vector
from station.mechanism.memory import MechanismMemory
from station.mechanism.tree import frame_jacobian, frame_pose
from station.servo.resistance import (
    at_stop,
    fill_crossing,
    fill_gram,
    fill_obstacles,
    fill_singularity,
    fill_spread,
    fill_stops,
)
from station.servo.shared.words import Mode as Led
from station.servo.state import NEVER, PartMemory

CORNER = 30.0  # of the filter of the hand's acceleration [Hz]
LOCKED = 1e-12  # what is this much smaller than the rest counts as locked


@kernel
def invert(matrix: Floats, normal: Floats, back: Floats) -> None:
    """(AᵀA)⁻¹·Aᵀ of a 3×3 matrix A; directions that A does not know give zero."""
    size = 0.0
    for i in range(3):
        for k in range(3):
            normal[i, k] = 0.0
            for j in range(3):
                normal[i, k] += matrix[j, i] * matrix[j, k]
        size += normal[i, i]
    for i in range(3):
        normal[i, i] += LOCKED * size
    a, b, c = normal[0, 0], normal[0, 1], normal[0, 2]
    d, e, f = normal[1, 1], normal[1, 2], normal[2, 2]
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    determinant = a * p + b * q + c * r
    if not determinant > 0.0:
        back[:, :] = 0.0
        return
    s, t, u = a * f - c * c, b * c - a * e, a * d - b * b
    for k in range(3):
        x, y, z = matrix[k, 0], matrix[k, 1], matrix[k, 2]
        back[0, k] = (p * x + q * y + r * z) / determinant
        back[1, k] = (q * x + s * y + t * z) / determinant
        back[2, k] = (r * x + t * y + u * z) / determinant


@kernel
def fill_hand(mem: PartMemory, now: float, dt: float, ready: bool, fresh: bool, device_time: float) -> None:
    """Where the hand is, how it moves, and what the mapping itself asks for."""
    inputs, mapping, velocity = mem.haptics_inputs, mem.mapping_state, mem.sample_velocity
    place, turn, share = place_of(mapping.hand), turn_of(mapping.hand), 1.0 - math.exp(-2.0 * math.pi * CORNER * dt)
    inputs.now, inputs.ready, inputs.fresh, inputs.sample_time = now, ready, fresh, device_time
    for i in range(3):
        inputs.hand[i], inputs.own_wrench[i] = place[i], mapping.own_force[i]
    for i in range(4):
        inputs.hand_turn[i] = turn[i]
    if fresh:
        for i in range(6):
            inputs.hand_speed[i] = velocity[i]
        for i in range(3):
            wanted = (velocity[i] - mem.last_velocity[i]) / dt
            mem.acceleration[i] += share * (wanted - mem.acceleration[i])
            mem.last_velocity[i] = velocity[i]
            inputs.hand_acceleration[i] = mem.acceleration[i]


@kernel
def fill_proxy(mem: PartMemory, engagement: Mode) -> None:
    """The predicted robot, mapped back to the hand."""
    inputs, mapping = mem.haptics_inputs, mem.mapping_state
    hand_speed = inputs.hand_speed
    speed, spin = (hand_speed[0], hand_speed[1], hand_speed[2]), (hand_speed[3], hand_speed[4], hand_speed[5])
    if engagement == Mode.ENGAGED:
        target, pose, twist = mem.target, mem.frame_pose, mem.frame_twist
        straight, turning, normal = mem.straight_back, mem.turning_back, mem.normal
        invert(mapping.straight, normal, straight)
        invert(mapping.turning, normal, turning)
        missing = (target[0, 3] - pose[0, 3], target[1, 3] - pose[1, 3], target[2, 3] - pose[2, 3])
        askew = vector_of(difference(quaternion_of(target), quaternion_of(pose)))
        moved, spun = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
        if mem.mode == Led.JOINTS:
            missing, moved = _lag(mem, 0), _speed(mem, 0)
            askew, spun = _lag(mem, 3), _speed(mem, 3)
        stretch, twisted = applied(straight, missing), applied(turning, askew)
        for i in range(3):
            mem.stretch[i], mem.stretch[3 + i] = stretch[i], twisted[i]
        speed, spin = applied(straight, moved), applied(turning, spun)
    about = (-mem.stretch[3], -mem.stretch[4], -mem.stretch[5])
    turned = unit(product(turn_by(about), turn_of(mapping.hand)))
    for i in range(3):
        inputs.proxy[i] = inputs.hand[i] - mem.stretch[i]
        inputs.proxy_speed[i], inputs.proxy_speed[3 + i] = speed[i], spin[i]
    for i in range(4):
        inputs.proxy_turn[i] = turned[i]


@kernel
def _lag(mem: PartMemory, first: int) -> Vector:
    """By how much three joints are behind the hand that leads them, as motion of its target along three axes."""
    return (_behind(mem, first), _behind(mem, first + 1), _behind(mem, first + 2))


@kernel
def _behind(mem: PartMemory, axis: int) -> float:
    joint = mem.hand_joints[axis]
    return (mem.led.joint_targets[joint] - mem.robot.q[joint]) / mem.hand_gains[axis] if joint >= 0 else 0.0


@kernel
def _speed(mem: PartMemory, first: int) -> Vector:
    """How fast the same joints are, as speed of that target."""
    return (_along(mem, first), _along(mem, first + 1), _along(mem, first + 2))


@kernel
def _along(mem: PartMemory, axis: int) -> float:
    joint = mem.hand_joints[axis]
    return mem.robot.v[joint] / mem.hand_gains[axis] if joint >= 0 else 0.0


@kernel
def fill_guides(mem: PartMemory) -> None:
    """Copy every guide of the world, mapped back to the hand; for ticks in which the hand moves the robot."""
    for g in range(MOST_GUIDES):
        world, guide = guide_of(mem.world_guides, g), guide_of(mem.haptics_guides, g)
        if world.shape == Shape.NONE:
            continue
        copy_guide(world, guide)
        _place(mem, world.point, guide.point)
        for nth in range(world.count):
            _place(mem, world.points[nth], guide.points[nth])
        _direct(mem, world.direction, guide.direction)


@kernel
def _place(mem: PartMemory, point: Floats, at_hand: Floats) -> None:
    """A point of the world at the hand."""
    target, hand = mem.target, mem.haptics_inputs.hand
    away = (point[0] - target[0, 3], point[1] - target[1, 3], point[2] - target[2, 3])
    moved = applied(mem.straight_back, away)
    for i in range(3):
        at_hand[i] = hand[i] + moved[i]


@kernel
def _direct(mem: PartMemory, direction: Floats, at_hand: Floats) -> None:
    """A direction of the world at the hand; none stays none."""
    turned = applied(mem.straight_back, (direction[0], direction[1], direction[2]))
    size = math.sqrt(turned[0] ** 2 + turned[1] ** 2 + turned[2] ** 2)
    for i in range(3):
        at_hand[i] = turned[i] / size if size > 0.0 else 0.0


PAUSE = 0.5  # between two cues of a limit: one that comes and goes must not rattle [s]


@kernel
def choose_cue(mem: PartMemory, robot: MechanismMemory, engagement: Mode, link: bool, dt: float) -> None:
    """Start a cue in this tick if something worth telling has happened."""
    inputs = mem.haptics_inputs
    limited = False
    for j in range(robot.q.size):
        limited = limited or abs(at_stop(robot, j)) == 1
    before, decision = mem.last_engagement, mem.decision
    cue = Cue.NONE
    if mem.cue_wanted != Cue.NONE:
        cue = mem.cue_wanted
    elif decision.changed and decision.state == SupervisorState.FAULT:
        cue = Cue.FAULT
    elif mem.last_link and not link:
        cue = Cue.STALE_LINK
    elif mem.last_mode != mem.mode:
        cue = Cue.MODE
    elif (engagement == Mode.CLUTCHED and before == Mode.ENGAGED) or (
        engagement == Mode.ENGAGED and before == Mode.CLUTCHED
    ):
        cue = Cue.CLUTCH
    elif limited and not mem.last_limited and mem.cue_pause <= 0.0 and engagement == Mode.ENGAGED:
        cue, mem.cue_pause = Cue.LIMIT, PAUSE
    if cue != Cue.NONE:
        inputs.cue = cue
        inputs.cue_count += 1
    mem.cue_wanted = Cue.NONE
    mem.cue_pause = max(0.0, mem.cue_pause - dt)
    mem.last_engagement, mem.last_limited = engagement, limited
    mem.last_link, mem.last_mode = link, mem.mode


@entry
def feel(mem: PartMemory) -> None:
    """Write the wrench on the hand."""
    robot, decision, engagement = mem.robot, mem.decision, mem.engagement
    find_frame(mem)
    if not mem.leads:
        for i in range(6):
            mem.wrench[i] = 0.0
        return
    fill_hand(mem, mem.now, mem.step_time, mem.ready and decision.force, mem.fresh, mem.device_time)
    fill_proxy(mem, engagement)
    fill_robot(mem, robot, engagement)
    fill_arm(mem, engagement, decision.link, mem.measured_age)
    choose_cue(mem, robot, engagement, decision.link, mem.step_time)
    haptics_tick(mem.haptics_state, mem.haptics_settings, mem.haptics_guides, mem.haptics_inputs, mem.wrench)


@entry(inline=True)
def find_frame(mem: PartMemory) -> None:
    """Pose and twist of the followed frame, where the robot is now."""
    robot = mem.robot
    pose, twist, jacobian, v = mem.frame_pose, mem.frame_twist, mem.jacobian, robot.v
    rotation, position, frame = robot.rotation, robot.position, mem.frame
    frame_pose(robot, frame, rotation, position, pose)
    frame_jacobian(robot, frame, pose[:3, 3], rotation, position, jacobian)
    for i in range(6):
        twist[i] = 0.0
        for j in range(v.size):
            twist[i] += jacobian[i, j] * v[j]


@kernel
def fill_robot(mem: PartMemory, robot: MechanismMemory, engagement: Mode) -> None:
    """Stops, singularity, obstacles and guides as the hand is to feel them; none while it does not move the robot."""
    inputs = mem.haptics_inputs
    inputs.stop_count = inputs.obstacle_count = 0
    inputs.nearness = FAR
    if engagement != Mode.ENGAGED:
        return
    frame, rank = mem.frame, mem.full_rank
    fill_gram(mem, robot, frame, mem.frame_pose)
    fill_spread(mem, robot)
    fill_stops(mem, robot)
    if mem.haptics_settings.now.strength[Cause.SINGULARITY] > 0.0:
        fill_singularity(mem, robot, frame, rank)  # uses G up
        if mem.haptics_settings.now.singularity.crossing > 0.5:
            fill_crossing(mem, robot)
    fill_obstacles(mem, robot)
    fill_guides(mem)


@kernel
def fill_arm(mem: PartMemory, engagement: Mode, link: bool, measured_age: float) -> None:
    """What the arm's side reflects to the hand (it has filled `felt_wrench`), and whether it answers."""
    inputs, wrench = mem.haptics_inputs, mem.felt_wrench
    inputs.engaged, inputs.link = engagement == Mode.ENGAGED, link
    known = measured_age < NEVER
    inputs.measured_age = measured_age if known else NEVER
    for i in range(6):
        inputs.measured[i] = wrench[i] if known else 0.0
