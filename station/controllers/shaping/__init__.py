"""Setpoint shaping: the arm follows the predicted robot within its own limits. See docs/safety.md.

settings.py  everything that can be set
limits.py    limits of joints, the smaller of what file and arm tell
shaper.py    `Shaper`: one tick
parking.py   moves to a posture, planned by ruckig
results.py   what a tick answers
kernels/     compiled inner loops
"""

from station.controllers.shaping.errors import ShapingError
from station.controllers.shaping.limits import JointLimits, joint_limits, limits_of
from station.controllers.shaping.results import Acting, Refusal, Shaped, Stopped
from station.controllers.shaping.settings import ShapingSettings
from station.controllers.shaping.shaper import Shaper, ShapingInputs

__all__ = [
    "Acting",
    "JointLimits",
    "Refusal",
    "Shaped",
    "Shaper",
    "ShapingError",
    "ShapingInputs",
    "ShapingSettings",
    "Stopped",
    "joint_limits",
    "limits_of",
]
