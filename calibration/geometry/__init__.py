"""Robot geometry: dimensions, joint zeros, gear ratios, where robot and tool are; loops included.

measured.py, touched.py   measurements of a tool, or what it touched
screws.py, loops.py       a robot at many configurations at once, with exact derivatives
listing.py, model.py      what is estimated, from places and poses; surfaces.py, touching.py: from touches
candidates.py, collecting.py   poses that tell most, and how they are measured
calibrating.py            from measurements to a judged robot; corrected.py, applying.py: as a MAD file
"""

from calibration.geometry.calibrating import GeometryResult, calibrate_geometry
from calibration.geometry.corrected import corrected_robot
from calibration.geometry.measured import ToolMeasurements
from calibration.geometry.model import GeometryModel, tool_poses
from calibration.geometry.settings import GeometrySettings
from calibration.geometry.subject import robot_subject
from calibration.geometry.touched import Surface, TouchMeasurements
from calibration.geometry.touching import TouchModel

__all__ = [
    "GeometryModel",
    "GeometryResult",
    "GeometrySettings",
    "Surface",
    "ToolMeasurements",
    "TouchMeasurements",
    "TouchModel",
    "calibrate_geometry",
    "corrected_robot",
    "robot_subject",
    "tool_poses",
]
