"""Compile everything that a run needs ahead of time: `python -m station.run.warm`. Done once; later runs load it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from station.bench import load
from station.clock import VirtualClock
from station.devices import open_device
from station.errors import StationError
from station.run.places import DEFAULT_BENCH
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo


def warm_up() -> None:
    """Run the default bench for a moment, on a clock of its own."""
    clock = VirtualClock()
    with tempfile.TemporaryDirectory() as folder, open_device("sim:syntaxer", clock) as device:
        rig = put_together(load(DEFAULT_BENCH), device, Wanted())
        with Servo(rig, clock=clock, folder=Path(folder)) as servo:
            servo.rehearse()


if __name__ == "__main__":
    sys.stderr.write("compiling the servo for this machine (once, about a minute) …\n")
    try:
        warm_up()
    except StationError as error:  # as without a C compiler: said again when it is needed
        sys.stderr.write(f"{error}\n")
