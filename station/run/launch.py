"""`ServoProcess`: starts a servo process, waits until it is ready, and ends it."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from station.child import Lines
from station.errors import StationError
from station.json_reader import parse_json
from station.run.start import loading_servo
from station.servo.job import Job
from station.servo.shared.channel import header_of
from station.servo.shared.runtime import COMMANDS, OpenedFile
from station.servo.shared.words import to_engage

READY_WITHIN = 900.0  # the first start on a machine compiles everything [s]
END_WITHIN = 15.0  # it winds down, and a busy machine takes its time [s]
LOADING_ENDS_WITHIN = 0.5  # [s]
BEAT = 0.1  # between two signs of life [s]; the servo holds after 0.5 s without one
LOOK_AGAIN = 0.2  # [s]


class ServoStartError(StationError, RuntimeError):
    """A servo that did not become ready; one line that says why."""


class ReadyPart(NamedTuple):
    """A hand that is ready to lead."""

    name: str
    robot: str
    dead_man: str | None  # the button that is held to lead, in words; None: the device has none
    led: str  # the frame that the hand leads, and why it is this one
    stiffness: str  # of the coupling, with its bound
    leads: bool  # from the start; else its device leads another frame
    nobody: bool  # there is no hand: commands lead

    @property
    def lines(self) -> tuple[str, ...]:
        """What a person wants to know of it, where there is no other."""
        if self.nobody:
            return self.named_lines
        return (f"the hand leads {self.led}", to_engage(self.dead_man), self.stiffness)

    @property
    def named_lines(self) -> tuple[str, ...]:
        """The same in one line, where there are others."""
        if self.nobody:
            return (f"{self.robot}: no device leads it; commands can lead {self.led}",)
        if not self.leads:
            return (f"{self.name} can be switched to {self.robot}: {self.led}",)
        return (f"{self.name} leads {self.robot}: {self.led}; {to_engage(self.dead_man)}; {self.stiffness}",)


class Ready(NamedTuple):
    """What a servo process says when everything is compiled and it ticks."""

    state: Path  # its shared state
    process: int
    real_time: bool  # SCHED_FIFO
    notes: tuple[str, ...]  # what the system forbids, one line each
    parts: tuple[ReadyPart, ...]
    calibrations: tuple[str, ...] = ()  # that are in use, one line each

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it that a person wants to know before a run."""
        notes = [f"note: {note}" for note in self.notes]
        alone = len(self.parts) == 1
        told = [line for part in self.parts for line in (part.lines if alone else part.named_lines)]
        return (*told, *self.calibrations, *notes)


class ServoProcess:
    """A servo in a process of its own. It dies with this one, and this one survives its death.

    A thread shows the servo that this process lives; while it is stopped, as by Ctrl-Z, nobody could stop the robot,
    and the servo holds.

    Args:
        job: what it is to do.
        tell: called with what it is doing until it is ready.
        process: one that has begun to load; None: a new one.
    """

    def __init__(
        self,
        job: Job,
        tell: Callable[[str], object] = lambda _text: None,
        process: subprocess.Popen[str] | None = None,
    ) -> None:
        self._process = process or loading_servo()
        assert self._process.stdout is not None
        self._lines = Lines(self._process.stdout)
        self._said = self._last_line = ""
        self._ended = threading.Event()
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(job.to_line() + "\n")
            self._process.stdin.flush()
            self.ready = self._wait(tell)
            self._life = threading.Thread(target=self._beat, name="signs of life", daemon=True)
            self._life.start()
        except BaseException:
            self._end(LOADING_ENDS_WITHIN)  # nothing moves yet, and nobody waits for it to load to the end
            raise

    def _beat(self) -> None:
        """Give signs of life, until the end."""
        try:
            file = OpenedFile(self.ready.state.with_suffix(COMMANDS), writable=True)
        except StationError:
            return  # it has ended already
        with closing(file):
            header = header_of(file.words())
            while True:
                header.starter = time.monotonic_ns()
                if self._ended.wait(BEAT):
                    return

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    @property
    def ending(self) -> str:
        """How it ended, for a person; empty while it runs, and if it ended in order."""
        code = self._process.poll()
        if code is None or code == 0:
            return ""
        if code < 0:
            name = signal.Signals(-code).name
            return f"the servo was ended by {name}; the device takes its force away by itself"
        return f"the servo failed with code {code}: {self._last_words()}"

    @property
    def time_over(self) -> bool:
        """Whether it ended because its time was over."""
        return (
            self._last_line != "" and not self.ending and parse_json(self._last_line, "the servo").get("by") == "time"
        )

    def close(self) -> None:
        """End it in order: the arm brakes, the force ramps away; may be called twice.

        Interrupted while it waits, the second call ends it at once.
        """
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wait(self, tell: Callable[[str], object]) -> Ready:
        end = time.monotonic() + READY_WITHIN
        while time.monotonic() < end:
            line = self._lines.next(LOOK_AGAIN)
            if line is None:
                continue
            if not line:
                raise ServoStartError(f"the servo did not start: {self._last_words()}")
            said: dict[str, Any] = parse_json(line, "the servo")
            if said["kind"] == "ready":
                state, notes = Path(said["state"]), tuple(said["notes"])
                parts = tuple(ReadyPart(**part) for part in said["parts"])
                return Ready(state, said["process"], said["real_time"], notes, parts, tuple(said["calibrations"]))
            if said["kind"] == "error":
                raise ServoStartError(said["text"])
            tell(said["text"])
        raise ServoStartError(f"the servo was not ready within {READY_WITHIN:.0f} s")

    def _last_words(self) -> str:
        """The last line of what it wrote about its own failure; it must have ended."""
        stream = self._process.stderr
        if stream is not None and not stream.closed:
            self._process.wait(END_WITHIN)
            self._said = stream.read()
        lines = self._said.strip().splitlines()
        return lines[-1] if lines else "no reason given"

    def _end(self, within: float = END_WITHIN) -> None:
        process = self._process
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(within)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._ended.set()
        self._last_words()
        if process.stdout is not None and not process.stdout.closed:
            while line := self._lines.next(0.0):
                self._last_line = line.strip()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None and not stream.closed:
                stream.close()
