"""Edits: each takes a task and returns another. Marks and segments keep their place in the motion.

Cutting into a motion leaves a jump of speed there; `as_driven` and `retimed` take it away, and the check finds it if it
is forgotten.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from station.controllers.shaping import JointLimits
from station.tasks.task.clips import Clip, bridge, cut_out, glued, standing
from station.tasks.task.errors import EditError
from station.tasks.task.model import Action, Floats, Kind, LinkLoss, Mark, Segment, Task, changed

LONGEST_STAND = 3600.0  # of a wait or an action [s]
MOST_REPEATS = 1000
MOST_SAMPLES = 20_000_000  # some hours at 1 kHz


def trimmed(task: Task, begin: int, end: int) -> Task:
    """Only what is from one sample to another."""
    _check_range(task, begin, end)
    return glued(task, [cut_out(task, begin, end)])


def trimmed_to_mark(task: Task, name: str) -> Task:
    """What there was up to the last mark of a name: an undo."""
    sample = task.mark(name).sample
    if sample == 0:
        raise EditError(f"task {task.name}: nothing is left before mark {name!r}; allowed: a later one")
    return trimmed(task, 0, sample)


def without(task: Task, begin: int, end: int, limits: Sequence[JointLimits]) -> Task:
    """Leave out a stretch, with a bridge over the gap."""
    _check_range(task, begin, end)
    before, after = cut_out(task, 0, begin), cut_out(task, end, _last(task))
    return glued(task, [before, bridge(task.q[begin], task.q[end], limits, task.period), after])


def inserted(task: Task, sample: int, other: Task, limits: Sequence[JointLimits]) -> Task:
    """Another task of the same robot in the middle, with bridges there and back; at the last sample: after it."""
    _check_sample(task, sample)
    if (other.robot, other.joints, other.period) != (task.robot, task.joints, task.period):
        raise EditError(f"task {other.name} is for another robot or another rate than {task.name}")
    here, last = task.q[sample], _last(task)
    clips = [cut_out(task, 0, sample), bridge(here, other.q[0], limits, task.period), cut_out(other, 0, _last(other))]
    if sample < last:
        clips += [bridge(other.q[-1], here, limits, task.period), cut_out(task, sample, last)]
    return glued(task, clips)


def repeated(task: Task, times: int, limits: Sequence[JointLimits]) -> Task:
    """The whole several times, with a bridge back to the begin in between."""
    if not 1 <= times <= MOST_REPEATS:
        raise EditError(f"repeat {times} times; allowed: 1 to {MOST_REPEATS}")
    whole = cut_out(task, 0, _last(task))
    back = bridge(task.q[-1], task.q[0], limits, task.period, "back to the begin")
    _check_size(task, times * (len(whole.q) + len(back.q)))
    return glued(task, [whole, *(clip for _ in range(times - 1) for clip in (back, whole))])


def waiting(task: Task, sample: int, duration: float, comment: str = "") -> Task:
    """Stand still at a sample for a while [s]."""
    return _stand(task, sample, standing(task.q[sample], _periods(task, duration), Kind.WAIT, comment=comment))


def acting(task: Task, sample: int, action: Action, duration: float, comment: str = "") -> Task:
    """Let the tool do something at a sample, for which the arm stands still [s]."""
    count = _periods(task, duration)
    return _stand(
        task, sample, standing(task.q[sample], count, Kind.ACTION, name=action.word, comment=comment, action=action)
    )


def labelled(
    task: Task,
    begin: int,
    end: int,
    kind: Kind,
    *,
    name: str = "",
    comment: str = "",
    on_link_loss: LinkLoss | None = None,
    force: float = 0.0,
    tube: float = 0.0,
) -> Task:
    """Say what goes on from one sample to another: free, or contact expected; waits and actions in it stay."""
    _check_range(task, begin, end)
    if kind not in (Kind.FREE, Kind.CONTACT):
        raise EditError(f"a stretch cannot be made a {kind}; allowed: free, contact (a wait or an action is inserted)")
    segments = []
    for segment in task.segments:
        for first, last in _split(segment, begin, end):
            part = segment._replace(begin=first, end=last)
            if segment.moves and begin <= first and last <= end:
                loss = segment.on_link_loss if on_link_loss is None else on_link_loss
                part = part._replace(
                    kind=kind,
                    name=name or segment.name,
                    comment=comment or segment.comment,
                    on_link_loss=loss,
                    force=force,
                    tube=tube,
                )
            segments.append(part)
    return changed(task, segments=tuple(segments))


def on_link_loss(task: Task, what: LinkLoss) -> Task:
    """The same for all segments."""
    return changed(task, segments=tuple(segment._replace(on_link_loss=what) for segment in task.segments))


def marked(task: Task, sample: int, name: str, comment: str = "") -> Task:
    """A mark more."""
    _check_sample(task, sample)
    marks = sorted([*task.marks, Mark(sample, name, comment)], key=lambda mark: mark.sample)
    return changed(task, marks=tuple(marks))


def smoothed(task: Task, time: float) -> Task:
    """Take the tremor out of what moves: a weighted mean over so long [s]; where a motion begins and ends stays."""
    if not task.period <= time <= 2.0:
        raise EditError(f"smooth over {time:g} s; allowed: {task.period:g} to 2")
    q = np.array(task.q)
    for begin, end in moving_runs(task):
        q[begin : end + 1] = _smooth(q[begin : end + 1], max(round(0.5 * time / task.period), 1))
    return changed(task, q=q)


def moving_runs(task: Task) -> list[tuple[int, int]]:
    """Samples of each motion between two standstills, whatever segments it goes through."""
    runs: list[tuple[int, int]] = []
    for segment in task.segments:
        if not segment.moves:
            continue
        if runs and runs[-1][1] == segment.begin:
            runs[-1] = (runs[-1][0], segment.end)
        else:
            runs.append((segment.begin, segment.end))
    return runs


def _smooth(q: Floats, half: int) -> Floats:
    """Mean with a Hann window of 2·half + 1; mirrored at both ends through the end points, which thereby stay."""
    half = min(half, len(q) - 1)
    window = np.hanning(2 * half + 3)[1:-1]
    window /= window.sum()
    padded = np.concatenate([2.0 * q[0] - q[half:0:-1], q, 2.0 * q[-1] - q[-2 : -half - 2 : -1]])
    out = np.stack([np.convolve(padded[:, j], window, mode="valid") for j in range(q.shape[1])], axis=1)
    out[0], out[-1] = q[0], q[-1]
    return np.asarray(out)


def _stand(task: Task, sample: int, clip: Clip) -> Task:
    _check_sample(task, sample)
    parts = [cut_out(task, 0, sample), clip, cut_out(task, sample, _last(task))]
    return glued(task, parts)


def _split(segment: Segment, begin: int, end: int) -> list[tuple[int, int]]:
    """A segment in up to three parts, at the ends of a range."""
    edges = [segment.begin, *(edge for edge in (begin, end) if segment.begin < edge < segment.end), segment.end]
    return list(itertools.pairwise(edges))


def _periods(task: Task, duration: float) -> int:
    if not task.period <= duration <= LONGEST_STAND:
        raise EditError(f"stand still for {duration:g} s; allowed: {task.period:g} to {LONGEST_STAND:g}")
    count = round(duration / task.period)
    _check_size(task, len(task.q) + count)
    return count


def _last(task: Task) -> int:
    return len(task.q) - 1


def _check_sample(task: Task, sample: int) -> None:
    if not 0 <= sample <= _last(task):
        raise EditError(f"task {task.name}: sample {sample}; allowed: 0 to {_last(task)}")


def _check_range(task: Task, begin: int, end: int) -> None:
    if not 0 <= begin < end <= _last(task):
        raise EditError(f"task {task.name}: from sample {begin} to {end}; allowed: upwards within 0 to {_last(task)}")


def _check_size(task: Task, samples: int) -> None:
    if samples > MOST_SAMPLES:
        raise EditError(f"task {task.name} would have {samples} samples; allowed: up to {MOST_SAMPLES}")


def joined(tasks: Sequence[Task]) -> list[Task]:
    """Tasks of different robots as one: those that are shorter than the longest wait at their ends."""
    samples = max(len(task.q) for task in tasks)
    made = []
    for task in tasks:
        more = samples - len(task.q)
        whole = cut_out(task, 0, len(task.q) - 1)
        made.append(glued(task, [whole, standing(task.q[-1], more, Kind.WAIT, name="the others")]) if more else task)
    return made


def combined(tasks: Sequence[Task], frame: int) -> Task:
    """Tasks of several robots as one motion of all their joints, which moves and stands as all of them do."""
    first = tasks[0]
    if len(tasks) == 1:
        return first
    segments = tuple(Segment(s.begin, s.end, Kind.FREE if s.moves else Kind.WAIT) for s in first.segments)
    return changed(
        first,
        robot="+".join(task.robot for task in tasks),
        joints=tuple(f"{task.robot}.{joint}" for task in tasks for joint in task.joints),
        frame=frame,
        q=np.hstack([task.q for task in tasks]),
        segments=segments,
        marks=(),
        reference=None,
    )


def apart(q: Floats, tasks: Sequence[Task]) -> list[Floats]:
    """The samples of each robot again."""
    ends = np.cumsum([len(task.joints) for task in tasks])
    return [np.ascontiguousarray(part) for part in np.split(q, ends[:-1], axis=1)]
