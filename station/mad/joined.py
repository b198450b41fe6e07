"""Robots that are held together, as one: what the solver moves as one mechanism.

Two robots belong together when a constraint of the scene ties them, or when one stands on the other. Each keeps its own
ids, moved by an offset: with offsets 100 and 200, link 6 of the first is link 106 and its base frame 100. Names get the
name of their robot and a point in front: `left.flange`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TypeVar

from station.mad.scene import (
    BASE_ID,
    Auto,
    Base,
    Body,
    Constraint,
    Coupling,
    Frame,
    JointValue,
    Obstacle,
    Robot,
    Scene,
    Shape,
    Target,
    Tie,
)

B = TypeVar("B", bound=Body)
S = TypeVar("S", bound=Shape)


@dataclass(frozen=True, kw_only=True)
class Member:
    """A robot as part of several: `offset` is added to its ids."""

    robot: Robot
    offset: int

    def renumbered(self, number: int) -> int:
        """An id of the robot, as one of all; the base is a frame there."""
        return self.offset + number


@dataclass(frozen=True, kw_only=True)
class Joined(Robot):
    """Several robots of a scene as one; its own base is the world."""

    members: tuple[Member, ...] = ()

    def member(self, name: str) -> Member:
        """The robot of that name; raises KeyError that lists the names there are."""
        for member in self.members:
            if member.robot.name == name:
                return member
        raise KeyError(f"no robot '{name}' in {self.name}; there are: {', '.join(m.robot.name for m in self.members)}")

    def member_of(self, number: int) -> Member:
        """The robot to which a link or frame belongs."""
        return next(member for member in reversed(self.members) if member.offset <= number)


def members_of(robot: Robot) -> tuple[Member, ...]:
    """The robots that a robot is made of: itself, if it is not several."""
    return robot.members if isinstance(robot, Joined) else (Member(robot=robot, offset=0),)


def part_text(robot: Robot, target: Target) -> str:
    """A link or frame for people: `link 6`, or `left link 6` where there are several robots."""
    if not isinstance(robot, Joined) or target.id == BASE_ID:
        return f"{target.word} {target.id}"
    member = robot.member_of(target.id)
    return f"{member.robot.name} {target.word} {target.id - member.offset}"


def groups(scene: Scene) -> tuple[tuple[str, ...], ...]:
    """Names of the robots that belong together, all in the order of the file; most are alone."""
    group = {robot.name: {robot.name} for robot in scene.robots}
    pairs = [(tie.parts[0].robot, tie.parts[1].robot) for tie in scene.ties]
    for robot in scene.robots:
        part = robot.base.on.part if robot.base.on is not None else None
        pairs += [(robot.name, part.robot)] if part is not None else []
    for one, other in pairs:
        if group[one] is not group[other]:
            group[one] |= group[other]
            for name in group[other]:
                group[name] = group[one]
    order = [robot.name for robot in scene.robots]
    found = {id(names): tuple(name for name in order if name in names) for names in group.values()}
    return tuple(sorted(found.values(), key=lambda names: order.index(names[0])))


def join(scene: Scene, names: tuple[str, ...]) -> Joined:
    """Robots of a scene as one, with the constraints between them."""
    robots = [scene.robot(name) for name in names]
    largest = max(item.id for robot in robots for item in (*robot.placed(), Frame(id=BASE_ID, pred=BASE_ID)))
    step = 10 ** len(str(largest))  # ids of a robot can be read off those of all
    members = tuple(Member(robot=robot, offset=step * nth) for nth, robot in enumerate(robots, start=1))
    offsets = {member.robot.name: member.offset for member in members}
    parts = [_moved(member, offsets) for member in members]
    return Joined(
        name="+".join(names),
        base=Base(),
        links=tuple(link for part in parts for link in part.links),
        frames=tuple(frame for part in parts for frame in part.frames),
        tools=tuple(tool for part in parts for tool in part.tools),
        cameras=tuple(camera for part in parts for camera in part.cameras),
        constraints=(
            *(constraint for part in parts for constraint in part.constraints),
            *(_closure(tie, offsets) for tie in scene.ties if tie.parts[0].robot in offsets),
        ),
        couplings=tuple(coupling for part in parts for coupling in part.couplings),
        postures=tuple(posture for part in parts for posture in part.postures),
        controllers=tuple(controller for part in parts for controller in part.controllers),
        obstacles=tuple(obstacle for part in parts for obstacle in part.obstacles),
        members=members,
    )


def _closure(tie: Tie, offsets: dict[str, int]) -> Constraint:
    targets = tuple(Target(part.target.word, offsets[part.robot] + part.target.id) for part in tie.parts)
    return Constraint(targets=targets, kind=tie.kind, axes=tie.axes, off=tie.off, source=tie.source)


def _moved(member: Member, offsets: dict[str, int]) -> Robot:
    """A robot with the ids and names it has among others; its base is its first frame."""
    robot, name, number = member.robot, member.robot.name, member.renumbered
    return replace(
        robot,
        links=tuple(replace(_dressed(link, robot), id=number(link.id), pred=number(link.pred)) for link in robot.links),
        frames=(
            _base_frame(member, offsets),
            *(replace(_dressed(item, robot), id=number(item.id), pred=number(item.pred)) for item in robot.frames),
        ),
        tools=tuple(replace(_dressed(tool, robot), id=number(tool.id), pred=number(tool.pred)) for tool in robot.tools),
        cameras=tuple(
            replace(_dressed(camera, robot), id=number(camera.id), pred=number(camera.pred)) for camera in robot.cameras
        ),
        constraints=tuple(
            replace(item, targets=tuple(Target(word, number(target)) for word, target in item.targets))
            for item in robot.constraints
        ),
        couplings=tuple(_coupling(item, member) for item in robot.couplings),
        postures=tuple(
            replace(item, name=f"{name}.{item.name}", joints=_joint_values(item.joints, member))
            for item in robot.postures
        ),
        controllers=tuple(
            replace(item, joints=tuple(number(link) for link in item.joints or robot.active))
            for item in robot.controllers
        ),
        obstacles=tuple(_carried(obstacle, member) for obstacle in robot.obstacles),
    )


def _base_frame(member: Member, offsets: dict[str, int]) -> Frame:
    """The base as a frame in the world or on what carries it, with all that it shows and weighs."""
    base, robot = _dressed(member.robot.base, member.robot), member.robot
    part = base.on.part if base.on is not None else None
    taken = {item.name for item in robot.placed()}
    return Frame(
        id=member.offset,
        pred=offsets[part.robot] + part.target.id if part is not None else BASE_ID,
        pos=base.pos,
        ori=base.ori,
        name=base.name if robot.base.name not in taken else None,
        filename=base.filename,
        visual=base.visual,
        collision=base.collision,
        mass=base.mass,
        com=base.com,
        inertia=base.inertia,
        source=base.source,
    )


def _dressed(body: B, robot: Robot) -> B:
    """A body with the name it has among others, its meshes looked up beside the scene instead of in its own folder."""
    files = tuple(file if isinstance(file, Auto) else _file(file, robot) for file in body.filename)
    return replace(
        body,
        name=f"{robot.name}.{body.name}" if body.name else None,
        filename=files,
        visual=tuple(_shape(shape, robot) for shape in body.visual),
        collision=tuple(_shape(shape, robot) for shape in body.collision),
    )


def _carried(obstacle: Obstacle, member: Member) -> Obstacle:
    pred = None if obstacle.pred is None else member.renumbered(obstacle.pred)
    return replace(_shape(obstacle, member.robot), name=f"{member.robot.name}.{obstacle.name}", pred=pred)


def _shape(shape: S, robot: Robot) -> S:
    return shape if shape.mesh is None else replace(shape, mesh=_file(shape.mesh, robot))


def _file(file: str, robot: Robot) -> str:
    return file if "://" in file else str(PurePosixPath(robot.path or "") / file)


def _coupling(item: Coupling, member: Member) -> Coupling:
    number = member.renumbered
    leader = None if item.leader is None else number(item.leader)
    return replace(item, link=number(item.link), leader=leader, equals=_joint_values(item.equals, member))


def _joint_values(values: tuple[JointValue, ...], member: Member) -> tuple[JointValue, ...]:
    return tuple(JointValue(member.renumbered(link), value) for link, value in values)
