"""A servo in a process of its own, for tests: `python -m tests.servo.shared.other_process FOLDER storm|stand`.

storm   publishes as fast as it can, every word of a snapshot the same, after a line on its input, then ends
stand   publishes once, answers commands until its input ends or it is killed
"""

from __future__ import annotations

import os
import select
import sys
import time
from pathlib import Path

from station.kernel import address_of_record, ints_at, kernel
from station.servo.shared import CommandIntake, Reason, StateWriter
from station.servo.shared.memory import Link, publish

PUBLICATIONS = 400_000
SECONDS = 60.0  # after which it ends by itself, whatever happens


@kernel
def storm(link: Link, first: int, last: int) -> None:
    """Publish numbers, each in all words of all fields."""
    own, pieces = address_of_record(link.own), link.pieces
    for number in range(first, last):
        for piece in range(pieces.shape[0]):
            words = ints_at(own + 8 * pieces[piece, 0], pieces[piece, 2])
            for place in range(words.size):
                words[place] = number
        publish(link)


def main(folder: Path, what: str) -> None:
    """Be a servo."""
    with StateWriter(3, name="other", folder=folder) as writer, CommandIntake(3, "other", folder) as intake:
        storm(writer.link, 0, 1)
        print(os.getpid(), flush=True)  # noqa: T201 (says: ready)
        if what == "storm":
            sys.stdin.readline()
            storm(writer.link, 1, PUBLICATIONS)
            return
        end, tick = time.monotonic() + SECONDS, 0
        while time.monotonic() < end and not select.select([sys.stdin], [], [], 0.001)[0]:
            tick += 1
            intake.serve(lambda _command: Reason.ACCEPTED, tick)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
