"""The skeleton of a robot: where its joints sit along their axes, and the lines that its links run along.

The Kleinfinger-Khalil parameters say where axes are, not where along them a joint is built. A *carrier* is a body that
moves as one: the base, or a link with a joint, with all frames and fixed rows on it. Everything is in the
frame of its carrier [m].
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.mad.placement import Pose, in_predecessor
from station.mad.scene import BASE_ID, ClosureKind, Frame, Link, Robot
from station.mad.units import JointType

Point = NDArray[np.float64]

THICKNESS = 0.042  # radius of the first link over the reach of the robot
TAPER = 0.5  # part of the radius that is lost from base to tip
STOUT = 0.055  # radius of the first link at most, over the room that the robot takes up
SHORT = 0.4  # radius at most, over the longer distances from joint to joint
CROWD = 0.25  # radius at most, over the distance between two joints on one base


class Segment(NamedTuple):
    """A straight piece of a link."""

    start: Point
    end: Point
    start_radius: float
    end_radius: float


@dataclass
class JointPlace:
    """A joint as it is drawn, in the frame of its own link; z is its axis."""

    link: Link
    carrier: int  # id of the base or link that it stands on
    mount: Pose  # frame of the link in that carrier, at joint value 0
    centre: float = 0.0  # of the joint, along z
    half: float = 0.0  # half of its length
    radius: float = 0.0

    @property
    def on_carrier(self) -> Point:
        """The centre in the frame of the carrier."""
        return np.asarray(self.mount[:3, 3] + self.centre * self.mount[:3, 2])


@dataclass
class Carrier:
    """A body that moves as one."""

    id: int
    distance: float = 0.0  # of its joint from the base, along the skeleton
    rod: bool = False
    own: Point = field(default_factory=lambda: np.zeros(3))  # where its own joint is
    segments: list[Segment] = field(default_factory=list)
    platform: list[Point] = field(default_factory=list)  # corners, where it is a plate


class Skeleton:
    """Joints, carriers and segments of a robot.

    Args:
        robot: as described.
        poses: of every link and frame in the world [m], loops closed; welded bodies are found by them.
    """

    def __init__(self, robot: Robot, poses: dict[int, Pose]) -> None:
        self.robot = robot
        self.poses = poses
        self.items = {item.id: item for item in robot.placed()}
        self.seats = {BASE_ID: (BASE_ID, np.eye(4))}  # id → its carrier, its pose there
        self.joints: dict[int, JointPlace] = {}
        for start in self.items:
            branch, at = [], start
            while at not in self.seats:
                branch.append(at)
                at = self.items[at].pred
            for name in reversed(branch):
                self._seat(name)
        self.carriers = {name: Carrier(name) for name in (BASE_ID, *self.joints)}
        self.children: dict[int, list[JointPlace]] = {name: [] for name in self.carriers}
        for joint in self.joints.values():
            self.children[joint.carrier].append(joint)
        self.ends = self._loop_ends()
        self._measure()
        self.size = self._thickness()
        for name in self._outwards():
            if name != BASE_ID:
                self._place_joint(self.joints[name])

    def radius(self, distance: float) -> float:
        """Of a link at a distance from the base along the skeleton [m]."""
        return self.size * (1.0 - TAPER * min(distance / self.reach, 1.0))

    def _thickness(self) -> float:
        """Radius that suits the robot: by its reach, but less if it is folded up or its joints stand close [m]."""
        limits = [THICKNESS * self.reach]
        places = np.array([pose[:3, 3] for pose in self.poses.values()])
        extent = float(np.linalg.norm(np.ptp(places, axis=0)))
        if extent > 0.1 * self.reach:
            limits.append(STOUT * extent)
        steps = [float(np.linalg.norm(joint.mount[:3, 3])) for joint in self.joints.values()]
        steps = [step for step in steps if step > 1e-3 * self.reach]
        limits += [SHORT * float(np.percentile(steps, 75))] if steps else []
        feet = np.array([joint.mount[:3, 3] for joint in self.children[BASE_ID]])
        if len(feet) >= 3:
            gaps = np.linalg.norm(feet[:, None] - feet[None], axis=2)
            apart = gaps[gaps > 0.02 * self.reach]
            limits += [CROWD * float(apart.min())] if apart.size else []
        return max(min(limits), 1e-5)

    # Where things sit -----------------------------------------------------------------------------------

    def _seat(self, name: int) -> None:
        item = self.items[name]
        carrier, pose = self.seats[item.pred]
        if isinstance(item, Link) and item.joint is not JointType.FIXED:
            self.joints[name] = JointPlace(item, carrier, pose @ in_predecessor(item, 0.0))
            self.seats[name] = (name, np.eye(4))
        else:
            self.seats[name] = (carrier, pose @ in_predecessor(item))

    def _loop_ends(self) -> dict[int, list[tuple[int, bool]]]:
        """By carrier: what is held together with it by a loop closure (id of the other side, whether welded)."""
        ends: dict[int, list[tuple[int, bool]]] = {name: [] for name in self.carriers}
        for constraint in self.robot.constraints:
            if constraint.holds:
                (_, a), (_, b) = constraint.targets
                welded = constraint.kind is ClosureKind.WELD and not constraint.axes
                ends[self.seats[a][0]].append((b, welded))
                ends[self.seats[b][0]].append((a, welded))
        return ends

    def _outwards(self) -> list[int]:
        order = [BASE_ID]
        for name in order:  # grows as it goes
            order += [joint.link.id for joint in self.children[name]]
        return order

    def _measure(self) -> None:
        """Distance of every joint from the base, and the reach of the whole."""
        self.reach = 1e-6
        for name in self._outwards():
            carrier = self.carriers[name]
            for child in self.children[name]:
                travel = abs(child.link.initial) if child.link.joint is JointType.PRISMATIC else 0.0
                step = float(np.linalg.norm(child.mount[:3, 3])) + travel
                self.carriers[child.link.id].distance = carrier.distance + step
            tips = [np.linalg.norm(self.seats[item.id][1][:3, 3]) for item in self.frames_on(name)]
            self.reach = max(self.reach, carrier.distance + float(max(tips, default=0.0)))
        if self.reach < 1e-3:  # everything at one place: as large as it can slide
            stops = [abs(stop) for joint in self.joints.values() for stop in joint.link.stops or ()]
            sliders = any(joint.link.joint is JointType.PRISMATIC for joint in self.joints.values())
            self.reach = max(stops) if sliders and stops else 0.1

    def frames_on(self, carrier: int) -> list[Link | Frame]:
        """Frames and fixed rows of a carrier."""
        return [item for item in self.items.values() if self.seats[item.id][0] == carrier and item.id != carrier]

    # Joints ---------------------------------------------------------------------------------------------

    def _place_joint(self, joint: JointPlace) -> None:
        carrier = self.carriers[joint.link.id]
        size = self.radius(carrier.distance)
        carrier.rod = self._is_rod(joint)
        joint.radius = min(1.2 * size * (0.6 if joint.link.passive else 1.0), self._room_on_platform(joint))
        joint.half = 1.25 * joint.radius
        offset = joint.link.parameters.r if joint.link.joint is JointType.REVOLUTE else 0.0
        if joint.link.joint is JointType.PRISMATIC:
            joint.half = 1.5 * joint.radius
        elif abs(offset) > 0.8 * size:
            joint.centre = -0.5 * offset  # half-way between where the carrier meets the axis and the link leaves it
            joint.half = min(joint.half, 0.5 * abs(offset))
        elif np.linalg.norm(joint.on_carrier - self.carriers[joint.carrier].own) < 1.5 * size:
            self._make_room(joint, size)
        carrier.own = np.array([0.0, 0.0, joint.centre])

    def _room_on_platform(self, joint: JointPlace) -> float:
        """Largest radius of a joint on a small body that several legs hold [m]."""
        if len(self.ends[joint.link.id]) < 2:
            return float("inf")
        offsets = [float(np.linalg.norm(self.seats[item.id][1][:3, 3])) for item in self.frames_on(joint.link.id)]
        return min((0.5 * offset for offset in offsets if offset > 0.1 * self.size), default=float("inf"))

    def _make_room(self, joint: JointPlace, size: float) -> None:
        """Two joints at one place: the outer one moves along its axis to where its link goes, if it goes that way."""
        heights = [child.mount[2, 3] for child in self.children[joint.link.id]]
        heights += [self.seats[item.id][1][2, 3] for item in self.frames_on(joint.link.id)]
        ahead = max(heights, key=abs, default=0.0)
        if abs(ahead) > 0.8 * size:
            joint.centre = float(np.sign(ahead) * min(0.5 * abs(ahead), 2.4 * size))
            joint.half = min(joint.half, 0.8 * abs(joint.centre))
        else:
            joint.radius *= 0.9  # no surface falls into another

    def _is_rod(self, joint: JointPlace) -> bool:
        """Whether nothing drives this link or the next ones: a rod between two free joints."""
        children = self.children[joint.link.id]
        return (
            joint.link.passive
            and all(child.link.passive for child in children)
            and bool(children or self.ends[joint.link.id])
        )
