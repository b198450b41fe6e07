"""Whether the servo feels a window: ticks of one running station, by turns without and with a window that follows.

    python -m benchmarks.view_servo [--seconds 10]

The station is the whole tick at 1 kHz with the emulated syntaxer and a 7-axis arm. The window is a process of its own
with three plots. Both halves are measured in one run, in turns, so that other work on the machine hits both.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

import robots
from benchmarks.peers.environments import ROOT
from benchmarks.virtual_screen import virtual_screen
from station.run.launch import ServoProcess
from station.servo.job import Job
from station.servo.pacing import Measure
from station.servo.rig import Wanted
from station.servo.shared import RecordReader, StateReader

HAND = (
    "tighten 0.5 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.2; circle radius=30mm period=1 for 6; "
    "release deadman; hold 0.2; again"
)
TURNS = 3
FOLLOW = """
import sys, time
from pathlib import Path
import robots, station
from PySide6 import QtCore
from station.view.window import ViewWindow, application
qt = application()
window = ViewWindow(
    station.load(robots.path("panda")), (1280, 800), state=Path(sys.argv[1]), settings=Path(sys.argv[2]), canvas="image"
)
window.docks.show("Plots")
window.show()
window.asks = False
def told():
    print(window.panes.frames, time.monotonic(), flush=True)
timer = QtCore.QTimer()
timer.timeout.connect(told)
timer.start(500)
qt.exec()
"""


def beside_a_servo(seconds: float) -> dict[str, float]:
    """p99 of the tick's own time and of its wake-up, with the window over without."""
    job = Job(file=str(robots.path("panda")), devices={"": f"sim:syntaxer?hand={HAND}"}, wanted=Wanted(rate=1000.0))
    ticks: dict[bool, list[np.ndarray]] = {False: [], True: []}
    frames = 0.0
    with virtual_screen() as display, ServoProcess(job) as servo, StateReader(servo.ready.state) as state:
        if display is None:
            return {}
        time.sleep(3.0)
        for _ in range(TURNS):
            ticks[False].append(_spent(state, seconds))
            with tempfile.TemporaryDirectory() as settings:
                window = subprocess.Popen(
                    [sys.executable, "-c", FOLLOW, str(servo.ready.state), settings],
                    env={**os.environ, "DISPLAY": display},
                    cwd=ROOT,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                try:
                    assert window.stdout is not None
                    while int((window.stdout.readline() or "1").split()[0]) < 1:
                        pass
                    ticks[True].append(_spent(state, seconds))
                finally:
                    window.send_signal(signal.SIGTERM)
                    told = np.array(window.communicate(timeout=20)[0].split(), float).reshape(-1, 2)
                    frames = max(frames, float(np.divide(*(told[-1] - told[0]))) if len(told) > 1 else 0.0)
    without, within = (np.concatenate(ticks[key]) for key in (False, True))
    rows = {"frames/s of the window beside a servo": frames}
    for measure in (Measure.TICK, Measure.WAKE_UP):
        a, b = (float(np.percentile(rows_[:, measure], 99)) for rows_ in (without, within))
        name = measure.name.lower().replace("_", " ")
        rows[f"p99 of the {name} without a window [µs]"] = 1e6 * a
        rows[f"p99 of the {name} beside a window [µs]"] = 1e6 * b
        rows[f"p99 of the {name} beside a window over without (at most 1.2)"] = b / a
    return rows


def _spent(state: StateReader, seconds: float) -> np.ndarray:
    """Times of all ticks of some seconds, by `Measure` [s]."""
    records, parts = RecordReader(state), []
    place = state.layout.by_name["spent"]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.25)
        rows = records.read().records[:, place.start : place.end]
        parts.append(np.ascontiguousarray(rows).view(np.float64))
    return np.concatenate(parts)


if __name__ == "__main__":
    wanted = float(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else 10.0
    for label, value in beside_a_servo(wanted).items():
        print(f"{label:<70} {value:8.3g}")
