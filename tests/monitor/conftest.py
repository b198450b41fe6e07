"""A made-up servo in a folder of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from station.monitor import Collector, Run
from station.private import IN_MEMORY
from station.servo.shared import StateReader, StateWriter
from tests.monitor import synthetic


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    base = IN_MEMORY if IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=base) as name:
        yield Path(name)


@pytest.fixture
def folder() -> Iterator[Path]:
    with folder_in_memory() as made:
        yield made


@pytest.fixture(scope="session")
def run() -> Iterator[Run]:
    """With more places than a page is wide, as a run of ten minutes has."""
    with (
        folder_in_memory() as place,
        StateWriter(synthetic.JOINTS, synthetic.TEXT, folder=place) as writer,
        StateReader(writer.path) as reader,
    ):
        collector = Collector(reader, capacity=4096)
        for rows in synthetic.chunks(4.0):
            synthetic.publish(writer, rows)
            collector.poll()
        assert len(collector.run().curves.time) > 2 * 600
        yield collector.run()


@pytest.fixture
def writer(folder: Path) -> Iterator[StateWriter]:
    with StateWriter(synthetic.JOINTS, synthetic.TEXT, folder=folder) as made:
        yield made


@pytest.fixture
def reader(writer: StateWriter) -> Iterator[StateReader]:
    with StateReader(writer.path) as made:
        yield made
