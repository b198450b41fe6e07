"""The sound of a run, `station run --sound`: a process beside it that reads shared state, and nobody waits for.

Samples go to the first way that works: the library sounddevice (extra `sound`), else a player of the system that takes
raw samples, else the bell of the terminal, which knows only that something has begun.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from station.errors import StationError
from station.run.cues import BLOCK, RATE, SILENCE, Cues, Synthesiser, cues_of
from station.servo.shared import StateReader

PLAYERS = {  # each takes raw samples, 16 bits, one channel, from its standard input
    "pw-cat": ("--playback", "--format=s16", f"--rate={RATE}", "--channels=1", "--latency=40ms", "-"),
    "paplay": ("--raw", "--format=s16le", f"--rate={RATE}", "--channels=1", "--latency-msec=40"),
    "aplay": ("-q", "-t", "raw", "-f", "S16_LE", "-r", str(RATE), "-c", "1", "--buffer-time=80000"),
}
PERIOD = BLOCK / RATE  # [s]
AHEAD = 2  # blocks that a player is given before they are due
TRIED_FOR = 0.3  # a player that cannot play ends by itself [s]
STALE = 0.5  # a servo that says nothing for so long gives nothing to hear [s]
BELL_EVERY = 0.5  # at most [s]


class NoSoundError(StationError, RuntimeError):
    """No way to make sound; one line with the ways that were tried."""


class Sink(Protocol):
    """Where sound goes. `play` returns at once, whatever becomes of the samples, and says whether it goes on."""

    name: str

    def play(self, samples: NDArray[np.int16], cues: Cues) -> bool:
        """The next block, and what is in it."""

    def close(self) -> None:
        """End it; may be called twice."""


class Player:
    """A program of the system. What its pipe has no room for is left out: late sound is worth nothing."""

    def __init__(self, name: str, command: list[str]) -> None:
        self.name = name
        self._process = subprocess.Popen(  # noqa: S603 (one of PLAYERS, found in PATH)
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        assert self._process.stdin is not None
        self._pipe = self._process.stdin.fileno()
        os.set_blocking(self._pipe, False)

    def play(self, samples: NDArray[np.int16], cues: Cues) -> bool:
        """The next block."""
        del cues
        try:
            os.write(self._pipe, samples.astype("<i2").tobytes())
        except BlockingIOError:
            pass
        except OSError:
            return False
        return self._process.poll() is None

    def close(self) -> None:
        """End it; may be called twice."""
        if self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1.0)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()


class LibrarySink:
    """The library sounddevice, which has a thread of its own; it takes blocks from a short queue."""

    name = "sounddevice"

    def __init__(self, library: Any) -> None:
        self._stream = library.RawOutputStream(samplerate=RATE, channels=1, dtype="int16", latency="low")
        self._stream.start()

    def play(self, samples: NDArray[np.int16], cues: Cues) -> bool:
        """The next block."""
        del cues
        try:
            if self._stream.write_available >= len(samples):
                self._stream.write(samples.tobytes())
            return bool(self._stream.active)
        except Exception:  # a device that was pulled out, in the library's own words
            return False

    def close(self) -> None:
        """End it; may be called twice."""
        self._stream.close()


class Bell:
    """The terminal's bell, where nothing else is there: it rings when a contact, a limit or a fault begins."""

    name = "the bell of the terminal"

    def __init__(self, terminal: str, now: Callable[[], float] = time.monotonic) -> None:
        self._terminal, self._now = os.open(terminal, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK), now
        self._before, self._rung = SILENCE, -BELL_EVERY

    def play(self, samples: NDArray[np.int16], cues: Cues) -> bool:
        """Ring if something has begun."""
        del samples
        begun = (
            (cues.fault and not self._before.fault)
            or (cues.limit and not self._before.limit)
            or (cues.contact > 1.0 >= self._before.contact)
        )
        self._before = cues
        if begun and self._now() - self._rung >= BELL_EVERY:
            self._rung = self._now()
            try:
                os.write(self._terminal, b"\a")
            except BlockingIOError:
                pass
            except OSError:
                return False
        return True

    def close(self) -> None:
        """End it; may be called twice."""
        with contextlib.suppress(OSError):
            os.close(self._terminal)


def ways(terminal: str | None) -> Iterator[Callable[[], Sink]]:
    """Ways to make sound, the best first; each raises an OSError or the like if it does not work."""
    with contextlib.suppress(ImportError, OSError):  # the library loads one of the system
        library = importlib.import_module("sounddevice")
        yield partial(LibrarySink, library)
    for name, options in PLAYERS.items():
        found = shutil.which(name)
        if found is not None:
            yield partial(Player, name, [found, *options])
    if terminal:
        yield partial(Bell, terminal)


def open_sink(found: Iterator[Callable[[], Sink]], wait: Callable[[float], object] = time.sleep) -> Sink:
    """The first way that still works after a moment of silence; raises NoSoundError."""
    tried = []
    for way in found:
        try:
            sink = way()
        except Exception as error:  # libraries of sound fail in ways of their own
            tried.append(" ".join(str(error).split())[:80])
            continue
        silence = np.zeros(BLOCK, np.int16)
        sink.play(silence, SILENCE)
        wait(TRIED_FOR)
        if sink.play(silence, SILENCE):
            return sink
        sink.close()
        tried.append(f"{sink.name} ended at once")
    reason = "; ".join(tried) or f"there is neither sounddevice nor {', '.join(PLAYERS)}"
    raise NoSoundError(reason)


def follow(
    reader: StateReader,
    sink: Sink,
    now: Callable[[], float] = time.monotonic,
    wait: Callable[[float], object] = time.sleep,
) -> None:
    """Make the sound of a servo until it is gone; raises NoSoundError if the sink ends before."""
    synthesiser, due = Synthesiser(), now() - AHEAD * PERIOD
    while reader.alive:
        cues = SILENCE
        with contextlib.suppress(StationError):  # it stopped while it was publishing
            if reader.heartbeat_age < STALE:
                cues = cues_of(reader.read())
        if not sink.play(synthesiser.block(cues), cues):
            raise NoSoundError(f"{sink.name} has ended")
        due = max(due + PERIOD, now() - 10 * PERIOD)  # after a pause of the machine what was missed is not made up
        wait(max(due - now(), 0.0))


def main() -> int:
    """`python -m station.run.sound STATE [--terminal PATH]`."""
    parser = argparse.ArgumentParser(prog="python -m station.run.sound", description=__doc__)
    parser.add_argument("state", type=Path, help="shared state of the servo")
    parser.add_argument("--terminal", help="whose bell may be rung")
    given = parser.parse_args()
    try:
        with StateReader(given.state) as reader, contextlib.closing(open_sink(ways(given.terminal))) as sink:
            sys.stdout.write(f"{sink.name}\n")
            sys.stdout.flush()
            follow(reader, sink)
    except StationError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
