"""Compile the kernels and the firmware of all devices ahead of time: `python -m sim_devices.warm`."""

from __future__ import annotations

import sys

from sim_devices.arm.warm import warm_up as warm_up_arm
from station.clock import VirtualClock
from station.devices import open_device
from station.devices.mapping import Mapping, MappingSettings
from station.errors import StationError

EMULATED = ("sim:syntaxer", "sim:falcon")


def warm_up() -> None:
    """Use everything once."""
    for url in EMULATED:
        clock = VirtualClock()
        with open_device(url, clock) as device:
            Mapping(MappingSettings())
            device.enable_force()
            clock.advance(0.01)
            device.newest()
    warm_up_arm()


if __name__ == "__main__":
    sys.stderr.write("compiling the devices for this machine (once, about a minute) …\n")
    try:
        warm_up()
    except StationError as error:  # as without a C compiler: said again when it is needed
        sys.stderr.write(f"{error}\n")
