"""Two robots with ghosts, paths and three live plots in a window, as fast as it goes. Run by `benchmarks.view`.

    python -m benchmarks.view_window image|card STARTED [--quick]

The scene is 1280 × 800 pixels and the plots are beside it. One robot follows a station that is played here (its data
come at 1 kHz, as records in shared memory), the other one is moved here; both are drawn twice, predicted and measured.
STARTED is when the process was, since 1970 [s].
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PySide6 import QtCore, QtWidgets

from benchmarks.peers.score import quick
from benchmarks.view import SIZE, move, scene_of
from station.servo.shared import ControllerCode, ServoState, StateWriter
from station.view.panels.plots import PlotsPanel
from station.view.window import ViewWindow, application

FRAMES = 80
MOST = 60  # ticks between two frames, however long a frame takes
WAIT = QtCore.QEventLoop.ProcessEventsFlag.WaitForMoreEvents


class PlayedStation:
    """A station that moves a 7-axis arm along a wave at 1 kHz of its own time."""

    def __init__(self, folder: Path, robot: str) -> None:
        self._writer = StateWriter(7, {"robot": robot}, folder=folder)
        self._writer.shared.state, self._writer.shared.controller_status = ServoState.ENGAGED, ControllerCode.ACTIVE
        self._tick, self._last = 0, time.perf_counter()
        self.go_on()

    def go_on(self) -> None:
        """All ticks since the last time."""
        now = time.perf_counter()
        count = min(max(int(1e3 * (now - self._last)), 1), MOST)
        self._last = now
        for _ in range(count):
            self._publish()

    def _publish(self) -> None:
        self._tick += 1
        writer, phase = self._writer, 1e-3 * self._tick
        q = np.array([0.0, -0.8, 0.0, -2.3, 0.0, 1.6, 0.8]) + 0.3 * np.sin(phase)
        writer.shared.tick, writer.shared.time = self._tick, phase
        writer.shared.predicted_q[:], writer.shared.commanded_q[:], writer.shared.measured_q[:] = q, q, q - 0.1
        for part in ("predicted", "commanded", "measured", "target", "hand"):
            pose = getattr(writer.shared, f"{part}_pose")
            pose[:] = np.eye(4)
            pose[:3, 3] = 0.5 * np.cos(phase), 0.5 * np.sin(phase), 0.3 + 0.01 * len(part)
        writer.shared.measured_age, writer.shared.measured_v[:] = 0.2, 0.3 * np.cos(phase)
        writer.shared.wrench_parts[:4, 0] = 2.0 * np.sin(phase * np.arange(1, 5))
        writer.shared.wrench[0] = writer.shared.wrench_parts[:, 0].sum()
        writer.publish()

    def close(self) -> None:
        """End it."""
        self._writer.close()


def shown(window: ViewWindow) -> PlotsPanel:
    """Its plots beside the scene, and the scene as large as it is to be."""
    panel = window.docks.show(PlotsPanel.title)
    assert isinstance(panel, PlotsPanel)
    window.addDockWidget(QtCore.Qt.DockWidgetArea.RightDockWidgetArea, panel)
    window.canvas.native.setFixedSize(*SIZE)
    window.show()
    return panel


def frame(qt: QtWidgets.QApplication, window: ViewWindow, number: int) -> None:
    """One frame: look for news, move the other robot, draw scene and plots."""
    drawn, began = window.panes.frames, time.perf_counter()
    window.refresh()
    for name, robot in window.scene.robots.items():
        if window.follower.robot is not None and name != window.follower.robot.name:
            q = np.array([0.0, -0.8, 0.0, -2.3, 0.0, 1.6, 0.8]) + 0.3 * np.sin(0.05 * number)
            robot.predict(q, 0.001)
            robot.measure(q - 0.1, 0.2)
    window.canvas.update()
    while window.panes.frames == drawn and time.perf_counter() - began < 10.0:
        qt.processEvents(WAIT)  # sleeps until something happens
    qt.processEvents()  # the plots


def main() -> None:
    """Measure and print."""
    qt = application()
    view = scene_of(2)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        station = PlayedStation(Path(folder), next(iter(view.robots)))
        window = ViewWindow(view.bench, SIZE, folder=Path(folder), settings=Path(folder), canvas=sys.argv[1])
        move(window.scene, 0)
        window._timer.stop()  # frames are asked for here
        panel = shown(window)
        while not window.panes.frames and time.perf_counter() - started < 60.0:
            qt.processEvents()
        first, begun, whole = time.perf_counter() - started, time.process_time(), time.time() - float(sys.argv[2])
        spent, worked, alone = [], [], []
        for number in range(5 if quick() else FRAMES):
            station.go_on()
            before, work, own = time.perf_counter(), time.process_time(), time.thread_time()
            frame(qt, window, number)
            spent.append(time.perf_counter() - before)
            worked.append(time.process_time() - work)
            alone.append(time.thread_time() - own)
        kind, curves = type(window.canvas).__name__, len(panel.chosen)
        assert curves == 3
        assert panel.history.filled
        window.asks = False
        window.close()
        station.close()
    few, steady = slice(2, None), f"2 robots, paths, 3 plots, {kind}"
    rows = {
        f"frames/s in a window, {steady}": 1.0 / float(np.median(spent[few])),
        f"best frames/s in a window, {steady}": 1.0 / float(np.percentile(spent[few], 5)),
        f"CPU ms per frame in a window, {steady}": 1e3 * float(np.median(worked[few])),
        f"  of it in the window's own thread, {kind}": 1e3 * float(np.median(alone[few])),
        f"s from scene to first frame in a window, {kind}": first,
        f"s from the start of the process to its first frame, {kind} (at most 3)": whole,
        f"CPU s of the whole process to its first frame, {kind}": begun,
    }
    print(json.dumps(rows))


main()
