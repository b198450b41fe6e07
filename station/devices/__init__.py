"""What any device is to the station, and how the motion of a hand becomes a target for a robot."""

from station.devices.device import Axis, AxisKind, Capabilities, Device, DeviceStatus, PassiveDevice, Sample
from station.devices.errors import DeviceError
from station.devices.registry import Found, open_device, schemes

__all__ = [
    "Axis",
    "AxisKind",
    "Capabilities",
    "Device",
    "DeviceError",
    "DeviceStatus",
    "Found",
    "PassiveDevice",
    "Sample",
    "open_device",
    "schemes",
]
