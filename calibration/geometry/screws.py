"""A robot's tree at many configurations at once: where everything is, and how every dimension moves it.

Every dimension turns about an axis or slides along one, so its effect on a frame is a screw: with an axis through a
point for all configurations, derivatives are exact and cost a cross product.

A row is Rz(gamma)·Tz(epsil)·Rx(alpha)·Tx(d)·Ry(beta)·Rz(theta)·Tz(r). `beta` is the extra angle that is needed where an
axis is parallel to the one before: there alpha, d, theta and r cannot tilt it sideways without r running away to
infinity. In other rows it stays 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from calibration.parameters import Floats, Ints
from station.mad.placement import from_position
from station.mad.scene import BASE_ID, Frame, Link, Robot
from station.mad.units import JointType

LINK_MOTIONS = ("alpha", "d", "beta", "theta", "r")
FRAME_MOTIONS = ("x", "y", "z", "c", "b", "a")
TURNS = {"alpha", "beta", "theta", "a", "b", "c"}
X, Y, Z = range(3)
STAND = -1  # id of the frame that holds the robot's world: where the world is for whoever measures


@dataclass(frozen=True)
class Motions:
    """Every small motion of a tree: one per dimension of an item."""

    owner: tuple[int, ...]  # id of the item
    name: tuple[str, ...]  # of LINK_MOTIONS or FRAME_MOTIONS
    turns: Floats  # 1 for a turn, 0 for a slide
    number: dict[tuple[int, str], int] = field(default_factory=dict)


class Tree:
    """The part of a robot that carries some frames."""

    def __init__(self, robot: Robot, carried: tuple[int, ...]) -> None:
        items: dict[int, Link | Frame] = {item.id: item for item in robot.placed()}
        self.robot = robot
        self.base = from_position(robot.base.pos, robot.base.ori)
        self.items: dict[int, Link | Frame] = {}  # parents first
        self.paths: dict[int, tuple[int, ...]] = {BASE_ID: (STAND,)}
        for wanted in carried:
            branch, at = [], wanted
            while at not in self.paths:
                branch.append(at)
                at = items[at].pred
            for name in reversed(branch):
                self.items[name] = items[name]
                self.paths[name] = (*self.paths[items[name].pred], name)
        owner: list[int] = []
        names: list[str] = []
        for name, motions in [(STAND, FRAME_MOTIONS), *((one, _motions(item)) for one, item in self.items.items())]:
            owner += [name] * len(motions)
            names += motions
        turns = np.array([1.0 if name in TURNS else 0.0 for name in names])
        number = {key: place for place, key in enumerate(zip(owner, names, strict=True))}
        self.motions = Motions(tuple(owner), tuple(names), turns, number)
        self.reach = {name: np.isin(owner, path).astype(np.float64) for name, path in self.paths.items()}

    @property
    def links(self) -> tuple[Link, ...]:
        """Links with a joint, parents first."""
        return tuple(item for item in self.items.values() if isinstance(item, Link) and item.joint != JointType.FIXED)

    def nominal(self) -> Floats:
        """Dimensions in the order of `motions`; 0 for the joint variable and for beta."""
        values = []
        for owner, name in zip(self.motions.owner, self.motions.name, strict=True):
            values.append(0.0 if owner == STAND else _dimension(self.items[owner], name))
        return np.array(values)


def _motions(item: Link | Frame) -> tuple[str, ...]:
    return LINK_MOTIONS if isinstance(item, Link) else FRAME_MOTIONS


def _dimension(item: Link | Frame, name: str) -> float:
    if isinstance(item, Frame):
        return float(getattr(item.pos if name in "xyz" else item.ori, name))
    if name == "beta" or (name == "theta" and item.joint is JointType.REVOLUTE):
        return 0.0
    if name == "r" and item.joint is JointType.PRISMATIC:
        return 0.0
    return float(getattr(item.parameters, name))


class Placed:
    """A tree at n configurations."""

    def __init__(self, tree: Tree, stand: Floats, dimensions: Floats, joints: dict[int, Floats], count: int) -> None:
        """Place everything.

        Args:
            tree: the robot.
            stand: where the world roughly is for whoever measures (4, 4) [m].
            dimensions: in the order of the tree's motions [m, rad].
            joints: joint values by link id, each (count,) [rad | m].
            count: number of configurations.
        """
        self.tree, self.count = tree, count
        motions = len(tree.motions.owner)
        self.axis = np.zeros((motions, count, 3))
        self.point = np.zeros((motions, count, 3))
        self.pose: dict[int, Floats] = {}
        self._value, self._at = dimensions, 0
        world = np.broadcast_to(stand, (count, 4, 4))
        world = self._frame(world)
        self.pose[BASE_ID] = world @ tree.base
        for name, item in tree.items.items():
            under = self.pose[item.pred]
            self.pose[name] = self._link(under, item, joints) if isinstance(item, Link) else self._frame(under)

    def _note(self, axis: Floats, point: Floats) -> float:
        """Take the next motion down; its dimension."""
        self.axis[self._at], self.point[self._at] = axis, point
        value = float(self._value[self._at])
        self._at += 1
        return value

    def _link(self, under: Floats, link: Link, joints: dict[int, Floats]) -> Floats:
        at = _slid(_turned(under, Z, link.parameters.gamma), Z, link.parameters.epsil)
        alpha = self._note(at[:, :3, 0], at[:, :3, 3])
        d = self._note(at[:, :3, 0], at[:, :3, 3])
        at = _slid(_turned(at, X, alpha), X, d)
        at = _turned(at, Y, self._note(at[:, :3, 1], at[:, :3, 3]))
        theta = self._note(at[:, :3, 2], at[:, :3, 3])
        r = self._note(at[:, :3, 2], at[:, :3, 3])
        value = joints.get(link.id)
        turns = np.full(self.count, theta)
        slides = np.full(self.count, r)
        if value is not None:
            if link.joint is JointType.REVOLUTE:
                turns = turns + value
            else:
                slides = slides + value
        c, s, x, y = np.cos(turns)[:, None], np.sin(turns)[:, None], at[:, :, 0], at[:, :, 1]
        moved = np.empty_like(at)
        moved[:, :, 0], moved[:, :, 1], moved[:, :, 2] = c * x + s * y, c * y - s * x, at[:, :, 2]
        moved[:, :, 3] = at[:, :, 3] + slides[:, None] * at[:, :, 2]
        return moved

    def _frame(self, under: Floats) -> Floats:
        origin = under[:, :3, 3]
        moved = under
        for axis in (X, Y, Z):
            moved = _slid(moved, axis, self._note(under[:, :3, axis], origin))
        origin = moved[:, :3, 3]
        for axis in (Z, Y, X):
            moved = _turned(moved, axis, self._note(moved[:, :3, axis], origin))
        return moved

    def jacobian(self, frame: int, motions: Ints, at: Floats | None = None) -> Floats:
        """n×6×motions: how some motions move a frame, or a point (n, 3) of its body; linear first."""
        point = self.pose[frame][:, :3, 3] if at is None else at
        reach = self.tree.reach[frame][motions]
        turns = (self.tree.motions.turns[motions] * reach)[:, None]
        slides = reach[:, None] - turns
        # Sums of products one by one: numpy's cross product is several times slower.
        ax, ay, az = np.moveaxis(self.axis[motions], 2, 0)
        x, y, z = np.moveaxis(point - self.point[motions], 2, 0)
        out = np.empty((6, len(motions), self.count))
        out[0] = turns * (ay * z - az * y) + slides * ax
        out[1] = turns * (az * x - ax * z) + slides * ay
        out[2] = turns * (ax * y - ay * x) + slides * az
        out[3], out[4], out[5] = turns * ax, turns * ay, turns * az
        return np.ascontiguousarray(out.transpose(2, 0, 1))


def _turned(poses: Floats, axis: int, angle: float) -> Floats:
    """Poses turned about one of their own axes: two columns change, which is quicker than a product of matrices."""
    if angle == 0.0:
        return poses
    first, second = (axis + 1) % 3, (axis + 2) % 3
    c, s = float(np.cos(angle)), float(np.sin(angle))
    moved = poses.copy()
    moved[:, :, first] = c * poses[:, :, first] + s * poses[:, :, second]
    moved[:, :, second] = c * poses[:, :, second] - s * poses[:, :, first]
    return moved


def _slid(poses: Floats, axis: int, length: float) -> Floats:
    """Poses moved along one of their own axes [m]."""
    if length == 0.0:
        return poses
    moved = poses.copy()
    moved[:, :, 3] += length * poses[:, :, axis]
    return moved


def joint_motion(tree: Tree, link: Link) -> int:
    """Number of the motion that is the joint's own."""
    return tree.motions.number[link.id, "theta" if link.joint is JointType.REVOLUTE else "r"]


def lines_up(tree: Tree, link: Link, poses: dict[int, Floats], within: float) -> bool:
    """Whether a joint's axis is parallel to that of the joint before it, within an angle [rad]."""
    before = [name for name in tree.paths[link.id][:-1] if name != STAND]
    joints = {one.id for one in tree.links}
    nearest = next((name for name in reversed(before) if name in joints), None)
    if nearest is None:
        return False
    return bool(abs(float(poses[link.id][0, :3, 2] @ poses[nearest][0, :3, 2])) > np.cos(within))


def numbers_of(tree: Tree, names: list[tuple[int, str]]) -> Ints:
    """Numbers of some motions."""
    return np.array([tree.motions.number[name] for name in names], dtype=np.int64)
