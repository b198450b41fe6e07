"""The servo loops: from reference and encoders to efforts, with the model that a good controller has of its arm.

    u    = k_v·(v* + k_p·(q* - q) - v) + k_i·∫(q* - q)         k_v = 2·ζ·ω, k_p = ω/(2·ζ), k_i = integral·ω³
    τ    = M·u + c + f(v*) + τ*                                M, c: inertia, weight and centrifugal effort of the model
    τ_m' = (clip(τ, ±effort) - τ_m) / torque_lag               what the motors give

In a parallel robot passive joints follow the driven ones, dq = T·dq_a with closures held; M and c are then Tᵀ·M·T and
Tᵀ·c. T follows from the rows J of the closures: J_p·T_p = -J_a. Of the integral part only the diagonal of M counts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_devices.arm.drives import Drive
from sim_devices.arm.kernels import servo
from sim_devices.arm.kernels.passive import felt
from sim_devices.arm.machine import Floats
from sim_devices.arm.physics import mujoco
from sim_devices.arm.settings import ArmSettings


class JointLoops:
    """The loops of one arm; `efforts` once per tick."""

    def __init__(
        self, settings: ArmSettings, drives: list[Drive], driven: list[int], passive: list[int], tick: float
    ) -> None:
        omega = 2.0 * math.pi * settings.bandwidth
        self._gains = np.zeros(servo.GAINS)
        self._gains[servo.SPEED_GAIN] = 2.0 * settings.damping * omega
        self._gains[servo.POSITION_GAIN] = omega / (2.0 * settings.damping)
        self._gains[servo.INTEGRAL_GAIN] = settings.integral * omega**3
        self._gains[servo.KNOWN], self._gains[servo.TICK] = settings.weight_known, tick
        self._gains[servo.TORQUE_TOWARDS] = towards(tick, settings.torque_lag)
        self._drives = np.array([[d.effort, d.viscous, d.coulomb] for d in drives]).T.copy()
        self._driven, self._passive = np.array(driven, dtype=np.int64), np.array(passive, dtype=np.int64)
        self._square = np.ix_(self._driven, self._driven)
        self._inertia, self._weight = np.zeros((len(drives), len(drives))), np.zeros(len(drives))
        self._full = np.zeros((0, 0))
        self._sum = np.zeros(len(drives))  # of the integral part [rad·s | m·s]
        self.given = np.zeros(len(drives))  # what the motors give [N·m | N]

    @property
    def limits(self) -> Floats:
        """Largest efforts [N·m | N]."""
        return np.asarray(self._drives[0])

    def rest(self) -> None:
        """Motors off: what was built up is forgotten."""
        self._sum[:] = 0.0
        self.given[:] = 0.0

    def look(self, known: Any, known_data: Any, data: Any) -> None:
        """Find what the drives feel, inertia and weight, by what the controller knows; closures are those of `data`."""
        if self._full.shape[0] != known.nv:
            self._full = np.zeros((known.nv, known.nv))
        mujoco.mj_fullM(known, known_data, self._full)
        if not len(self._passive):
            self._inertia, self._weight = self._full[self._square], known_data.qfrc_bias[self._driven]
            return
        rows = data.efc_J.reshape(-1, known.nv)[: data.ne]
        bias = known_data.qfrc_bias
        felt(rows, self._full, bias, self._driven, self._passive, self._inertia, self._weight)

    def efforts(self, wanted: Floats, measured: Floats, strength: Floats) -> Floats:
        """What the motors give after one more tick [N·m | N].

        Args:
            wanted: rows q [rad | m], v [rad/s | m/s] and fed-forward effort [N·m | N].
            measured: rows q and v.
            strength: what each drive can give now [N·m | N].
        """
        servo.efforts(
            wanted,
            measured,
            self._inertia,
            self._weight,
            strength,
            self._drives,
            self._gains,
            self._sum,
            self.given,
        )
        return self.given


def towards(tick: float, lag: float) -> float:
    """Share of the way that a first-order lag [s] goes in one tick [s]."""
    return 1.0 - math.exp(-tick / lag) if lag > 0.0 else 1.0
