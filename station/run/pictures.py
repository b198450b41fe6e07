"""Pictures of a run for the manual: `python -m station.run.pictures docs/pictures`.

The default bench on a virtual clock, so that they show the same on any machine, however busy; times of ticks are zero.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from station.bench import load
from station.clock import VirtualClock
from station.devices import open_device
from station.monitor import Collector, Dashboard, report
from station.run.places import DEFAULT_BENCH
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import StateReader

TICKS, LOOK_EVERY = 11_000, 100
AT_THE_WALL = 1.0  # force on the hand at which the dashboard is drawn [N]
WIDTH, HEIGHT = 112, 34  # [characters]


def draw(folder: Path) -> None:
    """The dashboard while the robot touches the wall, and the report."""
    clock = VirtualClock()
    picture = Console(record=True, width=WIDTH, height=HEIGHT, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as place, open_device("sim:syntaxer", clock) as device:
        rig = put_together(load(DEFAULT_BENCH), device, Wanted())
        with Servo(rig, clock=clock, folder=Path(place)) as servo, StateReader(servo.part.writer.path) as state:
            collector = Collector(state)
            dashboard = Dashboard(collector, Console(quiet=True))
            drawn = False
            for number in range(TICKS):
                servo.tick()
                if number % LOOK_EVERY == 0:
                    collector.poll()
                    if not drawn and abs(servo.part.shared.wrench[:3]).max() > AT_THE_WALL:
                        picture.print(dashboard.screen())
                        drawn = True
            run = collector.run()
    picture.save_svg(str(folder / "run-dashboard.svg"), title="station run")
    report(run, folder / "run-report.png")


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
