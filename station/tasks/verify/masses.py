"""Masses of a robot's bodies, as the dynamics take them: what the file says, and nothing else."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from station.mad.scene import Body
from station.mechanism import Mechanism
from station.tasks.task.model import Floats
from station.tasks.verify.kernels.dynamics import ARMATURE, BODY_ROW, COULOMB, JOINT_ROW, VISCOUS


class Masses(NamedTuple):
    """Rows of bodies and joints as in kernels/dynamics.py, and what is not known."""

    bodies: Floats
    joints: Floats
    notes: tuple[str, ...]

    @property
    def known(self) -> bool:
        """Whether the file has any mass."""
        return bool(self.bodies[:, 0].any())


def masses_of(
    mechanism: Mechanism,
    payload: float = 0.0,
    frame: int | None = None,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Masses:
    """Of the links, and of frames and tools on them; `payload` [kg] is a point in a frame, `at` [m]."""
    mem, robot = mechanism._mem, mechanism.robot
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
    bodies, joints = np.zeros((count, BODY_ROW)), np.zeros((count, JOINT_ROW))
    for row, found in zip(bodies, parts, strict=True):
        if found:
            row[:] = _together(found)
    links = {link.id: link for link in robot.links}
    for row, joint in zip(joints, mechanism.joints, strict=True):
        link = links[joint.id]
        row[ARMATURE] = link.armature or 0.0
        if link.friction is not None:
            row[VISCOUS], row[COULOMB] = link.friction.viscous, link.friction.coulomb
    return Masses(bodies, joints, tuple(notes))


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


def _together(parts: list[tuple[float, Floats, Floats]]) -> Floats:
    mass = sum(part[0] for part in parts)
    com = np.asarray(sum(part[0] * part[1] for part in parts)) / mass
    total = np.zeros((3, 3))
    for own, place, inertia in parts:
        away = place - com
        total += inertia + own * (away @ away * np.eye(3) - np.outer(away, away))
    xx, yy, zz, xy, xz, yz = (total[0, 0], total[1, 1], total[2, 2], total[0, 1], total[0, 2], total[1, 2])
    return np.array([mass, *com, xx, yy, zz, xy, xz, yz])
