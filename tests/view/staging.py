"""A robot that a station moves, for tests of what stands beside it."""

from __future__ import annotations

from typing import Any

from station.view.robot import DrawnRobot
from station.view.scene_view import SceneView
from station.view.staged import staged
from tests.view.pictures import scene


def panda(**fields: Any) -> tuple[SceneView, DrawnRobot]:
    """A robot that a station moves."""
    view = scene("panda")
    robot = view.robots["panda"]
    robot.measure(robot.q, 0.1)
    view.augment.put(robot, staged(robot, **fields))
    return view, robot


def words(view: SceneView) -> list[str]:
    """All texts beside the robots."""
    return [label.text for label in view.augment.additions().labels]
