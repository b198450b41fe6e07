"""An arm opened for a measurement: its scene, its link, and what leads it; used by the commands that need one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import station
from calibration.arm import ArmLead
from calibration.collection import Tell
from calibration.leading import Leader
from calibration.robot import measured_frame, robot_in
from station.bench import Bench
from station.clock import WALL, Clock
from station.controllers import Controller, check_calibrated, open_controller, scene_joints
from station.emulated import emulated_arm, is_emulated
from station.mad.scene import Robot
from station.mechanism import Mechanism
from station.shipped import scene_path

LOADING = "{file}: loading; the first time this compiles, which may take a minute or two …"


class OpenArm(NamedTuple):
    """An arm and all that is needed to lead it."""

    scene: Bench
    robot: Robot
    mechanism: Mechanism
    frame: int  # of the tool
    controller: Controller
    lead: ArmLead  # from pose to pose
    leader: Leader  # along short paths
    clock: Clock = WALL


@contextmanager
def opened(
    file: str,
    controller: str,
    *,
    name: str | None = None,
    frame: str | None = None,
    speed: float = 0.25,
    tell: Tell = lambda _: None,
) -> Iterator[OpenArm]:
    """Open an arm; a ControllerMismatchError for one whose dimensions are not those that the file was corrected with.

    Args:
        file: scene, by path or by name of a shipped one.
        controller: address; `sim:arm` starts an emulated one.
        name: of the robot, if the scene has several.
        frame: of the tool; else that which follows the hand.
        speed: share of the arm's limits to move at.
        tell: progress.
    """
    path = scene_path(file)
    tell(LOADING.format(file=file))
    scene = station.load(path)
    robot = robot_in(scene, name)
    mechanism = scene[robot.name]
    with ExitStack() as stack:
        if is_emulated(controller):
            controller = stack.enter_context(emulated_arm(controller, str(path), robot.name))
        arm = stack.enter_context(open_controller(controller, joints=scene_joints(mechanism.joints)))
        check_calibrated(robot, arm)
        tell(f"arm {arm.capabilities.serial_number or arm.capabilities.model} answers")
        yield OpenArm(
            scene,
            robot,
            mechanism,
            measured_frame(mechanism, frame),
            arm,
            ArmLead(scene, mechanism, arm, speed),
            Leader(arm),
        )
