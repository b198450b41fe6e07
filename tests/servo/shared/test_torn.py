"""Two processes at once: no reader ever gets half of one publication and half of another."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from station.kernel import kernel
from station.servo.shared import RecordReader, StateReader
from station.servo.shared.memory import read_snapshot
from tests.servo.shared.other_process import PUBLICATIONS
from tests.servo.shared.processes import other_servo

READS = 20_000  # in one call
CALLS = 20_000  # at most


@kernel
def read_often(shared: int, start: int, words: int, own: np.ndarray, address: int, times: int) -> tuple[int, int, int]:
    """Read; returns how many were whole, how many of them were mixed, and the last number seen."""
    whole, mixed, last = 0, 0, -1
    for _ in range(times):
        if read_snapshot(shared, start, words, address, 1) > 0:
            whole += 1
            for word in own[1:]:
                mixed += word != own[0]
            mixed += own[0] < last  # also: time never goes back
            last = own[0]
    return whole, mixed, last


def test_snapshots_are_never_torn(folder: Path) -> None:
    with other_servo(folder, "storm") as process, StateReader(folder / "other.state") as reader:
        assert process.stdin is not None
        size, start = reader.layout.snapshot, reader.layout.snapshot_start
        own = np.zeros(size, np.int64)
        read_often(reader.address, start, size, own, own.ctypes.data, 1)
        process.stdin.write("go\n")
        process.stdin.flush()
        last = -1
        for _ in range(CALLS):
            whole, mixed, last = read_often(reader.address, start, size, own, own.ctypes.data, READS)
            assert not mixed
            if last == PUBLICATIONS - 1:
                break
            if not whole:  # the writer was interrupted inside a publication: let it have the processor
                time.sleep(0.001)
        assert last == PUBLICATIONS - 1


def test_records_are_never_torn_and_losses_are_counted(folder: Path) -> None:
    with other_servo(folder, "storm") as process, StateReader(folder / "other.state") as state:
        assert process.stdin is not None
        records = RecordReader(state, from_start=True)
        process.stdin.write("go\n")
        process.stdin.flush()
        got, lost, expected = 0, 0, 0
        for _ in range(100_000):
            batch = records.read()
            assert batch.first == expected + batch.lost
            numbers = batch.records
            assert (numbers == np.arange(batch.first, batch.first + len(numbers))[:, None]).all()
            got, lost, expected = got + len(numbers), lost + batch.lost, batch.first + len(numbers)
            if expected == PUBLICATIONS:
                break
        assert got + lost == PUBLICATIONS
        assert records.lost == lost
