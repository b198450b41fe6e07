"""Cameras: where the eye is, what it sees, and how it is moved by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.view.errors import ViewRequestError
from station.view.geometry.mesh import unit

Vector = NDArray[np.float64]
MARGIN = 1.12  # of a fitted scene to the edge of the picture
LEAST_NEAR = 1e-3  # nearest thing that is drawn, over the farthest


class Sight(NamedTuple):
    """What a camera sees at a moment."""

    view_projection: NDArray[np.float64]  # (4, 4) world → clip
    eye: Vector  # place of the eye and 1; or, for parallel rays, the direction to it and 0
    right: Vector
    up: Vector
    back: Vector  # from the scene to the eye


class Ray(NamedTuple):
    """A line of sight."""

    origin: Vector  # [m]
    direction: Vector  # of length 1


@dataclass
class Camera:
    """An eye that looks at a centre from a direction; turns about the upright axis, as on a turntable.

    Args:
        centre: what it looks at [m].
        distance: of the eye from there [m].
        azimuth: of the eye about z, from the x axis [rad].
        elevation: of the eye over the horizon [rad].
        opening: angle of view from bottom to top [rad]; 0: parallel rays.
        beside: how far the eye is to the right of where one eye would be [m]; what is at the centre stays in its place.
    """

    centre: Vector = field(default_factory=lambda: np.zeros(3))
    distance: float = 3.0
    azimuth: float = math.radians(-52.0)
    elevation: float = math.radians(22.0)
    opening: float = math.radians(32.0)
    beside: float = 0.0

    def axes(self) -> NDArray[np.float64]:
        """Right, up and back as columns."""
        ca, sa, ce, se = (f(a) for a in (self.azimuth, self.elevation) for f in (math.cos, math.sin))
        back = np.array([ce * ca, ce * sa, se])
        right = np.array([-sa, ca, 0.0])
        return np.column_stack([right, np.cross(back, right), back])

    @property
    def half_height(self) -> float:
        """Half of what the picture shows from bottom to top at the distance of the centre [m]."""
        return self.distance * math.tan(0.5 * (self.opening or math.radians(32.0)))

    def sight(self, aspect: float, centre: Vector, radius: float) -> Sight:
        """For a picture of that width over height, of a scene within a ball [m]."""
        axes = self.axes()
        eye = self.centre + self.distance * axes[:, 2]
        depth = float((eye - centre) @ axes[:, 2])
        far = max(depth + radius, 1e-3)
        if self.opening:
            near = max(depth - radius, LEAST_NEAR * far)
            projection = perspective(math.tan(0.5 * self.opening), aspect, near, far)
            projection[0, 2] = -projection[0, 0] * self.beside / self.distance
            eye = eye + self.beside * axes[:, 0]
            return Sight(projection @ _view(axes, eye), np.append(eye, 1.0), *axes.T)
        projection = parallel(self.half_height, aspect, depth - radius, far)
        return Sight(projection @ _view(axes, eye), np.append(axes[:, 2], 0.0), *axes.T)

    def turn(self, azimuth: float, elevation: float) -> None:
        """Turn about the centre [rad]."""
        self.azimuth = math.remainder(self.azimuth + azimuth, 2.0 * math.pi)
        self.elevation = min(max(self.elevation + elevation, -0.5 * math.pi), 0.5 * math.pi)

    def pan(self, right: float, up: float) -> None:
        """Move the eye and what it looks at, in heights of the picture."""
        axes = self.axes()
        self.centre = self.centre + 2.0 * self.half_height * (right * axes[:, 0] + up * axes[:, 1])

    def zoom(self, factor: float) -> None:
        """Go nearer (below 1) or away."""
        self.distance = min(max(self.distance * factor, 1e-3), 1e4)

    def fit(self, points: ArrayLike, aspect: float) -> None:
        """Keep the direction and go where all points fill the picture [m]."""
        places = np.asarray(points, np.float64).reshape(-1, 3)
        if not len(places):
            return
        axes = self.axes()
        self.centre = places.mean(axis=0)
        for _ in range(8):  # nearer things look larger: what is the middle depends on the distance
            x, y, z = ((places - self.centre) @ axes).T
            self.distance = self._distance_for(x, y, z, aspect)
            scale = 1.0 if not self.opening else 1.0 / np.maximum(self.distance - z, 1e-6)
            u, v = x * scale, y * scale
            shift = 0.5 * np.array([u.min() + u.max(), v.min() + v.max(), 0.0])
            self.centre = self.centre + axes @ (shift * (self.distance if self.opening else 1.0))
        x, y, z = ((places - self.centre) @ axes).T
        self.distance = self._distance_for(x, y, z, aspect)

    def _distance_for(self, x: Vector, y: Vector, z: Vector, aspect: float) -> float:
        """From which all points, given along right, up and back from the centre, are in the picture [m]."""
        tangent = math.tan(0.5 * (self.opening or math.radians(32.0)))
        wide, high = np.abs(x) * MARGIN / (tangent * aspect), np.abs(y) * MARGIN / tangent
        depth = z if self.opening else np.zeros_like(z)
        return max(float((depth + np.maximum(wide, high)).max()), 1e-3)

    def ray(self, x: float, y: float, aspect: float) -> Ray:
        """Line of sight through a point of the picture; x right and y up from -1 to 1."""
        axes = self.axes()
        if self.opening:
            tangent = math.tan(0.5 * self.opening)
            way = axes @ np.array([x * tangent * aspect, y * tangent, -1.0])
            return Ray(self.centre + self.distance * axes[:, 2], unit(way))
        across = axes @ np.array([x * self.half_height * aspect, y * self.half_height, 0.0])
        return Ray(self.centre + across + 1e3 * axes[:, 2], -axes[:, 2])

    def copy(self) -> Camera:
        """Another one at the same place."""
        return replace(self, centre=self.centre.copy())


@dataclass
class PoseCamera(Camera):
    """An eye at a given pose: z looks forward, x to the right of the picture, y down."""

    pose: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
    carrier: tuple[str, int] | None = None  # robot and frame that it rides on
    mount: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))  # its pose there [m]

    def axes(self) -> NDArray[np.float64]:
        """Right, up and back as columns."""
        return np.asarray(self.pose[:3, :3] * [1.0, -1.0, -1.0])

    def put(self, pose: NDArray[np.float64]) -> None:
        """Move it to another pose [m]."""
        self.pose = pose
        self.centre = pose[:3, 3] + self.distance * pose[:3, 2]


VIEWPOINTS = {
    "perspective": (-52.0, 22.0, 32.0),
    "front": (-90.0, 0.0, 0.0),
    "side": (0.0, 0.0, 0.0),
    "top": (-90.0, 90.0, 0.0),
}  # azimuth, elevation, opening [degrees]
TOOL_VIEW = "tool"


def viewpoint(name: str) -> Camera:
    """A camera that looks from a named direction; raises ViewRequestError that lists them."""
    if name not in VIEWPOINTS:
        raise ViewRequestError(f"no viewpoint '{name}'; there are: {', '.join([*VIEWPOINTS, TOOL_VIEW])}")
    azimuth, elevation, opening = (math.radians(value) for value in VIEWPOINTS[name])
    return Camera(azimuth=azimuth, elevation=elevation, opening=opening)


def perspective(tangent: float, aspect: float, near: float, far: float) -> NDArray[np.float64]:
    """Projection by rays through an eye."""
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[1, 1] = 1.0 / (tangent * aspect), 1.0 / tangent
    matrix[2, 2:] = -(far + near) / (far - near), -2.0 * far * near / (far - near)
    matrix[3, 2] = -1.0
    return matrix


def parallel(half: float, aspect: float, near: float, far: float) -> NDArray[np.float64]:
    """Projection by parallel rays."""
    matrix = np.diag([1.0 / (half * aspect), 1.0 / half, -2.0 / (far - near), 1.0])
    matrix[2, 3] = -(far + near) / (far - near)
    return matrix


def _view(axes: NDArray[np.float64], eye: Vector) -> NDArray[np.float64]:
    matrix = np.eye(4)
    matrix[:3, :3] = axes.T
    matrix[:3, 3] = -axes.T @ eye
    return matrix
