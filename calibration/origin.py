"""Where measurements come from: the robot, frame and arm that a collection names, against those that are meant now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.collection import Held
from calibration.errors import WrongDeviceError
from calibration.geometry.subject import robot_subject
from calibration.results import Subject
from station.mad.scene import Robot


def carrier(robot: Robot) -> Subject:
    """The robot by its geometry, whatever cameras it carries: these come and go while it stays the same."""
    return robot_subject(replace(robot, cameras=()))


def origin(robot: Robot, frame: int, arm: str) -> dict[str, Any]:
    """What a collection has to say of its robot; `arm` is a serial number."""
    return {"arm": arm, "robot": carrier(robot).id, "frame": frame}


def check_origin(path: Path, held: Held, robot: Robot, frame: int) -> bool:
    """Whether a collection says which robot and frame it is of; a WrongDeviceError if that is another one."""
    begun, meant = held.facts.get("robot"), carrier(robot)
    if begun is not None and begun != meant.id:
        other = Subject("mad", str(begun))
        raise WrongDeviceError(f"{path}: is of the robot of {other}, not of {meant}; give the file it was begun with")
    if held.facts.get("frame", frame) != frame:
        raise WrongDeviceError(f"{path}: is of frame {held.facts['frame']}, not of {frame}; name it with --frame")
    return begun is not None


def weight_said(robot: Robot) -> str:
    """How a result says which weight of the arm it counts with, if that was not measured."""
    return f"masses of the MAD file, {sum(item.mass or 0.0 for item in robot.placed() if item.id != 0):.6g} kg"
