"""`python -m sim_devices KIND`: an emulator as a process; `station emulate` is the same for people."""

from __future__ import annotations

import argparse
import sys

from sim_devices.kinds import SERIAL, Wishes
from sim_devices.process import serve
from sim_devices.usb_kinds import USB
from station.errors import StationError


def main() -> None:
    """Print the address, then be a device."""
    parser = argparse.ArgumentParser(prog="python -m sim_devices", description=__doc__)
    parser.add_argument("kind", choices=sorted((*SERIAL, *USB)))
    parser.add_argument("--hand", default="default")
    parser.add_argument("--faults", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--patient", action="store_true", help="the hand waits until a station sends commands")
    parser.add_argument("--wrong", type=int, help="syntaxer: seed of how it differs from what its handshake says")
    parser.add_argument("--ideal", action="store_true", help="syntaxer: encoders without visible steps, no noise")
    parser.add_argument("--serial", default="", help="serial number")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--with-parent", action="store_true", help="end when standard input closes")
    given = parser.parse_args()
    names = ("hand", "faults", "seed", "rate", "patient", "wrong", "ideal", "serial")
    wishes = Wishes(**{name: getattr(given, name) for name in names})

    def announce(address: str) -> None:
        sys.stdout.write(address + "\n")
        sys.stdout.flush()

    try:
        serve(given.kind, wishes, announce, given.seconds, given.with_parent)
    except StationError as error:
        sys.exit(str(error))


main()
