"""`station run` and what runs beside it: a window, a publisher. Their end is told; the run goes on."""

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

from station.private import runtime_folder
from station.run.beside import Beside, Company, why_no_window
from station.run.places import DEFAULT_BENCH
from station.servo.job import Job
from station.servo.shared import StateReader, StateWriter
from station.view.sharing.watcher import WatchedStation
from tests.view.processes import ROOT, clean_environment

pytestmark = pytest.mark.wall_clock

PATIENCE = 120.0  # [s]
JOB = Job(file=str(DEFAULT_BENCH), devices={"": "sim:syntaxer"})


def until(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


def first_news(company: Company) -> str:
    """The one line that comes first."""
    lines: list[str] = []

    def came() -> bool:
        lines.extend(company.news())
        return bool(lines)

    assert until(came)
    (line,) = lines
    return line


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[StateWriter]:
    with StateWriter(6, {"robot": "ur5e", "rate": 1000.0}, folder=tmp_path) as made:
        made.publish()
        yield made


def test_without_a_screen_one_line_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert why_no_window() == "no window: no screen (DISPLAY is not set)"
    monkeypatch.setenv("DISPLAY", ":98765")
    assert why_no_window() == "no window: no screen answers at DISPLAY=:98765"


def test_headless_opens_nothing_and_says_nothing(writer: StateWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")  # there would be a screen
    with Company(JOB, writer.path, headless=True, publish=None) as company:
        assert company.greetings == []
        assert company._processes == []


def test_the_end_of_a_process_beside_is_told_once_with_its_reason() -> None:
    with Beside("this.module.is.not.there", [], "it is gone; the run goes on") as process:
        process.process.wait(PATIENCE)
        news = process.news()
        assert news.startswith("it is gone; the run goes on (")
        assert "this" in news
        assert process.news() == ""
    with Beside("http.server", ["--bind", "127.0.0.1", "0"], "gone") as process:
        process.process.kill()
        process.process.wait(PATIENCE)
        assert process.news() == "gone (SIGKILL)"


def test_a_publisher_beside_a_run_can_be_watched(writer: StateWriter) -> None:
    with Company(JOB, writer.path, headless=True, publish="tcp://127.0.0.1:0") as company:
        line = first_news(company)
        assert line.startswith("published at tcp://127.0.0.1:")
        source = WatchedStation(line.rpartition(" ")[2])
        try:
            greeting = source.wait(PATIENCE)
            assert "robot ur5e" in greeting.scene
            assert until(lambda: source.look().snapshot is not None)
        finally:
            source.disconnect()


def test_a_publisher_that_cannot_start_is_told_in_one_line(writer: StateWriter, tmp_path: Path) -> None:
    with Company(JOB, writer.path, True, f"tcp://127.0.0.1:0?key={tmp_path / 'none'}&allowed={tmp_path}") as company:
        line = first_news(company)
    assert line.startswith("the station is not published any more; the run goes on (")
    assert "cannot be read" in line


def test_a_mistake_in_share_is_told_before_anything_is_started() -> None:
    command = [sys.executable, "-m", "station", "run", "--publish", "tcp://192.0.2.1:1", "--seconds", "1"]
    environment = clean_environment(XDG_CONFIG_HOME="/nonexistent")
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "must be encrypted" in done.stderr


# The whole command ---------------------------------------------------------------------------------------------------


@contextmanager
def running(folder: Path, *options: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """`station run` with an arm-less robot, and what it prints in a file."""
    command = [sys.executable, "-m", "station", "run", "ur5e", "--controller", "none", "--no-report", *options]
    settings = {"STATION_VIEW_SETTINGS": str(folder / "settings"), **environment}
    with (folder / "said").open("w") as said:
        process = subprocess.Popen(
            command, cwd=ROOT, env=clean_environment(**settings), text=True, stdout=said, stderr=subprocess.STDOUT
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def children(process: int, named: str) -> list[int]:
    """Processes that another one has started, by what they run."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            status, command = (path / "stat").read_text(), (path / "cmdline").read_bytes().decode()
        except OSError:
            continue
        if int(status.rpartition(")")[2].split()[1]) == process and named in command:
            found.append(int(path.name))
    return found


def test_closing_the_window_leaves_the_run_going_and_is_told(tmp_path: Path) -> None:
    said = tmp_path / "said"
    with running(tmp_path, "--seconds", "3600", QT_QPA_PLATFORM="offscreen") as process:
        assert until(lambda: bool(children(process.pid, "station.view.live")))
        (window,) = children(process.pid, "station.view.live")
        assert until(lambda: "now READY" in said.read_text())
        time.sleep(1.0)  # it may be loading still: a window is closed at any time
        os.kill(window, signal.SIGTERM)
        assert until(lambda: "the window is closed; the run goes on" in said.read_text())
        (servo,) = children(process.pid, "station.servo")
        with StateReader(runtime_folder() / f"servo-{servo}.state") as state:
            first = state.read()
            assert until(lambda: (now := state.read()) is not None and first is not None and now.number > first.number)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert "no window" not in said.read_text()


def test_a_run_without_a_screen_says_so_in_exactly_one_line(tmp_path: Path) -> None:
    with running(tmp_path, "--seconds", "0.5") as process:
        assert process.wait(PATIENCE) == 0
    lines = [line for line in (tmp_path / "said").read_text().splitlines() if "window" in line or "screen" in line]
    assert lines == ["no window: no screen (DISPLAY is not set)"]
