"""A robot with several controllers as several robots, one on the other: so each controller is an arm of its own.

What a controller drives, and what is mounted on that, becomes a robot with the controller's name (`robot.base`,
`robot.arm`; see `Robot.named_controllers`), with the ids and names of the file. It stands on the part of another that
carries it, and loops between them become constraints of the scene. So all of them are in one physics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from sim_devices.arm.errors import ArmError
from station.bench import Bench, bench_of
from station.mad.scene import BASE_ID, Base, Camera, Frame, Link, Mount, Robot, Scene, Target, Tie, Tool

P = TypeVar("P", Link, Frame, Tool, Camera)


def with_shares(scene: Scene, names: Sequence[str]) -> Bench:
    """The scene; robots of which single controllers are named are taken apart."""
    for robot in scene.robots:
        if any(name in robot.named_controllers and name != robot.name for name in names):
            scene = _split(scene, robot)
    return bench_of(scene)


def _split(scene: Scene, robot: Robot) -> Scene:
    owners = _owners(robot)
    shares = tuple(_share(robot, name, owners) for name in robot.named_controllers)
    ties = tuple(
        Tie(
            ends=tuple(end for target in one.targets for end in (owners[target.id], target)),
            kind=one.kind,
            axes=one.axes,
            source=one.source,
        )
        for one in robot.constraints
        if one.closes_loop and len({owners[target.id] for target in one.targets}) > 1
    )
    robots = [
        one for other in scene.robots for one in (shares if other is robot else (_mounted(other, robot, owners),))
    ]
    moved = tuple(replace(tie, ends=_ends(tie.ends, robot, owners)) for tie in scene.ties)
    return replace(scene, robots=tuple(robots), ties=(*moved, *ties))


def _owners(robot: Robot) -> dict[int, str]:
    """The controller that each part of a robot belongs to, by id: the one that moves it last."""
    first = next(iter(robot.named_controllers))
    driven = {link: name for name, block in robot.named_controllers.items() for link in block.joints}
    items, owners = {item.id: item for item in robot.placed()}, {BASE_ID: first}
    for start in items:
        way, at = [], start
        while at not in owners and at not in driven:
            way.append(at)
            at = items[at].pred
        owner = driven.get(at) or owners[at]
        owners |= dict.fromkeys((*way, at), owner) if at != BASE_ID else dict.fromkeys(way, owner)
    return owners


def _share(robot: Robot, name: str, owners: dict[int, str]) -> Robot:
    """What belongs to a controller, as a robot."""

    def own(items: Sequence[P]) -> tuple[P, ...]:
        return tuple(replace(item, pred=under.get(item.pred, item.pred)) for item in items if owners[item.id] == name)

    mounts = {item.pred for item in robot.placed() if owners[item.id] == name and owners[item.pred] != name}
    at_base = owners[BASE_ID] == name or BASE_ID in mounts
    carried_by = mounts - {BASE_ID}
    if len(carried_by) + at_base > 1:
        raise ArmError(
            f"robot {robot.name}: what controller {name} drives is not one branch of the robot; emulate it as a whole: "
            f"--controller {robot.name}=sim:arm"
        )
    under = dict.fromkeys(carried_by, BASE_ID)
    for item in robot.couplings:
        if owners[item.link] == name and any(owners[leader] != name for leader in item.leaders):
            raise ArmError(
                f"robot {robot.name}: link {item.link} is moved by joints of another controller; emulate it as a "
                f"whole: --controller {robot.name}=sim:arm"
            )
    return replace(
        robot,
        name=name,
        base=_base(robot, name, owners, carried_by),
        links=own(robot.links),
        frames=own(robot.frames),
        tools=own(robot.tools),
        cameras=own(robot.cameras),
        constraints=tuple(one for one in robot.constraints if all(owners[target.id] == name for target in one.targets)),
        couplings=tuple(item for item in robot.couplings if owners[item.link] == name),
        postures=tuple(
            replace(one, joints=tuple(value for value in one.joints if owners[value.link] == name))
            for one in robot.postures
        ),
        controllers=(robot.named_controllers[name],),
        obstacles=tuple(one for one in robot.obstacles if owners[one.pred or BASE_ID] == name),
    )


def _base(robot: Robot, name: str, owners: dict[int, str], carried_by: set[int]) -> Base:
    if owners[BASE_ID] == name:
        return robot.base
    if not carried_by:
        return Base(pos=robot.base.pos, ori=robot.base.ori, on=robot.base.on)  # its body is there once
    (mount,) = carried_by
    word = "link" if any(link.id == mount for link in robot.links) else "frame"
    return Base(on=Mount(ends=(owners[mount], Target(word, mount))))


def _mounted(other: Robot, robot: Robot, owners: dict[int, str]) -> Robot:
    """Another robot, which may stand on the one that was taken apart."""
    if other.base.on is None:
        return other
    on = replace(other.base.on, ends=_ends(other.base.on.ends, robot, owners))
    return replace(other, base=replace(other.base, on=on))


def _ends(ends: tuple[str | Target, ...], robot: Robot, owners: dict[int, str]) -> tuple[str | Target, ...]:
    """Ends of a constraint between robots, with the names of shares."""
    found = list(ends)
    for nth in range(0, len(ends) - 1, 2):
        target = ends[nth + 1]
        if ends[nth] == robot.name and isinstance(target, Target):
            found[nth] = owners[target.id]
    return tuple(found)
