"""Where the drives are told to be: between setpoints, when setpoints are late, and on the way to a standstill."""

from __future__ import annotations

import numpy as np

from sim_devices.arm.machine import Floats
from station.kernel import Floats1, Record, field

WINDOW = 0.03  # over which speeds and accelerations of setpoints are judged: jitter of a link is shorter [s]
SHORTEST_STOP = 0.01  # [s]
COASTING = 0.5  # of the acceleration limits: setpoints that come again may need the rest to be caught up with
LATE = 0.025  # without a setpoint, after which the next one is joined gently: jitter of a link is shorter [s]
JOINING = 6.0  # times as long as the silence that joining takes: then it asks for less than slowing down did


class Wanted(Record):
    """What the drives are told; n joints."""

    q: Floats1 = field("rad | m", shape="n")
    v: Floats1 = field("rad/s | m/s", shape="n")
    effort: Floats1 = field("N·m | N", "fed forward", shape="n")


class Reference:
    """The reference of all drives: a straight line to the newest setpoint within one period of them.

    It is never faster than the joints may be: setpoints that were held up on the way and come all at once are caught
    up with, not jumped to.

    When the next setpoint is late the reference coasts on at the speed of the last ones, slowing down at half the
    acceleration limits; so a late setpoint is no bump and a lost client is a controlled stop. While it brakes or coasts
    all joints slow down together and the path is kept. When setpoints come again, what is between them and the
    reference goes smoothly to nothing, in place and speed.
    """

    def __init__(
        self, q: Floats, period: float, tick: float, speed: Floats, acceleration: Floats, low: Floats, high: Floats
    ) -> None:
        self.tick, self._period = tick, max(period, tick)
        self._most = speed * tick  # that it moves in a tick [rad | m]
        self._acceleration, self._low, self._high = acceleration, low, high
        self.window = max(round(WINDOW / tick), 1)
        self.past = np.zeros((2 * self.window + 1, len(q)))
        self.wanted = Wanted(n=len(q))
        self.q, self.v, self.effort = self.wanted.q, self.wanted.v, self.wanted.effort
        self.hold(q)

    def hold(self, q: Floats) -> None:
        """Stay at `q` from now on."""
        self.q[:], self.v[:], self.effort[:] = q, 0.0, 0.0
        self.past[:] = q
        self.newest = 0
        self._from, self._to = q.copy(), q.copy()
        self._told_speed: Floats | None = None
        self._line = q.copy()  # where the line between setpoints is
        self._apart: tuple[Floats, Floats, float] | None = None  # place, speed, in which time they go; of joining
        self._joining = 0.0  # since it began [s]
        self._done = self._period
        self._since_aim = 0.0  # [s]
        self._coast: Floats | None = None  # speed of the setpoints
        self._slowing: Floats | None = None  # speed from which it comes to a standstill
        self._slowing_time = self._slowing_done = 0.0
        self.braking = False  # for good, until `hold`

    def aim(self, q: Floats, v: Floats | None, effort: Floats | None) -> None:
        """A new setpoint has come into effect."""
        if self.braking:
            return
        self.effort[:] = 0.0 if effort is None else effort
        self._coast = v if v is not None else (q - self._to) / max(self._since_aim, self._period)
        if self._since_aim > LATE:
            self._line = q - self._coast * self._period  # as if it had been there for a period
            self._apart = (self.q - self._line, self._now - self._coast, JOINING * self._since_aim)
            self._joining = 0.0
        elif self._apart is None:
            self._line = self.q.copy()
        self._from, self._to, self._told_speed = self._line, q, v
        self._done = self._since_aim = 0.0
        self._slowing = None

    def brake(self) -> None:
        """Come to a standstill, and take no more setpoints until told to `hold`."""
        self.braking = True
        self.effort[:] = 0.0
        self._slow_down(self.speed if self._slowing is None else self.v.copy())

    def _slow_down(self, speed: Floats, share: float = 1.0) -> None:
        time = float((np.abs(speed) / (share * self._acceleration)).max())
        self._slowing, self._slowing_time, self._slowing_done = speed, max(time, SHORTEST_STOP), 0.0

    def step(self) -> None:
        """One tick further."""
        self._since_aim += self.tick
        if self._slowing is not None:
            self._step_slowing(self._slowing)
        elif self._done < self._period or (self._apart is None and (np.abs(self._to - self.q) > 1e-12).any()):
            self._done = min(self._done + self.tick, self._period)
            self._line = self._from + (self._to - self._from) * (self._done / self._period)
            wanted = np.clip(self._line + self._left_apart(), self._low, self._high)
            self.q += np.clip(wanted - self.q, -self._most, self._most)
            self.v[:] = self._told_speed if self._told_speed is not None else (self._to - self._from) / self._period
        elif self._coast is not None:
            self._slow_down(self._believable(self._coast), COASTING)
            self._coast = self._apart = None
            self._step_slowing(self._slowing)  # type: ignore[arg-type]  # it was set just now
        self.newest = (self.newest + 1) % len(self.past)
        self.past[self.newest] = self.q

    def _left_apart(self) -> Floats | float:
        """What is left between setpoints and reference while they join: a cubic that ends at rest."""
        if self._apart is None:
            return 0.0
        place, speed, time = self._apart
        self._joining += self.tick
        s = self._joining / time
        if s >= 1.0:
            self._apart = None
            return 0.0
        return (1.0 - s) ** 2 * ((1.0 + 2.0 * s) * place + s * time * speed)

    @property
    def _now(self) -> Floats:
        """Speed of the last tick [rad/s | m/s]."""
        return np.asarray((self.past[self.newest] - self.past[self.newest - 1]) / self.tick)

    def _believable(self, coast: Floats) -> Floats:
        """Speed of the last setpoints as far as the last moments bear it out: one alone says little."""
        speed = self.speed
        return np.asarray(np.where(coast * speed > 0.0, np.sign(coast) * np.minimum(np.abs(coast), np.abs(speed)), 0.0))

    def _step_slowing(self, speed: Floats) -> None:
        self._slowing_done += self.tick
        share = 1.0 - self._slowing_done / self._slowing_time
        if share > 0.0:
            self.v[:] = speed * share
            np.clip(self.q + self.v * self.tick, self._low, self._high, out=self.q)
            return
        self.v[:] = 0.0
        if self.braking:
            self.hold(self.q.copy())

    @property
    def speed(self) -> Floats:
        """Mean over the last moments [rad/s | m/s]."""
        before = self.past[(self.newest - self.window) % len(self.past)]
        return np.asarray((self.past[self.newest] - before) / (self.window * self.tick))
