"""Whether what an arm says can be. See docs/safety.md.

settings.py  bounds
check.py     `Plausibility`: readings in, doubts out
kernels/     compiled inner loops
"""

from station.controllers.plausibility.check import Plausibility
from station.controllers.plausibility.settings import PlausibilitySettings

__all__ = ["Plausibility", "PlausibilitySettings"]
