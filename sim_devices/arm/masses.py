"""Mass, centre of mass and inertia of each rigid body: from the file, or estimated with a note.

file gives masses of some bodies   bodies without one are next to massless (joints of a cross, ends of a rod)
file gives none at all             every body is a bar of DENSITY along the lines to what is mounted on it
mass without inertia               of a bar of that length and mass
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim_devices.arm.machine import Floats
from sim_devices.arm.tree import RigidBody, Tree, tool_body
from station.mad.placement import Pose
from station.mad.scene import BASE_ID, Body

DENSITY = 1200.0  # of a bar of tubes and motors, over its outline [kg/m³]
SLENDERNESS = 0.1  # radius of a body over its length
THINNEST, THICKEST = 0.004, 0.06  # radius [m]
LEAST_SHARE = 0.01  # mass of what has none in the file, over the heaviest body
ALMOST_NOTHING = 1e-6  # least moment of inertia per kilogram, so that the physics stays solvable [m²]


class Inertial(NamedTuple):
    """Mass [kg], centre [m] and inertia about it in the axes of the body [kg·m²]."""

    mass: float
    com: Floats
    inertia: Floats


def radius_of(length: float, scale: float) -> float:
    """How thick a body of that length is taken to be [m]; a short one takes after the whole robot."""
    return min(max(SLENDERNESS * max(length, 0.5 * scale), THINNEST), THICKEST)


def inertials_of(tree: Tree) -> tuple[dict[int, Inertial], tuple[str, ...]]:
    """The inertial of each body of a robot that moves, and one line for each estimate."""
    told = {name: [part for part in body.carried if part[0].mass] for name, body in tree.bodies.items()}
    carried = tree.robot.base.on is not None  # then what the base weighs is felt, too
    moving = [name for name in tree.bodies if carried or name != BASE_ID]
    any_told = any(told[name] for name in moving)
    heaviest = max((sum(part[0].mass or 0.0 for part in told[name]) for name in moving), default=0.0)
    inertials, notes = {}, []
    for name in moving:
        body = tree.bodies[name]
        if told[name]:
            parts = [_from_file(part, pose, body.length, tree.scale) for part, pose in told[name]]
            inertials[name] = together(parts)
            if any(part.inertia is None for part, _ in told[name]):
                notes.append(f"{_who(body)}: inertia of a bar, the file has only its mass")
        elif name in (tool_body(tree), BASE_ID):
            continue  # a point without mass is fine on a body that has some
        elif any_told:
            inertials[name] = _small(LEAST_SHARE * heaviest, tree.scale)
            notes.append(f"{_who(body)}: next to massless ({1000.0 * inertials[name].mass:.0f} g)")
        else:
            inertials[name] = _bars(body, tree.scale)
            notes.append(f"{_who(body)}: {inertials[name].mass:.2f} kg, estimated from its length")
    return inertials, tuple(notes)


def _who(body: RigidBody) -> str:
    if body.link is None:
        return "tool"
    return f"link {body.name}" + (f" ({body.link.name})" if body.link.name else "")


def _from_file(body: Body, pose: Pose, length: float, scale: float) -> Inertial:
    assert body.mass is not None
    turn = pose[:3, :3]
    com = pose[:3, :3] @ np.array(body.com or (0.0, 0.0, 0.0)) + pose[:3, 3]
    if body.inertia is None:
        radius = radius_of(length, scale)
        return Inertial(body.mass, com, np.eye(3) * body.mass * (max(length, radius) ** 2 / 12.0 + radius**2 / 4.0))
    xx, yy, zz, xy, xz, yz = body.inertia
    about = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    return Inertial(body.mass, com, physical(about, body.mass))


def physical(inertia: Floats, mass: float) -> Floats:
    """The nearest inertia that a body can have: positive, and no moment larger than the sum of the others.

    Identified parameters (panda) may break this a little; the physics refuses them.
    """
    values, axes = np.linalg.eigh(inertia)
    values = np.maximum(values, ALMOST_NOTHING * mass)
    values[2] = min(values[2], 0.999 * (values[0] + values[1]))  # eigh sorts them upwards
    return np.asarray(axes @ np.diag(values) @ axes.T)


def together(parts: list[Inertial]) -> Inertial:
    """Several rigidly joined parts as one."""
    mass = sum(part.mass for part in parts)
    com = np.asarray(sum(part.mass * part.com for part in parts)) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        away = part.com - com
        inertia += part.inertia + part.mass * (away @ away * np.eye(3) - np.outer(away, away))
    return Inertial(mass, com, inertia)


def _small(mass: float, scale: float) -> Inertial:
    return Inertial(mass, np.zeros(3), np.eye(3) * mass * (0.05 * scale) ** 2)


def _bars(body: RigidBody, scale: float) -> Inertial:
    """Bars from the body's own frame to everything that is mounted on it."""
    parts = [_bar(end, scale) for end in body.ends.values() if np.linalg.norm(end) > 0.05 * scale]
    return together(parts) if parts else _ball(radius_of(0.0, scale))


def _ball(radius: float) -> Inertial:
    mass = DENSITY * 4.0 / 3.0 * math.pi * radius**3
    return Inertial(mass, np.zeros(3), np.eye(3) * 0.4 * mass * radius**2)


def _bar(end: Floats, scale: float) -> Inertial:
    length = float(np.linalg.norm(end))
    radius = radius_of(length, scale)
    mass = DENSITY * math.pi * radius**2 * length
    along = np.outer(end, end) / length**2
    across = mass * (length**2 / 12.0 + radius**2 / 4.0)
    return Inertial(mass, 0.5 * end, across * (np.eye(3) - along) + 0.5 * mass * radius**2 * along)
