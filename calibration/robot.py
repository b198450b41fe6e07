"""Which robot of a scene is meant, and which of its frames is measured."""

from __future__ import annotations

from calibration.errors import DataError
from station.mad.scene import Robot, Scene
from station.mechanism import Mechanism


def robot_in(scene: Scene, name: str | None) -> Robot:
    """The robot of that name, or the first; a DataError that lists those there are."""
    if not scene.robots:
        raise DataError(f"{scene.file}: no robot in this scene")
    try:
        return scene.robot(name or scene.robots[0].name)
    except KeyError as error:
        raise DataError(str(error.args[0])) from None


def measured_frame(mechanism: Mechanism, name: str | None) -> int:
    """The frame that is measured: as asked, else that which follows a device, else the last tool, frame or link."""
    if name is not None:
        return mechanism.frame_id(int(name) if name.isdecimal() else name)
    robot = mechanism.robot
    for constraint in robot.constraints:
        if not constraint.closes_loop:
            return constraint.targets[0].id
    last = (robot.tools or robot.frames or robot.links)[-1]
    return int(last.id)
