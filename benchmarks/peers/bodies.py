"""A tree of bodies as every library knows it: a constant origin, then one joint about or along z."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WORLD = "world"
REVOLUTE, PRISMATIC, FIXED = "revolute", "prismatic", "fixed"


@dataclass(frozen=True)
class Body:
    """One link or frame; limits in [rad | m] and per s, infinite where there are none."""

    name: str
    parent: str
    origin: tuple[tuple[float, ...], ...]
    joint: str = FIXED
    lower: float = -np.inf
    upper: float = np.inf
    speed: float = np.inf
    acceleration: float = np.inf


@dataclass(frozen=True)
class Closure:
    """Two bodies whose origins coincide (`ball`), or whose frames do (`weld`)."""

    one: str
    other: str
    kind: str


def movable(bodies: Sequence[Body]) -> list[Body]:
    """Bodies with a joint, in file order: the order of every joint vector here."""
    return [body for body in bodies if body.joint != FIXED]


def joint_motion(kind: str, values: Array) -> Array:
    """Transforms of a joint about or along z at the given values (T,) [rad | m] → (T, 4, 4)."""
    motion = np.tile(np.eye(4), (len(values), 1, 1))
    if kind == REVOLUTE:
        cosine, sine = np.cos(values), np.sin(values)
        motion[:, 0, 0], motion[:, 0, 1], motion[:, 1, 0], motion[:, 1, 1] = cosine, -sine, sine, cosine
    elif kind == PRISMATIC:
        motion[:, 2, 3] = values
    return motion


def forward(bodies: Sequence[Body], q: Array) -> dict[str, Array]:
    """World poses (T, 4, 4) of all bodies at joint vectors q (T, n); parents may come after their children."""
    columns = {body.name: q[:, column] for column, body in enumerate(movable(bodies))}
    by_name = {body.name: body for body in bodies}
    poses = {WORLD: np.tile(np.eye(4), (len(q), 1, 1))}
    for start in bodies:
        branch = []
        at = start.name
        while at not in poses:
            branch.append(by_name[at])
            at = by_name[at].parent
        for body in reversed(branch):
            pose = poses[body.parent] @ np.array(body.origin)
            if body.joint != FIXED:
                pose = pose @ joint_motion(body.joint, columns[body.name])
            poses[body.name] = pose
    return poses


def rotation_angle(one: Array, other: Array) -> Array:
    """Angle between two lists of poses (T, 4, 4), exact for small angles too [rad]."""
    relative = np.swapaxes(one[:, :3, :3], 1, 2) @ other[:, :3, :3]
    axis = np.stack(
        [
            relative[:, 2, 1] - relative[:, 1, 2],
            relative[:, 0, 2] - relative[:, 2, 0],
            relative[:, 1, 0] - relative[:, 0, 1],
        ],
        axis=1,
    )
    trace = np.trace(relative, axis1=1, axis2=2)
    return np.asarray(np.arctan2(np.linalg.norm(axis, axis=1), trace - 1.0))


def gaps(bodies: Sequence[Body], closures: Sequence[Closure], q: Array) -> Array:
    """Residuals (T, rows) of all closures: positions [m], and for welds rotations about x, y, z (their sine) [rad]."""
    poses = forward(bodies, q)
    rows = []
    for closure in closures:
        one, other = poses[closure.one], poses[closure.other]
        rows.append(other[:, :3, 3] - one[:, :3, 3])
        if closure.kind == "weld":
            rows.append(0.5 * np.cross(one[:, :3, :3], other[:, :3, :3], axis=1).sum(axis=2))
    return np.concatenate(rows, axis=1) if rows else np.zeros((len(q), 0))
