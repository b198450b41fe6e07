"""Two robots with ghosts in a Qt window, as fast as it goes. Run by `benchmarks.view` on a virtual screen."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PySide6 import QtCore

from benchmarks.peers.score import quick
from benchmarks.view import SIZE, move, scene_of
from station.view.window import ViewWindow, application

FRAMES = 60
WAIT = QtCore.QEventLoop.ProcessEventsFlag.WaitForMoreEvents


def main() -> None:
    """Measure and print."""
    qt = application()
    bench = scene_of(2).bench
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        window = ViewWindow(bench, SIZE, folder=Path(folder), canvas=sys.argv[1])
        window.showFullScreen()
        while not window.panes.frames and time.perf_counter() - started < 60.0:
            qt.processEvents()
        first = time.perf_counter() - started
        spent, worked = [], time.process_time()
        count = 5 if quick() else FRAMES
        for number in range(count):
            before, drawn = time.perf_counter(), window.panes.frames
            move(window.scene, number)
            window.canvas.update()
            while window.panes.frames == drawn and time.perf_counter() - before < 10.0:
                qt.processEvents(WAIT)  # sleeps until something happens
            spent.append(time.perf_counter() - before)
        worked = (time.process_time() - worked) / count
        window.close()
    kind = type(window.canvas).__name__
    rows = {
        f"frames/s in a window, 2 robots, {kind}": 1.0 / float(np.median(spent)),
        f"CPU ms per frame in a window, 2 robots, {kind}": 1e3 * worked,
        f"s from scene to first frame, {kind}": first,
    }
    print(json.dumps(rows))


main()
