"""What a gripper says, as the servo shows it to everybody; for whoever leads one."""

from __future__ import annotations

from station.controllers.tool import GripperMeasurement, GrippingTool
from station.servo.shared import GripperCode, ShowGripper


def told_of(tool: GrippingTool, last: GripperMeasurement | None, wanted: float | None) -> ShowGripper:
    """How a gripper is doing, by its last measurement and the width that it was last told [m]."""
    status = GripperCode[tool.status.name]
    if last is None or status is GripperCode.LOST:  # what it said before says nothing of now
        return ShowGripper(status, None, wanted)
    return ShowGripper(status, max(last.width, 0.0), wanted, last.holds)
