"""`Walker`: a place on a path that moves along it, forwards or back, at any share of its speed, within limits."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from station.tasks.task import Limits
from station.tasks.task.model import Floats

HURRY = 0.05  # time from full speed to none where there is need [s]
GENTLE = 0.5  # part of the jerk that a change of speed along the path may take
NEAR = 1e-9  # [s]


class Point(NamedTuple):
    """Where a path is at a place, and how it goes on per second of the path."""

    q: Floats  # [rad | m]
    slope: Floats  # [rad/s | m/s] at full speed
    bend: Floats  # [rad/s² | m/s²] at full speed


class Walker:
    """A place on samples of a path; the path itself keeps all limits at full speed, from rest to rest."""

    def __init__(self, q: Floats, period: float, limits: Limits, ramp: float) -> None:
        self.q, self.period, self.limits = np.asarray(q), period, limits
        self.length = period * (len(q) - 1)  # [s]
        self.place, self.rate, self._change = 0.0, 0.0, 0.0  # [s], share of the speed, its change [1/s]
        self._fastest = 1.0 / ramp

    def at(self, place: float) -> Point:
        """A cubic through the four samples around a place."""
        last = len(self.q) - 1
        exact = min(max(place / self.period, 0.0), last)
        i = min(int(exact), last - 1)
        f = exact - i
        b, c = self.q[i], self.q[i + 1]
        a = self.q[i - 1] if i > 0 else b  # at rest before and after
        d = self.q[i + 2] if i + 2 <= last else c
        m0, m1 = 0.5 * (c - a), 0.5 * (d - b)
        rise = c - b
        two, three = 3.0 * rise - 2.0 * m0 - m1, m0 + m1 - 2.0 * rise
        q = b + f * (m0 + f * (two + f * three))
        slope = (m0 + f * (2.0 * two + 3.0 * f * three)) / self.period
        bend = ((1.0 - f) * (c - 2.0 * b + a) + f * (d - 2.0 * c + b)) / self.period**2
        return Point(q, slope, bend)

    def go(self, wanted: float, end: float, dt: float, hurry: bool = False) -> Point:
        """Move on for a time [s] towards a place, at most at a share of the speed; stops there without passing it.

        `hurry`: the speed may change as fast as the joints allow.
        """
        here = self.at(self.place)
        left = end - self.place
        towards = math.copysign(min(abs(wanted), 1.0), left) if abs(left) > NEAR else 0.0
        if abs(towards) > 0.0 and not self._is_end(end):
            towards = math.copysign(min(abs(towards), self._speed_before(abs(left), here)), left)
        self._steer(here, towards, dt, hurry)
        place = self.place + self.rate * dt
        if abs(left) > NEAR and left * (end - place) <= 0.0:  # there: what is left of the speed is next to nothing
            place = end
            self.rate = self._change = 0.0
        self.place = min(max(place, 0.0), self.length)
        return self.at(self.place)

    def stop(self, dt: float, hurry: bool = False) -> Point:
        """The same, towards a standstill."""
        self._steer(self.at(self.place), 0.0, dt, hurry)
        self.place = min(max(self.place + self.rate * dt, 0.0), self.length)
        if self.place in (0.0, self.length):
            self.rate = self._change = 0.0
        return self.at(self.place)

    @property
    def at_rest(self) -> bool:
        """Whether it stands still on the path."""
        return self.rate == 0.0

    def halt(self) -> None:
        """It stands still from now on: the arm has been stopped otherwise."""
        self.rate = self._change = 0.0

    def _is_end(self, place: float) -> bool:
        """At both ends the path itself comes to rest."""
        return place <= NEAR or place >= self.length - NEAR

    def _speed_before(self, left: float, here: Point) -> float:
        """Largest share of the speed with which one can still stop within so much of the path [s].

        A stop from the rate v takes v²/2a to slow down, and v·a/2j more until the slowing-down itself has begun.
        """
        most, jerk = self._ability(here)
        slowing = 0.5 * min(most, self._fastest)
        reserve = max(left - slowing / jerk * abs(self.rate), 0.0)  # twice as much as it takes
        return math.sqrt(2.0 * slowing * reserve)

    def _ability(self, here: Point) -> tuple[float, float]:
        """How fast the rate may change here [1/s], and how fast that may change [1/s²]."""
        size = np.maximum(np.abs(here.slope), 1e-9)
        # |slope·change + bend·rate²| ≤ acceleration; no change at all is always within, as the path itself is.
        room = np.maximum(self.limits.acceleration - np.abs(here.bend) * self.rate * self.rate, 0.0) / size
        return float(room.min()), GENTLE * float((self.limits.jerk / size).min())

    def _steer(self, here: Point, wanted: float, dt: float, hurry: bool = False) -> None:
        """Bring the rate towards what is wanted, within what joints can do here."""
        able, jerk = self._ability(here)
        most, step = min(able, 1.0 / HURRY if hurry else self._fastest), jerk * dt
        error = wanted - self.rate
        # Change no faster than can be ended in time: error = change²/(2·jerk).
        brisk = math.sqrt(2.0 * jerk * abs(error))
        target = math.copysign(min(most, brisk, abs(error) / dt), error)
        self._change += min(max(target - self._change, -step), step)
        self._change = min(max(self._change, -most), most)
        before = self.rate
        self.rate += self._change * dt
        if (wanted - before) * (wanted - self.rate) <= 0.0 and abs(self._change) <= 2.0 * step + abs(error) / dt:
            self.rate, self._change = wanted, 0.0
