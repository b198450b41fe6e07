"""The solids of a scene: bodies of one robot, and obstacles around and on it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from station.collision.results import CollisionError, Floats
from station.collision.solids import Solid, capsule, hull, hulls_of, solids_of, sphere
from station.collision.table import SolidKind
from station.mad.assumed import typical_length
from station.mad.joined import members_of
from station.mad.placement import Pose, from_parameters, in_predecessor
from station.mad.scene import BASE_ID, Base, Body, Frame, Link, Robot, Scene
from station.mad.units import JointType

THICKNESS = 0.12  # radius of a bar, in typical lengths of the robot …
SLENDERNESS = 0.3  # … and at most, in its own length
TIP = 0.05  # radius of the ball where a robot ends, in typical lengths
SHORTEST = 1e-6  # length that is something [m]


class Solids(NamedTuple):
    """All solids of a mechanism, and notes on what had to be made up."""

    bodies: list[Solid]
    carried: list[Solid]  # obstacles on its links
    notes: list[str]


def mechanism_solids(scene: Scene, robot: Robot, other: int | None = None) -> Solids:
    """Solids of one robot, or of several that move as one; `other`: of a mechanism that another one has around it.

    Where there is more than one robot, its name stands before that of a solid: `left link 3`.
    """
    found = Solids([], [], [])
    members = members_of(robot)
    for member in members:
        bodies, notes = robot_solids(scene, member.robot, typical_length(member.robot))
        several = len(members) > 1 or other is not None
        before = f"{member.robot.name} " if several else ""
        found.notes.extend(f"{before}{note}" for note in notes)
        for solids, kept in ((bodies, found.bodies), (carried_solids(scene, member.robot), found.carried)):
            for solid in solids:
                assert solid.frame is not None
                frame = member.renumbered(solid.frame)
                kept.append(replace(solid, name=f"{before}{solid.name}", frame=frame, other=other))
    return found


def robot_solids(scene: Scene, robot: Robot, size: float) -> tuple[list[Solid], list[str]]:
    """Bodies of a robot, and notes on what had to be made up.

    For each link, frame and the base: its `collision` shapes; without any, its `visual` shapes and mesh files; without
    those, for links and the base, bars from joint to joint. A mesh of a body is taken as its convex hull.
    """
    folder, unit = _folder(scene) / (robot.path or ""), float(scene.unit.value)
    solids: list[Solid] = []
    notes: list[str] = []
    for item in (robot.base, *robot.placed()):
        name = _name(item)
        shown = _shown(item, name, folder, unit, notes)
        if not shown and isinstance(item, (Base, Link)):
            shown = generated_solids(robot, item, name, size)
        if any(solid.kind == SolidKind.HALFSPACE for solid in shown):
            raise CollisionError(
                f"{name} of robot {robot.name} is a plane; a body that moves is a box or another solid"
            )
        solids += shown
    return solids, notes


def _shown(item: Base | Link | Frame, name: str, folder: Path, unit: float, notes: list[str]) -> list[Solid]:
    """Solids of the shapes and meshes that the file gives."""
    number = BASE_ID if isinstance(item, Base) else item.id
    solids: list[Solid] = []
    for shape in item.collision or item.visual:
        if not item.collision and (shape.plane or _is_missing(shape.mesh, folder, name, notes)):
            continue
        solids += solids_of(shape, name, folder, unit, frame=number)
    if not item.collision:
        for file in _files(item):
            if not _is_missing(file, folder, name, notes):
                found = hulls_of(folder / file, np.full(3, unit), in_pieces=False)
                solids += [hull(name, part, frame=number) for part in found]
    return solids


def _is_missing(file: str | None, folder: Path, name: str, notes: list[str]) -> bool:
    """Whether a mesh that is only drawn is not there: then a body is made up, as the view does."""
    if file is None or (folder / file).is_file():
        return False
    notes.append(f"{name}: mesh '{file}' is not there; its body is made up from the joints")
    return True


def world_solids(scene: Scene) -> list[Solid]:
    """Obstacles in the world; separate pieces of a mesh are separate hulls.

    Every mesh has to be there: an obstacle that is left out in silence is one that is hit.
    """
    unit, folder = float(scene.unit.value), _folder(scene)
    return [
        solid
        for obstacle in scene.obstacles
        for solid in solids_of(obstacle, obstacle.name, folder, unit, obstacle=True)
    ]


def carried_solids(scene: Scene, robot: Robot) -> list[Solid]:
    """Obstacles on links of a robot, as those in the world."""
    unit, folder = float(scene.unit.value), _folder(scene) / (robot.path or "")
    return [
        solid
        for obstacle in robot.obstacles
        for solid in solids_of(obstacle, obstacle.name, folder, unit, frame=obstacle.pred, obstacle=True)
    ]


def _folder(scene: Scene) -> Path:
    """Where mesh files are looked up: beside the file of the scene."""
    return Path(scene.file).parent if scene.file and not scene.file.startswith("<") else Path()


def _files(item: Body) -> list[str]:
    return [file for file in item.filename if isinstance(file, str)]


def _name(item: Base | Link | Frame) -> str:
    """What a body is called: kind and id, and its name where it has one."""
    if isinstance(item, Base):
        return "base"
    said = f"{type(item).__name__.lower()} {item.id}"
    return f"{said} ({item.name})" if item.name else said


# Bodies for links that show none: bars from joint to joint, so that every robot can touch something ---------------


def generated_solids(robot: Robot, item: Base | Link | Frame, name: str, size: float) -> list[Solid]:
    """Bars from the origin of a link to whatever stands on it, and a ball where nothing does.

    Args:
        robot: to which it belongs.
        item: the base or a link.
        name: for people.
        size: typical length of the robot [m].
    """
    number = BASE_ID if isinstance(item, Base) else item.id
    carried = [other for other in robot.placed() if other.pred == number]
    ends = [_foot(other) for other in carried]
    if isinstance(item, Link) and item.joint is JointType.PRISMATIC:
        ends.append(np.array([0.0, 0.0, -item.initial]))  # the rod, back to where it slides out
    solids: list[Solid] = []
    done: list[Floats] = []
    for end in ends:
        length = float(np.linalg.norm(end))
        if length > SHORTEST and all(np.linalg.norm(end - other) > SHORTEST for other in done):
            done.append(end)
            radius = min(THICKNESS * size, SLENDERNESS * length)
            solids.append(capsule(name, radius, length, frame=number, pose=_along(end), generated=True))
    if not any(isinstance(other, Link) for other in carried) and isinstance(item, Link):
        tips = [in_predecessor(other) for other in carried] or [np.eye(4)]
        solids += [sphere(name, TIP * size, frame=number, pose=tip, generated=True) for tip in _apart(tips)]
    return solids


def _foot(item: Link | Frame) -> Floats:
    """Where something stands on its predecessor: of a slider, where it begins to slide."""
    if isinstance(item, Link) and item.joint is JointType.PRISMATIC:
        return from_parameters(item.parameters._replace(r=0.0))[:3, 3]
    return in_predecessor(item)[:3, 3]


def _apart(poses: list[Pose]) -> list[Pose]:
    """Poses at different places."""
    kept: list[Pose] = []
    for pose in poses:
        if all(np.linalg.norm(pose[:3, 3] - other[:3, 3]) > SHORTEST for other in kept):
            kept.append(pose)
    return kept


def _along(end: Floats) -> Pose:
    """Frame in the middle between the origin and `end`, z along the line."""
    z = end / np.linalg.norm(end)
    x = np.cross(z, [1.0, 0.0, 0.0] if abs(z[0]) < math.sqrt(0.5) else [0.0, 1.0, 0.0])
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = x, np.cross(z, x), z, 0.5 * end
    return pose
