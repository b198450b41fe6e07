"""What can be touched on a work-piece: planes, edges, holes and shafts, balls, points; from a JSON file, in metres.

{"piece": "fixture", "features": {
    "top":  {"kind": "plane",    "place": [0, 0, 0.04], "direction": [0, 0, 1]},
    "rim":  {"kind": "line",     "place": [0, 0, 0.04], "direction": [1, 0, 0]},
    "hole": {"kind": "cylinder", "place": [0.05, 0.02, 0], "direction": [0, 0, 1], "radius": 0.01, "inside": true},
    "ball": {"kind": "sphere",   "place": [0.1, 0, 0.06], "radius": 0.0125},
    "mark": {"kind": "point",    "place": [0.1, 0.08, 0.04]}}}
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError, ResultFileError
from calibration.parameters import Floats
from station.json_reader import JsonError, read_json


class Kind(StrEnum):
    """Kinds of features."""

    POINT = "point"  # a mark, a corner: the tip is there
    LINE = "line"  # an edge: the tip is on it
    PLANE = "plane"  # `direction` points out of the material
    CYLINDER = "cylinder"  # a shaft, or a hole: `inside`
    SPHERE = "sphere"  # a ball, or a cup: `inside`


ROWS = {Kind.POINT: 3, Kind.LINE: 2, Kind.PLANE: 1, Kind.CYLINDER: 1, Kind.SPHERE: 1}
FARTHEST = 1e6  # of any number [m]: no work-piece is so large
DIRECTED, ROUND = (Kind.LINE, Kind.PLANE, Kind.CYLINDER), (Kind.CYLINDER, Kind.SPHERE)


class Distances(NamedTuple):
    """How far points are from a feature; rows of one touch after the other."""

    values: Floats  # n × rows [m]
    slopes: Floats  # n × rows × 3: with the point
    per_radius: float  # with the radius of the tip: -1, or 1 inside, or 0


@dataclass(frozen=True, kw_only=True)
class Feature:
    """One feature, in the frame of its work-piece."""

    name: str
    kind: Kind
    place: tuple[float, float, float]  # a point of it; the centre of a ball [m]
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)  # out of a plane, along a line or a cylinder
    radius: float = 0.0  # [m]
    inside: bool = False  # touched from within

    def __post_init__(self) -> None:
        numbers = np.array([*self.place, *self.direction, self.radius])
        if not (np.abs(numbers) < FARTHEST).all():
            raise DataError(f"feature {self.name}: a number is not finite, or too large; allowed: below {FARTHEST:g} m")
        if self.kind in DIRECTED and np.linalg.norm(self.direction) < 1e-9:
            raise DataError(f"feature {self.name}: a {self.kind} needs a direction")
        if self.kind in ROUND and not self.radius > 0.0:
            raise DataError(f"feature {self.name}: a {self.kind} needs a radius of more than 0")

    def distances(self, points: Floats, tip: float) -> Distances:
        """Of the centres of a round tip (n, 3), in the frame of the work-piece [m]."""
        away = points - np.array(self.place)
        axis = np.array(self.direction) / np.linalg.norm(self.direction)
        n = len(points)
        if self.kind is Kind.POINT:
            return Distances(away, np.broadcast_to(np.eye(3), (n, 3, 3)), 0.0)
        if self.kind is Kind.PLANE:
            return Distances((away @ axis)[:, None] - tip, np.broadcast_to(axis, (n, 1, 3)), -1.0)
        if self.kind is Kind.LINE:
            across = np.linalg.svd(axis[None, :])[2][1:]  # two directions across the line
            return Distances(away @ across.T, np.broadcast_to(across, (n, 2, 3)), 0.0)
        flat = away if self.kind is Kind.SPHERE else away - np.outer(away @ axis, axis)
        length = np.linalg.norm(flat, axis=1)
        sign = 1.0 if self.inside else -1.0
        slopes = flat / np.maximum(length, 1e-12)[:, None]
        return Distances((length - self.radius)[:, None] + sign * tip, slopes[:, None, :], sign)


class Piece(NamedTuple):
    """A work-piece by its features."""

    name: str
    features: dict[str, Feature]

    @property
    def size(self) -> float:
        """How large it is, about [m]."""
        places = np.array([one.place for one in self.features.values()])
        spread = float(np.linalg.norm(places.max(axis=0) - places.min(axis=0)))
        return max(spread, 2.0 * max(one.radius for one in self.features.values()))


def read_piece(path: str | Path) -> Piece:
    """A work-piece from its file; a DataError or ResultFileError with one line."""
    try:
        held = read_json(path)
    except OSError as error:
        raise ResultFileError(f"{path}: cannot be read: {error.strerror or error}") from None
    except JsonError as error:
        raise DataError(f"{error}; not a work-piece") from None
    try:
        features = {str(name): _feature(str(name), one) for name, one in held["features"].items()}
        name = str(held["piece"])
    except (KeyError, TypeError, AttributeError):
        raise DataError(f'{path}: not a work-piece; allowed: {{"piece": name, "features": {{name: …}}}}') from None
    if not features:
        raise DataError(f"{path}: a work-piece without features")
    return Piece(name, features)


def _feature(name: str, held: dict[str, Any]) -> Feature:
    if held.get("kind") not in list(Kind):
        raise DataError(f"feature {name}: kind {held.get('kind')!r}; allowed: {', '.join(Kind)}")
    unknown = set(held) - {"kind", "place", "direction", "radius", "inside"}
    if unknown:
        raise DataError(f"feature {name}: no entry {min(unknown)!r}; allowed: kind, place, direction, radius, inside")
    try:
        x, y, z = (float(value) for value in held["place"])
        u, v, w = (float(value) for value in held.get("direction", (0.0, 0.0, 1.0)))
        radius = float(held.get("radius", 0.0))
    except (KeyError, TypeError, ValueError):
        raise DataError(f"feature {name}: place and direction are three numbers each, a radius is one [m]") from None
    return Feature(
        name=name,
        kind=Kind(held["kind"]),
        place=(x, y, z),
        direction=(u, v, w),
        radius=radius,
        inside=bool(held.get("inside", False)),
    )
