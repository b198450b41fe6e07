"""One step of motion: closures and bounds kept, tasks done in strict order of priority as well as they can be."""

from __future__ import annotations

import math

from station.mechanism.kernels import at
from station.mechanism.kernels.bounds import LANDING, step_bounds
from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.closures import closure_rows, eliminate
from station.mechanism.kernels.dense import cholesky, cholesky_solve, symmetric_eigenvalues
from station.mechanism.kernels.level import add_motion, left_over, solve_level
from station.mechanism.kernels.memory import Block, Floats
from station.mechanism.kernels.newton import land
from station.mechanism.kernels.qp import SOLVED
from station.mechanism.kernels.tasks import begin, pose_errors, put_pose, put_twist, task_rows
from station.mechanism.kernels.tree import forward, frame_jacobian

# Places in the array of results.
CONDITION, POSITION_ERROR, ROTATION_ERROR, LARGEST_MOTION, GAVE_WAY, LANDED, SOLVER, AGE, RESTLESS = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
)

# Statuses of a step, as in results.py.
OK, LIMITED, NEAR_SINGULAR, UNREACHABLE, CLOSURE_LOST = 0, 1, 2, 3, 4
CONDITION_EVERY = 8.0  # steps: it changes slowly, and takes a third of the time of a small step
SINGULAR = 50.0  # condition above which a step counts as near a singularity
AT_REST = 1e-4  # speed below which a joint counts as at rest [rad/s | m/s]
REACHED_METRES, REACHED_RADIANS = 1e-6, 1e-5  # where a target counts as reached
MOST_HALVINGS = 20
LEANING = 1e-6  # motion of a target in one step that counts as such [m]
MISSING = 1e-3  # distance from which on a target that comes nearer comes back [m]
FORGETTING = 1.0  # time in which that is forgotten when it goes away again [s] …
RESTING = 0.3  # … or when it rests, and the robot too [s]
SLOW = 0.05  # speed below which no joint runs after a target any more [rad/s | m/s]
STILL = 1e-15  # motion of a joint that is rounding, not motion [rad | m]


@kernel
def step(
    mem: Block, task_count: int, task_rank: int, contact_count: int, dt: float
) -> tuple[int, float, float, float, bool]:
    """Move `q` [rad | m] and `v` by one step of `dt` [s]; bodies are where `q` says, before and afterwards.

    `task_rank` is the rank that the rows of the first level have at almost every configuration. Returns the status,
    position and rotation error [m, rad], condition, and whether acceleration limits gave way.
    """
    q, v, results, lower, upper = at.q(mem), at.v(mem), at.results(mem), at.lower(mem), at.upper(mem)
    matrix, motion, particular = at.matrix(mem), at.motion(mem), at.particular(mem)
    n = q.size
    plain = matrix.shape[0] == 0
    if not plain:
        closure_rows(mem, q, True)
        eliminate(mem, at.closure_rank(mem)[0])
    results[GAVE_WAY], results[SOLVER] = 0.0, 0.0
    state = -1
    for attempt in range(6):
        # First everything; then obstacles only stop, not push out; then acceleration limits give way, more and more.
        step_bounds(mem, q, v, dt, 4.0 ** max(attempt - 1, 0) if attempt < 5 else math.inf, lower, upper)
        _contact_rows(mem, contact_count, attempt > 0)
        for j in range(n):
            motion[j] = 0.0 if plain else particular[j]
        state = _levels(mem, task_count, task_rank, plain, n + contact_count, dt)
        if state == SOLVED:
            break
        results[GAVE_WAY] = 1.0 if attempt > 0 else 0.0
    for j in range(n):  # the last word before anything moves
        if not (lower[j] - 1e-9 <= motion[j] <= upper[j] + 1e-9):
            state = -1
    if state != SOLVED:
        results[SOLVER] = 1.0
        for j in range(n):
            motion[j] = 0.0
    _move(mem, plain, dt)
    pose_errors(mem, task_count, results[POSITION_ERROR : ROTATION_ERROR + 1])
    status = _status(mem, n + contact_count)
    return status, results[POSITION_ERROR], results[ROTATION_ERROR], results[CONDITION], results[GAVE_WAY] > 0.0


@kernel
def step_to_pose(
    mem: Block, frame: int, pose: Floats, continued: bool, task_rank: int, dt: float
) -> tuple[int, float, float, float, bool]:
    """The most common step: one frame follows one pose. Status -1: pose or time is not finite; nothing moves."""
    begin(mem, continued)
    if not (0.0 < dt < math.inf) or not put_pose(mem, 0, frame, 0, pose):
        return -1, 0.0, 0.0, 0.0, False
    return step(mem, 1, task_rank, 0, dt)


@kernel
def step_by_twist(
    mem: Block, frame: int, twist: Floats, continued: bool, task_rank: int, dt: float
) -> tuple[int, float, float, float, bool]:
    """One frame follows one twist. Status -1: twist or time is not finite; nothing moves."""
    begin(mem, continued)
    if not (0.0 < dt < math.inf) or not put_twist(mem, 0, frame, 0, twist):
        return -1, 0.0, 0.0, 0.0, False
    return step(mem, 1, task_rank, 0, dt)


@kernel
def _status(mem: Block, bounds: int) -> int:
    results = at.results(mem)
    if results[LANDED] == 0.0:
        return CLOSURE_LOST
    missed = results[POSITION_ERROR] > REACHED_METRES or results[ROTATION_ERROR] > REACHED_RADIANS
    if missed and results[LARGEST_MOTION] < AT_REST:
        return UNREACHABLE
    if results[CONDITION] > SINGULAR:
        return NEAR_SINGULAR
    for i in range(bounds):
        if is_held_back(mem, i):
            return LIMITED
    return OK


@kernel
def is_held_back(mem: Block, bound: int) -> bool:
    """Whether a contact or a position or speed limit pushes (an acceleration limit does so at every start)."""
    if at.felt(mem)[bound] == 0.0:
        return False
    q, v = at.q(mem), at.v(mem)
    if bound >= q.size:
        return True
    near = 1e-9 * max(1.0, abs(q[bound]))
    if q[bound] - at.q_min(mem)[bound] < near or at.q_max(mem)[bound] - q[bound] < near:
        return True
    return abs(v[bound]) > at.v_max(mem)[bound] * (1.0 - 1e-9)


@kernel
def _contact_rows(mem: Block, count: int, stay: bool) -> None:
    """n·J ≥ -distance for every contact; `stay`: not being pushed out is enough."""
    contact_distance, contact_frame = at.contact_distance(mem), at.contact_frame(mem)
    contact_normal, contact_point, contact_rows = at.contact_normal(mem), at.contact_point(mem), at.contact_rows(mem)
    lower, motion, position, rotation = at.lower(mem), at.motion(mem), at.position(mem), at.rotation(mem)
    task_matrix, upper = at.task_matrix(mem), at.upper(mem)
    n = motion.size
    for c in range(count):
        rows = task_matrix[:6]
        frame_jacobian(mem, contact_frame[c], contact_point[c], rotation, position, rows)
        for j in range(n):
            contact_rows[c, j] = 0.0
            for i in range(3):
                contact_rows[c, j] += contact_normal[c, i] * rows[i, j]
        lower[n + c] = min(-contact_distance[c], 0.0) if stay else -contact_distance[c]
        upper[n + c] = math.inf


@kernel
def _levels(mem: Block, task_count: int, task_rank: int, plain: bool, bounds: int, dt: float) -> int:
    """All levels of tasks, then the wish, into `motion`."""
    q, results, sizes, basis, spans = at.q(mem), at.results(mem), at.sizes(mem), at.basis(mem), at.spans(mem)
    felt, multiplier, curvature, spare = at.felt(mem), at.multiplier(mem), at.curvature(mem), at.spare(mem)
    task_level, wish, wish_weight = at.task_level(mem), at.wish(mem), at.wish_weight(mem)
    n, free = q.size, sizes[1]
    span, on_joints = basis, plain
    first, nth = 0, 0
    nothing = spare[6]
    for j in range(n):
        nothing[j] = 0.0
    while True:
        last, row = first, 0
        for j in range(n):
            curvature[j] = 0.0
        while last < task_count and task_level[last] == task_level[first]:
            row = task_rows(mem, last, row, q, dt)
            last += 1
        lean = 0.0
        if nth == 0:
            lean = _lean(mem, row, dt)
            lean = lean if row == task_rank and at.task_continued(mem)[0] else 0.0
        state = solve_level(mem, nothing[:n], nothing[:n], row, span, free, on_joints, bounds, lean, dt)
        if state != SOLVED:
            return state if nth == 0 else SOLVED  # a lower level that cannot be had is left out
        add_motion(mem, span, free, on_joints)
        if nth == 0:
            results[AGE] = results[AGE] + 1.0 if at.task_continued(mem)[0] else CONDITION_EVERY
            if results[AGE] >= CONDITION_EVERY:
                results[CONDITION] = _condition(mem, row, task_rank, span, free, on_joints)
                results[AGE] = 0.0
            for i in range(bounds):
                felt[i] = multiplier[i]
        wish_left = last >= task_count and _wishes(mem)
        if last >= task_count and not wish_left:
            return SOLVED
        result = spans[nth % 2]
        free = left_over(mem, row, span, free, on_joints, result)
        span, on_joints = result, False
        if free == 0:
            return SOLVED
        if wish_left:
            for j in range(n):
                curvature[j] = 0.0
            if solve_level(mem, wish, wish_weight, 0, span, free, False, bounds, 0.0, dt) == SOLVED:
                add_motion(mem, span, free, False)
            return SOLVED
        first = last
        nth += 1


@kernel
def _lean(mem: Block, rows: int, dt: float) -> float:
    """How much to lean near singularities, 0 to 1: when a target comes back, and as long as the robot runs after it.

    A target that goes away needs no lean: it stretches the arm, and a stretched arm at rest is where it should be.
    """
    results, advance, error = at.results(mem), at.task_advance(mem), at.task_error(mem)
    moved, missed, along = 0.0, 0.0, 0.0
    for r in range(rows):
        before = error[r] - advance[r]
        moved += advance[r] ** 2
        missed += before**2
        along -= advance[r] * before
    if moved > LEANING**2:
        if along > 0.0:
            back = along / math.sqrt(moved * missed) * min(math.sqrt(missed) / MISSING, 1.0)
            results[RESTLESS] = max(results[RESTLESS], back)
        elif results[RESTLESS] > 0.0:
            results[RESTLESS] *= math.exp(-dt / FORGETTING)
    elif results[RESTLESS] > 0.0 and results[LARGEST_MOTION] < SLOW:
        results[RESTLESS] *= math.exp(-dt / RESTING)
    near = min(max(results[CONDITION] / SINGULAR - 1.0, 0.0), 1.0)
    return near * max(results[RESTLESS] - 0.01, 0.0) / 0.99


@kernel
def _wishes(mem: Block) -> bool:
    wish_weight = at.wish_weight(mem)
    largest = 0.0
    for j in range(wish_weight.size):
        largest = max(largest, wish_weight[j])
    return largest > 0.0


@kernel
def _condition(mem: Block, rows: int, rank: int, span: Floats, free: int, plain: bool) -> float:
    """Ratio of the largest to the `rank`-th singular value of the task rows against motion of the joints."""
    hessian, motion, spare, task_reduced = at.hessian(mem), at.motion(mem), at.spare(mem), at.task_reduced(mem)
    triangle, turned = at.triangle(mem), at.turned(mem)
    size = min(rows, motion.size)
    if rank <= 0 or rows == 0 or free == 0 or rows > motion.size:
        return _condition_of_few(mem, rows, rank, free) if rank > 0 and free > 0 else 1.0
    if not plain:
        for a in range(free):
            for b in range(a + 1):
                triangle[a, b] = 0.0
                for j in range(motion.size):
                    triangle[a, b] += span[j, a] * span[j, b]
        if not cholesky(triangle, free, turned):
            return math.inf
    column = spare[0]
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
def _condition_of_few(mem: Block, rows: int, rank: int, free: int) -> float:
    """The same where there are fewer joints than rows."""
    hessian, task_reduced = at.hessian(mem), at.task_reduced(mem)
    for a in range(free):
        for b in range(a + 1):
            value = 0.0
            for r in range(rows):
                value += task_reduced[r, a] * task_reduced[r, b]
            hessian[a, b], hessian[b, a] = value, value
    return _spread(hessian, free, rank)


@kernel
def _spread_by_iteration(mem: Block, size: int) -> float:
    """Root of the ratio of extreme eigenvalues; directions of the step before make a few turns enough."""
    gram, lower, spare = at.hessian(mem), at.turned(mem), at.spare(mem)
    strong, weak, image = at.directions(mem)[0], at.directions(mem)[1], spare[0]
    if not cholesky(gram, size, lower):
        return math.inf
    turns = 2
    if not at.task_continued(mem)[0] or strong[0] == 0.0:
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
def _spread(gram: Floats, size: int, rank: int) -> float:
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
def _move(mem: Block, plain: bool, dt: float) -> None:
    """Go where the motion leads, onto the closures; if that is not possible, half the way, and so on."""
    a_max, lower, motion, position = at.a_max(mem), at.lower(mem), at.motion(mem), at.position(mem)
    q_max, q_min, rotation, trial = at.q_max(mem), at.q_min(mem), at.rotation(mem), at.trial(mem)
    trial_high, trial_low, upper, q, v = at.trial_high(mem), at.trial_low(mem), at.upper(mem), at.q(mem), at.v(mem)
    results = at.results(mem)
    n = q.size
    results[LANDED] = 1.0
    if plain:
        for j in range(n):
            trial[j] = min(max(q[j] + motion[j], q_min[j]), q_max[j])
        forward(mem, trial, rotation, position)
    else:
        share, done = 1.0, False
        for attempt in range(MOST_HALVINGS):
            if attempt == 1:
                step_bounds(mem, q, v, dt, 4.0, lower, upper)
            elif attempt == 2:
                step_bounds(mem, q, v, dt, math.inf, lower, upper)
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
            results[LANDED] = 0.0
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
            results[GAVE_WAY] = 1.0
        v[j] = speed
        largest = max(largest, abs(speed))
        q[j] = trial[j]
    results[LARGEST_MOTION] = largest
