"""What is counted of every record, however many there are: nothing here grows with the length of a run."""

from __future__ import annotations

import math
from enum import IntFlag
from typing import cast

import numpy as np
from numpy.typing import NDArray

from station.monitor.columns import Columns, force, tracking_error
from station.monitor.histogram import Histogram
from station.monitor.run import EnergyBook, Peak, Spell
from station.servo.pacing import Measure
from station.servo.shared import Acting, Cause, ServoState
from station.servo.shared.signs import Signs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_SPELLS = 5000  # kept one by one; a supervisor that flutters is known after these
SETTLED = 0.2  # after which a reason is not one of the state before [s]: it is looked at every 64 ticks
CHECKED = ("target_pose", "predicted_pose", "predicted_q", "wrench", "energy_rendered")  # must always be numbers


class Spells:
    """States of the supervisor over time."""

    def __init__(self) -> None:
        self.closed: list[Spell] = []
        self.left_out = 0
        self._open: Spell | None = None

    @property
    def all(self) -> tuple[Spell, ...]:
        """Up to now."""
        return (*self.closed, *((self._open,) if self._open else ()))

    def add(self, at: Columns, time: Floats) -> None:
        """Follow some records."""
        changed = np.any(np.diff(np.column_stack([at.state, at.cause]), axis=0), axis=1)
        for index in (0, *(np.flatnonzero(changed) + 1)):
            self._enter(int(at.state[index]), int(at.cause[index]), float(time[index]))
        if self._open:
            self._open = self._open._replace(end=max(self._open.end, float(time[-1])))

    def explain(self, reason: str) -> None:
        """What device and controller say now: it is kept with the trouble that there is, the first that is said.

        What is said while the hand leads, and is not left over from before, is a warning: it is kept, too.
        """
        if not reason or self._open is None or self._open.reason:
            return
        warns = self._open.state == ServoState.ENGAGED and self._open.duration > SETTLED
        if self._open.trouble or warns:
            self._open = self._open._replace(reason=reason)

    def _enter(self, state: int, cause: int, now: float) -> None:
        if self._open and (self._open.state, self._open.cause) == (state, cause):
            return
        if self._open:
            if len(self.closed) < MOST_SPELLS:
                self.closed.append(self._open._replace(end=now))
            else:
                self.left_out += 1
        self._open = Spell(state, cause, now, now)


class Energy:
    """What went through the hand. The servo may count anew at each engaging, so steps are added up instead."""

    def __init__(self) -> None:
        self._generated = 0.0
        self._sums = np.zeros(3)  # rendered, dissipated, by passivity
        self._last: Floats | None = None  # the same as the servo counted them last
        self._engaged = False

    @property
    def book(self) -> EnergyBook:
        """Up to now."""
        return EnergyBook(self._generated, *map(float, self._sums))

    def add(self, at: Columns) -> None:
        """Follow some records."""
        by_passivity = at.energy_parts[:, Cause.PASSIVITY]
        counted = np.nan_to_num(np.column_stack([at.energy_rendered, at.energy_dissipated, by_passivity]))
        before = counted[0] if self._last is None else self._last
        engaged = at.state == ServoState.ENGAGED
        anew = engaged & ~np.concatenate([[self._engaged], engaged[:-1]])
        self._sums += np.where(anew[:, None], 0.0, np.diff(counted, axis=0, prepend=before[None])).sum(axis=0)
        self._generated = max(self._generated, -float(np.nan_to_num(at.energy_lowest).min()))
        self._last, self._engaged = counted[-1], bool(engaged[-1])


class Forces:
    """The largest force, and whose it was."""

    def __init__(self) -> None:
        self.peak: Peak | None = None
        self.largest = np.zeros(len(Cause))

    def add(self, at: Columns, time: Floats) -> None:
        """Follow some records."""
        parts = np.nan_to_num(at.wrench_parts)
        self.largest = np.maximum(self.largest, force(parts).max(axis=0))
        sizes = np.nan_to_num(force(at.wrench))
        index = int(sizes.argmax())
        if sizes[index] > (self.peak.force if self.peak else 0.0):
            along = parts[index, :, :3] @ np.nan_to_num(at.wrench[index, :3])
            self.peak = Peak(float(sizes[index]), float(time[index]), tuple(Cause)[int(along.argmax())])


class Tallies:
    """Everything that is counted."""

    def __init__(self, joints: int) -> None:
        self.times = {measure: Histogram.empty() for measure in Measure}
        self.error, self.turn_error = Histogram.empty(), Histogram.empty()
        self.acting = np.zeros(len(limits()), np.int64)  # ticks
        self.joint_acting = np.zeros((joints, 3), np.int64)  # ticks at lower stop, upper stop, speed limit
        self.not_finite = 0
        self.spells, self.energy, self.forces, self.signs = Spells(), Energy(), Forces(), Signs()

    def add(self, at: Columns, time: Floats) -> None:
        """Follow some records, at these times since the start of the run [s]."""
        spent = at.spent
        for measure, histogram in self.times.items():
            histogram.add(spent[spent[:, measure] > 0.0, measure])  # zero: nothing was measured
        engaged = at.state == ServoState.ENGAGED
        apart = tracking_error(at.target_pose[engaged], at.predicted_pose[engaged])
        self.error.add(apart[:, 0])
        self.turn_error.add(apart[:, 1])
        flags = np.array([int(flag) for flag in limits()])
        self.acting += ((at.acting[:, None] & flags) != 0).sum(axis=0)
        for column, value in enumerate((-1, 1, 2)):
            self.joint_acting[:, column] += (at.joint_acting == value).sum(axis=0)
        self.not_finite += int(_not_finite(at).sum())
        self.spells.add(at, time)
        self.energy.add(at)
        self.forces.add(at, time)
        self.signs.add(at.reflection_status, time)


def limits() -> tuple[Acting, ...]:
    """All limits that can act."""
    return tuple(cast("list[Acting]", [flag for flag in Acting if _single(flag)]))


def _single(flag: IntFlag) -> bool:
    return flag.value > 0 and math.log2(flag.value).is_integer()


def _not_finite(at: Columns) -> NDArray[np.bool_]:
    wrong = [~np.isfinite(getattr(at, name)).reshape(len(at), -1).all(axis=1) for name in CHECKED]
    return np.asarray(np.any(wrong, axis=0))
