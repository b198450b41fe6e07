"""New timing for a path: least time, or a speed of the tool, within speed, acceleration and jerk of every joint.

The path of each motion between two standstills becomes a smooth curve; TOPP-RA (H. Pham and Q.-C. Pham, 'A new approach
to time-optimal path parameterization based on reachability analysis', 2018) finds the fastest timing within speed and
acceleration. Jerk is not part of that method: the speed along the path is averaged over the time that
the jerk limits need, and where a limit is still broken the speed is lowered there and all is done again; what is left
in the end slows down the whole motion. So the limits hold, at a price of a few per cent of time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline, UnivariateSpline

from station.mechanism import Mechanism
from station.tasks.task.edit import apart, combined, joined, moving_runs
from station.tasks.task.errors import RetimeError
from station.tasks.task.joints import closed_path, tool_path, whole_path
from station.tasks.task.limits import Limits
from station.tasks.task.model import Floats, Task, changed
from station.tasks.task.timing import timing

GRID = 800  # places along a path at most at which the timing is found
FINEST = 50
DEVIATION = 2e-4  # of the smooth curve from the samples, root of mean squares [rad | m]
LARGEST_DEVIATION = 2e-3  # anywhere [rad | m]
TOOL_ROOM = 0.98  # of a speed of the tool: it is known from the old path, and the curve differs a little
STILL = 1e-6  # motion between two samples that is none, over all joints [rad | m]

Run = Callable[[int, int], tuple[Floats, Floats]]  # new samples of a motion, and the new place of every old one


class Retimed(NamedTuple):
    """A task with a new timing."""

    task: Task
    before: float  # how long it took [s]
    deviation: float  # largest distance of a joint from the old path [rad | m]


def retimed(task: Task, mechanism: Mechanism, limits: Limits, tool_speed: float | None = None) -> Retimed:
    """The same path, as fast as the limits allow, the tool no faster than `tool_speed` [m/s]; waits stay as they are.

    The mechanism is moved. Raises a RetimeError.
    """
    (made,), deviation = retimed_together([task], mechanism, limits, [task.frame], tool_speed)
    return Retimed(made, task.duration, deviation)


def retimed_together(
    tasks: Sequence[Task],
    mechanism: Mechanism,
    limits: Limits,
    frames: Sequence[int],
    tool_speed: float | None = None,
) -> tuple[list[Task], float]:
    """The same of several robots that move at the same time, and how far a joint is from its old path [rad | m].

    `mechanism` has all of them, with the joints of the tasks one after the other; `frames` are those that work.
    """
    check_tool_speed(tool_speed)
    task = combined(tasks, frames[0])
    whole = whole_path(mechanism, np.asarray(task.q)).q
    tools = np.hstack([tool_path(mechanism, frame, whole)[:, :3, 3] for frame in frames])
    deviation = 0.0

    def run(begin: int, end: int) -> tuple[Floats, Floats]:
        nonlocal deviation
        q, old, off = _run(task, begin, end, limits, tools[begin : end + 1], tool_speed)
        deviation = max(deviation, off)
        return q, old

    return rebuilt(tasks, task, mechanism, run), deviation


def rebuilt(tasks: Sequence[Task], task: Task, mechanism: Mechanism, run: Run) -> list[Task]:
    """Tasks with their motions made anew, each from its first to its last sample; standstills stay as they are.

    `task` is all of them in one, see `combined`.
    """
    runs = dict(moving_runs(task))
    pieces: list[Floats] = []
    place = np.zeros(len(task.q))  # new sample number of every old sample
    at, sample = 0, 0
    while sample < len(task.q) - 1:
        end = runs.get(sample)
        if end is None:  # stands still
            end = next(segment.end for segment in task.segments if segment.begin == sample)
            q, old = task.q[sample : end + 1], np.arange(end - sample + 1.0)
        else:
            q, old = run(sample, end)
        pieces.append(q if not pieces else q[1:])
        place[sample : end + 1] = at + old
        at, sample = at + len(q) - 1, end
    whole = closed_path(mechanism, np.concatenate(pieces))
    parts = apart(whole, tasks) if len(tasks) > 1 else [whole]
    return joined([_placed(one, q, place) for one, q in zip(tasks, parts, strict=True)])


def check_tool_speed(tool_speed: float | None) -> None:
    """Raise a RetimeError for a speed of the tool that makes no sense [m/s]."""
    if tool_speed is not None and not 1e-5 <= tool_speed <= 100.0:
        raise RetimeError(f"a speed of the tool of {tool_speed:g} m/s; allowed: 1e-05 to 100")


def _placed(task: Task, q: Floats, place: Floats) -> Task:
    """Segments and marks at the new places of the old samples."""
    new = np.round(place).astype(int)
    segments, at = [], 0
    for segment in task.segments:
        end = max(int(new[segment.end]), at + 1)
        segments.append(segment._replace(begin=at, end=end))
        at = end
    if at > len(q) - 1:  # very short segments were made longer by a sample
        q = np.concatenate([q, np.tile(q[-1], (at - len(q) + 1, 1))])
    segments[-1] = segments[-1]._replace(end=len(q) - 1)
    marks = tuple(mark._replace(sample=int(new[mark.sample])) for mark in task.marks)
    return changed(task, q=q, segments=tuple(segments), marks=marks)


def _run(
    task: Task, begin: int, end: int, limits: Limits, tools: Floats, tool_speed: float | None
) -> tuple[Floats, Floats, float]:
    """New samples of a motion, the new place of every old sample, and how far the curve is from the old one."""
    q = np.asarray(task.q[begin : end + 1])
    steps = np.linalg.norm(np.diff(q, axis=0) / limits.speed, axis=1)
    if steps.sum() * limits.speed.min() < STILL:  # a motion that is none: stay for one period
        return q[[0, -1]], np.concatenate([np.zeros(len(q) - 1), [1.0]]), 0.0
    s = np.concatenate([[0.0], np.cumsum(steps)])
    curve = _curve(s, q)
    grid = np.linspace(0.0, s[-1], int(np.clip(len(q) // 5, FINEST, GRID)))
    deviation = float(np.abs(curve(s) - q).max())
    most = TOOL_ROOM * _speed_along(s, grid, tools, tool_speed)
    places = timing(curve, grid, limits, task.period, most)
    new_q = np.asarray(curve(places))
    new_q[0], new_q[-1] = q[0], q[-1]
    return new_q, np.interp(s, places, np.arange(len(places))), deviation


def _curve(s: Floats, q: Floats) -> CubicSpline:
    """A smooth curve near the samples, through the first and the last."""
    keep = np.concatenate([[True], np.diff(s) > 1e-9 * s[-1]])
    keep[-1] = True
    s, q = s[keep], q[keep]
    if len(s) > 2 and s[-1] <= s[-2]:
        s, q = np.delete(s, -2), np.delete(q, -2, axis=0)
    if len(s) < 8:
        return CubicSpline(s, q, bc_type="natural")
    fine = np.linspace(0.0, s[-1], int(np.clip(len(s) // 3, 60, 1200)))
    even = np.stack([np.interp(fine, s, q[:, j]) for j in range(q.shape[1])], axis=1)
    weights = np.ones(len(fine))
    weights[[0, -1]] = 1e3
    allowed = DEVIATION
    for _ in range(6):
        splines = [UnivariateSpline(fine, column, w=weights, k=5, s=len(fine) * allowed**2) for column in even.T]
        smooth = np.stack([spline(fine) for spline in splines], axis=1)
        if np.abs(smooth - even).max() <= LARGEST_DEVIATION:
            break
        allowed /= 4.0
    smooth[0], smooth[-1] = q[0], q[-1]
    return CubicSpline(fine, smooth, bc_type="natural")


def tool_steps(tools: Floats) -> Floats:
    """How far the fastest of some tools goes from sample to sample, n×3·tools [m]."""
    steps = np.diff(tools, axis=0).reshape(len(tools) - 1, -1, 3)
    return np.asarray(np.linalg.norm(steps, axis=2).max(axis=1))


def _speed_along(s: Floats, grid: Floats, tools: Floats, tool_speed: float | None) -> Floats:
    """Largest ds/dt for the tool's speed, at each place of the grid."""
    if tool_speed is None:
        return np.full(len(grid), np.inf)
    way = np.concatenate([[0.0], np.cumsum(tool_steps(tools))])
    keep = np.concatenate([[True], np.diff(s) > 0.0])
    per_s = np.gradient(np.interp(grid, s[keep], way[keep]), grid)
    return np.asarray(tool_speed / np.maximum(np.maximum(per_s, np.roll(per_s, 1)), 1e-12))
