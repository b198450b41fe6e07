"""Moves that go somewhere, as data: each says how long it takes and where the arm wants to be meanwhile."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim_devices.hand.paths import Aim, Heed, Move, Six, between, minimum_jerk, need, six, there_and_back, with_axes

THERE_AND_BACK = 0.3  # time to a push or twist, and from it [s]


@dataclass(frozen=True)
class Hold(Move):
    """Stay; the arm is a spring and a damper."""

    seconds: float

    def __post_init__(self) -> None:
        need(self, self.seconds >= 0.0, "a time from 0 s")

    @property
    def takes(self) -> float:
        """As said [s]."""
        return self.seconds


@dataclass(frozen=True)
class Reach(Move):
    """Go to a place [m]."""

    x: float
    y: float
    z: float
    seconds: float = 0.8

    def __post_init__(self) -> None:
        need(self, self.seconds > 0.0, "a time above 0 s")

    @property
    def takes(self) -> float:
        """As said [s]."""
        return self.seconds

    def aim(self, time: float, start: Six) -> Aim:
        """By minimum jerk."""
        goal = with_axes(start, 0, (self.x, self.y, self.z))
        return Aim(*between(start, goal, *minimum_jerk(time, self.seconds)), Heed.CORRECT)


@dataclass(frozen=True)
class Circle(Move):
    """Go round from here; speed comes and goes over a quarter of a period."""

    radius: float  # [m]
    period: float  # [s]
    seconds: float
    plane: str = "yz"

    def __post_init__(self) -> None:
        need(self, self.radius > 0.0 and self.period > 0.0 and self.seconds > 0.0, "numbers above 0")
        need(self, self.plane in ("xy", "yz", "xz"), "plane=xy, plane=yz or plane=xz")

    @property
    def takes(self) -> float:
        """As said [s]."""
        return self.seconds

    def aim(self, time: float, start: Six) -> Aim:
        """From the end of the first axis of the plane."""
        turns, ramp = self.seconds / self.period, min(0.25 * self.period, 0.5 * self.seconds)
        top = 2.0 * math.pi * turns / (self.seconds - ramp)
        t, left = min(time, self.seconds), max(self.seconds - time, 0.0)
        if t < ramp:
            angle, rate = 0.5 * top * t * t / ramp, top * t / ramp
        elif left < ramp:
            angle, rate = 2.0 * math.pi * turns - 0.5 * top * left * left / ramp, top * left / ramp
        else:
            angle, rate = top * (t - 0.5 * ramp), top
        place, speed = list(start), [0.0] * 6
        one, two = ("xyz".index(axis) for axis in self.plane)
        place[one] += self.radius * (math.cos(angle) - 1.0)
        place[two] += self.radius * math.sin(angle)
        speed[one], speed[two] = -self.radius * rate * math.sin(angle), self.radius * rate * math.cos(angle)
        return Aim(six(place), six(speed), Heed.FORGET)


@dataclass(frozen=True)
class Push(Move):
    """Towards a place [m] with no more than a force [N], for a time, and back."""

    force: float
    stay: float
    x: float | None = None
    y: float | None = None
    z: float | None = None

    def __post_init__(self) -> None:
        need(self, self.force > 0.0 and self.stay > 0.0, "a force above 0 N, for a time above 0 s")
        need(self, (self.x, self.y, self.z) != (None,) * 3, "at least one of x=, y=, z=")

    @property
    def takes(self) -> float:
        """There, pushing, and back [s]."""
        return self.stay + 2.0 * THERE_AND_BACK

    def aim(self, time: float, start: Six) -> Aim:
        """What is in the way is leant into, after the time to react."""
        goal = with_axes(start, 0, (self.x, self.y, self.z))
        away = time < THERE_AND_BACK + self.stay
        heed = Heed.CORRECT if away else Heed.FORGET
        return Aim(*there_and_back(time, start, goal, self.stay, THERE_AND_BACK), heed, self.force)


@dataclass(frozen=True)
class Twist(Move):
    """Turn the handle to a rotation vector [rad] for a time, and back."""

    stay: float
    x: float | None = None
    y: float | None = None
    z: float | None = None

    def __post_init__(self) -> None:
        need(self, self.stay > 0.0, "a time above 0 s")
        need(self, (self.x, self.y, self.z) != (None,) * 3, "at least one of x=, y=, z=")

    @property
    def takes(self) -> float:
        """There, staying, and back [s]."""
        return self.stay + 2.0 * THERE_AND_BACK

    def aim(self, time: float, start: Six) -> Aim:
        """By minimum jerk."""
        goal = with_axes(start, 3, (self.x, self.y, self.z))
        return Aim(*there_and_back(time, start, goal, self.stay, THERE_AND_BACK), Heed.FORGET)


@dataclass(frozen=True)
class Tap(Move):
    """Against a wall, a few times: to a little behind it and back."""

    times: float
    x: float | None = None
    y: float | None = None
    z: float | None = None
    every: float = 0.4  # [s]
    depth: float = 0.01  # behind the wall that is aimed at [m]

    def __post_init__(self) -> None:
        need(self, self.times >= 1.0 and self.times == int(self.times), "times=1, 2, 3 …")
        need(self, self.every > 0.0 and self.depth >= 0.0, "every=T above 0 s, depth=D from 0 m")
        need(self, sum(value is not None for value in (self.x, self.y, self.z)) == 1, "one of x=, y=, z=")

    @property
    def takes(self) -> float:
        """All taps [s]."""
        return self.times * self.every

    def aim(self, time: float, start: Six) -> Aim:
        """Half of the time there, half of it back."""
        goal = list(start)
        for axis, wall in enumerate((self.x, self.y, self.z)):
            if wall is not None:
                goal[axis] = wall + math.copysign(self.depth, wall - start[axis])
        local = self.every if time >= self.takes else time % self.every
        return Aim(*there_and_back(local, start, six(goal), 0.0, 0.5 * self.every), Heed.FORGET)


@dataclass(frozen=True)
class Clutch(Move):
    """With a button held, go elsewhere [m] (without a place: where the hand began), and let the button go."""

    x: float | None = None
    y: float | None = None
    z: float | None = None
    seconds: float = 0.8
    button: str = "index"

    def __post_init__(self) -> None:
        need(self, self.seconds > 0.0, "a time above 0 s")
        given = sum(value is not None for value in (self.x, self.y, self.z))
        need(self, given in (0, 3), "a place x y z, or none")

    @property
    def takes(self) -> float:
        """As said [s]."""
        return self.seconds

    def aim(self, time: float, start: Six) -> Aim:
        """By minimum jerk."""
        goal = with_axes(start, 0, (self.x, self.y, self.z))
        return Aim(*between(start, goal, *minimum_jerk(time, self.seconds)), Heed.FORGET)
