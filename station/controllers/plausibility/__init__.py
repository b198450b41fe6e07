"""Whether what an arm says can be. See docs/safety.md.

state.py     bounds, what is remembered of joints, what was found
check.py     `Plausibility`: readings in, doubts out
readings.py  a reading against the one before it, and efforts against weight and tool force
motions.py   whether joints move as they were told
"""

from station.controllers.plausibility.check import Plausibility
from station.controllers.plausibility.state import PlausibilitySettings

__all__ = ["Plausibility", "PlausibilitySettings"]
