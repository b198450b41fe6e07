"""URDFs for the tests: random trees, and pinocchio as the judge of where their links are."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]
from numpy.random import Generator
from numpy.typing import NDArray

from station.mad.placement import world_poses
from station.mad.scene import Robot

Array = NDArray[np.float64]

SEEDS = range(10)
EXACT_AXES = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
NEARLY_Z = [(1e-6, 0, 1), (0, -1e-9, 1), (3e-6, 4e-6, -2), (1e-4, 0, -1), (0, 5e-3, 1), (2e-12, 0, 1), (1e-13, 0, 1)]
RIGHT_ANGLES = [0.0, 0.0, np.pi / 2, -np.pi / 2, np.pi, -np.pi, 1.5708, 3.14159]
TYPES = ["revolute", "revolute", "continuous", "prismatic", "fixed"]


@dataclass
class RandomUrdf:
    """A random tree of 5 to 15 joints, from a seed."""

    seed: int
    joints: list[str] = field(default_factory=list)  # that move
    mimics: dict[str, tuple[str, float, float]] = field(default_factory=dict)
    text: str = ""

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        count = int(rng.integers(5, 16))
        parts = [_link("link0", rng)]
        for number in range(1, count + 1):
            before = number - 1 if rng.random() < 0.7 else int(rng.integers(number))
            parts += [_link(f"link{number}", rng), self._joint(number, before, rng)]
        rng.shuffle(parts)
        self.text = "\n".join(["<?xml version='1.0'?>", f"<robot name='random {self.seed}'>", *parts, "</robot>"])

    def _joint(self, number: int, before: int, rng: Generator) -> str:
        name, kind = f"joint{number}", str(rng.choice(TYPES))
        inside = _origin(rng) + f"<parent link='link{before}'/><child link='link{number}'/>"
        if kind != "fixed":
            inside += f"<axis xyz='{_text(_axis(rng))}'/>"
            inside += f"<limit lower='-2.5' upper='{_text([rng.uniform(1, 3)])}' velocity='2' effort='30'/>"
            if self.joints and rng.random() < 0.3:
                leader = str(rng.choice(self.joints))
                self.mimics[name] = (leader, float(rng.uniform(-2, 2)), float(rng.uniform(-1, 1)))
                inside += "<mimic joint='{}' multiplier='{!r}' offset='{!r}'/>".format(*self.mimics[name])
            self.joints.append(name)
        return f"<joint name='{name}' type='{kind}'>{inside}</joint>"

    def values(self, rng: Generator) -> dict[str, float]:
        """Random joint values by name; mimics follow their leaders."""
        found = {name: float(rng.uniform(-np.pi, np.pi)) for name in self.joints}
        for name, (leader, multiplier, offset) in self.mimics.items():
            found[name] = multiplier * found[leader] + offset
        return found


@cache
def random_urdf(seed: int) -> RandomUrdf:
    return RandomUrdf(seed)


class Judge:
    """What pinocchio makes of a URDF; mimics are joints of their own to it, set by `values`."""

    def __init__(self, text: str) -> None:
        self.model = pin.buildModelFromXML(text)
        self.data = self.model.createData()

    def configuration(self, values: dict[str, float]) -> Array:
        q = pin.neutral(self.model)
        for name, value in values.items():
            joint = self.model.joints[self.model.getJointId(name)]
            both = [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
            q[joint.idx_q : joint.idx_q + joint.nq] = both
        return np.asarray(q)

    def poses(self, values: dict[str, float]) -> dict[str, Array]:
        """World pose of every link by name [m]."""
        pin.framesForwardKinematics(self.model, self.data, self.configuration(values))
        return {
            frame.name: np.asarray(self.data.oMf[number].homogeneous)
            for number, frame in enumerate(self.model.frames)
            if frame.type == pin.FrameType.BODY
        }

    def mass_matrix(self, values: dict[str, float], names: list[str]) -> Array:
        """Joint space inertia in the order of `names` [kg, kg·m, kg·m²]."""
        whole = np.triu(pin.crba(self.model, self.data, self.configuration(values)))
        whole = whole + np.triu(whole, 1).T
        at = [self.model.joints[self.model.getJointId(name)].idx_v for name in names]
        return np.asarray(whole[np.ix_(at, at)])


def poses_of(robot: Robot, values: dict[str, float]) -> dict[str, Array]:
    """World pose of base and frames of an imported robot by name [m], for joint values by name."""
    found = world_poses(robot, {link.id: values[link.name or ""] for link in robot.links})
    return {robot.base.name or "": found[0], **{frame.name or "": found[frame.id] for frame in robot.frames}}


def largest_difference(robot: Robot, judge: Judge, values: dict[str, float]) -> float:
    """Between the import and pinocchio, over all URDF links [m, or entries of rotations]."""
    mine, theirs = poses_of(robot, values), judge.poses(values)
    return max(float(np.abs(mine[name] - pose).max()) for name, pose in theirs.items())


def _link(name: str, rng: Generator) -> str:
    if rng.random() < 0.2:
        return f"<link name='{name}'/>"
    root = rng.normal(size=(3, 3))
    moments = root @ root.T * 0.01
    spread = np.trace(moments) / 2 * np.eye(3) - moments / 2  # of a cloud of masses: always a real body's
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    given = " ".join(f"{n}='{float(spread['xyz'.index(n[1]), 'xyz'.index(n[2])])!r}'" for n in names)
    mass = f"<mass value='{_text([rng.uniform(0.1, 5)])}'/>"
    return f"<link name='{name}'><inertial>{_origin(rng)}{mass}<inertia {given}/></inertial></link>"


def _origin(rng: Generator) -> str:
    if rng.random() < 0.15:
        return ""
    exact = rng.random() < 0.5
    rpy = rng.choice(RIGHT_ANGLES, 3) if exact else rng.uniform(-np.pi, np.pi, 3)
    xyz = rng.uniform(-1, 1, 3) * rng.integers(0, 2, 3)
    return f"<origin xyz='{_text(xyz)}' rpy='{_text(rpy)}'/>"


def _axis(rng: Generator) -> list[float]:
    which = rng.random()
    if which < 0.45:
        return [float(part) for part in rng.choice(EXACT_AXES)]
    if which < 0.75:
        return [float(part) for part in rng.choice(NEARLY_Z)]
    return [float(part) for part in rng.normal(size=3)]


def _text(numbers: object) -> str:
    return " ".join(repr(float(number)) for number in np.asarray(numbers, dtype=float))
