"""Links and joints of a URDF → a MAD robot.

Each movable joint is a link with a Kleinfinger-Khalil row that leads from the link before it; each URDF link is a
frame of its own name beside it, which holds the body. So the links alone read as the table of the mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from station.mad.placement import Pose, from_parameters
from station.mad.reader import Findings
from station.mad.scene import BASE_ID, Base, Body, Coupling, Frame, JointValue, Link, Parameters, Robot, Source
from station.mad.units import FARTHEST, JointType
from station.mad.urdf import tidy
from station.mad.urdf.attributes import Origin
from station.mad.urdf.bounds import Kind
from station.mad.urdf.initial import initial_values
from station.mad.urdf.joints import UrdfJoint
from station.mad.urdf.names import Names, plain
from station.mad.urdf.rows import row, turned_onto


class Seat(NamedTuple):
    """Where a URDF link is: its own frame, and the MAD link (or base) that carries it."""

    frame: int  # id
    carrier: int  # id
    pose: Pose  # of the URDF link in the carrier [m]


@dataclass
class Parts:
    """The links and frames made so far."""

    initial: dict[str, float]  # joint values by joint name [rad | m]
    names: Names
    seats: dict[str, Seat] = field(default_factory=dict)  # by URDF link name
    links: dict[str, Link] = field(default_factory=dict)  # by URDF joint name
    frames: list[Frame] = field(default_factory=list)

    def next_id(self) -> int:
        """Ids count links and frames together, in the order in which they are made."""
        return len(self.links) + len(self.frames) + 1

    def add(self, joint: UrdfJoint, name: str, body: Body) -> None:
        """The frame of the child link, and the link of the joint, called `name`, that moves it."""
        seat = self.seats[joint.parent]
        pose = seat.pose @ joint.origin.pose
        if not joint.moves:
            frame = self._add_frame(body, joint.origin, seat.frame)
            self.seats[joint.child] = Seat(frame, seat.carrier, pose)
            return
        link, placed = self._add_link(joint, name, seat.carrier, pose)
        origin = _origin(_inverse(placed) @ pose, _reach(pose, placed))
        frame = self._add_frame(body, origin, link)
        self.seats[joint.child] = Seat(frame, link, origin.pose)

    def _add_link(self, joint: UrdfJoint, name: str, carrier: int, pose: Pose) -> tuple[int, Pose]:
        """The link of a joint whose URDF frame is at `pose` in the carrier: its id, and its pose at joint value 0."""
        axis = tidy.zeroed(pose[:3, :3] @ joint.axis)
        parameters = row(axis / math.hypot(*axis), pose[:3, 3], joint.kind is Kind.PRISMATIC)
        mounted = np.eye(4)
        if parameters is None:
            carrier, mounted = self._add_mount(joint, carrier, pose)
            parameters = Parameters(0.0, 0.0, 0.0, 0.0)
        link = _link(self.next_id(), name, joint, parameters, carrier, self.initial[joint.name])
        self.links[joint.name] = link
        return link.id, mounted @ from_parameters(parameters)

    def _add_mount(self, joint: UrdfJoint, carrier: int, pose: Pose) -> tuple[int, Pose]:
        """A frame at the joint whose z is the joint axis: its id and its pose in the carrier."""
        turned = pose.copy()
        turned[:3, :3] = pose[:3, :3] @ turned_onto(np.array(joint.axis))
        origin = _origin(turned, _reach(pose))
        name = self.names.take(f"{joint.name}_mount", "_frame")
        return self._add_frame(Body(name=name, source=joint.source), origin, carrier), origin.pose

    def _add_frame(self, body: Body, origin: Origin, pred: int) -> int:
        frame = Frame(
            id=self.next_id(),
            pos=origin.pos,
            ori=origin.ori,
            pred=pred,
            name=body.name,
            source=body.source,
            **_worn(body),
        )
        self.frames.append(frame)
        return frame.id


def build_robot(name: str, root: str, joints: Sequence[UrdfJoint], links: Mapping[str, Body], at: Findings) -> Robot:
    """The robot of a tree of `joints`, given depth-first, on the link `root`."""
    names = Names()
    # Joints choose first: their names are what controllers know them by.
    joint_names = {joint.name: _claim("joint", joint.name, joint.source, names, at) for joint in joints if joint.moves}
    bodies = {link: replace(body, name=_claim("link", link, body.source, names, at)) for link, body in links.items()}
    parts = Parts(initial_values(joints), names, {root: Seat(BASE_ID, BASE_ID, np.eye(4))})
    for joint in joints:
        parts.add(joint, joint_names.get(joint.name, ""), bodies[joint.child])
    placed: list[tuple[Body, tuple[float, ...]]] = [(link, link.parameters) for link in parts.links.values()]
    placed += [(frame, frame.pos) for frame in parts.frames]
    for item, numbers in placed:
        if max(map(abs, numbers)) > FARTHEST:
            at.error(item.source.place, f"'{item.name}' comes to stand more than {FARTHEST:g} m away")
    base = bodies[root]
    return Robot(
        name=plain(name),
        base=Base(name=base.name, source=base.source, **_worn(base)),
        links=tuple(parts.links.values()),
        frames=tuple(parts.frames),
        couplings=tuple(_couplings(joints, parts.links)),
    )


def _claim(what: str, wanted: str, source: Source, names: Names, findings: Findings) -> str:
    name = names.take(wanted, f"_{what}")
    if name != wanted:
        findings.warning(source.place, f"{what} '{wanted}' cannot keep its name; it is called '{name}'")
    return name


def _worn(body: Body) -> dict[str, Any]:
    """What a body carries, to be carried by something else."""
    return {name: getattr(body, name) for name in ("visual", "collision", "mass", "com", "inertia")}


def _link(number: int, name: str, joint: UrdfJoint, parameters: Parameters, pred: int, initial: float) -> Link:
    slides = joint.kind is Kind.PRISMATIC
    return Link(
        id=number,
        name=name,
        parameters=parameters._replace(r=initial) if slides else parameters._replace(theta=initial),
        joint=JointType.PRISMATIC if slides else JointType.REVOLUTE,
        pred=pred,
        limits=joint.bounds.limits,
        speed=joint.bounds.speed,
        acceleration=joint.bounds.acceleration,
        jerk=joint.bounds.jerk,
        effort=joint.bounds.effort,
        friction=joint.friction,
        source=joint.source,
    )


def _couplings(joints: Iterable[UrdfJoint], links: Mapping[str, Link]) -> Iterator[Coupling]:
    for joint in joints:
        if joint.mimic is not None:
            leader = JointValue(links[joint.mimic.leader].id, joint.mimic.multiplier)
            source = Source(joint.mimic.place)
            yield Coupling(link=links[joint.name].id, equals=(leader,), offset=joint.mimic.offset, source=source)


def _inverse(pose: Pose) -> Pose:
    inverse = np.eye(4)
    inverse[:3, :3] = pose[:3, :3].T
    inverse[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return inverse


def _origin(pose: Pose, reach: float) -> Origin:
    return Origin(tidy.lengths_of(pose[:3, 3], reach), tidy.angles_of(pose[:3, :3]))


def _reach(*poses: Pose) -> float:
    """The largest length in poses [m]: what the noise of sums of them is measured by."""
    return max(float(np.abs(pose[:3, 3]).max()) for pose in poses)
