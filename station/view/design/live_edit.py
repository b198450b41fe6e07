"""What an edit of the design means for a station that runs with the same scene, as commands.

A running station takes numbers that place parts of the robot, and places of obstacles; anything else waits until it
ends.
"""

from __future__ import annotations

from dataclasses import replace

from station.mad.placement import from_position
from station.mad.scene import BASE_ID, Base, Frame, Link, Parameters, Robot, Scene
from station.mechanism.geometry import VARIABLES
from station.servo.shared.command import Command
from station.servo.shared.commands import MoveObstacle, SetGeometry
from station.view.design.errors import DesignError
from station.view.design.words import BUSY

Part = Base | Link | Frame


def orders_of(before: Scene, after: Scene, name: str) -> list[Command]:
    """What a station that moves the robot of this name is to be told for one scene to become the other.

    Raises:
        DesignError: the station cannot do that.
    """
    same = replace(after, robots=before.robots, obstacles=before.obstacles) == before
    if not same or len(before.robots) != len(after.robots):
        raise DesignError(BUSY)
    orders = _moved_obstacles(before, after)
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


def _placed(old: Robot, new: Robot) -> list[Command]:
    """Parts that are placed by other numbers."""
    parts = zip((old.base, *old.placed()), (new.base, *new.placed()), strict=True)
    return [SetGeometry(_id(part), _numbers(part)) for before, part in parts if _numbers(before) != _numbers(part)]


def _is_placed_only(old: Robot, new: Robot) -> bool:
    """Whether nothing but the places of parts differs, and none of a joint."""
    rest = replace(new, base=old.base, links=old.links, frames=old.frames, tools=old.tools, cameras=old.cameras)
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
