"""Robotiq 2F and Hand-E grippers over Modbus RTU, as a tool: `robotiq:/dev/ttyUSB0?model=2f85`.

registers.py   bytes of command and status        tool.py     what a tool that grips is to a station
driver.py      `RobotiqGripper`                    opening.py  the address: `open_gripper(url)`
"""

from firmware_bridge.robotiq.opening import open_gripper
from firmware_bridge.robotiq.tool import GripperMeasurement, GrippingTool, ToolStatus

__all__ = ["GripperMeasurement", "GrippingTool", "ToolStatus", "open_gripper"]
