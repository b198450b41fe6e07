"""`Solid`: a convex body as the kernels and the collision library know it, made from the shapes of a scene.

Mesh files become convex hulls.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from station.collision import library
from station.collision.library import Ints
from station.collision.results import CollisionError, Floats, MeshError
from station.collision.table import SolidKind
from station.mad.placement import Pose, from_position
from station.mad.scene import Shape
from station.mesh_sizes import check_size
from station.wtk_nff import is_wtk_nff, read_wtk_nff

MOST_PIECES = 64  # hulls of one mesh; more than this and it is one hull
THINNEST = 1e-6  # part of its size below which a mesh is flat
FORMATS = "STL, OBJ, DAE, glTF, NFF or DXF"


class Hull(NamedTuple):
    """A convex hull [m]."""

    points: Floats
    triangles: Ints
    faces: Floats  # unit normal outwards, offset; one for all triangles of a plane


def hulls_of(path: Path, scale: Floats, *, in_pieces: bool) -> list[Hull]:
    """The hull of a mesh file, or of each of its separate pieces; raises MeshError in one line.

    Args:
        path: the file.
        scale: what one unit of the file is along x, y, z [m].
        in_pieces: parts that share no corner become hulls of their own.
    """
    points, triangles = _read(path, scale)
    if not len(triangles) or not np.isfinite(points).all():
        raise MeshError(f"mesh {path} has {len(triangles)} triangles, or corners that are not numbers")
    pieces = _pieces(points, triangles) if in_pieces else [points]
    hulls = [found for piece in pieces if (found := _hull(piece)) is not None]
    if not hulls:
        raise MeshError(f"mesh {path} is flat: it encloses nothing; give it some thickness, or a box instead")
    if len(hulls) < len(pieces):  # a flat piece must not vanish: all in one, then
        whole = _hull(points)
        assert whole is not None
        return [whole]
    return hulls


def _read(path: Path, scale: Floats) -> tuple[Floats, Ints]:
    if not path.is_file():
        raise MeshError(f"mesh {path} is not there")
    try:
        check_size(path)
        if path.suffix.lower() == ".nff":
            text = path.read_text(encoding="utf8", errors="replace")
            if is_wtk_nff(text):
                points = read_wtk_nff(text).points
                return points * scale, np.arange(len(points), dtype=np.int64).reshape(-1, 3)
        return library.mesh_triangles(path, scale)
    except OSError as error:
        raise MeshError(f"mesh {path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise MeshError(f"mesh {path} cannot be read as {FORMATS}: {error}") from None


def _pieces(points: Floats, triangles: Ints) -> list[Floats]:
    """Corners of each connected part; the same place counts as the same corner."""
    from scipy.sparse import coo_array  # takes long to load: only for who has meshes
    from scipy.sparse.csgraph import connected_components

    size = float(np.ptp(points, axis=0).max())
    _, number = np.unique(np.round(points / max(1e-7 * size, 1e-12)), axis=0, return_inverse=True)
    corner = number.reshape(-1)[triangles]
    start, end = corner[:, [0, 1]].ravel(), corner[:, [1, 2]].ravel()
    count = int(number.max()) + 1
    parts, label = connected_components(coo_array((np.ones(len(start)), (start, end)), shape=(count, count)), False)
    if parts > MOST_PIECES:
        return [points]
    of_point = label[number.reshape(-1)]
    used = np.unique(of_point[triangles])
    return [points[of_point == part] for part in used]


def _hull(points: Floats) -> Hull | None:
    """The hull, or None where the points lie in a plane."""
    from scipy.spatial import ConvexHull, QhullError

    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if len(spread) < 3 or spread[2] <= THINNEST * spread[0]:
        return None
    try:
        found = ConvexHull(points)
    except QhullError:
        return None
    place = np.zeros(len(points), dtype=np.int64)
    place[found.vertices] = np.arange(len(found.vertices))
    corners = np.ascontiguousarray(points[found.vertices])
    normals = np.unique(np.round(found.equations[:, :3], 9), axis=0)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    faces = np.column_stack([normals, (normals @ corners.T).max(axis=1)])
    return Hull(corners, _outwards(corners, place[found.simplices]), faces)


def _outwards(points: Floats, triangles: Ints) -> Ints:
    """The same triangles, each turning to the left as seen from outside."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inwards = (np.cross(b - a, c - a) * (a - points.mean(axis=0))).sum(axis=1) < 0.0
    return np.where(inwards[:, None], triangles[:, ::-1], triangles)


NO_POINTS = np.zeros((0, 3))
NO_FACES = np.zeros((0, 4))


@dataclass(frozen=True, kw_only=True)
class Solid:
    """A convex solid on a frame of a robot, or in the world. Lengths [m], in its own frame."""

    name: str
    frame: int | None = None  # id of the link or frame that carries it; None: it stands in the world
    pose: Pose = field(default_factory=lambda: np.eye(4))  # on that frame, or in the world
    kind: SolidKind = SolidKind.POINTS
    points: Floats = field(default_factory=NO_POINTS.copy)  # with a ball of `radius` around each
    radius: float = 0.0
    half_length: float = 0.0  # of a cylinder
    faces: Floats = field(default_factory=NO_FACES.copy)  # unit normal, offset
    geometry: Any = None  # of the collision library
    obstacle: bool = False  # not a body of a robot
    other: int | None = None  # which other mechanism carries it, if one does; then `frame` is of that one
    generated: bool = False  # made up from the joints, since the file shows no body

    @property
    def centre(self) -> Floats:
        """Of a ball around all of it."""
        return 0.5 * (self.points.min(axis=0) + self.points.max(axis=0)) if len(self.points) else np.zeros(3)

    @property
    def ball(self) -> float:
        """Radius of that ball; infinite for a half-space."""
        if self.kind == SolidKind.HALFSPACE:
            return float("inf")
        if self.kind == SolidKind.CYLINDER:
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
    kind, half = SolidKind.CYLINDER, 0.5 * length
    return Solid(name=name, kind=kind, radius=radius, half_length=half, geometry=geometry, **where)


def box(name: str, size: Floats, **where: Any) -> Solid:
    """A box of a full size along x, y, z."""
    corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * size
    normals = np.vstack([np.eye(3), -np.eye(3)])
    faces = np.column_stack([normals, np.abs(normals @ (0.5 * size))])
    return Solid(name=name, points=corners, faces=faces, geometry=library.box(size), **where)


def half_space(name: str, **where: Any) -> Solid:
    """Everything below z = 0."""
    return Solid(name=name, kind=SolidKind.HALFSPACE, geometry=library.half_space(), **where)


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
