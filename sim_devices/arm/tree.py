"""A robot as rigid bodies: which link carries what, where, and how long each body is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from sim_devices.arm.errors import ArmError
from sim_devices.arm.machine import Floats
from station.mad.leading import led_frame
from station.mad.placement import Pose, from_parameters, from_position, in_predecessor
from station.mad.scene import BASE_ID, Body, Frame, Link, Robot, Shape
from station.mad.units import JointType


@dataclass
class RigidBody:
    """A link with a joint (or the base, or the tool) and everything that is fixed to it."""

    name: int  # id of the link; BASE_ID for the base, the id of its frame for the tool
    link: Link | None  # None: the base or the tool
    parent: int | None  # id of the body it is mounted on
    before: Pose  # its place on the parent at joint value 0
    carried: list[tuple[Body, Pose]] = field(default_factory=list)  # what has mass or shape, and its place on this body
    ends: dict[int, Floats] = field(default_factory=dict)  # where what is mounted on it, by id [m]

    @property
    def length(self) -> float:
        """Distance to the farthest thing that is mounted on it [m]."""
        return max((float(np.linalg.norm(end)) for end in self.ends.values()), default=0.0)


@dataclass(frozen=True)
class Place:
    """Where something with an id is: on which body, and its pose there."""

    body: int
    pose: Pose


@dataclass(frozen=True)
class Tree:
    """The bodies of a robot by id, parents first, and where everything with an id is."""

    robot: Robot
    bodies: dict[int, RigidBody]
    places: dict[int, Place]
    tool: int | None  # id of the frame at which forces are measured; None: there is none
    beyond: frozenset[int]  # ids of frames that belong to the tool

    @property
    def moving(self) -> tuple[Link, ...]:
        """Links with a joint, in the order of the file."""
        return tuple(link for link in self.robot.links if link.joint is not JointType.FIXED)

    @property
    def scale(self) -> float:
        """A length that is typical of the robot [m]."""
        lengths = [body.length for body in self.bodies.values() if body.name != BASE_ID]
        return max(0.5 * max(lengths, default=0.0), 0.01)

    def held_at(self, item: int) -> Place:
        """Where something outside takes hold of what has an id: on the tool, if that is part of it."""
        place, key = self.places[item], tool_body(self)
        if key is None or item not in self.beyond:
            return place
        return Place(key, _inverse(self.bodies[key].before) @ place.pose)

    def rigid_with(self, body: int) -> tuple[int, ...]:
        """Names of the bodies that move as one with a body: a link and the tool that it carries."""
        key = tool_body(self)
        if key is None:
            return (body,)
        link = self.bodies[key].parent
        return (link, key) if link is not None and body in (link, key) else (body,)


def tool_of(robot: Robot) -> int | None:
    """The frame at which forces are measured: the first tool, else what devices lead, else what a hand would lead."""
    if robot.tools:
        return robot.tools[0].id
    for constraint in robot.constraints:
        if not constraint.closes_loop:
            return constraint.targets[0].id
    led = led_frame(robot)
    return led.id if led is not None else None


def tree_of(robot: Robot) -> Tree:
    """Sort a robot into rigid bodies; the tool is a body of its own, so that what goes through it can be measured."""
    items = {item.id: item for item in robot.placed()}
    base = RigidBody(BASE_ID, None, None, from_position(robot.base.pos, robot.base.ori))
    bodies = {BASE_ID: base}
    places = {BASE_ID: Place(BASE_ID, np.eye(4))}
    base.carried.append((robot.base, np.eye(4)))
    for start in items:
        branch, at = [], start
        while at not in places:
            branch.append(at)
            at = items[at].pred
        for name in reversed(branch):
            _place(items[name], bodies, places)
    tool = tool_of(robot)
    beyond = frozenset() if tool is None else _take_off_tool(tool, items, bodies, places)
    return Tree(robot, bodies, places, tool, beyond)


def _place(item: Link | Frame, bodies: dict[int, RigidBody], places: dict[int, Place]) -> None:
    under = places[item.pred]
    if isinstance(item, Link) and item.joint is not JointType.FIXED:
        at_zero = from_parameters(item.parameters._replace(**{_variable(item): 0.0}))
        bodies[item.id] = RigidBody(item.id, item, under.body, under.pose @ at_zero)
        bodies[item.id].carried.append((item, np.eye(4)))
        places[item.id] = Place(item.id, np.eye(4))
        bodies[under.body].ends[item.id] = _mounting(item, under.pose)
        if item.joint is JointType.PRISMATIC:  # its rod reaches back into what it slides in
            bodies[item.id].ends[item.id] = np.array([0.0, 0.0, -abs(item.initial)])
        return
    pose = under.pose @ in_predecessor(item)
    places[item.id] = Place(under.body, pose)
    bodies[under.body].carried.append((item, pose))
    bodies[under.body].ends[item.id] = pose[:3, 3].copy()


def _variable(link: Link) -> str:
    return "r" if link.joint is JointType.PRISMATIC else "theta"


def _mounting(link: Link, under: Pose) -> Floats:
    """Where a link is mounted on its parent: a slide at its zero, a hinge where its own frame is."""
    still = link.parameters._replace(r=0.0) if link.joint is JointType.PRISMATIC else link.parameters
    return np.asarray((under @ from_parameters(still))[:3, 3])


def _take_off_tool(
    tool: int, items: dict[int, Link | Frame], bodies: dict[int, RigidBody], places: dict[int, Place]
) -> frozenset[int]:
    """Make the tool a body: its frame, the frames between that and its link, and those on it, with what they carry."""
    place = places[tool]
    body = RigidBody(-1 - tool, None, place.body, place.pose)
    inverse = _inverse(place.pose)
    at = tool
    beyond = set()
    while isinstance(items.get(at), Frame):
        beyond.add(at)
        at = items[at].pred
    link = bodies[place.body]
    mounted = [name for name, item in items.items() if isinstance(item, Frame) and _is_on(item, tool, items)]
    for name in mounted:
        beyond.add(name)
        link.ends.pop(name)
        body.ends[name] = (inverse @ places[name].pose)[:3, 3]
    kept: list[tuple[Body, Pose]] = []
    for carried, pose in link.carried:
        if isinstance(carried, Frame) and carried.id in beyond:
            body.carried.append((carried, inverse @ pose))
        else:
            kept.append((carried, pose))
    link.carried = kept
    bodies[body.name] = body
    return frozenset(beyond)


def _is_on(item: Link | Frame, tool: int, items: dict[int, Link | Frame]) -> bool:
    """Whether a frame is mounted on the tool, maybe with frames between."""
    at = items.get(item.pred)
    while isinstance(at, Frame) and at.id != tool:
        at = items.get(at.pred)
    return isinstance(at, Frame)


def _inverse(pose: Pose) -> Pose:
    return np.asarray(np.linalg.inv(pose))


def tool_body(tree: Tree) -> int | None:
    """Key of the tool's body in `Tree.bodies`."""
    return None if tree.tool is None else -1 - tree.tool


def shapes_of(body: Body) -> tuple[Shape, ...]:
    """What a body is felt by: its collision shapes, else what is drawn."""
    return body.collision or body.visual


def checked(robot: Robot) -> Robot:
    """Refuse a robot that cannot be emulated."""
    if not any(link.joint is not JointType.FIXED for link in robot.links):
        raise ArmError(f"robot {robot.name} has no joint that moves; an emulated arm needs at least one")
    for body in (robot.base, *robot.placed()):
        if body.mass is not None and not math.isfinite(body.mass):
            raise ArmError(f"robot {robot.name}: a mass is not finite; give it in kilograms")
    return robot
