"""Mechanisms for these tests: the shipped robots, small generated ones, and what is measured on them."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import robots
import station
from station.mechanism import Mechanism
from station.mechanism.tree import forward

Array = NDArray[np.float64]

SHIPPED = tuple(robots.names())
LOOPED = (
    "3-rpr",
    "bennett",
    "cross-delta",
    "cross-delta-driven",
    "delta",
    "five-bar",
    "hitachi-hpr",
    "planar-hybrid",
    "stewart",
    "syntaxer",
)


def shipped(name: str) -> Mechanism:
    """The first robot of a shipped file, new."""
    scene = station.load(robots.path(name))
    return scene[scene.robots[0].name]


def made(text: str) -> Mechanism:
    """The first robot of MAD text without its header."""
    scene = station.loads(f"RAFF v2.0 Made\n{text}")
    return scene[scene.robots[0].name]


def link(
    number: int, pred: int = 0, kind: str = "revolute", more: str = "", *, theta: float = 0, r: float = 0, **row: float
) -> str:
    """A row of a robot [degrees, mm]."""
    values = {"theta": theta, "r": r, "alpha": 0.0, "d": 0.0, **row}
    parameters = " ".join(f"{name} {value!r}" for name, value in values.items())
    return f"link {number} {{ parameters {{ {parameters} }} type {kind} pred {pred} {more} }}\n"


def robot(parts: Iterable[str]) -> str:
    """Text of a robot named test, out of its rows."""
    return "robot test { base { }\n" + "".join(parts) + "}"


def planar_2r(first: float, second: float, more: str = "", more_first: str = "") -> Mechanism:
    """Two parallel axes and a tip, frame 3, at joint values 0 [m]."""
    rows = [link(1, more=more_first), link(2, 1, d=1000 * first, more=more)]
    return made(robot([*rows, f"frame 3 {{ pos {{ {1000 * second!r} 0 0 }} pred 2 }}"]))


def pointer(first: float, second: float, more: str = "", elbow: float = 0.0) -> Mechanism:
    """The same with a third axis at its tip, link 3: it takes up any turn, so that only the position counts."""
    rows = [link(1, more=more.split("|")[0]), link(2, 1, d=1000 * first, theta=elbow, more=more.split("|")[-1])]
    return made(robot([*rows, link(3, 2, d=1000 * second)]))


def at(x: float, y: float, z: float = 0.0, turn: float = 0.0) -> Array:
    """A pose turned about z [m, rad]."""
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_rotvec([0.0, 0.0, turn]).as_matrix()
    pose[:3, 3] = x, y, z
    return pose


def moved(pose: Array, along: Iterable[float] = (0, 0, 0), about: Iterable[float] = (0, 0, 0)) -> Array:
    """A pose moved and turned, world axes [m, rad]."""
    result = pose.copy()
    result[:3, 3] += np.array(list(along), dtype=float)
    result[:3, :3] = Rotation.from_rotvec(np.array(list(about), dtype=float)).as_matrix() @ pose[:3, :3]
    return result


def difference(start: Array, end: Array) -> Array:
    """Translation and rotation vector that take one pose to another, world axes [m, rad]."""
    turn = Rotation.from_matrix(end[:3, :3] @ start[:3, :3].T).as_rotvec()
    return np.concatenate([end[:3, 3] - start[:3, 3], turn])


def put(arm: Mechanism, q: Array) -> None:
    """Place the bodies as joint values say, loops open or not; the arm's own `q` stays."""
    forward(arm.memory, q, arm.memory.rotation, arm.memory.position)


def anywhere(arm: Mechanism, rng: np.random.Generator) -> Array:
    """Random joint values within the stops, loops open."""
    low = np.array([-math.pi if joint.limits is None else joint.limits[0] for joint in arm.joints])
    high = np.array([math.pi if joint.limits is None else joint.limits[1] for joint in arm.joints])
    return rng.uniform(low, high)


def by_link(arm: Mechanism, q: Array) -> dict[int, float]:
    """Joint values by id of the link."""
    return {joint.id: float(value) for joint, value in zip(arm.joints, q, strict=True)}


def same_state(source: Mechanism, twin: Mechanism) -> None:
    """Put a second mechanism of the same robot where the first one is, moving as it does."""
    twin.memory.q[:], twin.memory.v[:] = source.memory.q, source.memory.v
    twin._refresh()
