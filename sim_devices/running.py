"""Which emulators run on this machine: each leaves a note while it lives, so that `station devices` can name it."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from station.json_reader import read_json


class Note(NamedTuple):
    """An emulator that runs in its own process."""

    kind: str
    address: str
    process: int


def _folder() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    return Path(runtime) / f"haptic-station-{os.getuid()}"


@contextlib.contextmanager
def noted(kind: str, address: str) -> Iterator[None]:
    """Leave a note of this process for as long as the block lasts."""
    note = _folder() / f"{os.getpid()}.json"
    try:
        note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        note.write_text(json.dumps({"kind": kind, "address": address}), encoding="utf-8")
    except OSError:  # nobody will find it by name, but it works
        yield
        return
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def running() -> list[Note]:
    """All that live; notes of the dead are removed."""
    found = []
    for note in sorted(_folder().glob("*.json")):
        try:
            process, data = int(note.stem), read_json(note)
            os.kill(process, 0)  # signal 0 asks whether it is there
            found.append(Note(str(data["kind"]), str(data["address"]), process))
        except ProcessLookupError:
            note.unlink(missing_ok=True)
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found
