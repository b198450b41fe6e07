"""A publisher beside a station: `python -m station.view.sharing STATE FILE URL`. Says where, then nothing."""

from __future__ import annotations

import ctypes
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

from station.errors import StationError
from station.mad import dumps, load
from station.servo.shared import StateReader
from station.servo.shared.runtime import parts_of
from station.view.sharing.access import place_to_publish
from station.view.sharing.publisher import Publisher
from station.view.sharing.wire import Greeting

PR_SET_PDEATHSIG = 1  # of prctl


def main(arguments: list[str]) -> int:
    """Publish until the station ends, or the process that started this one; returns the exit code."""
    stopped: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _frame: stopped.append(number))
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    state, file, url = arguments
    try:
        place, lock = place_to_publish(url)
        scene = load(file)
        with ExitStack() as stack:
            reader, *further = (stack.enter_context(StateReader(path)) for path in parts_of(Path(state)))
            greeting = Greeting(reader.text, dumps(scene), Path(file).name)
            publisher = stack.enter_context(Publisher(reader, greeting, place, lock, further))
            sys.stdout.write(f"{publisher.address}\n")
            sys.stdout.flush()
            publisher.run(lambda: bool(stopped))
    except StationError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
