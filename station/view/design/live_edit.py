"""What an edit of the design means for a station that runs with the same scene, as commands.

A running station takes numbers that place parts of the robot, places of obstacles, and whether loops are `off`;
anything else waits until it ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from station.mad.joined import groups
from station.mad.placement import from_position
from station.mad.scene import BASE_ID, Base, Constraint, Frame, Link, Parameters, Robot, Scene, Tie
from station.mechanism.geometry import VARIABLES
from station.servo.shared.command import Command
from station.servo.shared.commands import MoveObstacle, SetGeometry, SwitchConstraint
from station.view.design.errors import DesignError
from station.view.design.words import BUSY

Part = Base | Link | Frame


def orders_of(before: Scene, after: Scene, name: str) -> list[Command]:
    """What a station that moves the robot of this name is to be told for one scene to become the other.

    Raises:
        DesignError: the station cannot do that.
    """
    same = replace(after, robots=before.robots, obstacles=before.obstacles, ties=before.ties) == before
    if not same or len(before.robots) != len(after.robots) or not _is_same_but_off(before.ties, after.ties):
        raise DesignError(BUSY)
    orders = _moved_obstacles(before, after)
    orders += _switched(before, after, name)
    for old, new in zip(before.robots, after.robots, strict=True):
        if old != new and (old.name != name or not _is_placed_only(old, new)):
            raise DesignError(BUSY)
        orders += _placed(old, new)
    return orders


def _moved_obstacles(before: Scene, after: Scene) -> list[Command]:
    if len(before.obstacles) != len(after.obstacles):
        raise DesignError(BUSY)
    orders: list[Command] = []
    for number, (old, new) in enumerate(zip(before.obstacles, after.obstacles, strict=True)):
        if replace(old, pos=new.pos, ori=new.ori) != new:
            raise DesignError(BUSY)
        if old != new:
            orders.append(MoveObstacle(number, tuple(from_position(new.pos, new.ori)[:3].ravel().tolist())))
    return orders


def _switched(before: Scene, after: Scene, name: str) -> list[Command]:
    """Loops that hold in one scene and not in the other, by their numbers in the mechanism of a robot."""
    olds, news = (_loops(scene, name) for scene in (before, after))
    if len(olds) != len(news):
        raise DesignError(BUSY)
    pairs = enumerate(zip(olds, news, strict=True))
    return [SwitchConstraint(number, not new.off) for number, (old, new) in pairs if old.off != new.off]


def _loops(scene: Scene, name: str) -> list[Constraint | Tie]:
    """Of a robot and all that are tied to it, in the order of their mechanism."""
    names = next((names for names in groups(scene) if name in names), ())
    own = [item for robot in scene.robots if robot.name in names for item in robot.constraints if item.closes_loop]
    return [*own, *(tie for tie in scene.ties if tie.parts[0].robot in names)]


def _is_same_but_off(olds: Sequence[Constraint | Tie], news: Sequence[Constraint | Tie]) -> bool:
    """Whether constraints differ in nothing but whether they are off at first."""
    return len(olds) == len(news) and all(replace(new, off=old.off) == old for old, new in zip(olds, news, strict=True))


def _placed(old: Robot, new: Robot) -> list[Command]:
    """Parts that are placed by other numbers."""
    parts = zip((old.base, *old.placed()), (new.base, *new.placed()), strict=True)
    return [SetGeometry(_id(part), _numbers(part)) for before, part in parts if _numbers(before) != _numbers(part)]


def _is_placed_only(old: Robot, new: Robot) -> bool:
    """Whether nothing but the places of parts differs, and none of a joint, and loops that are off."""
    if not _is_same_but_off(old.constraints, new.constraints):
        return False
    rest = replace(
        new,
        base=old.base,
        links=old.links,
        frames=old.frames,
        tools=old.tools,
        cameras=old.cameras,
        constraints=old.constraints,
    )
    befores, afters = (old.base, *old.placed()), (new.base, *new.placed())
    return (
        rest == old
        and [type(part) for part in befores] == [type(part) for part in afters]
        and all(_moved(before, after) == after for before, after in zip(befores, afters, strict=True))
    )


def _moved(part: Part, to: Part) -> Part:
    """A part at the place of another, its joint where it was."""
    if isinstance(part, Link) and isinstance(to, Link):
        variable = VARIABLES.get(part.joint)
        numbers = [part.parameters[k] if k == variable else value for k, value in enumerate(to.parameters)]
        return replace(part, parameters=Parameters(*numbers))
    assert not isinstance(part, Link)
    assert not isinstance(to, Link)
    return replace(part, pos=to.pos, ori=to.ori)


def _id(part: Part) -> int:
    return BASE_ID if isinstance(part, Base) else part.id


def _numbers(part: Part) -> tuple[float, ...]:
    return tuple(part.parameters) if isinstance(part, Link) else (*part.pos, *part.ori)
