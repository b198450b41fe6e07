"""An emulated USB: a bus, devices that are plugged in and out, and the pyusb backend through which programs see them.

bus = Bus()
bus.plug(device)                                     # any UsbDevice
usb.core.find(idVendor=0x0403, backend=bus.backend)  # the real pyusb from here on
"""

from sim_devices.usb.backend import Backend
from sim_devices.usb.bus import Attachment, Bus
from sim_devices.usb.descriptors import BULK, INTERRUPT, Endpoint, Identity, Interface
from sim_devices.usb.device import UsbDevice, wait_for
from sim_devices.usb.errors import access_denied, busy, no_device, stalled, timed_out

__all__ = [
    "BULK",
    "INTERRUPT",
    "Attachment",
    "Backend",
    "Bus",
    "Endpoint",
    "Identity",
    "Interface",
    "UsbDevice",
    "access_denied",
    "busy",
    "no_device",
    "stalled",
    "timed_out",
    "wait_for",
]
