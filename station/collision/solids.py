"""`Solid`: a convex body as the kernels and the collision library know it, made from the shapes of a scene."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from station.collision import library
from station.collision.errors import CollisionError
from station.collision.kernels.table import CYLINDER, HALFSPACE, POINTS
from station.collision.meshes import Hull, hulls_of
from station.collision.results import Floats
from station.mad.placement import Pose, from_position
from station.mad.scene import Shape

NO_POINTS = np.zeros((0, 3))
NO_FACES = np.zeros((0, 4))


@dataclass(frozen=True, kw_only=True)
class Solid:
    """A convex solid on a frame of a robot, or in the world. Lengths [m], in its own frame."""

    name: str
    frame: int | None = None  # id of the link or frame that carries it; None: it stands in the world
    pose: Pose = field(default_factory=lambda: np.eye(4))  # on that frame, or in the world
    kind: int = POINTS
    points: Floats = field(default_factory=NO_POINTS.copy)  # with a ball of `radius` around each
    radius: float = 0.0
    half_length: float = 0.0  # of a cylinder
    faces: Floats = field(default_factory=NO_FACES.copy)  # unit normal, offset
    geometry: Any = None  # of the collision library
    obstacle: bool = False  # not a body of the robot
    generated: bool = False  # made up from the joints, since the file shows no body

    @property
    def centre(self) -> Floats:
        """Of a ball around all of it."""
        return 0.5 * (self.points.min(axis=0) + self.points.max(axis=0)) if len(self.points) else np.zeros(3)

    @property
    def ball(self) -> float:
        """Radius of that ball; infinite for a half-space."""
        if self.kind == HALFSPACE:
            return float("inf")
        if self.kind == CYLINDER:
            return float(np.hypot(self.radius, self.half_length))
        return float(np.linalg.norm(self.points - self.centre, axis=1).max()) + self.radius


def sphere(name: str, radius: float, **where: Any) -> Solid:
    """A ball about the origin of its frame."""
    return Solid(name=name, points=np.zeros((1, 3)), radius=radius, geometry=library.sphere(radius), **where)


def capsule(name: str, radius: float, length: float, **where: Any) -> Solid:
    """A bar with round ends along z; `length` is between the centres of its ends."""
    ends = np.array([[0.0, 0.0, -0.5 * length], [0.0, 0.0, 0.5 * length]])
    return Solid(name=name, points=ends, radius=radius, geometry=library.capsule(radius, length), **where)


def cylinder(name: str, radius: float, length: float, **where: Any) -> Solid:
    """A cylinder along z."""
    geometry = library.cylinder(radius, length)
    return Solid(name=name, kind=CYLINDER, radius=radius, half_length=0.5 * length, geometry=geometry, **where)


def box(name: str, size: Floats, **where: Any) -> Solid:
    """A box of a full size along x, y, z."""
    corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * size
    normals = np.vstack([np.eye(3), -np.eye(3)])
    faces = np.column_stack([normals, np.abs(normals @ (0.5 * size))])
    return Solid(name=name, points=corners, faces=faces, geometry=library.box(size), **where)


def half_space(name: str, **where: Any) -> Solid:
    """Everything below z = 0."""
    return Solid(name=name, kind=HALFSPACE, geometry=library.half_space(), **where)


def hull(name: str, found: Hull, **where: Any) -> Solid:
    """The convex hull of a mesh."""
    geometry = library.convex(found.points, found.triangles)
    return Solid(name=name, points=found.points, faces=found.faces, geometry=geometry, **where)


def solids_of(
    shape: Shape, name: str, folder: Path, unit: float, *, frame: int | None = None, obstacle: bool = False
) -> list[Solid]:
    """A shape of a scene as solids: one, or one for every piece of a mesh.

    Args:
        shape: of the scene.
        name: for people.
        folder: of its mesh file.
        unit: what one unit of a mesh file is, if the shape does not say [m].
        frame: id of what carries it; None: the world.
        obstacle: not a body of the robot; the separate pieces of its mesh become separate hulls.
    """
    where: dict[str, Any] = {"frame": frame, "pose": from_position(shape.pos, shape.ori), "obstacle": obstacle}
    if shape.sphere is not None:
        return [sphere(name, shape.sphere, **where)]
    if shape.capsule is not None:
        return [capsule(name, *shape.capsule, **where)]
    if shape.cylinder is not None:
        return [cylinder(name, *shape.cylinder, **where)]
    if shape.box is not None:
        return [box(name, np.array(shape.box), **where)]
    if shape.plane:
        return [half_space(name, **where)]
    if shape.mesh is None:
        raise CollisionError(f"{name} has no shape; give one of: box, sphere, cylinder, capsule, plane, mesh")
    scale = np.array(shape.scale) if shape.scale is not None else np.full(3, unit)
    found = hulls_of(folder / shape.mesh, scale, in_pieces=obstacle)
    return [hull(name if len(found) == 1 else f"{name} ({k})", part, **where) for k, part in enumerate(found, start=1)]
