"""`Offsets`: what is added to setpoints, joint by joint, with speed and acceleration that the arm has left for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim_devices.arm.machine import Floats
from station.controllers.controller import ControlledJoint

SHARE = 0.8  # of a joint's acceleration: setpoints may use all, and the arm stops at twice that
USUAL_ACCELERATION, USUAL_SPEED = 10.0, 1.0  # of joints that tell none [rad/s² | m/s²], [rad/s | m/s]
QUICK = 0.01  # in which a small difference is made up for [s]


class Offsets:
    """Follows what is aimed at as fast as the limits allow; `q` is where it is [rad | m]."""

    def __init__(self, joints: Sequence[ControlledJoint]) -> None:
        self._low = np.array([-np.inf if joint.low is None else joint.low for joint in joints])
        self._high = np.array([np.inf if joint.high is None else joint.high for joint in joints])
        self._most_a = SHARE * np.array([joint.acceleration or USUAL_ACCELERATION for joint in joints])
        self._most_v = np.array([joint.speed or USUAL_SPEED for joint in joints])
        self.q, self.v = np.zeros(len(joints)), np.zeros(len(joints))

    def rest(self) -> None:
        """Nothing is added from now on."""
        self.q[:] = self.v[:] = 0.0

    def aim(self, target: Floats, dt: float) -> None:
        """Go on towards a target [rad | m] for a time [s]."""
        missing = target - self.q
        fastest = np.minimum(np.sqrt(1.6 * self._most_a * np.abs(missing)), np.abs(missing) / QUICK)
        wanted = np.sign(missing) * np.minimum(fastest, self._most_v)
        self.v += np.clip(wanted - self.v, -self._most_a * dt, self._most_a * dt)
        self.q += self.v * dt

    def added(self, q: Floats, v: Floats | None) -> tuple[Floats, Floats | None]:
        """A setpoint with the offset, within the limits of position and speed; what is outside by itself stays so."""
        if q.shape != self.q.shape or not self.q.any():
            return q, v
        inside = np.clip(q + self.q, np.minimum(self._low, q), np.maximum(self._high, q))
        return inside, None if v is None else np.clip(v + self.v, -self._most_v, self._most_v)
