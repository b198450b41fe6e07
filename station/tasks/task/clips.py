"""Clips: stretches of a task that can be cut out and put together again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from station.controllers.shaping import JointLimits, ShapingError
from station.controllers.shaping.parking import planned
from station.mechanism import Mechanism
from station.tasks.task.errors import EditError
from station.tasks.task.joints import closed_path, driven_joints, independent_joints
from station.tasks.task.model import Action, Floats, Kind, LinkLoss, Mark, Segment, Task, changed

MOST_SLOWER = 4  # times that a bridge is made slower
SAME_ASSEMBLY = 1e-3  # [rad | m]
SAME_SPEED = 1.001  # by how much a bridge may be too fast before it is made slower: samples are rounded


class Clip(NamedTuple):
    """Samples with their segments and marks, counted from the first sample; one sample alone has no segment."""

    q: Floats
    segments: tuple[Segment, ...]
    marks: tuple[Mark, ...] = ()


def cut_out(task: Task, begin: int, end: int) -> Clip:
    """From one sample to another."""
    segments = []
    for segment in task.segments:
        first, last = max(segment.begin, begin), min(segment.end, end)
        if first < last:
            segments.append(segment._replace(begin=first - begin, end=last - begin))
    marks = tuple(mark._replace(sample=mark.sample - begin) for mark in task.marks if begin <= mark.sample <= end)
    return Clip(task.q[begin : end + 1], tuple(segments), marks)


def glued(task: Task, clips: Sequence[Clip]) -> Task:
    """The task with these clips one after the other; each must begin where the one before ends."""
    q, segments, marks = [clips[0].q], list(clips[0].segments), list(clips[0].marks)
    at = len(clips[0].q) - 1
    for clip in clips[1:]:
        if np.abs(clip.q[0] - q[-1][-1]).max() > 1e-9:
            raise EditError(f"task {task.name}: two stretches that do not meet; join them by a bridge")
        q.append(clip.q[1:])
        segments += [s._replace(begin=s.begin + at, end=s.end + at) for s in clip.segments]
        known = {(mark.name, mark.comment) for mark in marks}  # a mark where two clips meet is in both
        marks += [
            mark._replace(sample=mark.sample + at)
            for mark in clip.marks
            if mark.sample or (mark.name, mark.comment) not in known
        ]
        at += len(clip.q) - 1
    return changed(task, q=np.concatenate(q), segments=tuple(segments), marks=tuple(marks))


def standing(
    q: Floats,
    samples: int,
    kind: Kind,
    *,
    name: str = "",
    comment: str = "",
    action: Action | None = None,
    on_link_loss: LinkLoss = LinkLoss.HOLD,
) -> Clip:
    """So many periods in one place."""
    segment = Segment(0, samples, kind, name, comment, on_link_loss, action=action)
    return Clip(np.tile(q, (samples + 1, 1)), (segment,))


def bridge(start: Floats, goal: Floats, limits: Sequence[JointLimits], period: float, name: str = "bridge") -> Clip:
    """A move from rest to rest, all joints together, within limits; no samples but one if it is no way at all."""
    if np.abs(goal - start).max() < 1e-12:
        return Clip(start[None].copy(), ())
    try:
        moves, duration = planned(np.array(start), np.array(goal), limits)
    except ShapingError as error:
        raise EditError(f"no bridge: {error}") from None
    count = max(math.ceil(duration / period), 1)
    times = period * np.arange(count + 1)
    q = np.empty((count + 1, len(limits)))
    for joint, pieces in enumerate(moves):
        row = pieces[np.searchsorted(pieces[:, 0], times, side="right") - 1]
        since = times - row[:, 0]
        q[:, joint] = row[:, 1] + since * (row[:, 2] + since * (row[:, 3] / 2.0 + since * row[:, 4] / 6.0))
    q[0], q[-1] = start, goal
    return Clip(q, (Segment(0, count, Kind.FREE, name),))


def move_between(
    mechanism: Mechanism, start: Floats, goal: Floats, limits: Sequence[JointLimits], period: float, name: str
) -> Clip:
    """A bridge that keeps the loops of a robot closed, also where its file says that more joints are driven than free.

    Such joints are moved as the free ones demand, and all as slowly as the one needs that has least room within its
    limits of speed, acceleration and jerk. The mechanism is moved.
    """
    driven, free = driven_joints(mechanism), independent_joints(mechanism)
    places = [driven.index(number) for number in free if number in driven]
    if len(places) == len(driven):
        return bridge(start, goal, limits, period, name)
    bounds = np.array([(joint.speed, joint.acceleration, joint.jerk) for joint in limits]).T
    chosen = [limits[place] for place in places]
    for _ in range(MOST_SLOWER):
        clip = bridge(start[places], goal[places], chosen, period, name)
        if len(clip.q) == 1:
            return Clip(start[None].copy(), ())
        q = np.tile(start, (len(clip.q), 1))
        q[:, places] = clip.q
        q = closed_path(mechanism, q)
        slow = _too_fast(q, period, bounds)
        if slow <= SAME_SPEED:
            break
        chosen = [
            one._replace(speed=one.speed / slow, acceleration=one.acceleration / slow**2, jerk=one.jerk / slow**3)
            for one in chosen
        ]
    if np.abs(q[-1] - goal).max() > SAME_ASSEMBLY:
        raise EditError("no bridge: the loops would have to be put together in another way")
    return Clip(q, clip.segments)


def _too_fast(q: Floats, period: float, bounds: Floats) -> float:
    """By how much samples would have to be slower, from rest to rest, for bounds of speed, acceleration and jerk."""
    padded = np.concatenate([np.tile(q[0], (3, 1)), q, np.tile(q[-1], (3, 1))])
    shares = [np.abs(np.diff(padded, order, axis=0)) / period**order / bounds[order - 1] for order in (1, 2, 3)]
    return max(float(share.max() ** (1.0 / order)) for order, share in enumerate(shares, start=1))
