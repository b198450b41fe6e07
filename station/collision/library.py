"""The collision library, `coal`, behind the few calls that are made of it.

coal (https://github.com/coal-library/coal, BSD) is the collision library of pinocchio, the successor of hpp-fcl. It
finds signed distances of convex solids by GJK and EPA, and reads mesh files by assimp. It has no type hints, so this
is the only file that knows it. Loading it takes 90 ms and 30 MB, so it is loaded for those who have solids.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@cache
def _coal() -> Any:
    import coal  # type: ignore[import-untyped, unused-ignore]

    return coal


@cache
def _workspace() -> tuple[Any, Any, Any]:
    """A pose, a request and a result: one for all, as the result is read at once, and there is one thread."""
    return _coal().Transform3s(), _coal().DistanceRequest(), _coal().DistanceResult()


def sphere(radius: float) -> Any:
    """Radius [m]."""
    return _coal().Sphere(radius)


def capsule(radius: float, length: float) -> Any:
    """Along z; length between the centres of the ends [m]."""
    return _coal().Capsule(radius, length)


def cylinder(radius: float, length: float) -> Any:
    """Along z [m]."""
    return _coal().Cylinder(radius, length)


def box(size: Floats) -> Any:
    """Full size [m]."""
    return _coal().Box(*map(float, size))


def half_space() -> Any:
    """Below z = 0."""
    return _coal().Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)


def convex(points: Floats, triangles: Ints) -> Any:
    """The hull of corners, whose triangles are known [m]."""
    coal = _coal()
    corners, sides = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for point in points:
        corners.append(point)
    for triangle in triangles:
        sides.append(coal.Triangle(*map(int, triangle)))
    return coal.Convex(corners, sides)


def mesh_triangles(path: Path, scale: Floats) -> tuple[Floats, Ints]:
    """Corners [m] and triangles of a mesh file; raises ValueError with the reader's reason."""
    try:
        model = _coal().MeshLoader().load(str(path), scale)
    except ValueError as error:
        lines = str(error).splitlines()
        reasons = [line for line in lines if line and not line.startswith(("From file", "in function", "at line"))]
        raise ValueError(reasons[1] if len(reasons) > 1 else "unknown reason") from None
    triangles = [model.tri_indices(number) for number in range(model.num_tris)]
    corners = np.array(model.vertices(), dtype=np.float64).reshape(-1, 3)
    return corners, np.array([[t[0], t[1], t[2]] for t in triangles], dtype=np.int64).reshape(-1, 3)


class Query:
    """The signed distance between two solids, asked again and again; all in the frame of the second."""

    def __init__(self, first: Any, second: Any) -> None:
        self._compute = _coal().ComputeDistance(second, first)
        self._pose = _coal().Transform3s()
        self._here, self._request, self._result = _workspace()

    def ask(self, rotation: Floats, position: Floats, answer: Floats) -> bool:
        """Ask where the first is in the frame of the second [m]; False: there is no answer. Never raises.

        Written into `answer`: distance [m], unit normal from the second to the first, nearest point of the first [m].
        """
        try:
            self._pose.setTransform(rotation, position)
            self._result.clear()
            answer[0] = self._compute(self._here, self._pose, self._request, self._result)
            answer[1:4] = self._result.normal
            answer[4:7] = self._result.getNearestPoint2()
        except Exception:  # whatever it is: a tick does not raise
            return False
        return True

    def other_point(self) -> Floats:
        """Nearest point of the second [m], of the question asked last."""
        return np.array(self._result.getNearestPoint1())
