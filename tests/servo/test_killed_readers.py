"""Whoever looks at the servo may be stopped or killed at any moment: nothing changes for it.

A watcher of this process reads every record meanwhile: none may be missing, and ticks go on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from station.run.launch import ServoProcess
from station.servo.job import Job
from station.servo.shared import RecordReader, StateReader
from tests.servo.rigs import GANTRY

pytestmark = pytest.mark.wall_clock

PATIENCE = 60.0  # [s]
GOES_ON = 300  # ticks that must follow
# The real window, without a screen; it tells when it shows what the servo does.
VIEW = """import sys
from pathlib import Path
from PySide6 import QtCore
import station
from station.view.follow import Link
from station.view.window import ViewWindow, application
qt = application()
window = ViewWindow(station.load(sys.argv[1]), (400, 300), state=Path(sys.argv[2]))
window.show()
shown = []
def look():
    if window.follower.link is Link.FOLLOWING:
        window.canvas.native.grab()  # draws it
        shown.append(1)
        if len(shown) == 3:
            print("looking", flush=True)
timer = QtCore.QTimer()
timer.timeout.connect(look)
timer.start(50)
qt.exec()
"""
# The command as a person gives it; it says nothing, but holds the file of the state open while it follows.
COMMAND = "from station.cli import main; main()"
READER = """import sys
from pathlib import Path
from station.servo.shared import RecordReader, StateReader
state = StateReader(Path(sys.argv[2]))
reader = RecordReader(state, from_start=True)
while True:
    if len(reader.read().records) and state.read() is not None:
        print("looking", flush=True)
"""


class Watcher:
    """Reads every record of a servo."""

    def __init__(self, state: StateReader) -> None:
        self._reader = RecordReader(state)
        self.ticks: list[int] = []

    def look(self) -> None:
        batch = self._reader.read()
        assert batch.lost == 0
        self.ticks += [int(record.tick[0]) for record in self._reader.snapshots(batch)]

    def until(self, reached: Callable[[], bool], what: str) -> None:
        """Watch until something is true."""
        end = time.monotonic() + PATIENCE
        while not reached():
            assert time.monotonic() < end, what
            time.sleep(0.02)
            self.look()

    def more(self, count: int) -> None:
        """Watch so many more ticks."""
        wanted = len(self.ticks) + count
        self.until(lambda: len(self.ticks) >= wanted, "the servo does not tick")

    @property
    def whole(self) -> bool:
        """Whether no tick is missing or there twice."""
        return self.ticks == list(range(self.ticks[0], self.ticks[0] + len(self.ticks)))


@pytest.fixture(scope="module")
def servo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, ServoProcess]]:
    file = tmp_path_factory.mktemp("scene") / "gantry.mad"
    file.write_text(GANTRY, encoding="utf8")
    with ServoProcess(Job(file=str(file), devices={"": "sim:syntaxer"})) as process:
        yield file, process


@contextmanager
def looking(watcher: Watcher, *command: str) -> Iterator[subprocess.Popen[str]]:
    """A process that looks at the servo; yields when it does."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("DISPLAY", "WAYLAND"))}
    process = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment, "QT_QPA_PLATFORM": "offscreen"},
    )
    try:
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        said: list[str] = []

        def looks() -> bool:
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            assert process.stdout is not None
            said.append(process.stdout.readline() or "")
            return "looking" in said[-1] or follows(process.pid)

        watcher.until(looks, "it never looked")
        yield process
    finally:
        process.kill()
        process.communicate()


def follows(process: int) -> bool:
    """Whether `station view` has mapped the state of a servo; what says 'looking' by itself is not asked."""
    command = Path(f"/proc/{process}/cmdline").read_bytes()
    return b"station.cli" in command and ".state" in Path(f"/proc/{process}/maps").read_text(encoding="utf8")


@pytest.mark.parametrize("name", ["window", "station view", "reader"])
def test_a_stopped_and_then_killed_reader_changes_nothing(name: str, servo: tuple[Path, ServoProcess]) -> None:
    file, process = servo
    commands = {
        "window": ("-c", VIEW, str(file), str(process.ready.state)),
        "station view": ("-c", COMMAND, "view", str(file)),
        "reader": ("-c", READER, str(file), str(process.ready.state)),
    }
    if name != "reader":
        pytest.importorskip("PySide6")
    with StateReader(process.ready.state) as state:
        watcher = Watcher(state)
        watcher.more(100)
        with looking(watcher, *commands[name]) as reader:
            watcher.more(GOES_ON)  # while it looks
            reader.send_signal(signal.SIGSTOP)
            watcher.more(GOES_ON)  # while it stands still in the middle of something
            reader.send_signal(signal.SIGKILL)
            reader.wait()
            watcher.more(GOES_ON)
        assert watcher.whole
        assert process.running
        shown = state.read()
        assert shown is not None
        assert shown.tick[0] >= watcher.ticks[-1]
