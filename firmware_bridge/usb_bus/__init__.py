"""A USB bus that another process serves over a socket of this machine, for example an emulator's.

backend = RemoteBackend("/tmp/…/usb.sock")
usb.core.find(idVendor=0x0403, backend=backend)  # the real pyusb from here on

messages.py  what goes over the socket
session.py   questions and answers, from any number of threads
backend.py   `RemoteBackend`, what pyusb takes for libusb
"""

from firmware_bridge.usb_bus.backend import RemoteBackend

__all__ = ["RemoteBackend"]
