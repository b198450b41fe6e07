"""`RecorderProcess`: starts a recorder, hears what it says, and ends it. Its death is noticed, and harms nobody."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple, Self

from station.child import python_module
from station.json_reader import parse_json
from station.tasks.recording.episodes import told
from station.tasks.recording.errors import RecordingError, RecordingFileError
from station.tasks.recording.order import Order

ENDING = ".mcap"  # by which other programs know a recording
BEGIN_WITHIN = 60.0  # loads the station on a busy machine [s]
STILL_WRITING = "the disk is slow: the recorder is still writing, and completes the file by itself"
END_WITHIN = 30.0  # a slow disk may have a lot to catch up with [s]


def check_free(path: Path, overwrite: bool) -> None:
    """A RecordingFileError unless a recording can be written there, as far as can be known beforehand."""
    if path.is_dir():
        raise RecordingFileError(f"{path}: a folder; name a file in it")
    if path.exists() and not overwrite:
        raise RecordingFileError(f"{path}: there is a file already; write over it with --overwrite")
    if not path.absolute().parent.is_dir():
        raise RecordingFileError(f"{path}: there is no folder {path.absolute().parent}")


class Outcome(NamedTuple):
    """What became of a recording."""

    path: Path
    records: int | None  # ticks in the file; None: not known, as the recorder is dead
    lost: int | None  # ticks that are missing
    size: int  # [bytes]
    troubles: tuple[str, ...]  # one line each
    failure: str = ""  # why it does not have all of the run; empty if it has
    episodes: Mapping[str, int] = MappingProxyType({})  # by outcome

    @property
    def text(self) -> str:
        """For a person, on one line."""
        parts = [] if self.records is None else [f"{self.records} ticks", f"{self.lost or 'none'} lost"]
        parts += [told(dict(self.episodes))] if self.episodes else []
        trouble = f"; {self.troubles[-1]}" if self.troubles else ""
        return f"{self.path}: {', '.join([*parts, f'{self.size / 1e6:.1f} MB'])}{trouble}"

    @property
    def data(self) -> dict[str, Any]:
        """For programs."""
        return {
            **self._asdict(),
            "path": str(self.path),
            "troubles": list(self.troubles),
            "episodes": dict(self.episodes),
        }


class RecorderProcess:
    """A recorder in a process of its own, which survives this one to complete its file.

    It takes seconds to load, so it is made before the servo is, and told what to do when that is ready.
    """

    def __init__(self) -> None:
        self._path: Path | None = None
        self._said: list[dict[str, Any]] = []
        self._process = subprocess.Popen(  # noqa: S603 (our own module)
            python_module("station.tasks.recording"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is for the run, at whose end the recorder ends in order
        )
        self._news = threading.Condition()
        self._hearing = threading.Thread(target=self._hear, daemon=True)
        self._hearing.start()

    def begin(self, order: Order) -> None:
        """Let it record.

        Raises:
            RecordingError: it could not begin; one line.
        """
        check_free(Path(order.path), order.overwrite)
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it died; that is told below
            self._process.stdin.write(order.to_line() + "\n")
            self._process.stdin.close()
        said = self._wait_for(("recording", "error"))
        if said is None:
            raise RecordingError(f"{order.path}: the recorder did not start")
        if said["kind"] == "error":
            raise RecordingError(said["text"])
        self._path = Path(order.path)

    def wait_until_loaded(self) -> None:
        """Until it waits for its order, or has died."""
        self._wait_for(("loaded",))

    @property
    def process(self) -> int:
        """Its number."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    @property
    def troubles(self) -> tuple[str, ...]:
        """What has gone wrong so far, one line each."""
        own = f"{self._path}: "  # which everybody knows: a line of a terminal is short
        lines = (str(said["text"]) for said in list(self._said) if said["kind"] in ("trouble", "error"))
        return tuple(line.removeprefix(own) for line in lines)

    def close(self) -> Outcome | None:
        """Let it complete its file, and say what is in it; None if it never began. May be called twice."""
        if self._path is None:
            self._kill()
        elif self.running:
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(END_WITHIN)
            if self.running:  # it needs nobody, and what it has is worth more than tidiness
                return Outcome(self._path, None, None, self._path.stat().st_size, (*self.troubles, STILL_WRITING))
        self._hearing.join(END_WITHIN)
        self._close_streams()
        return self._outcome(self._path) if self._path is not None else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _outcome(self, path: Path) -> Outcome:
        last = next((said for said in self._said if said["kind"] == "recorded"), None)
        troubles = self.troubles
        if last is None:
            size = path.stat().st_size if path.exists() else 0
            code = self._process.returncode
            how = f"by {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
            ended = f"the recorder ended early {how}; make the file whole with: station recover {path}"
            return Outcome(path, None, None, size, (*troubles, ended), ended)
        return Outcome(path, last["records"], last["lost"], last["size"], troubles, last["trouble"], last["episodes"])

    def _wait_for(self, kinds: tuple[str, ...]) -> dict[str, Any] | None:
        """The first line of one of these kinds; None if it died before, or takes too long."""

        def found() -> dict[str, Any] | None:
            return next((said for said in self._said if said["kind"] in (*kinds, "")), None)

        with self._news:
            said = self._news.wait_for(found, BEGIN_WITHIN)
        return said if said and said["kind"] else None

    def _hear(self) -> None:
        """Everything it says; an empty line at its end."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with contextlib.suppress(ValueError), self._news:
                self._said.append(parse_json(line, "the recorder"))
                self._news.notify_all()
        with self._news:
            self._said.append({"kind": "", "text": ""})
            self._news.notify_all()

    def _kill(self) -> None:
        if not self.running:
            return
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()

    def _close_streams(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # of an order that was never read
                    stream.close()


def recorder_for(
    path: Path | None, overwrite: bool, tell: Callable[[str], object]
) -> contextlib.AbstractContextManager[RecorderProcess | None]:
    """A recorder that gets ready while others do, if one is wanted; mistakes are told before."""
    if path is None:
        return contextlib.nullcontext()
    check_free(path, overwrite)
    if path.suffix.lower() != ENDING:
        tell(f"note: {path} will be an MCAP file, though its name does not end in {ENDING}; other programs go by that")
    return RecorderProcess()
