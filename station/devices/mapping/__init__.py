"""Hand → target: scale, frames, clutch, absolute and incremental motion; and wrench → hand. See docs/mapping.md.

settings.py    everything that can be set
from_mad.py    settings from a MAD device and the device's capabilities
state.py       what is known from tick to tick, and settings as numbers for kernels
engagement.py  which samples are believed, and whether the hand moves the robot
motion.py      frames, scale, locks, response: what the target moves in a tick; the edge of the device, the bubble
mapping.py     one tick: `mapping_tick`, `mapping_wrench`, and `Mapping` for Python; hints on the way to engaging
manual.py      tables and figure of docs/mapping.md
"""

from station.devices.mapping.from_mad import region_of, settings_from_device
from station.devices.mapping.mapping import Guidance, Mapping, Stage, guidance
from station.devices.mapping.settings import (
    Box,
    Bubble,
    Cylinder,
    Edge,
    Engagement,
    Guide,
    LockFrame,
    MappingSettings,
    Region,
    Response,
    Sphere,
)
from station.devices.mapping.state import Cause, Mode
from station.devices.parameter import SettingsError

__all__ = [
    "Box",
    "Bubble",
    "Cause",
    "Cylinder",
    "Edge",
    "Engagement",
    "Guidance",
    "Guide",
    "LockFrame",
    "Mapping",
    "MappingSettings",
    "Mode",
    "Region",
    "Response",
    "SettingsError",
    "Sphere",
    "Stage",
    "guidance",
    "region_of",
    "settings_from_device",
]
