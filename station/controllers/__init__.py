"""What any controller is to the station: the arm's side of the bench, real or emulated."""

from station.controllers.controller import (
    LOST_AFTER,
    Capabilities,
    ControlledJoint,
    Controller,
    ControllerStatus,
    LinkHealth,
    Measurement,
)
from station.controllers.errors import ControllerError
from station.controllers.order import check_calibrated, in_order_of, scene_joints
from station.controllers.registry import ControllerScheme, open_controller

__all__ = [
    "LOST_AFTER",
    "Capabilities",
    "ControlledJoint",
    "Controller",
    "ControllerError",
    "ControllerScheme",
    "ControllerStatus",
    "LinkHealth",
    "Measurement",
    "check_calibrated",
    "in_order_of",
    "open_controller",
    "scene_joints",
]
