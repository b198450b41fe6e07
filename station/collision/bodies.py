"""The solids of a scene: bodies of one robot, and obstacles around and on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from station.collision.errors import CollisionError
from station.collision.generated import generated_solids
from station.collision.kernels.table import HALFSPACE
from station.collision.meshes import hulls_of
from station.collision.solids import Solid, hull, solids_of
from station.mad.scene import BASE_ID, Base, Body, Frame, Link, Robot, Scene


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
        if any(solid.kind == HALFSPACE for solid in shown):
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


def obstacle_solids(scene: Scene, robot: Robot) -> list[Solid]:
    """Obstacles in the world and on the robot; separate pieces of a mesh are separate hulls.

    Every mesh has to be there: an obstacle that is left out in silence is one that is hit.
    """
    unit = float(scene.unit.value)
    solids: list[Solid] = []
    for obstacle in scene.obstacles:
        solids += solids_of(obstacle, obstacle.name, _folder(scene), unit, obstacle=True)
    for obstacle in robot.obstacles:
        folder = _folder(scene) / (robot.path or "")
        solids += solids_of(obstacle, obstacle.name, folder, unit, frame=obstacle.pred, obstacle=True)
    return solids


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
