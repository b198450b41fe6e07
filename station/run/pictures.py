"""Pictures of a real run for the manual: `python -m station.run.pictures docs/pictures`. Takes half a minute."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from rich.console import Console

from station.monitor import Collector, Dashboard, report
from station.run.launch import ServoProcess
from station.run.places import DEFAULT_BENCH
from station.servo.job import Job
from station.servo.shared import StateReader

SECONDS = 20.0
AT_THE_WALL = 1.0  # push of the obstacles at which the dashboard is drawn [N]
WIDTH, HEIGHT = 112, 34  # [characters]


def draw(folder: Path) -> None:
    """Run the default bench; its dashboard while it touches the wall, and its report."""
    job = Job(file=str(DEFAULT_BENCH), device="sim:syntaxer")
    drawn: list[float] = []
    picture = Console(record=True, width=WIDTH, height=HEIGHT, file=io.StringIO(), force_terminal=True)
    with ServoProcess(job) as servo, StateReader(servo.ready.state) as state:
        dashboard = Dashboard(Collector(state), Console(quiet=True))

        def look() -> bool:
            moment = dashboard.moment()
            if moment is not None and not drawn and abs(moment.snapshot.wrench[:3]).max() > AT_THE_WALL:
                picture.print(dashboard.screen())
                drawn.append(moment.now)
            return False

        run = dashboard.follow(SECONDS, look)
    if drawn:
        picture.save_svg(str(folder / "run-dashboard.svg"), title="station run")
    report(run, folder / "run-report.png")


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
