"""Inverse dynamics: the effort that a motion asks of every joint (recursive Newton-Euler, in world axes).

Loops do no work, so what passive joints would have to give is given by the driven ones that move them.
"""

from __future__ import annotations

import math

import numpy as np

from station.mechanism.kernels import at
from station.mechanism.kernels.closures import closure_rows
from station.mechanism.kernels.memory import REVOLUTE, Block, Floats, Ints
from station.mechanism.kernels.tree import forward
from station.tasks.task.kernels.loops import normal_matrix, solve
from station.tasks.verify.kernels.cache import kernel

# Rows of a body: mass [kg], centre of mass [m], inertia about it as xx yy zz xy xz yz, all in the body's axes.
MASS, COM, INERTIA, BODY_ROW = 0, 1, 4, 10
# Rows of a joint: armature [kg·m² | kg], viscous and coulomb friction.
ARMATURE, VISCOUS, COULOMB, JOINT_ROW = 0, 1, 2, 3
GRAVITY = 9.80665  # [m/s²]


@kernel
def cross(a: Floats, b: Floats, out: Floats) -> None:
    """A vector product."""
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    out[0], out[1], out[2] = x, y, z


@kernel
def add_centripetal(omega: Floats, alpha: Floats, r: Floats, spare: Floats, out: Floats) -> None:
    """Add α×r + ω×(ω×r) to an acceleration."""
    cross(alpha, r, spare)
    for i in range(3):
        out[i] += spare[i]
    cross(omega, r, spare)
    cross(omega, spare, spare)
    for i in range(3):
        out[i] += spare[i]


@kernel
def outwards(mem: Block, v: Floats, a: Floats, motion: Floats) -> None:
    """Motion of every body: rows ω, α and the acceleration of its origin, gravity included [rad/s, rad/s², m/s²]."""
    order, parents, kinds = at.order(mem), at.parents(mem), at.joint_kind(mem)
    rotation, position = at.rotation(mem), at.position(mem)
    spare, arm, axis = np.zeros(3), np.zeros(3), np.zeros(3)
    still = np.zeros(3)
    for k in range(order.size):
        j = order[k]
        p = parents[j]
        omega, alpha, acceleration = motion[j, 0], motion[j, 1], motion[j, 2]
        turning, turned = (motion[p, 0], motion[p, 1]) if p >= 0 else (still, still)
        for i in range(3):
            axis[i] = rotation[j, i, 2]
            omega[i], alpha[i] = turning[i], turned[i]
            arm[i] = position[j, i] - position[p, i] if p >= 0 else 0.0
            acceleration[i] = motion[p, 2, i] if p >= 0 else (GRAVITY if i == 2 else 0.0)
        add_centripetal(turning, turned, arm, spare, acceleration)
        cross(turning, axis, spare)
        if kinds[j] == REVOLUTE:
            for i in range(3):
                omega[i] += axis[i] * v[j]
                alpha[i] += axis[i] * a[j] + spare[i] * v[j]
        else:
            for i in range(3):
                acceleration[i] += axis[i] * a[j] + 2.0 * spare[i] * v[j]


@kernel
def body_wrench(turn: Floats, body: Floats, motion: Floats, force: Floats, moment: Floats, com: Floats) -> None:
    """Force, and moment about the body's origin, that move one body as it moves; `com` is scratch."""
    spare, local, spin = np.zeros(3), np.zeros(3), np.zeros(3)
    omega, alpha = motion[0], motion[1]
    for i in range(3):
        com[i] = turn[i, 0] * body[COM] + turn[i, 1] * body[COM + 1] + turn[i, 2] * body[COM + 2]
        force[i] = motion[2, i]
    add_centripetal(omega, alpha, com, spare, force)
    for i in range(3):
        force[i] *= body[MASS]
    xx, yy, zz, xy, xz, yz = body[4], body[5], body[6], body[7], body[8], body[9]
    for part in range(2):  # I·α, then ω × (I·ω)
        for i in range(3):
            local[i] = 0.0
            for k in range(3):
                local[i] += turn[k, i] * (alpha[k] if part == 0 else omega[k])
        spare[0] = xx * local[0] + xy * local[1] + xz * local[2]
        spare[1] = xy * local[0] + yy * local[1] + yz * local[2]
        spare[2] = xz * local[0] + yz * local[1] + zz * local[2]
        for i in range(3):
            spin[i] = turn[i, 0] * spare[0] + turn[i, 1] * spare[1] + turn[i, 2] * spare[2]
        if part == 1:
            cross(omega, spin, spin)
        for i in range(3):
            moment[i] = spin[i] if part == 0 else moment[i] + spin[i]
    cross(com, force, spare)
    for i in range(3):
        moment[i] += spare[i]


@kernel
def tree_efforts(
    mem: Block, v: Floats, a: Floats, bodies: Floats, joints: Floats, motion: Floats, wrench: Floats, efforts: Floats
) -> None:
    """Effort of every joint of the tree, loops cut open [N·m | N]; bodies must have been placed by `forward`."""
    order, parents, kinds = at.order(mem), at.parents(mem), at.joint_kind(mem)
    rotation, position = at.rotation(mem), at.position(mem)
    com, arm, spare = np.zeros(3), np.zeros(3), np.zeros(3)
    outwards(mem, v, a, motion)
    for j in range(order.size):
        body_wrench(rotation[j], bodies[j], motion[j], wrench[j, 0], wrench[j, 1], com)
    for k in range(order.size - 1, -1, -1):
        j = order[k]
        row = 1 if kinds[j] == REVOLUTE else 0
        effort = 0.0
        for i in range(3):
            effort += rotation[j, i, 2] * wrench[j, row, i]
        speed = v[j]
        sign = 0.0 if abs(speed) < 1e-6 else math.copysign(1.0, speed)
        efforts[j] = effort + joints[j, ARMATURE] * a[j] + joints[j, VISCOUS] * speed + joints[j, COULOMB] * sign
        p = parents[j]
        if p >= 0:
            for i in range(3):
                arm[i] = position[j, i] - position[p, i]
            cross(arm, wrench[j, 0], spare)
            for i in range(3):
                wrench[p, 0, i] += wrench[j, 0, i]
                wrench[p, 1, i] += wrench[j, 1, i] + spare[i]


@kernel
def hand_over(mem: Block, driven: Ints, passive: Ints, q: Floats, efforts: Floats, m: Floats, x: Floats) -> None:
    """What passive joints would have to give, given by the driven ones: τ_a - A_aᵀ·A_p·(A_pᵀA_p)⁻¹·τ_p."""
    closure_rows(mem, q, True)
    rows = at.matrix(mem)
    normal_matrix(mem, passive, m)
    for i in range(passive.size):
        x[i] = efforts[passive[i]]
    solve(m, passive.size, x)
    for row in range(rows.shape[0]):
        pull = 0.0
        for i in range(passive.size):
            pull += rows[row, passive[i]] * x[i]
        for k in range(driven.size):
            efforts[driven[k]] -= rows[row, driven[k]] * pull
    for i in range(passive.size):
        efforts[passive[i]] = 0.0


@kernel
def path_efforts(
    mem: Block, driven: Ints, passive: Ints, path: Floats, period: float, bodies: Floats, joints: Floats, out: Floats
) -> None:
    """Efforts n×joints along a path of all joints [N·m | N]; speeds and accelerations are differences of samples."""
    n, count = path.shape
    v, a, efforts = np.zeros(count), np.zeros(count), np.zeros(count)
    motion, wrench = np.zeros((count, 3, 3)), np.zeros((count, 2, 3))
    m, x = np.zeros((passive.size, passive.size)), np.zeros(passive.size)
    rotation, position = at.rotation(mem), at.position(mem)
    for sample in range(n):
        before, after = max(sample - 1, 0), min(sample + 1, n - 1)  # at rest before and after
        for j in range(count):
            v[j] = 0.5 * (path[after, j] - path[before, j]) / period
            a[j] = (path[after, j] - 2.0 * path[sample, j] + path[before, j]) / period**2
        forward(mem, path[sample], rotation, position)
        tree_efforts(mem, v, a, bodies, joints, motion, wrench, efforts)
        if passive.size:
            hand_over(mem, driven, passive, path[sample], efforts, m, x)
        for j in range(count):
            out[sample, j] = efforts[j]
