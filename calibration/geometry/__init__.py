"""Robot geometry: dimensions, joint zeros, gear ratios, where robot and tool are; loops included."""

from calibration.geometry.calibrating import GeometryResult, calibrate_geometry
from calibration.geometry.corrected import corrected_robot, corrected_scene
from calibration.geometry.measured import ToolMeasurements
from calibration.geometry.model import GeometryModel, tool_poses
from calibration.geometry.settings import GeometrySettings

__all__ = [
    "GeometryModel",
    "GeometryResult",
    "GeometrySettings",
    "ToolMeasurements",
    "calibrate_geometry",
    "corrected_robot",
    "corrected_scene",
    "tool_poses",
]
