"""An arm to be led, and what must hold of every setpoint that it is sent."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.controllers.shaping import JointLimits, Shaped, Shaper, ShapingSettings
from station.controllers.shaping.start import beginning
from station.controllers.supervisor import Shape

Floats = NDArray[np.float64]

STEP = 1e-3  # [s]
TYPICAL = JointLimits(-2.8, 2.8, 2.0, 10.0, 200.0, 0.05, 0.15)
PART = 1.0 + 1e-9  # limits are kept to one part in 1e9
TINY = 1e-12  # rounding of positions [rad]


class Led:
    """A shaper, an arm that follows at once unless it is stuck; leaving the context checks every setpoint."""

    def __init__(self, limits: Sequence[JointLimits] = (TYPICAL,) * 2, settings: ShapingSettings | None = None) -> None:
        self.shaper = Shaper(limits, settings)
        self.inputs = self.shaper.inputs()
        self.inputs.link(0.001)
        self.limits = np.array([joint[:5] for joint in limits]).T  # low, high, speed, acceleration, jerk
        self.arm = np.zeros(len(limits))
        self.stuck = False
        self.now = 0.0
        self.last = self.shaper.shaped()
        self._sent: list[Floats] = []  # runs of setpoints without an interruption
        self._steps: list[float] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.verify()

    def start(self, pose: ArrayLike = 0.0, speed: float = np.nan) -> Shaped:
        """Put the arm somewhere and begin there."""
        self.arm[:] = pose
        self.inputs.measured_v[:] = speed
        self.inputs.start()
        return self.tick(self.arm)

    def tick(
        self,
        target: ArrayLike,
        speed: ArrayLike = 0.0,
        *,
        dt: float = STEP,
        wanted: Shape = Shape.FOLLOW,
        target_age: float = 0.0,
    ) -> Shaped:
        """One tick; what is sent is kept for the check."""
        self.now += dt
        self.inputs.target[:], self.inputs.target_v[:] = target, speed
        self.inputs.measured[:] = self.arm
        self.inputs.at(self.now, wanted, self.now - target_age)
        starts = self.inputs.starts and not self.last.running
        first = np.zeros((3, len(self.arm)))
        beginning(self.shaper.state, self.shaper.numbers, self.inputs, first[:2])
        self.last = self.shaper.tick(self.inputs)
        if starts or not self.last.running:
            self.verify()
            if self.last.running:  # from the measured motion on, the first setpoint keeps the limits like any other
                self._sent.append(first)
                self._steps.append(0.0)
            else:
                assert np.all(np.isnan(self.shaper.setpoint))
        if self.last.running:
            self._sent.append(self.shaper.setpoint.copy())
            self._steps.append(self.shaper.state.step)
            if not self.stuck:
                self.arm[:] = self.last.q
        return self.last

    def ticks(self, seconds: float, target: ArrayLike, *, wanted: Shape = Shape.FOLLOW) -> Shaped:
        """Ticks for a while with a target that stands still."""
        for _ in range(round(seconds / STEP)):
            self.tick(target, wanted=wanted)
        return self.last

    def verify(self) -> None:
        """Position, speed, acceleration and jerk, of all that was sent and from one setpoint to the next."""
        if self._sent:
            check_setpoints(np.array(self._sent), np.array(self._steps), self.limits)
        self._sent, self._steps = [], []


def park_for_a_while(led: Led) -> None:
    """Start, and be on the way to a parking posture."""
    led.start()
    led.shaper.park([1.0, -0.5])
    led.ticks(0.15, 0.0, wanted=Shape.PARK)


def check_setpoints(sent: Floats, steps: Floats, limits: Floats) -> None:
    """Setpoints (ticks × 3 × joints), times that they stand for [s], limits (5 × joints)."""
    low, high, speed, most, jerk = limits
    q, v, a = sent[:, 0], sent[:, 1], sent[:, 2]
    assert np.all(np.isfinite(sent))
    assert np.all(np.abs(v) <= speed * PART)
    assert np.all(np.abs(a) <= most * PART)
    dt = steps[1:, None]
    assert np.all(q[1:] >= np.minimum(low, q[:-1]) - 1e-9)  # from outside it may only come back
    assert np.all(q[1:] <= np.maximum(high, q[:-1]) + 1e-9)
    assert np.all(np.abs(np.diff(q, axis=0)) <= speed * dt * PART + TINY)
    assert np.all(np.abs(np.diff(v, axis=0)) <= most * dt * PART + TINY)
    assert np.all(np.abs(np.diff(a, axis=0)) <= jerk * dt * PART + TINY * (1.0 + most))
    # Position, speed and acceleration belong to one motion, so differences of positions keep the limits too.
    assert np.all(np.abs(np.diff(v, axis=0) - 0.5 * dt * (a[1:] + a[:-1])) <= 0.5 * jerk * dt**2 + TINY)
    assert np.all(np.abs(np.diff(q, axis=0) - 0.5 * dt * (v[1:] + v[:-1])) <= jerk * dt**3 / 6.0 + TINY)
