"""What a gripper says, as the servo shows it to everybody; for whoever leads one."""

from __future__ import annotations

import math

from station.controllers.tool import GripperMeasurement, GrippingTool
from station.servo.shared import Emulated, GripperCode, SharedState, ShowGripper


def told_of(tool: GrippingTool, last: GripperMeasurement | None, wanted: float | None, emulated: bool) -> ShowGripper:
    """How a gripper is doing, by its last measurement and the width that it was last told [m]."""
    status = GripperCode[tool.status.name]
    if last is None or status is GripperCode.LOST:  # what it said before says nothing of now
        return ShowGripper(status, None, wanted, False, emulated)
    return ShowGripper(status, max(last.width, 0.0), wanted, last.holds, emulated)


def show(shared: SharedState, told: ShowGripper, now: float) -> None:
    """What a gripper said, at a time of the servo's clock [s], into what everybody sees."""
    shared.gripper_status, shared.gripper_detected = told.status, told.detected
    shared.gripper_width = math.nan if told.width is None else told.width
    shared.gripper_command = math.nan if told.wanted is None else told.wanted
    shared.gripper_time = now
    others = shared.emulated & ~Emulated.GRIPPER
    shared.emulated = others | (Emulated.GRIPPER if told.emulated else Emulated.NONE)
