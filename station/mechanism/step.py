"""One step of motion: closures and bounds kept, tasks done in strict order of priority as well as they can be."""

from __future__ import annotations

import math

from station.kernel import Floats1, Floats2, entry, kernel
from station.mechanism.algebra import Programme, cholesky, cholesky_solve, symmetric_eigenvalues
from station.mechanism.closures import bend_loops, closure_rows, eliminate, land
from station.mechanism.crossing import keep_assembly
from station.mechanism.level import add_motion, left_over, solve_level
from station.mechanism.memory import MechanismMemory
from station.mechanism.results import Status
from station.mechanism.tasks import LANDING, begin, pose_errors, put_pose, put_twist, step_bounds, task_rows
from station.mechanism.tree import forward, frame_jacobian

CONDITION_EVERY = 8  # steps: it changes slowly, and takes a third of the time of a small step
SINGULAR = 50.0  # condition above which a step counts as near a singularity
AT_REST = 1e-4  # speed below which a joint counts as at rest [rad/s | m/s]
REACHED_METRES, REACHED_RADIANS = 1e-6, 1e-5  # where a target counts as reached
MOST_HALVINGS = 20
LEANING = 1e-6  # motion of a target in one step that counts as such [m]
LEANING_TIME = 0.1  # in which a lean comes and goes [s]
MISSING = 1e-3  # distance from which on a target that comes nearer comes back [m]
FORGETTING = 1.0  # time in which that is forgotten when it goes away again [s] …
RESTING = 0.3  # … or when it rests, and the robot too [s]
SLOW = 0.05  # speed below which no joint runs after a target any more [rad/s | m/s]
STILL = 1e-15  # motion of a joint that is rounding, not motion [rad | m]


@entry
def step(
    mem: MechanismMemory, task_count: int, task_rank: int, contact_count: int, dt: float
) -> tuple[Status, float, float, float, bool]:
    """Move `q` [rad | m] and `v` by one step of `dt` [s]; bodies are where `q` says, before and afterwards.

    `task_rank` is the rank that the rows of the first level have at almost every configuration. Returns the status,
    position and rotation error [m, rad], condition, and whether acceleration limits gave way.
    """
    q, lower, upper, motion, particular = mem.q, mem.lower, mem.upper, mem.motion, mem.particular
    n = q.size
    plain = mem.matrix.shape[0] == 0
    if not plain:
        closure_rows(mem, q, True)
        eliminate(mem, mem.closure_rank)
        if mem.keeps_assembly and keep_assembly(mem, contact_count, dt):
            contact_count += 1
    mem.gave_way, mem.unsolved = False, False
    state = Programme.INFEASIBLE
    for attempt in range(6):
        # First everything; then obstacles only stop, not push out; then acceleration limits give way, more and more.
        step_bounds(mem, dt, 4.0 ** max(attempt - 1, 0) if attempt < 5 else math.inf)
        _contact_rows(mem, contact_count, attempt > 0)
        for j in range(n):
            motion[j] = 0.0 if plain else particular[j]
        state = _levels(mem, task_count, task_rank, plain, n + contact_count, dt)
        if state == Programme.SOLVED:
            break
        mem.gave_way = attempt > 0
    for j in range(n):  # the last word before anything moves
        if not (lower[j] - 1e-9 <= motion[j] <= upper[j] + 1e-9):
            state = Programme.INFEASIBLE
    if state != Programme.SOLVED:
        mem.unsolved = True
        for j in range(n):
            motion[j] = 0.0
    _move(mem, plain, dt)
    pose_errors(mem, task_count)
    return _status(mem, n + contact_count), mem.position_error, mem.rotation_error, mem.condition, mem.gave_way


@entry
def step_to_pose(
    mem: MechanismMemory, plan: int, frame: int, task_rank: int, pose: Floats2, dt: float
) -> tuple[Status, float, float, float, bool]:
    """The most common step: one frame follows one pose. NOT_FINITE: pose or time is not; nothing moves.

    `plan` is a number of what is asked for: the same as in the step before means that this one continues it.
    """
    begin(mem, mem.followed == plan)
    mem.followed = 0
    if not (0.0 < dt < math.inf) or not put_pose(mem, 0, frame, 0, pose):
        return Status.NOT_FINITE, 0.0, 0.0, 0.0, False
    mem.followed = plan
    return step(mem, 1, task_rank, 0, dt)


@entry
def step_by_twist(
    mem: MechanismMemory, plan: int, frame: int, task_rank: int, twist: Floats1, dt: float
) -> tuple[Status, float, float, float, bool]:
    """One frame follows one twist. NOT_FINITE: twist or time is not; nothing moves."""
    begin(mem, mem.followed == plan)
    mem.followed = 0
    if not (0.0 < dt < math.inf) or not put_twist(mem, 0, frame, 0, twist):
        return Status.NOT_FINITE, 0.0, 0.0, 0.0, False
    mem.followed = plan
    return step(mem, 1, task_rank, 0, dt)


@entry
def follow(mem: MechanismMemory, plan: int, frame: int, task_rank: int, pose: Floats2, dt: float) -> Status:
    """`step_to_pose` for callers in a hurry: the status alone."""
    return step_to_pose(mem, plan, frame, task_rank, pose, dt)[0]


@kernel
def _status(mem: MechanismMemory, bounds: int) -> Status:
    if not mem.landed:
        return Status.CLOSURE_LOST
    missed = mem.position_error > REACHED_METRES or mem.rotation_error > REACHED_RADIANS
    if missed and mem.largest_speed < AT_REST:
        return Status.UNREACHABLE
    if mem.condition > SINGULAR:
        return Status.NEAR_SINGULAR
    for i in range(bounds):
        if is_held_back(mem, i):
            return Status.LIMITED
    return Status.OK


@entry(inline=True)
def is_held_back(mem: MechanismMemory, bound: int) -> bool:
    """Whether a contact or a position or speed limit pushes (an acceleration limit does so at every start)."""
    if mem.felt[bound] == 0.0:
        return False
    q, v = mem.q, mem.v
    if bound >= q.size:
        return True
    near = 1e-9 * max(1.0, abs(q[bound]))
    if q[bound] - mem.q_min[bound] < near or mem.q_max[bound] - q[bound] < near:
        return True
    return bool(abs(v[bound]) > mem.v_max[bound] * (1.0 - 1e-9))


@kernel
def _contact_rows(mem: MechanismMemory, count: int, stay: bool) -> None:
    """n·J ≥ -distance for every contact; `stay`: not being pushed out is enough."""
    contact_distance, contact_frame = mem.contact_distance, mem.contact_frame
    contact_normal, contact_point, contact_rows = mem.contact_normal, mem.contact_point, mem.contact_rows
    lower, motion, position, rotation = mem.lower, mem.motion, mem.position, mem.rotation
    task_matrix, upper = mem.task_matrix, mem.upper
    n = motion.size
    for c in range(count):
        rows = task_matrix[:6]
        if contact_frame[c] >= 0:
            frame_jacobian(mem, contact_frame[c], contact_point[c], rotation, position, rows)
            for j in range(n):
                contact_rows[c, j] = 0.0
                for i in range(3):
                    contact_rows[c, j] += contact_normal[c, i] * rows[i, j]
        lower[n + c] = min(-contact_distance[c], 0.0) if stay else -contact_distance[c]
        upper[n + c] = math.inf


@kernel
def _levels(mem: MechanismMemory, task_count: int, task_rank: int, plain: bool, bounds: int, dt: float) -> Programme:
    """All levels of tasks, then the wish, into `motion`."""
    q, spans, felt, multiplier, curvature = mem.q, mem.spans, mem.felt, mem.multiplier, mem.curvature
    task_level, nothing, bend = mem.task_level, mem.nothing, mem.bend
    n, free = q.size, mem.free
    span, on_joints = mem.basis, plain
    first, nth = 0, 0
    while True:
        last, row = first, 0
        mem.missed = 0.0
        for j in range(n):
            curvature[j] = 0.0
        while last < task_count and task_level[last] == task_level[first]:
            row = task_rows(mem, last, row, q, dt)
            last += 1
        if mem.matrix.shape[0] > 0:
            bend_loops(mem, q, span, free)
        lean = 0.0
        if nth == 0:
            lean = _lean(mem, row, dt)
            lean = lean if row == task_rank and mem.task_continued[0] else 0.0
        state = solve_level(mem, nothing, nothing, row, span, free, on_joints, bounds, lean, dt)
        if state != Programme.SOLVED:
            return state if nth == 0 else Programme.SOLVED  # a lower level that cannot be had is left out
        add_motion(mem, span, free, on_joints)
        if nth == 0:
            mem.condition_age = mem.condition_age + 1 if mem.task_continued[0] else CONDITION_EVERY
            if mem.condition_age >= CONDITION_EVERY:
                mem.condition = _condition(mem, row, task_rank, span, free, on_joints)
                mem.condition_age = 0
            for i in range(bounds):
                felt[i] = multiplier[i]
        wish_left = last >= task_count and _wishes(mem)
        if last >= task_count and not wish_left:
            return Programme.SOLVED
        result = spans[nth % 2]
        free = left_over(mem, row, span, free, on_joints, result)
        span, on_joints = result, False
        if free == 0:
            return Programme.SOLVED
        if wish_left:
            for j in range(n):
                curvature[j], bend[j] = 0.0, 0.0
            if solve_level(mem, mem.wish, mem.wish_weight, 0, span, free, False, bounds, 0.0, dt) == Programme.SOLVED:
                add_motion(mem, span, free, False)
            return Programme.SOLVED
        first = last
        nth += 1


@kernel
def _lean(mem: MechanismMemory, rows: int, dt: float) -> float:
    """How much to lean near singularities, 0 to 1: when a target comes back, and as long as the robot runs after it.

    A target that goes away needs no lean: it stretches the arm, and a stretched arm at rest is where it should be.
    """
    advance, error = mem.task_advance, mem.task_error
    moved, missed, along = 0.0, 0.0, 0.0
    for r in range(rows):
        before = error[r] - advance[r]
        moved += advance[r] ** 2
        missed += before**2
        along -= advance[r] * before
    if moved > LEANING**2:
        if along > 0.0:
            back = along / math.sqrt(moved * missed) * min(math.sqrt(missed) / MISSING, 1.0)
            mem.restless = max(mem.restless, back)
        elif mem.restless > 0.0:
            mem.restless *= math.exp(-dt / FORGETTING)
    elif mem.restless > 0.0 and mem.largest_speed < SLOW:
        mem.restless *= math.exp(-dt / RESTING)
    # Leaning takes the robot away from the singularity, which ends the lean: at once, it would rock to and fro.
    near = min(max(mem.condition / SINGULAR - 1.0, 0.0), 1.0)
    mem.singular += (near - mem.singular) * dt / (LEANING_TIME + dt)
    return mem.singular * max(mem.restless - 0.01, 0.0) / 0.99


@kernel
def _wishes(mem: MechanismMemory) -> bool:
    wish_weight = mem.wish_weight
    largest = 0.0
    for j in range(wish_weight.size):
        largest = max(largest, wish_weight[j])
    return largest > 0.0


@kernel
def _condition(mem: MechanismMemory, rows: int, rank: int, span: Floats2, free: int, plain: bool) -> float:
    """Ratio of the largest to the `rank`-th singular value of the task rows against motion of the joints."""
    hessian, motion, column, task_reduced = mem.hessian, mem.motion, mem.image, mem.task_reduced
    triangle, turned = mem.triangle, mem.turned
    size = min(rows, motion.size)
    if rank <= 0 or rows == 0 or free == 0 or rows > motion.size:
        return _condition_of_few(mem, rows, rank, free) if rank > 0 and free > 0 else 1.0
    if not plain:
        for a in range(free):
            for b in range(a + 1):
                triangle[a, b] = 0.0
        for j in range(motion.size):
            for a in range(free):
                value = span[j, a]
                if value != 0.0:
                    for b in range(a + 1):
                        triangle[a, b] += value * span[j, b]
        if not cholesky(triangle, free, turned):
            return math.inf
    for a in range(size):
        for k in range(free):
            column[k] = task_reduced[a, k]
        if not plain:
            cholesky_solve(turned, free, column, column)
        for b in range(a + 1):
            value = 0.0
            for k in range(free):
                value += task_reduced[b, k] * column[k]
            hessian[a, b], hessian[b, a] = value, value
    if rank == size:
        return _spread_by_iteration(mem, size)
    return _spread(hessian, size, rank)


@kernel
def _condition_of_few(mem: MechanismMemory, rows: int, rank: int, free: int) -> float:
    """The same where there are fewer joints than rows."""
    hessian, task_reduced = mem.hessian, mem.task_reduced
    for a in range(free):
        for b in range(a + 1):
            value = 0.0
            for r in range(rows):
                value += task_reduced[r, a] * task_reduced[r, b]
            hessian[a, b], hessian[b, a] = value, value
    return _spread(hessian, free, rank)


@kernel
def _spread_by_iteration(mem: MechanismMemory, size: int) -> float:
    """Root of the ratio of extreme eigenvalues; directions of the step before make a few turns enough."""
    gram, lower = mem.hessian, mem.turned
    strong, weak, image = mem.strongest, mem.weakest, mem.image
    if not cholesky(gram, size, lower):
        return math.inf
    turns = 2
    if not mem.task_continued[0] or strong[0] == 0.0:
        turns = 30
        for i in range(size):
            strong[i], weak[i] = 1.0 + 0.1 * i, 1.0 - 0.1 * i
    largest, smallest = 0.0, 0.0
    for _ in range(turns):
        total = 0.0
        for i in range(size):
            image[i] = 0.0
            for k in range(size):
                image[i] += gram[i, k] * strong[k]
            total += image[i] ** 2
        largest = math.sqrt(total)
        for i in range(size):
            strong[i] = image[i] / largest
        cholesky_solve(lower, size, weak, weak)
        total = 0.0
        for i in range(size):
            total += weak[i] ** 2
        smallest = 1.0 / math.sqrt(total)
        for i in range(size):
            weak[i] *= smallest
    return math.sqrt(largest / smallest)


@kernel
def _spread(gram: Floats2, size: int, rank: int) -> float:
    """Root of the ratio of the largest to the `rank`-th eigenvalue of a symmetric matrix, which is destroyed."""
    symmetric_eigenvalues(gram, size)
    largest, value = 0.0, 0.0
    for nth in range(min(rank, size)):
        best = nth
        for i in range(nth + 1, size):
            if gram[i, i] > gram[best, best]:
                best = i
        gram[nth, nth], gram[best, best] = gram[best, best], gram[nth, nth]
        value = gram[nth, nth]
        largest = max(largest, value)
    return math.sqrt(largest / value) if value > 0.0 else math.inf


@kernel
def _move(mem: MechanismMemory, plain: bool, dt: float) -> None:
    """Go where the motion leads, onto the closures; if that is not possible, half the way, and so on."""
    a_max, lower, motion, position = mem.a_max, mem.lower, mem.motion, mem.position
    q_max, q_min, rotation, trial = mem.q_max, mem.q_min, mem.rotation, mem.trial
    trial_high, trial_low, upper, q, v = mem.trial_high, mem.trial_low, mem.upper, mem.q, mem.v
    n = q.size
    mem.landed = True
    if plain:
        for j in range(n):
            trial[j] = min(max(q[j] + motion[j], q_min[j]), q_max[j])
        forward(mem, trial, rotation, position)
    else:
        share, done = 1.0, False
        for attempt in range(MOST_HALVINGS):
            if attempt == 1:
                step_bounds(mem, dt, 4.0)
            elif attempt == 2:
                step_bounds(mem, dt, math.inf)
            for j in range(n):
                trial_low[j] = max(q[j] + lower[j], q_min[j])
                trial_high[j] = min(q[j] + upper[j], q_max[j])
                trial[j] = q[j] + share * motion[j]
            if land(mem, trial, trial_low, trial_high):
                done = True
                break
            if attempt > 1:
                share *= 0.5
        if not done:
            mem.landed = False
            for j in range(n):
                trial[j] = q[j]
            forward(mem, trial, rotation, position)
            closure_rows(mem, trial, False)
    largest = 0.0
    for j in range(n):
        if abs(trial[j] - q[j]) < STILL:
            trial[j] = q[j]
        speed = (trial[j] - q[j]) / dt
        if abs(speed - v[j]) > a_max[j] * dt * (1.0 + 1e-9) + LANDING / dt:
            mem.gave_way = True
        v[j] = speed
        largest = max(largest, abs(speed))
        q[j] = trial[j]
    mem.largest_speed = largest
