"""`Sweeping`: a sweep in a process of its own, so that the window goes on; ends with it, whatever ends first.

`python -m station.view.design.sweeping` is that process: a pickled `SweepRequest` on its standard input, pickled
messages on its standard output, each after its length.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import threading
from enum import StrEnum
from typing import IO

from station.child import python_module
from station.errors import StationError
from station.view.design.errors import one_line
from station.view.design.sweep import Reachable, SweepRequest, sweep

LENGTH = struct.Struct("<q")
LONGEST = 64_000_000  # of a message [bytes]
PATIENCE = 5.0  # with a process that should end [s]


class State(StrEnum):
    """How it is with a sweep."""

    RUNNING = "sweeping"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Sweeping:
    """One sweep, from its start to its end. `look` tells what there is; nothing here waits.

    Args:
        request: what is asked for.
    """

    def __init__(self, request: SweepRequest) -> None:
        self.request = request
        self.state = State.RUNNING
        self.trouble = ""  # why it failed
        self._found = Reachable()
        self._lock = threading.Lock()
        self._process = subprocess.Popen(  # noqa: S603 (our own module)
            python_module("station.view.design.sweeping"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    @property
    def found(self) -> Reachable:
        """What was found so far."""
        with self._lock:
            return self._found

    @property
    def share(self) -> float:
        """How much of it is done, 0 to 1."""
        return self.found.tried / self.request.samples

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self.state is State.RUNNING

    def cancel(self) -> None:
        """End it; what was found is kept. May be called twice."""
        with self._lock:
            if self.state is State.RUNNING:
                self.state = State.CANCELLED
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(PATIENCE)

    def _listen(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        last: object = None
        try:
            with self._process.stdin as pipe:
                send(pipe, self.request)
            with self._process.stdout as pipe:
                while (last := receive(pipe)) is not None and isinstance(last, Reachable):
                    with self._lock:
                        self._found = last
        except (OSError, ValueError, pickle.UnpicklingError) as error:
            last = str(error)
        self._process.wait()
        with self._lock:
            if self.state is State.RUNNING:
                done = last is None and self._found.tried == self.request.samples
                self.state = State.DONE if done else State.FAILED
                if not done:
                    self.trouble = str(last) if last else f"its process ended ({self._process.returncode})"


def send(pipe: IO[bytes], message: object) -> None:
    """Write a message after its length."""
    data = pickle.dumps(message)
    pipe.write(LENGTH.pack(len(data)) + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> object:
    """The next message; None at the end. Only from a process of our own: anything else must not be unpickled."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    if not 0 < length <= LONGEST:
        raise ValueError(f"a message of {length} bytes")
    data = pipe.read(length)
    return pickle.loads(data) if len(data) == length else None  # noqa: S301 (see above)


def main() -> None:
    """The process: sweep, and tell what was found."""
    os.nice(5)  # the window comes first
    request = receive(sys.stdin.buffer)
    assert isinstance(request, SweepRequest)
    try:
        for found in sweep(request):
            send(sys.stdout.buffer, found)
    except StationError as error:
        send(sys.stdout.buffer, one_line(error))
    except BrokenPipeError:  # nobody listens any more
        os._exit(1)


if __name__ == "__main__":
    main()
