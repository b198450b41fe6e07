"""All that one MAD file describes."""

from __future__ import annotations

from dataclasses import dataclass, field

from station.errors import Problem
from station.mad.scene.device import Device
from station.mad.scene.guides import Guide
from station.mad.scene.robot import Robot
from station.mad.scene.solids import Obstacle
from station.mad.scene.ties import Tie
from station.mad.scene.values import ClosureKind, Item
from station.mad.schema import Block, Word, entry
from station.mad.units import LengthUnit


@dataclass(frozen=True, kw_only=True)
class Scene(Item):
    """All that one MAD file describes."""

    name: str
    version: tuple[int, int] | None = None  # None: the header gives none, which means 1
    unit: LengthUnit = entry(
        "unit", Word(LengthUnit), "unit of every length in the file", default=LengthUnit.MM, since=2
    )
    devices: tuple[Device, ...] = entry("device sensor", Block(Device), "something a hand moves", many=True)
    robots: tuple[Robot, ...] = entry("robot", Block(Robot), "a robot", many=True)
    ties: tuple[Tie, ...] = entry(
        "constraint ball",
        Block(Tie, presets={"ball": {"kind": ClosureKind.BALL}}),
        "a closed loop between two robots; `ball`: two origins coincide",
        many=True,
        since=2,
    )
    obstacles: tuple[Obstacle, ...] = entry("obstacle", Block(Obstacle), "a solid in the world", many=True, since=2)
    guides: tuple[Guide, ...] = entry("guide", Block(Guide), "something the hand is led to", many=True, since=2)
    warnings: tuple[Problem, ...] = field(default=(), compare=False, repr=False)
    file: str | None = field(default=None, compare=False, repr=False)

    @property
    def major(self) -> int:
        """Major version of the language it is written in."""
        return self.version[0] if self.version else 1

    def robot(self, name: str) -> Robot:
        """The robot of that name; raises KeyError that lists the names there are."""
        for robot in self.robots:
            if robot.name == name:
                return robot
        raise KeyError(f"no robot '{name}' in this scene; there are: {', '.join(r.name for r in self.robots)}")
