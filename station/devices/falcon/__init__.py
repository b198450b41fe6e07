"""The Novint Falcon as a mechanism: where the grip is, which motor words make a force, and what counters may say.

geometry.py      sizes, where the station's frame lies in the device, and what it can do
kinematics.py    legs and grip, compiled; `FalconModel` for Python
encoders.py      whether three counters make sense
"""

from station.devices.falcon.encoders import EncoderCheck, Reading
from station.devices.falcon.geometry import (
    BUTTONS,
    LARGEST_WORD,
    MAX_FORCE,
    WORDS_PER_NEWTON_METRE,
    falcon_capabilities,
)
from station.devices.falcon.kinematics import FalconModel

__all__ = [
    "BUTTONS",
    "LARGEST_WORD",
    "MAX_FORCE",
    "WORDS_PER_NEWTON_METRE",
    "EncoderCheck",
    "FalconModel",
    "Reading",
    "falcon_capabilities",
]
