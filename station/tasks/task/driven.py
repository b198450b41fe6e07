"""`as_driven`: a task with the timing of the hand, and within speed, acceleration and jerk of every joint.

A hand is abrupt where it begins, stops and corrects itself: differences of its samples show jerk that no arm should be
sent. Two things take it away, in this order, for each motion between two standstills:

rounding    a weighted mean over time, as short as will do, with rest before and after the motion. What is driven in
            between keeps its instants; the path is cut at its sharpest bends, by no more than a tolerance.
stretching  where a limit is still broken, time runs slower around that place, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import minimum_filter1d

from station.mechanism import Mechanism
from station.tasks.task.edit import combined
from station.tasks.task.errors import RetimeError
from station.tasks.task.joints import closed_path, tool_path, whole_path
from station.tasks.task.limits import Limits
from station.tasks.task.model import Floats, Task
from station.tasks.task.retime import check_tool_speed, rebuilt, tool_steps

TOLERANCE = 0.002  # of the tool's path from the driven one [m]
TURN_TOLERANCE = 0.01  # and of any joint's [rad | m]
SHORTEST, LONGEST, LONGER = 0.02, 0.5, 1.25  # means that are tried: first, last [s], and each over the one before
ROOM = 0.995  # of the limits: samples are rounded
UNSEEN = 0.02  # part of the jerk limit that a step may make where a motion begins
EASE = 0.08  # time within which time itself gets slower and faster [s]
TURNS = 30  # of making a place slower
WHOLE_TURNS = 20  # of making all of it slower, where that did not do
MOST_SAMPLES = 4_000_000


class AsDriven(NamedTuple):
    """A task near what was driven."""

    task: Task
    before: float  # how long that took [s]
    deviation: float  # largest distance of the tool from the driven path [m]


class _Part(NamedTuple):
    """Samples of one motion, and how many of them are before the first driven one."""

    q: Floats
    lead: int
    off: float  # of the tool from the driven path [m]


def as_driven(
    task: Task,
    mechanism: Mechanism,
    limits: Limits,
    *,
    smooth: float = 0.0,
    tolerance: float = TOLERANCE,
    tool_speed: float | None = None,
) -> AsDriven:
    """The same motion at the same time, slower only where the limits demand it. The mechanism is moved.

    Args:
        task: as it was driven.
        mechanism: its robot.
        limits: that differences of samples keep, from rest to rest.
        smooth: time of the mean to begin with [s]; less where it would leave the tolerance.
        tolerance: largest distance of the tool from the driven path [m].
        tool_speed: largest speed of the tool [m/s].

    Raises:
        RetimeError: for options out of range, and for a motion that no stretching brings within the limits.
    """
    (made,), off = as_driven_together(
        [task], mechanism, limits, [task.frame], smooth=smooth, tolerance=tolerance, tool_speed=tool_speed
    )
    return AsDriven(made, task.duration, off)


def as_driven_together(
    tasks: Sequence[Task],
    mechanism: Mechanism,
    limits: Limits,
    frames: Sequence[int],
    *,
    smooth: float = 0.0,
    tolerance: float = TOLERANCE,
    tool_speed: float | None = None,
) -> tuple[list[Task], float]:
    """The same of several robots that move at the same time, and how far all tools together are off their paths [m].

    `mechanism` has all of them, with the joints of the tasks one after the other; `frames` are those that work.
    """
    check_tool_speed(tool_speed)
    check_rounding(smooth, tolerance)
    task = combined(tasks, frames[0])
    shaper = _Shaper(task, mechanism, limits, frames, smooth, tolerance, tool_speed)
    return rebuilt(tasks, task, mechanism, shaper.run), shaper.off


def check_rounding(smooth: float, tolerance: float) -> None:
    """Raise a RetimeError for a time of the mean [s] or a tolerance [m] that makes no sense."""
    if not 0.0 <= smooth <= 2.0:
        raise RetimeError(f"smooth over {smooth:g} s; allowed: 0 to 2")
    if not 0.0 <= tolerance <= 0.1:
        raise RetimeError(f"a tolerance of {1e3 * tolerance:g} mm; allowed: 0 to 100")


class _Shaper:
    """Shapes motions of one task."""

    def __init__(
        self,
        task: Task,
        mechanism: Mechanism,
        limits: Limits,
        frames: Sequence[int],
        smooth: float,
        tolerance: float,
        tool_speed: float | None,
    ) -> None:
        self._frames = frames
        self._task, self._mechanism, self._period = task, mechanism, task.period
        self._bounds = ROOM * np.stack([limits.speed, limits.acceleration, limits.jerk])
        self._smooth, self._tolerance, self._tool_speed = smooth, tolerance, tool_speed
        self.off = 0.0  # largest of all motions so far [m]

    def run(self, begin: int, end: int) -> tuple[Floats, Floats]:
        """New samples of a motion, and the new place of every old sample."""
        driven = np.asarray(self._task.q[begin : end + 1])
        if not np.ptp(driven, axis=0).any():  # a motion that is none stays as long as it was
            return driven, np.arange(float(len(driven)))
        part, fits = self._rounded(driven)
        self.off = max(self.off, part.off)
        places = np.arange(float(len(part.q))) if fits else self._stretched(part.q)
        q = part.q.copy() if fits else np.asarray(CubicSpline(np.arange(len(part.q)), part.q)(places))
        q[0], q[-1] = driven[0], driven[-1]
        old = np.interp(np.arange(len(driven)) + part.lead, places, np.arange(len(places)))
        old[0], old[-1] = 0.0, len(q) - 1
        return q, old

    def _rounded(self, driven: Floats) -> tuple[_Part, bool]:
        """By the shortest mean that will do, else the longest within the tolerance; and whether it keeps the limits."""
        tools = self._tools(driven)
        best = None
        half = round(0.5 * self._smooth / self._period)
        while True:
            q, lead = self._mean(driven, half)
            q = closed_path(self._mechanism, q)
            new_tools = self._tools(q)
            off, turned = float(_apart(new_tools, tools, lead, half)[0]), float(_apart(q, driven, lead, half)[1])
            if off > self._tolerance or turned > TURN_TOLERANCE:
                if best is not None:
                    return best, False
                half = 0  # what was asked for is too much here: as little as will do
                continue
            best = _Part(q, lead, off)
            if self._needs(q, new_tools).max() <= 1.0:
                return best, True
            half = max(round(0.5 * SHORTEST / self._period), int(np.ceil(LONGER * half)), 1)
            if 2 * half * self._period > max(LONGEST, self._smooth):
                return best, False

    def _mean(self, driven: Floats, half: int) -> tuple[Floats, int]:
        """Mean with a Hann window, from rest to rest; and how many samples are before the first driven one."""
        if half == 0:
            return driven.copy(), 0
        window = np.hanning(2 * half + 3)[1:-1]
        window /= window.sum()
        padded = np.concatenate([np.tile(driven[0], (2 * half, 1)), driven, np.tile(driven[-1], (2 * half, 1))])
        q = np.stack([np.convolve(column, window, mode="valid") for column in padded.T], axis=1)
        unseen = UNSEEN * self._bounds[2] * self._period**3
        moved = (np.abs(q - driven[0]) > unseen).any(axis=1), (np.abs(q - driven[-1]) > unseen).any(axis=1)
        first = min(max(int(np.argmax(moved[0])) - 1, 0), half)
        last = min(max(int(np.argmax(moved[1][::-1])) - 1, 0), half)
        q = q[first : len(q) - last]
        q[0], q[-1] = driven[0], driven[-1]
        return q, half - first

    def _tools(self, q: Floats) -> Floats:
        """Places of the tools, n×3 of each side by side [m]."""
        whole = whole_path(self._mechanism, q).q
        return np.hstack([tool_path(self._mechanism, frame, whole)[:, :3, 3] for frame in self._frames])

    def _needs(self, q: Floats, tools: Floats) -> Floats:
        """By how much time would have to be slower around each sample, from rest to rest; 1: it need not."""
        needs = np.ones(len(q) + 6)
        padded = np.concatenate([np.tile(q[0], (3, 1)), q, np.tile(q[-1], (3, 1))])
        for order, bounds in enumerate(self._bounds, start=1):
            share = (np.abs(np.diff(padded, order, axis=0)) / (bounds * self._period**order)).max(axis=1)
            low = (order + 1) // 2  # a difference is of the middle of its samples
            part = needs[low : low + len(share)]
            np.maximum(part, np.maximum(share, 1.0) ** (1.0 / order), out=part)
        if self._tool_speed is not None:
            steps = tool_steps(tools) / (ROOM * self._tool_speed * self._period)
            needs[4 : 3 + len(q)] = np.maximum(needs[4 : 3 + len(q)], steps)
        needs[3], needs[-4] = needs[:4].max(), needs[-4:].max()
        found: Floats = needs[3:-3]
        return found

    def _stretched(self, q: Floats) -> Floats:
        """Where among the samples each new one is, so that the limits are kept."""
        count, wide = len(q), max(round(EASE / self._period), 1)
        curve, rate = CubicSpline(np.arange(count), q), np.ones(count)
        places = np.arange(float(count))
        for _ in range(TURNS):
            new = self._sampled(curve, places)
            needs = self._needs(new, self._tools_if_asked(new))
            if needs.max() <= 1.0:
                return places
            slower = np.ones(count)
            cells = np.round(places).astype(int)
            np.minimum.at(slower, cells, 1.0 / needs)
            rate *= _eased(slower, wide)
            places = _places(rate)
        return self._all_slower(curve, places)

    def _all_slower(self, curve: CubicSpline, places: Floats) -> Floats:
        """All of it slower, until the limits are kept."""
        over = CubicSpline(np.arange(len(places)), places)
        slow = 1.0
        for _ in range(WHOLE_TURNS):
            count = int(np.ceil((len(over.x) - 1) * slow))
            if count > MOST_SAMPLES:
                break
            places = np.maximum.accumulate(np.clip(over(np.linspace(0.0, len(over.x) - 1, count + 1)), 0.0, places[-1]))
            new = self._sampled(curve, places)
            need = float(self._needs(new, self._tools_if_asked(new)).max())
            if need <= 1.0:
                return np.asarray(places)
            slow *= 1.01 * need
        raise RetimeError("this motion is too abrupt to be brought within the limits; allow a larger tolerance")

    def _sampled(self, curve: CubicSpline, places: Floats) -> Floats:
        q: Floats = closed_path(self._mechanism, np.asarray(curve(places)))
        return q

    def _tools_if_asked(self, q: Floats) -> Floats:
        return q if self._tool_speed is None else self._tools(q)


def _eased(slower: Floats, wide: int) -> Floats:
    """The least around each place, with soft slopes instead of steps: those would ask for jerk of their own."""
    window = np.hanning(2 * wide + 3)[1:-1]
    lowest = np.pad(minimum_filter1d(slower, 2 * wide + 1, mode="nearest"), wide, mode="edge")
    return np.asarray(np.convolve(lowest, window / window.sum(), mode="valid"))


def _places(rate: Floats) -> Floats:
    """Where each new sample is, if time runs at these rates at the old ones."""
    moments = np.concatenate([[0.0], np.cumsum(2.0 / (rate[1:] + rate[:-1]))])
    count = int(np.ceil(moments[-1] - 1e-9))
    if count > MOST_SAMPLES:
        raise RetimeError(f"the motion would have {count} samples; smooth it more")
    inverse = CubicSpline(moments, np.arange(len(rate)))
    places = inverse(np.linspace(0.0, moments[-1], count + 1))
    return np.asarray(np.maximum.accumulate(np.clip(places, 0.0, len(rate) - 1.0)))


def _apart(new: Floats, old: Floats, lead: int, half: int) -> Floats:
    """Largest distances between two paths, of either from the other at about that time: how far, and by one number.

    Both ways: a motion that turns back before it is where the old one was has left it, too.
    """
    found = np.zeros(2)
    for path, other, shift in ((new, old, -lead), (old, new, lead)):
        looked_at = np.arange(0, len(path), max(half // 8, 1))  # what a mean takes away, it takes from its neighbours
        least = np.full((2, len(looked_at)), np.inf)
        for offset in range(shift - half, shift + half + 1):
            gaps = path[looked_at] - other[np.clip(looked_at + offset, 0, len(other) - 1)]
            np.minimum(least, [np.linalg.norm(gaps, axis=1), np.abs(gaps).max(axis=1)], out=least)
        np.maximum(found, least.max(axis=1), out=found)
    return found
