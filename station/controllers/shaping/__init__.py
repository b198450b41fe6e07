"""Setpoint shaping: the arm follows the predicted robot within its own limits. See docs/safety.md.

limits.py   everything that can be set; limits of joints, the smaller of what file and arm tell
state.py    what a tick is told, remembers and answers
shaper.py   `Shaper` and `shaping_tick`: one tick, with the last check before bytes
start.py    beginning at the measured pose
follow.py   towards a moving target within limits, or to a stop
together.py `shape_together`: the same for arms that hold one thing, all joints alike
motion.py   one joint: constant jerk, the shortest stop, and whether one can still stop within limits
tube.py     how far the arm is from where it was sent
press.py    how hard the tool presses on something
parking.py  moves to a posture, planned by ruckig
"""

from station.controllers.shaping.limits import (
    JointLimits,
    ShapingError,
    ShapingLimits,
    ShapingSettings,
    joint_limits,
    limits_of,
)
from station.controllers.shaping.shaper import Shaper, shaping_tick
from station.controllers.shaping.state import Acting, Refusal, Shaped, ShapingInputs, ShapingState
from station.controllers.shaping.together import TiedArms, shape_together, tie
from station.controllers.supervisor.words import Stopped

__all__ = [
    "Acting",
    "JointLimits",
    "Refusal",
    "Shaped",
    "Shaper",
    "ShapingError",
    "ShapingInputs",
    "ShapingLimits",
    "ShapingSettings",
    "ShapingState",
    "Stopped",
    "TiedArms",
    "joint_limits",
    "limits_of",
    "shape_together",
    "shaping_tick",
    "tie",
]
