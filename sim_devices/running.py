"""Which emulators run on this machine: each leaves a note while it lives, so that `station devices` can name it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import NamedTuple

from station.json_reader import read_json
from station.private import OwnFolder, living

_KIND, _NOTE = "note", "emulator.json"


class Note(NamedTuple):
    """An emulator that runs in its own process."""

    kind: str
    address: str
    process: int


@contextlib.contextmanager
def noted(kind: str, address: str) -> Iterator[None]:
    """Leave a note of this process for as long as the block lasts."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # nobody will find it by name, but it works
            folder = stack.enter_context(OwnFolder(_KIND))
            note = json.dumps({"kind": kind, "address": address, "process": os.getpid()})
            (folder / _NOTE).write_text(note, encoding="utf-8")
        yield


def running() -> list[Note]:
    """All that live, in the order of their process numbers."""
    found = []
    for folder in living(_KIND):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # not written yet, or just ended
            data = read_json(folder / _NOTE)
            found.append(Note(str(data["kind"]), str(data["address"]), int(data["process"])))
    return sorted(found, key=lambda note: note.process)
