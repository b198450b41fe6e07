"""A servo's files in a folder of their own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from station.private import IN_MEMORY
from station.servo.shared import CommandIntake, StateReader, StateWriter

JOINTS = 3


@pytest.fixture
def folder() -> Iterator[Path]:
    base = IN_MEMORY if IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=base) as name:
        yield Path(name)


@pytest.fixture
def writer(folder: Path) -> Iterator[StateWriter]:
    with StateWriter(JOINTS, {"joints": ["a", "b", "c"]}, folder=folder) as made:
        yield made


@pytest.fixture
def reader(writer: StateWriter) -> Iterator[StateReader]:
    with StateReader(writer.path) as made:
        yield made


@pytest.fixture
def intake(folder: Path) -> Iterator[CommandIntake]:
    with CommandIntake(JOINTS, folder=folder) as made:
        yield made
