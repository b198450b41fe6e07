"""The servo loops: from reference and encoders to efforts, with the model that a good controller has of its arm.

    u    = k_v·(v* + k_p·(q* - q) - v) + k_i·∫(q* - q)         k_v = 2·ζ·ω, k_p = ω/(2·ζ), k_i = integral·ω³
    τ    = M·u + c + f(v*) + τ*                                M, c: inertia, weight and centrifugal effort of the model
    τ_m' = (clip(τ, ±effort) - τ_m) / torque_lag               what the motors give

In a parallel robot passive joints follow the driven ones, dq = T·dq_a with closures held; M and c are then Tᵀ·M·T and
Tᵀ·c. T follows from the rows J of the closures: J_p·T_p = -J_a. Of the integral part only the diagonal of M counts.
A controller knows its own robot, and what stands on it, but no robot that is tied to it. Such an arm has no integral
part: two that integrate against each other through a rigid bar would never let go.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim_devices.arm.drives import Drive
from sim_devices.arm.machine import Floats
from sim_devices.arm.physics import mujoco
from sim_devices.arm.reference import Wanted
from sim_devices.arm.senses import Measured, towards
from sim_devices.arm.settings import ArmSettings
from station.kernel import Floats1, Floats2, Ints1, Record, entry, field, kernel

FRICTION_SPEED = 0.02  # of the reference, from which friction is fed forward in full [rad/s | m/s]
INTEGRAL_SHARE = 0.4  # of the effort that the integral part may ask for
DAMPED = 1e-9  # of the trace: passive joints that the closures leave free stay where they are


class Loops(Record):
    """What the servo loops of an arm work on; n driven joints."""

    speed_gain: float = field("1/s")
    position_gain: float = field("1/s")
    integral_gain: float = field("1/s³")
    known: float = field("", "share of the weight that the controller knows")
    tick: float = field("s")
    torque_towards: float = field("", "share of the way to the wanted effort in one tick")
    effort: Floats1 = field("N·m | N", "largest of the drives", shape="n")
    viscous: Floats1 = field("N·m·s | N·s/m", "friction of the drives", shape="n")
    coulomb: Floats1 = field("N·m | N", "dry friction of the drives", shape="n")
    inertia: Floats2 = field("kg·m² | kg", "that the drives feel", shape=("n", "n"))
    weight: Floats1 = field("N·m | N", "that the drives feel", shape="n")
    summed: Floats1 = field("rad·s | m·s", "of the integral part", shape="n")
    given: Floats1 = field("N·m | N", "what the motors give", shape="n")


class JointLoops:
    """The loops of one arm; `efforts` once per tick."""

    def __init__(
        self,
        settings: ArmSettings,
        drives: list[Drive],
        driven: list[int],
        passive: list[int],
        ties: list[int],
        tied: bool,
        tick: float,
    ) -> None:
        omega = 2.0 * math.pi * settings.bandwidth
        self._loops = loops = Loops(
            speed_gain=2.0 * settings.damping * omega,
            position_gain=omega / (2.0 * settings.damping),
            integral_gain=0.0 if tied else settings.integral * omega**3,
            known=settings.weight_known,
            tick=tick,
            torque_towards=towards(tick, settings.torque_lag),
            effort=[drive.effort for drive in drives],
            viscous=[drive.viscous for drive in drives],
            coulomb=[drive.coulomb for drive in drives],
        )
        self._driven, self._passive = np.array(driven, dtype=np.int64), np.array(passive, dtype=np.int64)
        self._square = np.ix_(self._driven, self._driven)
        self._full = np.zeros((0, 0))
        self._ties = ties
        self.given = loops.given  # what the motors give [N·m | N]

    @property
    def limits(self) -> Floats:
        """Largest efforts [N·m | N]."""
        return self._loops.effort

    def rest(self) -> None:
        """Motors off: what was built up is forgotten."""
        self._loops.summed[:] = 0.0
        self.given[:] = 0.0

    def look(self, known: Any, known_data: Any, data: Any) -> None:
        """Find what the drives feel, inertia and weight, by what the controller knows; closures are those of `data`."""
        if self._full.shape[0] != known.nv:
            self._full = np.zeros((known.nv, known.nv))
        mujoco.mj_fullM(known, known_data, self._full)
        if not len(self._passive):
            self._loops.inertia[:] = self._full[self._square]
            self._loops.weight[:] = known_data.qfrc_bias[self._driven]
            return
        rows = data.efc_J.reshape(-1, known.nv)[: data.ne]
        if self._ties:
            rows = rows[np.isin(data.efc_id[: data.ne], self._ties, invert=True)]
        bias = known_data.qfrc_bias
        felt(self._loops, rows, self._full, bias, self._driven, self._passive)

    def efforts(self, wanted: Wanted, measured: Measured, strength: Floats) -> Floats:
        """What the motors give after one more tick [N·m | N]; `strength` is what each drive can give now [N·m | N]."""
        efforts(self._loops, wanted, measured, strength)
        return self.given


@entry
def efforts(loops: Loops, wanted: Wanted, measured: Measured, strength: Floats1) -> None:
    """One tick of the servo loops, into `given`; `strength` is what each drive can give now [N·m | N]."""
    inertia, summed, given, tick = loops.inertia, loops.summed, loops.given, loops.tick
    speed_gain, position_gain, integral_gain = loops.speed_gain, loops.position_gain, loops.integral_gain
    n = given.size
    for i in range(n):
        error = wanted.q[i] - measured.q[i]
        most = INTEGRAL_SHARE * loops.effort[i] / max(inertia[i, i] * integral_gain, 1e-12)
        summed[i] = min(max(summed[i] + tick * error, -most), most)
    for i in range(n):
        moved = inertia[i, i] * integral_gain * summed[i]
        for k in range(n):
            error = wanted.q[k] - measured.q[k]
            moved += inertia[i, k] * (speed_gain * (wanted.v[k] + position_gain * error - measured.v[k]))
        v = wanted.v[i]
        moved += loops.viscous[i] * v + loops.coulomb[i] * min(max(v / FRICTION_SPEED, -1.0), 1.0)
        moved += loops.known * loops.weight[i] + wanted.effort[i]
        told = min(max(moved, -strength[i]), strength[i])
        given[i] += loops.torque_towards * (told - given[i])


# Passive joints: how they follow the driven ones, and what these feel of them ------------------------------------


@kernel
def _normal_equations(rows: Floats2, driven: Ints1, passive: Ints1, normal: Floats2, right: Floats2) -> None:
    """J_pᵀ·J_p (lower half) and -J_pᵀ·J_a of the rows of closures."""
    trace = 0.0
    for row in range(rows.shape[0]):
        for i in range(passive.size):
            value = rows[row, passive[i]]
            if value == 0.0:
                continue
            trace += value * value
            for k in range(i + 1):
                normal[i, k] += value * rows[row, passive[k]]
            for k in range(driven.size):
                right[i, k] -= value * rows[row, driven[k]]
    for i in range(passive.size):
        normal[i, i] += DAMPED * max(trace, 1e-12)


@kernel
def _solve(normal: Floats2, right: Floats2) -> None:
    """normal⁻¹·right into `right`, by Cholesky; `normal` is overwritten."""
    m = normal.shape[0]
    for i in range(m):
        for k in range(i + 1):
            total = normal[i, k]
            for j in range(k):
                total -= normal[i, j] * normal[k, j]
            normal[i, k] = math.sqrt(max(total, 1e-300)) if i == k else total / normal[k, k]
    for column in range(right.shape[1]):
        for i in range(m):
            for j in range(i):
                right[i, column] -= normal[i, j] * right[j, column]
            right[i, column] /= normal[i, i]
        for back in range(m):
            i = m - 1 - back
            for j in range(i + 1, m):
                right[i, column] -= normal[j, i] * right[j, column]
            right[i, column] /= normal[i, i]


@entry
def felt(loops: Loops, rows: Floats2, full: Floats2, bias: Floats1, driven: Ints1, passive: Ints1) -> None:
    """Inertia and weight that driven joints feel in a robot with loops; `rows` are those of its closures.

    Passive joints follow: J_p·T_p = -J_a in the sense of least squares, and then Tᵀ·M·T and Tᵀ·c.
    """
    inertia, weight = loops.inertia, loops.weight
    n, m = driven.size, passive.size
    normal, follow = np.zeros((m, m)), np.zeros((m, n))
    _normal_equations(rows, driven, passive, normal, follow)
    _solve(normal, follow)
    for a in range(n):
        weight[a] = bias[driven[a]]
        for b in range(n):
            inertia[a, b] = full[driven[a], driven[b]]
    for i in range(m):
        for a in range(n):
            weight[a] += follow[i, a] * bias[passive[i]]
            carried = full[passive[i], driven[a]]
            total = carried  # M_pa + M_pp·T_p
            for j in range(m):
                total += full[passive[i], passive[j]] * follow[j, a]
            for b in range(n):
                inertia[a, b] += carried * follow[i, b]
                inertia[b, a] += follow[i, b] * total
