"""What the robot means for the hand before it acts: stops, singularities and obstacles, as rows for the forces.

**Sensitivity.** With B the motions that keep the loops closed (the identity where there are none), J the Jacobian of
the followed frame and G = J·B·(BᵀB)⁻¹·Bᵀ·Jᵀ, the least motion of the joints for a motion x of the frame is

    dq/dx = B·(BᵀB)⁻¹·Bᵀ·Jᵀ·(G + λ·I)⁻¹

with rotations counted at the mechanism's length. λ bounds it near singularities, as the solver bounds its steps.

**Stops.** Half the travel of a sliding joint counts as one radian: one range and one stiffness then suit all joints.

**Singularity.** The measure is the least over the largest singular value of dx/dq, among as many as the task has rank:
0 at a singularity, and the inverse of the solver's condition. Its slope comes from trial places a little further along
each straight axis that pushes, loops closed to first order; one direction per tick, for it changes slowly.

**Crossing.** Where two assemblies of a robot with loops meet, its drives do not see a motion of it: the measure is the
least share of a motion that they see (`station/mechanism/crossing.py`). Felt only if the file says `crossing yes`; else
the solver does not get there.

**Obstacles.** The forces know an obstacle by its normal s and a near point; the torque is (point - hand) × s. So that
this is what turning the hand does to the distance, t, the point lies at hand + s × t/s². Turning counts along absolute
axes only: an obstacle that pushed a handle whose deflection is a speed would turn the tool by itself.
"""

from __future__ import annotations

import math

from station.devices.mapping.state import MappingState
from station.haptics.state import MOST_OBSTACLES, MOST_STOPS
from station.kernel import Floats, kernel
from station.kernel.so3 import applied_back
from station.mechanism.algebra import cholesky, cholesky_solve, symmetric_eigenvalues
from station.mechanism.closures import closure_rows, eliminate
from station.mechanism.crossing import seen_by_drives
from station.mechanism.memory import JointKind, MechanismMemory
from station.mechanism.tree import forward, frame_jacobian, frame_pose
from station.servo.state import Lock, PartMemory


@kernel
def felt_gradient(mapping: MappingState, by_frame: Floats, by_hand: Floats) -> None:
    """How something changes with the followed frame, as it changes with the hand: into six numbers."""
    s = applied_back(mapping.force_back, (by_frame[0], by_frame[1], by_frame[2]))
    t = applied_back(mapping.torque_back, (by_frame[3], by_frame[4], by_frame[5]))
    for i in range(3):
        by_hand[i], by_hand[3 + i] = s[i], t[i]


@kernel
def at_stop(robot: MechanismMemory, j: int) -> int:
    """-1 where a joint is pushed against its lower stop, 1 against its upper, 2 at its speed limit, else 0."""
    q, v, felt = robot.q[j], robot.v[j], robot.felt[j]
    near = 1e-9 * max(1.0, abs(q))
    if felt == 0.0:
        return 0
    if q - robot.q_min[j] < near:
        return -1
    if robot.q_max[j] - q < near:
        return 1
    return 2 if abs(v) > robot.v_max[j] * (1.0 - 1e-9) else 0


DAMPED = 1e-4  # λ as a part of the trace of G


@kernel
def fill_gram(mem: PartMemory, robot: MechanismMemory, frame: int, pose: Floats) -> None:
    """J into `jacobian`, J·B·(BᵀB)⁻¹·Bᵀ into `reduced`, G into `gram`; bodies are where the robot's memory says."""
    jacobian, reduced, gram = mem.jacobian, mem.reduced, mem.gram
    n, length = robot.q.size, robot.length
    frame_jacobian(robot, frame, pose[:3, 3], robot.rotation, robot.position, jacobian)
    for i in range(3, 6):
        for j in range(n):
            jacobian[i, j] *= length
    if robot.matrix.shape[0] == 0:
        for i in range(6):
            for j in range(n):
                reduced[i, j] = jacobian[i, j]
    else:
        _onto_loops(mem, robot)
    for i in range(6):
        for k in range(i + 1):
            value = 0.0
            for j in range(n):
                value += reduced[i, j] * jacobian[k, j]
            gram[i, k], gram[k, i] = value, value


@kernel
def _onto_loops(mem: PartMemory, robot: MechanismMemory) -> None:
    """Rows of J, projected onto the motions that keep the loops closed."""
    jacobian, reduced, column = mem.jacobian, mem.reduced, mem.column
    metric, factor, basis = mem.metric, mem.metric_factor, robot.basis
    n, free = robot.q.size, robot.free
    for a in range(free):
        for b in range(a + 1):
            value = 0.0
            for j in range(n):
                value += basis[j, a] * basis[j, b]
            metric[a, b], metric[b, a] = value, value
    known = cholesky(metric, free, factor)
    for i in range(6):
        for k in range(free):
            column[k] = 0.0
            for j in range(n):
                column[k] += jacobian[i, j] * basis[j, k]
        if known:
            cholesky_solve(factor, free, column, column)
        for j in range(n):
            reduced[i, j] = 0.0
            for k in range(free):
                reduced[i, j] += basis[j, k] * column[k]


@kernel
def fill_spread(mem: PartMemory, robot: MechanismMemory) -> bool:
    """dq/dx into `spread` [rad/m, …]; G must be there. False if it cannot be told, and then it is zero."""
    reduced, gram, factor = mem.reduced, mem.gram, mem.gram_factor
    spread, column = mem.spread, mem.column
    n, length, trace = robot.q.size, robot.length, 0.0
    for i in range(6):
        trace += gram[i, i]
    for i in range(6):
        gram[i, i] += DAMPED * trace
    known = trace > 0.0 and cholesky(gram, 6, factor)
    for i in range(6):
        gram[i, i] -= DAMPED * trace
    if not known:
        spread[:, :] = 0.0
        return False
    for j in range(n):
        for i in range(6):
            column[i] = reduced[i, j]
        cholesky_solve(factor, 6, column, column)
        for i in range(6):
            spread[j, i] = column[i] * (1.0 if i < 3 else length)
    return True


TRIAL = 1e-4  # length of a trial motion, as a part of the mechanism's length
LOOK_FROM = 2.0  # slopes are looked at within this many times the range of the effect


@kernel
def measure(gram: Floats, rank: int) -> float:
    """Least over largest singular value, from G, which is destroyed."""
    symmetric_eigenvalues(gram, 6)
    largest, value = 0.0, 0.0
    for nth in range(min(rank, 6)):
        best = nth
        for i in range(nth + 1, 6):
            if gram[i, i] > gram[best, best]:
                best = i
        gram[nth, nth], gram[best, best] = gram[best, best], gram[nth, nth]
        value = gram[nth, nth]
        largest = max(largest, value)
    return math.sqrt(max(value, 0.0) / largest) if largest > 0.0 else 0.0


@kernel
def fill_singularity(mem: PartMemory, robot: MechanismMemory, frame: int, rank: int) -> None:
    """Measure and slope into the inputs of the forces; G and `spread` must be there, and G is used up."""
    inputs, mapping = mem.haptics_inputs, mem.mapping_state
    gradient = mem.gradient
    here = measure(mem.gram, rank)
    mem.singularity = here
    if here < LOOK_FROM * mem.haptics_settings.now.singularity.range:
        axis = mem.look
        mem.look = (axis + 1) % 6
        mem.singularity_gradient[axis] = _slope(mem, robot, frame, rank, axis, here)
    else:
        for i in range(6):
            mem.singularity_gradient[i] = 0.0
    for i in range(6):
        gradient[i] = mem.singularity_gradient[i]
    inputs.nearness = here
    felt_gradient(mapping, gradient, inputs.nearness_gradient)


@kernel
def _slope(mem: PartMemory, robot: MechanismMemory, frame: int, rank: int, axis: int, here: float) -> float:
    """Change of the measure with motion of the frame along or about a world axis [1/m, 1/rad]."""
    q, trial, spread, pose = robot.q, mem.trial_q, mem.spread, mem.trial_pose
    rotation, position = robot.rotation, robot.position
    step = TRIAL * (robot.length if axis < 3 else 1.0)
    for j in range(q.size):
        trial[j] = q[j] + step * spread[j, axis]
    _place(robot, trial)
    frame_pose(robot, frame, rotation, position, pose)
    fill_gram(mem, robot, frame, pose)
    there = measure(mem.gram, rank)
    _place(robot, q)
    if robot.matrix.shape[0] > 0:  # what was measured here had the loops of before the step
        fill_gram(mem, robot, frame, mem.frame_pose)
        here = measure(mem.gram, rank)
    slope = (there - here) / step
    return slope if math.isfinite(slope) else 0.0


@kernel
def fill_crossing(mem: PartMemory, robot: MechanismMemory) -> None:
    """Singularities between assemblies in place of those of the frame, where they are nearer; `spread` must be there.

    Both sides of one push away from it, with a bounded force: one that is pushed through helps on behind it.
    """
    inputs, slopes, gradient = mem.haptics_inputs, mem.crossing_gradient, mem.gradient
    _place(robot, robot.q)  # the step has left the loops of where it began
    here = seen_by_drives(robot)
    if here < LOOK_FROM * mem.haptics_settings.now.singularity.range:
        axis = mem.crossing_look
        mem.crossing_look = (axis + 1) % 6
        q, trial, spread = robot.q, mem.trial_q, mem.spread
        step = TRIAL * (robot.length if axis < 3 else 1.0)
        for j in range(q.size):
            trial[j] = q[j] + step * spread[j, axis]
        _place(robot, trial)
        slope = (seen_by_drives(robot) - here) / step
        _place(robot, q)
        slopes[axis] = slope if math.isfinite(slope) else 0.0
    else:
        for i in range(6):
            slopes[i] = 0.0
    steep = 0.0
    for i in range(6):
        gradient[i] = slopes[i]
        steep = max(steep, abs(slopes[i]))
    if here < inputs.nearness and steep > 0.0:
        mem.singularity = inputs.nearness = here
        felt_gradient(mem.mapping_state, gradient, inputs.nearness_gradient)


@kernel
def _place(robot: MechanismMemory, q: Floats) -> None:
    """Put bodies and loops where joint values say, without a step."""
    forward(robot, q, robot.rotation, robot.position)
    if robot.matrix.shape[0] > 0:
        closure_rows(robot, q, True)
        eliminate(robot, robot.closure_rank)


@kernel
def fill_stops(mem: PartMemory, robot: MechanismMemory) -> None:
    """A row for every stop that is within the range of the effect."""
    q, low, high, kind = robot.q, robot.q_min, robot.q_max, robot.joint_kind
    inputs, mapping = mem.haptics_inputs, mem.mapping_state
    spread, gradient = mem.spread, mem.gradient
    begins, count, led = mem.haptics_settings.now.stops.range, 0, mem.led
    for j in range(q.size):
        lowest, highest, further = low[j], high[j], 0.0
        if led.lock[j] != Lock.FREE:  # a lock is no stop, and those of the file fade meanwhile
            lowest, highest, further = led.own_low[j], led.own_high[j], led.unfelt[j]
        if not lowest < highest:
            continue  # a joint without any way has no stop that it could come nearer to
        unit = 1.0 if kind[j] == JointKind.REVOLUTE else 2.0 / (highest - lowest)
        for side in range(2):
            distance = unit * (q[j] - lowest if side == 0 else highest - q[j]) + further
            if distance < begins and count < MOST_STOPS:
                sign = unit if side == 0 else -unit
                for i in range(6):
                    gradient[i] = sign * spread[j, i]
                inputs.stop_distance[count] = distance
                felt_gradient(mapping, gradient, inputs.stop_gradient[count])
                count += 1
    inputs.stop_count = count


FLAT = 1e-6  # square of a normal that is none: the obstacle is near a part that the hand hardly moves


@kernel
def fill_obstacles(mem: PartMemory, robot: MechanismMemory) -> None:
    """A row for every obstacle within the range of the effect: distance, and how it changes with the hand."""
    rows, law, inputs = mem.led.obstacles, mem.haptics_settings.now.obstacles, mem.haptics_inputs
    begins, filled = max(law.range, law.slow_from), 0
    for c in range(mem.led.obstacle_count):
        if rows[c, 0] >= begins or filled >= MOST_OBSTACLES:
            continue
        _fill_gradient(mem, robot, c)
        inputs.obstacle_distance[filled] = rows[c, 0]
        _fill_near_point(mem, filled)
        filled += 1
    inputs.obstacle_count = filled


@kernel
def _fill_near_point(mem: PartMemory, row: int) -> None:
    """The normal of an obstacle at the hand, and where it has to push for its torque to be right."""
    inputs, g = mem.haptics_inputs, mem.gradient
    hand, normal, point = inputs.hand, inputs.obstacle_normal[row], inputs.obstacle_point[row]
    x, y, z = applied_back(mem.mapping_state.force_back, (g[0], g[1], g[2]))
    normal[0], normal[1], normal[2] = x, y, z
    a, b, c = applied_back(mem.mapping_state.turning, (g[3], g[4], g[5]))
    size = x * x + y * y + z * z
    share = 1.0 / size if size > FLAT else 0.0
    point[0] = hand[0] + share * (y * c - z * b)
    point[1] = hand[1] + share * (z * a - x * c)
    point[2] = hand[2] + share * (x * b - y * a)


@kernel
def _fill_gradient(mem: PartMemory, robot: MechanismMemory, c: int) -> None:
    """How the distance of a row changes with the followed frame, into `gradient`: normal · dp/dq · dq/dx."""
    rows, spread, gradient = mem.led.obstacles, mem.spread, mem.gradient
    rotation, position, parents = robot.rotation, robot.position, robot.parents
    nx, ny, nz = rows[c, 1], rows[c, 2], rows[c, 3]
    for i in range(6):
        gradient[i] = 0.0
    j = int(rows[c, 7])
    while j >= 0:
        zx, zy, zz = rotation[j, 0, 2], rotation[j, 1, 2], rotation[j, 2, 2]
        if robot.joint_kind[j] == JointKind.REVOLUTE:
            rx, ry, rz = rows[c, 4] - position[j, 0], rows[c, 5] - position[j, 1], rows[c, 6] - position[j, 2]
            along = nx * (zy * rz - zz * ry) + ny * (zz * rx - zx * rz) + nz * (zx * ry - zy * rx)
        else:
            along = nx * zx + ny * zy + nz * zz
        for i in range(6):
            gradient[i] += along * spread[j, i]
        j = parents[j]
