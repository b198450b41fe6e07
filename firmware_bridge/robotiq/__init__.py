"""Robotiq 2F and Hand-E grippers over Modbus RTU, as a tool: `robotiq:/dev/ttyUSB0?model=2f85`.

registers.py   bytes of command and status        opening.py  the address: `open_gripper(url)`
driver.py      `RobotiqGripper`                    and station/controllers/tool.py: what a gripper is
"""

from firmware_bridge.robotiq.opening import open_gripper
from station.controllers.tool import GripperMeasurement, GrippingTool, ToolStatus

__all__ = ["GripperMeasurement", "GrippingTool", "ToolStatus", "open_gripper"]
