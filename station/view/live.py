"""A window on a running station: opened beside a run, or on another machine.

`python -m station.view.live FILE STATE [RECORDING]` is the window that `station run` opens: a process of its own, which
ends with the run and whose end the run survives.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

from station.bench import Bench, load
from station.errors import StationError
from station.view.local import Source
from station.view.window import ViewWindow, application

SIZE = (1400, 900)  # [px], or what the screen has
PR_SET_PDEATHSIG = 1  # of prctl
NICE = 5  # the station comes first


def show_station(
    bench: Bench,
    *,
    state: Path | None = None,
    source: Source | None = None,
    title: str = "",
    recording: Path | None = None,
) -> None:
    """Open a window with the supervisor's panel on a running station, and stay until it is closed.

    Args:
        bench: the scene.
        state: shared state of the station.
        source: a station elsewhere, in its place.
        title: of the window.
        recording: file that the run writes, if it does.

    Raises:
        NoGraphicsError: if there is no screen.
    """
    qt = application()
    window = ViewWindow(bench, SIZE, state=state)
    if source is not None:
        window.follower.use(source)
    if title:
        window.setWindowTitle(title)
    window.bar.recording = recording
    window.panels["Supervisor"].show()
    window.show_within_screen()

    def leave(*_: object) -> None:
        window.asks = False  # there may be nobody at the screen
        window.close()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, leave)  # the timer lets Python see it
    qt.exec()


def main(arguments: list[str]) -> int:
    """The window beside a run; returns the exit code."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    os.nice(NICE)
    file, state, *recording = arguments
    try:
        bench = load(file)
        what = "replay" if Path(state).name.startswith("replay") else "run"
        written = Path(recording[0]) if recording else None
        show_station(bench, state=Path(state), title=f"{bench.name}: station {what}", recording=written)
    except StationError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
