"""What can touch: the shapes of the file as geometry of the physics, and capsules where a body has none.

A robot touches obstacles and other robots, not itself: bodies that share a joint overlap in every real arm, and the
generic capsules more so. Contact bits say this: obstacles have bit 0, robot number i has bit i + 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sim_devices.arm.machine import Floats
from sim_devices.arm.masses import radius_of
from sim_devices.arm.physics import mujoco
from sim_devices.arm.tree import RigidBody, Tree, shapes_of
from station.mad.placement import Pose, from_position
from station.mad.scene import Shape

MOST_ROBOTS = 30  # in one scene: one contact bit each
ALL_BITS = (1 << (MOST_ROBOTS + 1)) - 1
CONTACT_SOLREF = (0.004, 1.0)  # time constant [s] and damping ratio of a touch
CONTACT_SOLIMP = (0.95, 0.99, 0.0005, 0.5, 2.0)
FRICTION = (0.6, 0.005, 0.0001)  # sliding, turning, rolling: dry metal
GENERIC = ".auto"  # in the names of capsules that stand for a body without shapes
TIP = 0.4  # radius of the point of a tool over the thickness of a body of its size
MESHES = (".stl", ".obj")  # that the physics can read


class MeshFiles(NamedTuple):
    """Where mesh files are, and what one unit of them is if nothing is said [m]."""

    folder: Path | None
    unit: float


def bits_of_robot(number: int) -> dict[str, int]:
    """Contact bits of a robot's bodies."""
    own = 1 << (number + 1)
    return {"contype": own, "conaffinity": ALL_BITS & ~own}


BITS_OF_OBSTACLE = {"contype": 1, "conaffinity": 0}
TOUCH: dict[str, Any] = {
    "solref": list(CONTACT_SOLREF),
    "solimp": list(CONTACT_SOLIMP),
    "friction": list(FRICTION),
    "mass": 0.0,  # masses are told separately
}


def quaternion(turn: Floats) -> Floats:
    """Unit quaternion w x y z of a 3×3 rotation."""
    result = np.zeros(4)
    mujoco.mju_mat2Quat(result, np.ascontiguousarray(turn, dtype=np.float64).reshape(9))
    return result


def add_shape(
    spec: Any, body: Any, shape: Shape, under: Pose, name: str, bits: dict[str, int], meshes: MeshFiles
) -> str | None:
    """Add a shape of the file; returns a line about what cannot be felt, or None."""
    pose = under @ from_position(shape.pos, shape.ori)
    kinds = mujoco.mjtGeom
    if shape.box is not None:
        kind, size = kinds.mjGEOM_BOX, [0.5 * side for side in shape.box]
    elif shape.sphere is not None:
        kind, size = kinds.mjGEOM_SPHERE, [shape.sphere, 0.0, 0.0]
    elif shape.cylinder is not None:
        kind, size = kinds.mjGEOM_CYLINDER, [shape.cylinder.radius, 0.5 * shape.cylinder.length, 0.0]
    elif shape.capsule is not None:
        kind, size = kinds.mjGEOM_CAPSULE, [shape.capsule.radius, 0.5 * shape.capsule.length, 0.0]
    elif shape.plane:
        kind, size = kinds.mjGEOM_PLANE, [0.0, 0.0, 1.0]
    else:
        return _add_mesh(spec, body, shape, pose, name, bits, meshes)
    body.add_geom(
        name=name, type=kind, size=size, pos=pose[:3, 3], quat=quaternion(pose[:3, :3]), **bits, **TOUCH, **_look(shape)
    )
    return None


def _add_mesh(
    spec: Any, body: Any, shape: Shape, pose: Pose, name: str, bits: dict[str, int], meshes: MeshFiles
) -> str | None:
    file = None if meshes.folder is None or shape.mesh is None else meshes.folder / shape.mesh
    if file is None or file.suffix.lower() not in MESHES or not file.is_file():
        return f"{name}: mesh {shape.mesh} is not felt; the physics reads {' and '.join(MESHES)} files that are there"
    scale = list(shape.scale) if shape.scale is not None else [meshes.unit] * 3
    spec.add_mesh(name=name, file=str(file.resolve()), scale=scale)
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        pos=pose[:3, 3],
        quat=quaternion(pose[:3, :3]),
        **bits,
        **TOUCH,
        **_look(shape),
    )
    return None


def _look(shape: Shape) -> dict[str, list[float]]:
    return {} if shape.colour is None else {"rgba": list(shape.colour)}


def add_body_shapes(
    spec: Any, body: Any, rigid: RigidBody, tree: Tree, prefix: str, bits: dict[str, int], meshes: MeshFiles
) -> list[str]:
    """Everything that can touch on one body of a robot: its shapes, or capsules along it."""
    notes = []
    number = 0
    for carried, pose in rigid.carried:
        for shape in shapes_of(carried):
            note = add_shape(spec, body, shape, pose, f"{prefix}.{number}", bits, meshes)
            notes += [note] if note else []
            number += 1
    if number == 0:
        for end_number, (who, end) in enumerate(rigid.ends.items()):
            if who not in tree.beyond:
                _add_capsule(
                    body, np.zeros(3), end, radius_of(rigid.length, tree.scale), f"{prefix}{GENERIC}{end_number}", bits
                )
    return notes


def add_tip(body: Any, rigid: RigidBody, tree: Tree, prefix: str, bits: dict[str, int]) -> None:
    """A tool without shapes: a round tip that ends in its point, on a rod from its link."""
    radius = TIP * radius_of(0.0, tree.scale)
    root: Floats = np.linalg.inv(rigid.before)[:3, 3].astype(np.float64)  # origin of the link, seen from the tool
    distance = float(np.linalg.norm(root))
    back = root / distance if distance > 2.0 * radius else np.array([0.0, 0.0, -1.0])
    centre: Floats = (radius * back).astype(np.float64)
    body.add_geom(
        name=f"{prefix}.tip",
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=[radius, 0.0, 0.0],
        pos=centre,
        **bits,
        **TOUCH,
    )
    if distance > 2.0 * radius:
        _add_capsule(body, root, centre, radius, f"{prefix}.rod", bits)


def _add_capsule(body: Any, start: Floats, end: Floats, radius: float, name: str, bits: dict[str, int]) -> None:
    if float(np.linalg.norm(end - start)) < 0.5 * radius:
        body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius, 0.0, 0.0], pos=end, **bits, **TOUCH)
        return
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_CAPSULE,
        size=[radius, 0.0, 0.0],
        fromto=[*start, *end],
        **bits,
        **TOUCH,
    )
