"""Masses of a robot's bodies, as the file has them and nothing else; and the effort that a motion asks of every joint.

Inverse dynamics: recursive Newton-Euler, in world axes. Loops do no work, so what passive joints would have to give is
given by the driven ones that move them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from station.kernel import Floats1, Floats2, Floats3, Ints1, Record, entry, field, kernel
from station.kernel.vectors import as_vector, cross
from station.mad.scene import Body
from station.mechanism import Mechanism
from station.mechanism.closures import closure_rows
from station.mechanism.memory import JointKind, MechanismMemory
from station.mechanism.tree import forward
from station.tasks.task.joints import normal_matrix, solve
from station.tasks.task.model import Floats

GRAVITY = 9.80665  # [m/s²]


class Inertias(Record):
    """Of n bodies, in the axes of each, and of their joints."""

    mass: Floats1 = field("kg", shape="n")
    centre: Floats2 = field("m", "of mass", shape=("n", 3))
    inertia: Floats2 = field("kg·m²", "about it: xx yy zz xy xz yz", shape=("n", 6))
    armature: Floats1 = field("kg·m² | kg", shape="n")
    viscous: Floats1 = field("N·m·s | N·s/m", "friction", shape="n")
    coulomb: Floats1 = field("N·m | N", "dry friction", shape="n")


class Masses(NamedTuple):
    """What is known of them, and what is not."""

    bodies: Inertias
    notes: tuple[str, ...]

    @property
    def known(self) -> bool:
        """Whether the file has any mass."""
        return bool(self.bodies.mass.any())


def masses_of(
    mechanism: Mechanism,
    payload: float = 0.0,
    frame: int | None = None,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Masses:
    """Of the links, and of frames and tools on them; `payload` [kg] is a point in a frame, `at` [m]."""
    mem, robot = mechanism.memory, mechanism.robot
    count = len(mechanism.joints)
    parts: list[list[tuple[float, Floats, Floats]]] = [[] for _ in range(count)]
    notes = []
    for item in robot.placed():
        number = mechanism.frame_number(item.id)
        body = int(mem.frame_body[number])
        if body < 0 or not item.mass:
            continue
        if item.inertia is None:
            notes.append(f"{item.name or item.id}: taken as a point, the file has only its mass")
        parts[body].append(_part(item, mem.frame_offset[number]))
    if payload > 0.0 and frame is not None:
        number = mechanism.frame_number(frame)
        offset = mem.frame_offset[number]
        place = offset[:, :3] @ np.array(at) + offset[:, 3]
        parts[int(mem.frame_body[number])].append((payload, place, np.zeros((3, 3))))
    bodies = Inertias(n=count)
    for number, found in enumerate(parts):
        if found:
            bodies.mass[number], bodies.centre[number], bodies.inertia[number] = _together(found)
    links = {link.id: link for link in robot.links}
    for number, joint in enumerate(mechanism.joints):
        link = links[joint.id]
        bodies.armature[number] = link.armature or 0.0
        if link.friction is not None:
            bodies.viscous[number], bodies.coulomb[number] = link.friction.viscous, link.friction.coulomb
    return Masses(bodies, tuple(notes))


def _part(item: Body, offset: Floats) -> tuple[float, Floats, Floats]:
    """Mass, centre and inertia about it, in the axes of the body that carries it."""
    assert item.mass is not None
    turn = offset[:, :3]
    com = turn @ np.array(item.com or (0.0, 0.0, 0.0)) + offset[:, 3]
    inertia = np.zeros((3, 3))
    if item.inertia is not None:
        xx, yy, zz, xy, xz, yz = item.inertia
        inertia = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    return item.mass, com, inertia


def _together(parts: list[tuple[float, Floats, Floats]]) -> tuple[float, Floats, tuple[float, ...]]:
    mass = sum(part[0] for part in parts)
    com = np.asarray(sum(part[0] * part[1] for part in parts)) / mass
    total = np.zeros((3, 3))
    for own, place, inertia in parts:
        away = place - com
        total += inertia + own * (away @ away * np.eye(3) - np.outer(away, away))
    return mass, com, (total[0, 0], total[1, 1], total[2, 2], total[0, 1], total[0, 2], total[1, 2])


# Inverse dynamics -------------------------------------------------------------------------------------------------


@kernel
def _cross(a: Floats1, b: Floats1, out: Floats1) -> None:
    """A vector product, into an array."""
    out[0], out[1], out[2] = cross(as_vector(a), as_vector(b))


@kernel
def _add_centripetal(omega: Floats1, alpha: Floats1, r: Floats1, spare: Floats1, out: Floats1) -> None:
    """Add α×r + ω×(ω×r) to an acceleration."""
    _cross(alpha, r, spare)
    for i in range(3):
        out[i] += spare[i]
    _cross(omega, r, spare)
    _cross(omega, spare, spare)
    for i in range(3):
        out[i] += spare[i]


@kernel
def _outwards(mem: MechanismMemory, v: Floats1, a: Floats1, motion: Floats3) -> None:
    """Motion of every body: rows ω, α and the acceleration of its origin, gravity included [rad/s, rad/s², m/s²]."""
    order, parents, kinds = mem.order, mem.parents, mem.joint_kind
    rotation, position = mem.rotation, mem.position
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
        _add_centripetal(turning, turned, arm, spare, acceleration)
        _cross(turning, axis, spare)
        if kinds[j] == JointKind.REVOLUTE:
            for i in range(3):
                omega[i] += axis[i] * v[j]
                alpha[i] += axis[i] * a[j] + spare[i] * v[j]
        else:
            for i in range(3):
                acceleration[i] += axis[i] * a[j] + 2.0 * spare[i] * v[j]


@kernel
def _body_wrench(
    masses: Inertias, number: int, turn: Floats2, motion: Floats2, force: Floats1, moment: Floats1, com: Floats1
) -> None:
    """Force, and moment about the body's origin, that move one body as it moves; `com` is scratch."""
    centre, inertia = masses.centre[number], masses.inertia[number]
    spare, local, spin = np.zeros(3), np.zeros(3), np.zeros(3)
    omega, alpha = motion[0], motion[1]
    for i in range(3):
        com[i] = turn[i, 0] * centre[0] + turn[i, 1] * centre[1] + turn[i, 2] * centre[2]
        force[i] = motion[2, i]
    _add_centripetal(omega, alpha, com, spare, force)
    for i in range(3):
        force[i] *= masses.mass[number]
    xx, yy, zz, xy, xz, yz = inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]
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
            _cross(omega, spin, spin)
        for i in range(3):
            moment[i] = spin[i] if part == 0 else moment[i] + spin[i]
    _cross(com, force, spare)
    for i in range(3):
        moment[i] += spare[i]


@kernel
def _tree_efforts(
    mem: MechanismMemory,
    masses: Inertias,
    v: Floats1,
    a: Floats1,
    motion: Floats3,
    wrench: Floats3,
    efforts: Floats1,
) -> None:
    """Effort of every joint of the tree, loops cut open [N·m | N]; bodies must have been placed by `forward`."""
    order, parents, kinds = mem.order, mem.parents, mem.joint_kind
    rotation, position = mem.rotation, mem.position
    com, arm, spare = np.zeros(3), np.zeros(3), np.zeros(3)
    _outwards(mem, v, a, motion)
    for j in range(order.size):
        _body_wrench(masses, j, rotation[j], motion[j], wrench[j, 0], wrench[j, 1], com)
    for k in range(order.size - 1, -1, -1):
        j = order[k]
        row = 1 if kinds[j] == JointKind.REVOLUTE else 0
        effort = 0.0
        for i in range(3):
            effort += rotation[j, i, 2] * wrench[j, row, i]
        speed = v[j]
        sign = 0.0 if abs(speed) < 1e-6 else math.copysign(1.0, speed)
        efforts[j] = effort + masses.armature[j] * a[j] + masses.viscous[j] * speed + masses.coulomb[j] * sign
        p = parents[j]
        if p >= 0:
            for i in range(3):
                arm[i] = position[j, i] - position[p, i]
            _cross(arm, wrench[j, 0], spare)
            for i in range(3):
                wrench[p, 0, i] += wrench[j, 0, i]
                wrench[p, 1, i] += wrench[j, 1, i] + spare[i]


@kernel
def _hand_over(
    mem: MechanismMemory, driven: Ints1, passive: Ints1, q: Floats1, efforts: Floats1, m: Floats2, x: Floats1
) -> None:
    """What passive joints would have to give, given by the driven ones: τ_a - A_aᵀ·A_p·(A_pᵀA_p)⁻¹·τ_p."""
    closure_rows(mem, q, True)
    rows = mem.matrix
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


@entry
def path_efforts(
    mem: MechanismMemory,
    masses: Inertias,
    driven: Ints1,
    passive: Ints1,
    path: Floats2,
    period: float,
    out: Floats2,
) -> None:
    """Efforts n×joints along a path of all joints [N·m | N]; speeds and accelerations are differences of samples."""
    n, count = path.shape
    v, a, efforts = np.zeros(count), np.zeros(count), np.zeros(count)
    motion, wrench = np.zeros((count, 3, 3)), np.zeros((count, 2, 3))
    m, x = np.zeros((passive.size, passive.size)), np.zeros(passive.size)
    rotation, position = mem.rotation, mem.position
    for sample in range(n):
        before, after = max(sample - 1, 0), min(sample + 1, n - 1)  # at rest before and after
        for j in range(count):
            v[j] = 0.5 * (path[after, j] - path[before, j]) / period
            a[j] = (path[after, j] - 2.0 * path[sample, j] + path[before, j]) / period**2
        forward(mem, path[sample], rotation, position)
        _tree_efforts(mem, masses, v, a, motion, wrench, efforts)
        if passive.size:
            _hand_over(mem, driven, passive, path[sample], efforts, m, x)
        for j in range(count):
            out[sample, j] = efforts[j]
