"""`RobotBody`: all triangles of a robot in one buffer, each corner with the link that moves it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.mad.placement import Pose
from station.mad.scene import BASE_ID, Auto, Body, Obstacle, Robot, Scene, Tool
from station.mad.units import LengthUnit, Unit, scale_of
from station.view.camera import Ray
from station.view.errors import MeshError
from station.view.geometry.auto import Part, auto_parts, drawn_links
from station.view.geometry.links import run_links
from station.view.geometry.mesh import Ints, Mesh, edges, joined
from station.view.geometry.shapes import file_mesh, shape_mesh
from station.view.geometry.skeleton import Skeleton
from station.view.geometry.tools import camera_mesh, tool_mesh
from station.view.theme import PAINT

WIRE_ANGLE = np.radians(8.0)  # between faces, beyond which a wireframe shows the edge


class JointShape(NamedTuple):
    """A joint as it is drawn, in the frame of its link; z is its axis."""

    centre: float  # along z [m]
    half: float  # half of its length [m]
    radius: float  # [m]


@dataclass(frozen=True)
class RobotBody:
    """One buffer of corners: place, normal, colour, and two numbers of `ids`: what moves it, whose it is."""

    ids: tuple[int, ...]  # base, links, frames, tools, cameras
    mesh: Mesh
    rows: NDArray[np.int32]  # (corners,) index into ids: the frame they are given in
    owners: NDArray[np.int32]  # (corners,) index into ids: what a click on them means
    wires: Ints  # (n, 2) corners of the edges that a wireframe shows
    size: float  # radius of its thickest link [m]
    reach: float  # length of its longest chain [m]
    closed: bool  # no surface is ever seen from behind: nothing in it comes from a file
    problems: tuple[str, ...] = ()  # what could not be drawn, a line each
    joints: dict[int, JointShape] = field(default_factory=dict)  # by id of the link

    def points_at(self, poses: NDArray[np.float64]) -> NDArray[np.float64]:
        """All corners in the world [m], for poses (rows, 4, 4)."""
        turned = np.einsum("nij,nj->ni", poses[self.rows, :3, :3], self.mesh.points)
        return np.asarray(turned + poses[self.rows, :3, 3])

    @cached_property
    def spans(self) -> NDArray[np.float64]:
        """How far corners are from the frame that they are given in, for each of `ids` [m]; 0: it has none."""
        spans = np.zeros(len(self.ids))
        np.maximum.at(spans, self.rows, np.linalg.norm(self.mesh.points, axis=1))
        return spans

    def may_be_met(self, ray: Ray, poses: NDArray[np.float64]) -> bool:
        """Whether a line of sight comes near any of it, for poses (rows, 4, 4): quicker than all its triangles."""
        way = poses[:, :3, 3] - ray.origin
        along = way @ ray.direction
        apart = np.einsum("ij,ij->i", way, way) - along**2
        return bool(((apart <= self.spans**2) & (along >= -self.spans) & (self.spans > 0.0)).any())


def robot_body(scene: Scene, robot: Robot, poses: dict[int, Pose]) -> RobotBody:
    """The body of a robot; `poses` of its links and frames in the world, loops closed [m]."""
    skeleton = Skeleton(robot, poses)
    run_links(skeleton)
    ids = (BASE_ID, *(item.id for item in robot.placed()))
    number = {name: row for row, name in enumerate(ids)}
    problems: list[str] = []
    parts = list(_parts(scene, robot, skeleton, problems))
    mesh = joined(part.mesh for part in parts)
    sizes = [len(part.mesh.points) if len(part.mesh.faces) else 0 for part in parts]
    rows = np.repeat([number[part.row] for part in parts], sizes).astype(np.int32)
    owners = np.repeat([number[part.owner] for part in parts], sizes).astype(np.int32)
    wires = edges(mesh, WIRE_ANGLE)
    joints = {name: JointShape(joint.centre, joint.half, joint.radius) for name, joint in skeleton.joints.items()}
    size, reach = skeleton.size, skeleton.reach
    return RobotBody(ids, mesh, rows, owners, wires, size, reach, _closed(robot), tuple(problems), joints)


def _closed(robot: Robot) -> bool:
    solids = [shape for body in (robot.base, *robot.placed()) for shape in body.visual] + list(robot.obstacles)
    files = [file for body in (robot.base, *robot.placed()) for file in body.filename if not isinstance(file, Auto)]
    return not files and all(shape.mesh is None and not shape.plane for shape in solids)


def world_body(scene: Scene) -> RobotBody:
    """Obstacles that stand in the world, as the body of a robot of one link."""
    problems: list[str] = []
    mesh = joined(_obstacle_meshes(scene.obstacles, _folder(scene, None), _unit(scene), problems))
    none = np.zeros(len(mesh.points), np.int32)
    closed = all(shape.mesh is None and not shape.plane for shape in scene.obstacles)
    return RobotBody((BASE_ID,), mesh, none, none, np.empty((0, 2), np.int64), 0.0, 0.0, closed, tuple(problems))


def _parts(scene: Scene, robot: Robot, skeleton: Skeleton, problems: list[str]) -> Iterator[Part]:
    folder, unit = _folder(scene, robot), _unit(scene)
    auto = drawn_links(robot)
    bodies: dict[int, Body] = {BASE_ID: robot.base, **{item.id: item for item in robot.placed()}}
    for name, body in bodies.items():
        found, failed = _looks(body, folder, unit)
        problems += [f"{robot.name}, {_title(name, body)}: {line}" for line in failed]
        if failed:
            auto.add(name)  # something must be there to be seen
        yield from (Part(mesh, name, name) for mesh in found)
    yield from auto_parts(skeleton, auto)
    for tool in robot.tools:
        if skeleton.seats[tool.id][0] in auto:
            size = skeleton.radius(skeleton.carriers[skeleton.seats[tool.id][0]].distance)
            yield Part(tool_mesh(tool, size), tool.id, tool.id)
    for camera in robot.cameras:
        yield Part(camera_mesh(camera, 0.7 * skeleton.size), camera.id, camera.id)
    for obstacle in robot.obstacles:
        for mesh in _obstacle_meshes([obstacle], folder, unit, problems):
            carrier = obstacle.pred if obstacle.pred is not None else BASE_ID
            yield Part(mesh, carrier, carrier)


def _looks(body: Body, folder: Path | None, unit: float) -> tuple[list[Mesh], list[str]]:
    """Meshes of the files and visual solids of a body, and what went wrong."""
    found, failed = [], []
    for file in body.filename:
        if not isinstance(file, Auto):
            try:
                found.append(file_mesh(file, folder, (unit, unit, unit), PAINT.mesh))
            except MeshError as error:
                failed.append(str(error))
    for shape in body.visual:
        try:
            found.append(shape_mesh(shape, folder, unit, PAINT.mesh))
        except MeshError as error:
            failed.append(str(error))
    return found, failed


def _obstacle_meshes(
    obstacles: Sequence[Obstacle], folder: Path | None, unit: float, problems: list[str]
) -> list[Mesh]:
    meshes = []
    for obstacle in obstacles:
        try:
            meshes.append(shape_mesh(obstacle, folder, unit, PAINT.obstacle))
        except MeshError as error:
            problems.append(f"obstacle {obstacle.name}: {error}")
    return meshes


def _title(name: int, body: Body) -> str:
    kind = "base" if name == BASE_ID else ("tool" if isinstance(body, Tool) else type(body).__name__.lower())
    return kind if name == BASE_ID else f"{kind} {name}"


def _folder(scene: Scene, robot: Robot | None) -> Path | None:
    if scene.file is None:
        return None
    return Path(scene.file).parent / ((robot.path or "") if robot is not None else "")


def _unit(scene: Scene) -> float:
    unit: LengthUnit = scene.unit
    return float(scale_of(Unit.LENGTH, unit))
