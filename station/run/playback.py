"""`station replay`: a recorded run on the terminal, with pause, seek and speed. Whoever watches servos sees it too."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from station.child import python_module
from station.monitor import Collector, Dashboard, Run
from station.private import OwnFolder
from station.run.recorded import scene_of
from station.servo.shared import StateReader
from station.servo.shared.parts import opened_parts
from station.tasks.replay import Player, Ticks
from station.tasks.replay.player import SPEEDS, SpeedError

STEP = 0.02  # between two looks at what is due [s]
PICTURE_EVERY = 0.16  # [s]
LINE_EVERY = 1.0  # of the recording, where there is no terminal [s]
JUMP = 5.0  # of an arrow key [s]
FASTER = 2.0
KEYS = "space: pause   ← →: 5 s   ↑ ↓: speed   0-9: tenths   q: end"
_ARROWS = {"\x1b[C": "right", "\x1b[D": "left", "\x1b[A": "up", "\x1b[B": "down"}


class Wishes(NamedTuple):
    """How to replay."""

    speed: float = 1.0
    start: float = 0.0  # since the beginning of the recording [s]
    seconds: float | None = None  # of the recording to show [s]; None: all
    paused: bool = False
    window: bool = False  # also in a window


def replay(ticks: Ticks, wishes: Wishes, console: Console | None = None, source: TextIO | None = None) -> Run:
    """Show a recording until it ends or somebody ends it; returns what was collected of it."""
    console, source = console or Console(), source or sys.stdin
    if not 0.0 <= wishes.start <= ticks.duration:
        raise SpeedError(f"start {wishes.start:g} s: the recording has {ticks.duration:.3f} s")
    with ExitStack() as stack:
        player = stack.enter_context(Player(ticks, wishes.speed))
        player.seek(wishes.start)
        player.paused = wishes.paused
        states = stack.enter_context(opened_parts(player.path))
        if wishes.window:
            stack.enter_context(_window(ticks, player.path))
        screen = _Screen(player, states, wishes, console)
        if console.is_terminal and source.isatty():
            stack.enter_context(_keys_at_once(source))
            screen.live(source)
        else:
            screen.lines()
        return screen.collector.run()


class _Screen:
    """The dashboard of a replay, and the keys that lead it."""

    def __init__(self, player: Player, states: Sequence[StateReader], wishes: Wishes, console: Console) -> None:
        self._player, self._states, self._console = player, states, console
        self._end = player.ticks.duration if wishes.seconds is None else wishes.start + wishes.seconds
        self._ended = False
        self._jumps = player.jumps
        self._watch_anew()

    def live(self, source: TextIO) -> None:
        """On a terminal, until somebody ends it."""
        due = 0.0
        with Live(console=self._console, screen=True, auto_refresh=False, transient=True) as live:
            while not self._ended:
                self._step()
                if time.monotonic() >= due:
                    due = time.monotonic() + PICTURE_EVERY
                    live.update(Group(self._dashboard.screen(), self._line()), refresh=True)
                for key in _keys(source, STEP):
                    self._press(key)

    def lines(self) -> None:
        """Without a terminal, to the end."""
        from station.monitor.plain import line_of

        due = self._player.position
        while not self._over():
            self._step()
            moment = self._dashboard.moment()
            if moment is not None and self._player.position >= due:
                due += LINE_EVERY
                for one in (moment, *self._dashboard.further):
                    line = f"[{self._player.position:.1f} s] {line_of(one)}"
                    self._console.print(line, markup=False, highlight=False, soft_wrap=True)
            time.sleep(STEP)
        self._step()

    def _step(self) -> None:
        if self._over() and not self._player.paused:
            self._player.paused = True
        self._player.step()
        if self._player.jumps != self._jumps:  # by the timeline of a window
            self._jumps = self._player.jumps
            self._watch_anew()
        self.collector.poll()

    def _over(self) -> bool:
        return self._player.ended or self._player.position >= self._end

    def _press(self, key: str) -> None:
        player = self._player
        if key == "q":
            self._ended = True
        elif key == " ":
            if player.paused and self._over():
                self._seek(0.0)
            player.paused = not player.paused
        elif key in ("left", "right"):
            self._seek(player.position + (JUMP if key == "right" else -JUMP))
        elif key in ("up", "down"):
            factor = FASTER if key == "up" else 1.0 / FASTER
            player.speed = min(max(player.speed * factor, SPEEDS[0]), SPEEDS[1])
        elif key.isdigit():
            self._seek(int(key) / 10.0 * player.ticks.duration)

    def _seek(self, position: float) -> None:
        self._player.seek(position)
        self._watch_anew()

    def _watch_anew(self) -> None:
        """Sums of what was seen make no sense across a jump."""
        state, *further = self._states
        self.collector = Collector(state, from_start=False, further=further)
        self._dashboard = Dashboard(self.collector, self._console)

    def _line(self) -> Text:
        player = self._player
        length = max(self._console.width - 44, 10)
        done = round(length * player.position / max(player.ticks.duration, 1e-9))
        how = "paused" if player.paused else f"{player.speed:g}×"
        bar = "━" * done + "─" * (length - done)
        return Text(f"{player.position:8.2f} s {bar} {player.ticks.duration:.2f} s  {how:>7}\n{KEYS}", style="dim")


@contextlib.contextmanager
def _window(ticks: Ticks, state: Path) -> Iterator[None]:
    """A window beside it, on this very replay, whatever else runs on this machine."""
    with OwnFolder("replay") as place:
        scene = scene_of(ticks, place)
        if scene is None:
            raise SpeedError(f"{ticks.recording.path}: no window: the scene is not in the recording")
        command = python_module("station.view.live", str(scene), str(state))
        window = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603 (our own command)
        try:
            yield
        finally:
            window.terminate()
            window.wait()


@contextlib.contextmanager
def _keys_at_once(source: TextIO) -> Iterator[None]:
    """Keys without Enter; Ctrl-C stays what it is."""
    before = termios.tcgetattr(source)
    tty.setcbreak(source, termios.TCSANOW)
    try:
        yield
    finally:
        termios.tcsetattr(source, termios.TCSANOW, before)


def _keys(source: TextIO, within: float) -> Iterator[str]:
    """Keys that were pressed; waits for one for so long [s]."""
    if not select.select([source], [], [], within)[0]:
        return
    text = os.read(source.fileno(), 256).decode(errors="ignore")
    while text:
        arrow = next((name for code, name in _ARROWS.items() if text.startswith(code)), None)
        yield arrow or text[0]
        text = text[3:] if arrow else text[1:]
