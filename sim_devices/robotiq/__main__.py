"""`python -m sim_devices.robotiq`: an emulated gripper as a process; something 30 mm thick is between its fingers."""

from __future__ import annotations

import argparse
import sys

from sim_devices.robotiq.process import THING, serve


def main() -> None:
    """Print the address, then be a gripper."""
    parser = argparse.ArgumentParser(prog="python -m sim_devices.robotiq", description=__doc__)
    parser.add_argument("--thing", type=float, default=THING, help="position (0 to 254) at which something is met")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--with-parent", action="store_true", help="end when standard input closes")
    given = parser.parse_args()

    def announce(address: str) -> None:
        sys.stdout.write(address + "\n")
        sys.stdout.flush()

    serve(announce, given.seconds, given.with_parent, given.thing)


main()
