"""A window on a station that is published, and on one that is killed, told as JSON: run by test_watching.py."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from PySide6 import QtCore, QtTest, QtWidgets

import station
from station.run.places import DEFAULT_BENCH
from station.servo.shared import StateReader, StateWriter
from station.view.moment import Link
from station.view.panels.links import LinksPanel
from station.view.panels.supervisor import SupervisorPanel
from station.view.sharing.access import place_to_publish
from station.view.sharing.command import watch
from station.view.sharing.publisher import Publisher
from station.view.sharing.watcher import WatchedStation
from station.view.sharing.wire import Greeting
from station.view.window import ViewWindow, application

PATIENCE = 240.0  # [s]
STATION = """
import sys, time
from pathlib import Path
from station.servo.shared import StateWriter
with StateWriter(6, {"robot": "ur5e"}, folder=Path(sys.argv[1])) as writer:
    while True:
        writer.shared.tick += 1
        writer.publish()
        time.sleep(0.01)
"""


class Published:
    """A publisher in a thread."""

    def __init__(self, state: StateReader, url: str) -> None:
        scene = station.dumps(station.load(DEFAULT_BENCH))
        self.publisher = Publisher(state, Greeting(state.text, scene, "bench.mad"), place_to_publish(url)[0])
        self._end = threading.Event()
        self._thread = threading.Thread(target=self.publisher.run, args=(self._end.is_set,))
        self._thread.start()

    def close(self) -> None:
        self._end.set()
        self._thread.join()
        self.publisher.close()


def wait(qt: QtWidgets.QApplication, until: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not until() and time.monotonic() < end:
        qt.processEvents()
        time.sleep(0.005)
    return until()


def watched(qt: QtWidgets.QApplication, folder: Path) -> dict[str, Any]:
    """A publication that comes, goes and comes again."""
    seen: dict[str, Any] = {}
    bench = station.load(DEFAULT_BENCH)
    q = bench["ur5e"].q + 0.2
    with StateWriter(6, {"robot": "ur5e", "rate": 1000.0}, folder=folder) as writer, StateReader(writer.path) as state:
        writer.shared.predicted_q[:] = q
        writer.publish()
        window = ViewWindow(bench, (320, 240), folder=folder / "none", settings=folder / "settings")
        with closing(Published(state, "tcp://127.0.0.1:0")) as first:
            place = first.publisher.address
            source = WatchedStation(str(place))
            window.follower.use(source)
            window.show()
            panel, links = window.panels["Supervisor"], window.panels["Links"]
            assert isinstance(panel, SupervisorPanel)
            assert isinstance(links, LinksPanel)
            links.show()
            robot = window.scene.robots["ur5e"]
            seen["followed"] = wait(qt, lambda: bool(np.allclose(robot.q, q)))
            panel.refresh(window.follower.moment)
            seen["orders_look_live"] = [name for name, button in panel.buttons.items() if button.isEnabled()]
            QtTest.QTest.keyClick(window, QtCore.Qt.Key.Key_H)
            seen["order"] = panel.answer.text()
            QtTest.QTest.keyClick(window, QtCore.Qt.Key.Key_Space)
            seen["commands"] = writer.shared.commands_accepted
            seen["publication"] = wait(qt, links.parts[3].isVisible) and links.parts[3].title()
        seen["silent"] = wait(qt, lambda: window.follower.link is Link.SILENT and window.banner.isVisible())
        seen["banner"], seen["status"] = window.banner.text(), window.scene.status[-1]
        with closing(Published(state, str(place))):
            seen["again"] = wait(qt, lambda: window.follower.link is Link.FOLLOWING)
            seen["banner_gone"] = wait(qt, lambda: not window.banner.isVisible())
        window.close()
        source.disconnect()
    return seen


def by_command(folder: Path) -> dict[str, Any]:
    """`station view --watch`: the scene comes over the link."""
    seen: dict[str, Any] = {}

    def look() -> None:
        for window in QtWidgets.QApplication.topLevelWidgets():
            if isinstance(window, ViewWindow) and window.isVisible() and window.follower.link is Link.FOLLOWING:
                seen.update(title=window.windowTitle().partition(" tcp")[0], robots=list(window.scene.robots))
                seen["panel"] = window.panels["Supervisor"].isVisible()
                timer.stop()
                window.close()

    timer = QtCore.QTimer()
    timer.timeout.connect(look)
    timer.start(50)
    with StateWriter(6, {"robot": "ur5e"}, folder=folder) as writer, StateReader(writer.path) as state:
        writer.publish()
        with closing(Published(state, "tcp://127.0.0.1:0")) as published:
            watch(str(published.publisher.address))
    return seen


def killed(qt: QtWidgets.QApplication, folder: Path) -> dict[str, Any]:
    """A station of this machine that is killed while it is watched."""
    folder.mkdir()
    window = ViewWindow(station.load(DEFAULT_BENCH), (320, 240), folder=folder, settings=folder / "settings")
    window.show()
    process = subprocess.Popen([sys.executable, "-c", STATION, str(folder)])
    try:
        seen: dict[str, Any] = {"followed": wait(qt, lambda: window.follower.link is Link.FOLLOWING)}
        process.send_signal(signal.SIGSTOP)  # lives, but is silent
        robot = window.scene.robots["ur5e"]
        seen["stale"] = wait(qt, lambda: robot.predicted.stale)
    finally:
        process.kill()
        process.wait()
    seen["told"] = wait(qt, window.banner.isVisible) and window.banner.text()
    seen["survives"] = window.isVisible()
    window.close()
    return seen


def main() -> None:
    folder = Path(sys.argv[1])
    qt = application()
    seen = {"watched": watched(qt, folder), "killed": killed(qt, folder / "killed"), "command": by_command(folder)}
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main()
