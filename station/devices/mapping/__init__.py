"""Hand → target: scale, frames, clutch, absolute and incremental motion; and wrench → hand. See docs/mapping.md.

settings.py  everything that can be set; regions.py: shapes of a workspace
from_mad.py  settings from a MAD device and the device's capabilities
mapping.py   `Mapping`: one tick
guidance.py  what a person is told on the way to engaging
packing.py   settings as numbers for kernels
manual.py    tables and figure of docs/mapping.md
kernels/     compiled inner loops
"""

from station.devices.mapping.from_mad import region_of, settings_from_device
from station.devices.mapping.guidance import Guidance, Stage, guidance
from station.devices.mapping.mapping import Cause, Mapping, Mode
from station.devices.mapping.regions import Box, Cylinder, Region, Sphere
from station.devices.mapping.settings import (
    Bubble,
    Edge,
    Engagement,
    Guide,
    LockFrame,
    MappingSettings,
    Response,
)
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
