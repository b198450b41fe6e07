"""A made-up servo, and recordings of it."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from station.private import IN_MEMORY
from station.servo.shared import StateReader, StateWriter
from station.tasks.recording import Writer
from station.tasks.recording.recorder import Recorder
from tests.monitor import synthetic

TEXT = {
    **synthetic.TEXT,
    "buttons": ["deadman", "index", "left", "right"],
    "rate": 1000.0,
    "device_serial_number": "SIM-1",
}


@pytest.fixture
def folder() -> Iterator[Path]:
    base = IN_MEMORY if IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=base) as name:
        yield Path(name)


@pytest.fixture
def servo(folder: Path) -> Iterator[StateWriter]:
    with StateWriter(synthetic.JOINTS, TEXT, folder=folder) as made:
        yield made


@pytest.fixture
def state(servo: StateWriter) -> Iterator[StateReader]:
    with StateReader(servo.path) as made:
        yield made


def record_seconds(servo: StateWriter, state: StateReader, path: Path, seconds: float) -> Recorder:
    """Let a made-up servo run for so long, recorded as the recorder's own process would."""
    recorder = Recorder(state, Writer(path, kind="run", chunk=math.inf))
    for rows in synthetic.chunks(seconds, size=200):
        synthetic.publish(servo, rows)
        recorder.take()
        recorder.write()
    return recorder


@pytest.fixture
def run(servo: StateWriter, state: StateReader, folder: Path) -> Path:
    """A recording of two seconds."""
    path = folder / "run.mcap"
    record_seconds(servo, state, path, 2.0).close()
    return path
