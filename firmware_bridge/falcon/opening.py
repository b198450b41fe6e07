"""Opening a Falcon by its address: `usb:falcon?serial=…&firmware=FILE&scale=…`."""

from __future__ import annotations

from typing import Any

from firmware_bridge.falcon.driver import Falcon
from firmware_bridge.falcon.firmware_file import firmware_path
from firmware_bridge.falcon.steps import Report
from station.clock import WALL, Clock
from station.devices.address import Address
from station.devices.falcon import WORDS_PER_NEWTON_METRE

OPTIONS = ("serial", "firmware", "scale")


def open_falcon(address: Address, clock: Clock = WALL, backend: Any = None, report: Report | None = None) -> Falcon:
    """Open the Falcon at an address, waking it if need be, or raise the DeviceError that says why not.

    serial    which one, when several are plugged in
    firmware  file with Novint's image, for a device that has just been switched on
    scale     motor words per N·m at a thigh, from a calibration

    `report` is told what takes long, in words; on wall time from another thread.
    """
    address.allow(OPTIONS)
    device = Falcon(
        address.url,
        clock,
        serial_number=address.options.get("serial", ""),
        firmware=firmware_path(address.options.get("firmware")),
        words_per_newton_metre=address.number("scale", WORDS_PER_NEWTON_METRE, 100.0, 1e6),
        backend=backend,
        report=report,
    )
    device.open()
    return device
