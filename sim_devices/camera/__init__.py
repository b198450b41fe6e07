"""An emulated camera: pictures of a flat board through a lens, handed out as an IP camera does."""

from sim_devices.camera.picturing import CameraSettings, pictured
from sim_devices.camera.server import CameraServer

__all__ = ["CameraServer", "CameraSettings", "pictured"]
