"""On the virtual clock the same session gives the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from station.servo.shared import RecordReader, StateReader
from tests.servo.rigs import emulated

SESSION = """tighten 0.6 in 0.2; tremor 0.2mm; reach 0.22 0 0 in 0.5; press deadman; reach 0.22 0.04 0.03 in 0.4
circle radius=20mm period=0.5 for 0.5; release deadman; hold 0.2"""
FAULTS = "drop p=0.1 at 0.6 for 0.5; jitter ms=2 at 1.2 for 0.3; silence at 1.7 for 0.05"


def records(folder: Path, seed: int) -> bytes:
    """All full-rate records of a session."""
    folder.mkdir()
    with emulated("ur5e", folder, SESSION, FAULTS, seed) as bench:
        with StateReader(bench.servo.part.writer.path) as state:
            reader = RecordReader(state)
            taken = []
            for _ in range(20):
                bench.ticks(100)
                batch = reader.read()
                assert batch.lost == 0
                taken.append(np.asarray(batch.records).tobytes())
        return b"".join(taken)


def test_the_same_session_gives_identical_records_twice(tmp_path: Path) -> None:
    first, again, other = (records(tmp_path / name, seed) for name, seed in (("a", 7), ("b", 7), ("c", 8)))
    assert len(first) > 2000 * 8 * 100
    assert first == again
    assert first != other
