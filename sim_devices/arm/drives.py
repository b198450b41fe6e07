"""What turns a joint: its limits, friction and rotor, from the file or estimated from what the joint has to move.

armature   0.2 × the largest inertia that the joint sees (gears are chosen near that), and no less than the rotor of a
           motor of that effort has: 0.05 × the inertia that it could accelerate. Of a wrist that carries next to
           nothing that is nearly all; without it friction would be more than its loop can feel.
effort     2 × the largest weight that it holds + what the largest acceleration takes
viscous    5 % of the effort at the largest speed
coulomb    2 % of the effort
passive    joints without a motor: a good bearing
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sim_devices.arm.machine import Floats
from sim_devices.arm.physics import mujoco
from sim_devices.arm.tree import Tree
from station.mad.scene import Link
from station.mad.units import JointType

ROTOR_SHARE, LEAST_ROTOR = 0.2, 0.05
BEARING = 2e-4  # armature of a passive joint over the inertia it sees
WEIGHT_FACTOR = 2.0
VISCOUS_SHARE, COULOMB_SHARE = 0.05, 0.02
BEARING_RATE = 0.02  # viscous friction of a passive joint over the inertia it sees [1/s]
DEFAULT_SPEED = {JointType.REVOLUTE: math.pi, JointType.PRISMATIC: 0.5}  # [rad/s, m/s]
ACCELERATION_TIME = 0.25  # to the largest speed, where the file has no acceleration [s]
SAMPLES = 40  # configurations at which inertias and weights are looked at
SPREAD = {JointType.REVOLUTE: 1.5, JointType.PRISMATIC: 0.2}  # around the start [rad, m]


class Drive(NamedTuple):
    """One joint and its motor."""

    link: int
    driven: bool
    effort: float  # [N·m | N]
    speed: float  # [rad/s | m/s]
    acceleration: float  # [rad/s² | m/s²]
    armature: float  # [kg·m² | kg]
    viscous: float  # [N·m·s/rad | N·s/m]
    coulomb: float  # [N·m | N]


def driven_links(tree: Tree) -> tuple[Link, ...]:
    """The joints that the arm's controller drives, in its own order."""
    moving = {link.id: link for link in tree.moving}
    for controller in tree.robot.controllers:
        if controller.joints:
            return tuple(moving[name] for name in controller.joints if name in moving)
    return tuple(link for link in tree.moving if not link.passive)


def held_links(tree: Tree) -> tuple[Link, ...]:
    """Joints that have a drive, but of another controller: they stand on their brakes."""
    ours = driven_links(tree)
    moved = {coupling.link for coupling in tree.robot.couplings}
    return tuple(link for link in tree.moving if not link.passive and link not in ours and link.id not in moved)


def drives_of(tree: Tree, model: Any, data: Any) -> tuple[dict[int, Drive], list[str]]:
    """The drive of every joint of a robot, by id of its link, and a line for each kind of estimate."""
    inertia, weight = _seen(tree, model, data)
    driven = {link.id for link in driven_links(tree)}
    drives, guessed = {}, {"armature": 0, "effort": 0, "friction": 0, "speed": 0, "acceleration": 0}
    for number, link in enumerate(tree.moving):
        speed = link.speed if link.speed is not None else DEFAULT_SPEED[link.joint]
        acceleration = link.acceleration if link.acceleration is not None else speed / ACCELERATION_TIME
        if link.id not in driven:
            armature = BEARING * inertia[number] if link.armature is None else link.armature
            friction = link.friction
            viscous = friction.viscous if friction else BEARING_RATE * inertia[number]
            coulomb = friction.coulomb if friction else 0.0
            drives[link.id] = Drive(link.id, False, 0.0, speed, acceleration, armature, viscous, coulomb)
            continue
        armature, effort = ROTOR_SHARE * inertia[number], link.effort
        if effort is None:
            effort = WEIGHT_FACTOR * weight[number] + (inertia[number] + armature) * acceleration
        armature = max(armature, LEAST_ROTOR * effort / acceleration) if link.armature is None else link.armature
        viscous, coulomb = link.friction or (VISCOUS_SHARE * effort / speed, COULOMB_SHARE * effort)
        drives[link.id] = Drive(link.id, True, effort, speed, acceleration, armature, viscous, coulomb)
        for name in guessed:
            guessed[name] += getattr(link, name) is None
    return drives, [f"{name} of {count} joints is estimated" for name, count in guessed.items() if count]


def _seen(tree: Tree, model: Any, data: Any) -> tuple[Floats, Floats]:
    """Largest inertia and largest weight that each joint sees around the start, in the order of the file.

    With loops open: what a chain carries counts in full for each of its joints.
    """
    links = tree.moving
    joints = [model.joint(f"{tree.robot.name}/{link.id}") for link in links]
    places = np.array([joint.qposadr[0] for joint in joints])
    dofs = np.array([joint.dofadr[0] for joint in joints])
    start = data.qpos.copy()
    spread = np.array([SPREAD[link.joint] for link in links])
    low = np.array([link.stops.lo if link.stops else -np.inf for link in links])
    high = np.array([link.stops.hi if link.stops else np.inf for link in links])
    generator = np.random.default_rng(1998)
    inertia, weight = np.zeros(len(links)), np.zeros(len(links))
    full = np.zeros((model.nv, model.nv))
    for sample in range(SAMPLES):
        if sample:
            around = start[places] + generator.uniform(-spread, spread)
            data.qpos[places] = np.clip(around, low, high)
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_fullM(model, data, full)
        inertia = np.maximum(inertia, np.diag(full)[dofs])
        weight = np.maximum(weight, np.abs(data.qfrc_bias[dofs]))
    data.qpos[:] = start
    mujoco.mj_forward(model, data)
    return inertia, weight
