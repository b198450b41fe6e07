"""What runs beside a station: a window, a publisher. Processes of their own: their end is told and changes nothing."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from station.child import python_module
from station.errors import StationError
from station.monitor import Dashboard
from station.run.gripping import Gripper
from station.servo.job import Job
from station.view.screen import check_screen

END_WITHIN = 3.0  # [s]
SAYS_WITHIN = 60.0  # its first word; loading takes a second or two [s]
WINDOW_CLOSED = "the window is closed; the run goes on"
NO_SOUND = "no sound; the run goes on"
NOT_PUBLISHED = "the station is not published any more; the run goes on"


class GripperError(StationError, RuntimeError):
    """A gripper that cannot be led; one line that says why."""


class Beside:
    """A process beside a run.

    Args:
        module: what it runs.
        arguments: with what.
        ended: what is told when it ends while the run goes on.
    """

    def __init__(self, module: str, arguments: list[str], ended: str) -> None:
        self._ended, self._told, self._line = ended, False, ""
        # Not a pipe: one that nobody reads would fill.
        self._words: IO[str] = tempfile.TemporaryFile("w+", encoding="utf8")  # noqa: SIM115 (closed with the process)
        self.process = subprocess.Popen(  # noqa: S603 (this very Python, and our own modules)
            python_module(module, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._words,
            text=True,
            start_new_session=True,  # Ctrl-C is for the run, which then ends this one in order
        )

    def news(self) -> str:
        """Told once: that it has ended; empty otherwise."""
        code = self.process.poll()
        if code is None or self._told:
            return ""
        self._told = True
        if code == 0:
            return self._ended
        why = signal.Signals(-code).name if code < 0 else self.last_words or f"code {code}"
        return f"{self._ended} ({why})"

    @property
    def last_words(self) -> str:
        """The last line that it wrote about itself."""
        self._words.seek(0)
        lines = self._words.read().strip().splitlines()
        return lines[-1] if lines else ""

    def first_line(self, patience: float = SAYS_WITHIN) -> str:
        """What it has said first on its standard output; empty if it ends before, or says nothing for so long [s]."""
        stream = self.process.stdout
        assert stream is not None
        if not self._line and not stream.closed and select.select([stream], [], [], patience)[0]:
            self._line = stream.readline().strip()
        return self._line

    def close(self) -> None:
        """End it; may be called twice."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(END_WITHIN)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._words.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Company:
    """All that runs beside one station.

    Args:
        job: of the station.
        state: its shared state.
        headless: no window, and no word about it.
        publish: where to publish it; None: nowhere.
        gripper: that the hand leads; None: none.
        recording: file that is written of it; None: none.
        sound: contact, limits and faults are heard, if there is a way to.
    """

    def __init__(
        self,
        job: Job,
        state: Path,
        headless: bool,
        publish: str | None,
        gripper: Gripper | None = None,
        recording: Path | None = None,
        sound: bool = False,
    ) -> None:
        self.greetings: list[str] = []  # to be told before the run
        self.told: list[str] = []  # while it went on
        self._processes: list[Beside] = []
        self._publisher: Beside | None = None
        self._address = ""  # where the station is published, once it is
        if publish is not None:
            self._publisher = Beside("station.view.sharing", [str(state), job.file, publish], NOT_PUBLISHED)
            self._processes.append(self._publisher)
        self._sound: Beside | None = None
        self._sounds = ""  # by what, once it does
        if sound:
            self._sound = Beside("station.run.sound", [str(state), *_bell()], NO_SOUND)
            self._processes.append(self._sound)
        if gripper is not None:
            try:
                self._processes.append(gripping_beside(state, gripper))
            except GripperError:
                self.close()
                raise
            self.greetings.append(f"the hand leads the gripper {gripper.name or gripper.url}")
        why = "" if headless else why_no_window()
        if why:
            self.greetings.append(why)
        elif not headless:
            written = [str(recording.absolute())] if recording is not None else []
            self._processes.append(Beside("station.view.live", [job.file, str(state), *written], WINDOW_CLOSED))

    def look(self, dashboard: Dashboard) -> bool:
        """Tell of those that have come or ended; never a reason to end the run: returns False."""
        for line in self.news():
            self.told.append(line)
            dashboard.note(line)
        return False

    def news(self) -> list[str]:
        """What has happened since the last look, a line each."""
        lines = [process.news() for process in self._processes]
        address = self._publisher.first_line(0.0) if self._publisher is not None else ""
        if address and not self._address:
            self._address = address
            lines.insert(0, f"published at {address}; watch it with: station view --watch {address}")
        sounds = self._sound.first_line(0.0) if self._sound is not None else ""
        if sounds and not self._sounds:
            self._sounds = sounds
            lines.insert(0, f"sound by {sounds}: contact by loudness, limits by pitch")
        return [line for line in lines if line]

    def close(self) -> None:
        """End all; may be called twice."""
        for process in self._processes:
            process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _bell() -> list[str]:
    """The terminal whose bell may be rung, as an argument; nothing where there is none, or none with a name."""
    try:
        return [f"--terminal={os.ttyname(sys.stderr.fileno())}"]
    except (OSError, ValueError):
        return []


def why_no_window() -> str:
    """Why there will be no window, in one line; empty if there will be one."""
    try:
        check_screen()
    except StationError as error:
        return f"no window: {str(error).partition(';')[0]}"
    return ""


def gripping_beside(state: Path, gripper: Gripper) -> Beside:
    """The process that leads a gripper; raises GripperError if it does not start."""
    beside = Beside(
        "station.run.gripping", [str(state), *gripper.arguments], "the gripper is no longer led; the run goes on"
    )
    if not beside.first_line():
        with beside:
            beside.process.wait(END_WITHIN)
            raise GripperError(beside.last_words or f"{gripper.url}: the gripper cannot be led")
    return beside
