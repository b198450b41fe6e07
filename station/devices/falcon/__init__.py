"""The Novint Falcon as a mechanism: where the grip is, which motor words make a force, and what counters may say."""

from station.devices.falcon.capabilities import BUTTONS, falcon_capabilities
from station.devices.falcon.encoders import EncoderCheck, Reading
from station.devices.falcon.geometry import LARGEST_WORD, MAX_FORCE, WORDS_PER_NEWTON_METRE
from station.devices.falcon.model import FalconModel

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
