"""A replay on a terminal, led by keys."""

from __future__ import annotations

import io
import os
import pty
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from station.run import playback
from station.run.playback import Wishes, replay
from station.servo.shared import StateReader
from station.tasks.recording import Recording
from station.tasks.replay import Player, Ticks
from tests.tasks.recording.conftest import folder, run, servo, state

__all__ = ["folder", "run", "servo", "state"]  # fixtures


@pytest.fixture
def ticks(run: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ticks]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    with Recording(run) as recording:
        yield Ticks(recording)


class Screen:
    """What keys do, without a terminal."""

    def __init__(self, ticks: Ticks) -> None:
        self.player = Player(ticks)
        self.state = StateReader(self.player.path)
        self.screen = playback._Screen(self.player, (self.state,), Wishes(), Console(file=io.StringIO()))

    def press(self, key: str) -> None:
        self.screen._press(key)


@pytest.fixture
def screen(ticks: Ticks) -> Iterator[Screen]:
    made = Screen(ticks)
    yield made
    made.state.close()
    made.player.close()


def test_keys_pause_seek_and_change_the_speed(screen: Screen) -> None:
    player = screen.player
    screen.press(" ")
    assert (player.paused, player.position) == (True, 0.0)
    screen.press("5")
    assert player.position == pytest.approx(0.9995, abs=1e-6)
    screen.press("left")
    assert player.position == 0.0
    screen.press("right")
    assert player.position == pytest.approx(1.999)
    screen.press("up")
    assert player.speed == 2.0
    screen.press("down")
    screen.press("down")
    assert player.speed == 0.5
    for _ in range(20):
        screen.press("up")
    assert player.speed == 100.0
    screen.press("x")  # nothing
    screen.press(" ")  # at the end: from the beginning
    assert (player.paused, player.position) == (False, 0.0)


def test_keys_are_told_apart(screen: Screen) -> None:
    ours, theirs = os.openpty()
    try:
        os.write(theirs, b"a")
        os.write(ours, b"q \x1b[C\x1b[D7\n")
        with os.fdopen(os.dup(theirs)) as source:
            assert list(playback._keys(source, 1.0))[:5] == ["q", " ", "right", "left", "7"]
    finally:
        os.close(ours)
        os.close(theirs)


def test_on_a_terminal_it_stays_until_somebody_ends_it(ticks: Ticks) -> None:
    ours, theirs = pty.openpty()
    drawn = io.StringIO()
    console = Console(file=drawn, force_terminal=True, width=100, height=30)
    done = []
    with os.fdopen(theirs, "r") as source:
        showing = threading.Thread(
            target=lambda: done.append(replay(ticks, Wishes(speed=20.0, paused=False), console, source))
        )
        showing.start()
        while "macdac" not in drawn.getvalue():
            showing.join(0.05)
            assert showing.is_alive()
        os.write(ours, b"q")
        showing.join()
    os.close(ours)
    assert done[0].bench.robot == "macdac"
    assert "space: pause" in drawn.getvalue()


def test_the_window_beside_a_replay_is_on_this_replay_and_no_other_station(
    ticks: Ticks, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []

    class Process:
        def __init__(self, command: list[str], **_: object) -> None:
            started.append(command)

        def terminate(self) -> None: ...

        def wait(self) -> None: ...

    monkeypatch.setattr("station.run.playback.subprocess.Popen", Process)
    monkeypatch.setattr(playback, "scene_of", lambda _ticks, folder: folder / "scene.mad")
    replay(ticks, Wishes(speed=100.0, window=True), Console(file=io.StringIO()), io.StringIO())
    ((*_, module, _scene, state),) = started
    assert module == "station.view.live"
    assert Path(state).name.startswith("replay-")


def test_a_jump_by_the_timeline_of_a_window_begins_the_sums_anew(screen: Screen) -> None:
    before = screen.screen.collector
    screen.player.jumps += 1
    screen.screen._step()
    assert screen.screen.collector is not before
