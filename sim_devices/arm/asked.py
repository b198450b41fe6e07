"""What setpoints ask for, by the times that they carry: how they bunch on the way to a busy arm is no motion."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim_devices.arm.machine import Floats

SPAN = 0.02  # over which setpoints are averaged: one that was stamped late says little then [s]
GAP = (
    0.025  # between two setpoints, after which motion is judged anew: a station that was late makes up for no more [s]
)
BELIEVED = 0.05  # that times may run ahead of arrivals, or behind them: longer silences end in a stop anyhow [s]
LONGEST = 0.08  # over which a joint may have changed its speed unseen [s]
FORGOTTEN = 10.0  # in which a difference between the two clocks no longer counts: they drift [s]


class Asked(NamedTuple):
    """Of the last moments, one number per joint."""

    speed: Floats  # [rad/s | m/s]
    acceleration: Floats  # [rad/s² | m/s²]


class OwnTimes:
    """Setpoints with the times of whoever made them.

    Times are believed as far as arrivals bear them out, so that none can stretch a jump into a gentle motion: between
    any two setpoints there is never more than what has passed here and twice `BELIEVED`. Over a gap a joint may have
    gone on, or stopped, or anything between; what is beyond that counts as accelerated.
    """

    def __init__(self, joints: int) -> None:
        self._sum, self._last, self._speed = np.zeros(joints), np.zeros(joints), np.zeros(joints)
        self.begin()

    def begin(self) -> None:
        """Nothing was asked for yet."""
        self._stamp = math.nan  # of the last setpoint [s, the sender's clock]
        self._arrival = 0.0  # [s, ours]
        self._lead = 0.0  # of its times before arrivals [s]
        self._now = 0.0  # believed time of the last setpoint [s]
        self._speed[:], self._known = 0.0, 0.0  # as it was last [rad/s | m/s], and when that was [s]
        self._start_anew()

    def _start_anew(self) -> None:
        self._means: list[tuple[float, Floats]] = []  # the newest three: time and place
        self._start_sum()

    def _start_sum(self) -> None:
        self._sum[:], self._times, self._count, self._since = 0.0, 0.0, 0, self._now

    def ask(self, q: Floats, stamp: float, arrival: float) -> Asked | None:
        """A setpoint; what is asked for if it can be said anew with this one."""
        step = self._believable(stamp, arrival)
        self._now += step
        asked = None
        if step > GAP:
            asked = self._over_gap(q - self._last, step)
            self._start_anew()
        self._last[:] = q
        self._sum += q
        self._times += self._now
        self._count += 1
        if self._now - self._since < SPAN:
            return asked
        self._means = [*self._means[-2:], (self._times / self._count, self._sum / self._count)]
        self._start_sum()
        return self._asked()

    def _believable(self, stamp: float, arrival: float) -> float:
        """Time since the setpoint before [s]."""
        told, passed = stamp - self._stamp, arrival - self._arrival
        self._stamp, self._arrival = stamp, arrival
        if math.isnan(told):  # the first, or no number
            return 0.0
        lead = self._lead * max(0.0, 1.0 - passed / FORGOTTEN)
        step = max(0.0, min(max(told, passed - BELIEVED - lead), passed + BELIEVED - lead))
        self._lead = lead + step - passed
        return step

    def _over_gap(self, way: Floats, step: float) -> Asked:
        on = self._speed * step
        beyond = np.maximum(np.maximum(np.minimum(on, 0.0) - way, way - np.maximum(on, 0.0)), 0.0)
        return Asked(np.abs(way) / step, 2.0 * beyond / min(self._now - self._known, LONGEST) ** 2)

    def _asked(self) -> Asked | None:
        if len(self._means) < 2:
            return None
        (middle, b), (last, c) = self._means[-2:]
        before = self._speed.copy()
        self._speed[:], self._known = (c - b) / (last - middle), 0.5 * (middle + last)
        if len(self._means) < 3:
            return None
        return Asked(np.abs(self._speed), np.abs(self._speed - before) / (0.5 * (last - self._means[0][0])))
