"""`RecordReader`: every tick, for a recorder. Who is too slow learns how much it lost; nobody waits for it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from station.servo.shared.kernels import publish as kernels
from station.servo.shared.layout import RECORDS, Words
from station.servo.shared.reader import Snapshot, StateReader

MARGIN = 64  # records by which an overtaken reader jumps ahead of the writer, or it would be overtaken at once again
MOST = 1024  # records in one batch


class Batch(NamedTuple):
    """Records in order, without a gap among them."""

    first: int  # number of the first, from 0
    records: Words  # one row each
    lost: int  # records missing before the first, as this reader came too late


class RecordReader:
    """Reads the ring of one servo from some place on; there may be many, each with a place of its own.

    Args:
        state: the servo's shared state.
        from_start: begin with the oldest record that is there; else with the next that comes.
    """

    def __init__(self, state: StateReader, from_start: bool = False) -> None:
        self._state = state
        written = kernels.records_written(state.address)
        self.next = max(0, written - RECORDS + MARGIN) if from_start else written
        self.lost = 0  # in all

    def read(self, most: int = MOST) -> Batch:
        """All that is new, up to `most` records."""
        layout, address = self._state.layout, self._state.address
        lost = 0
        for _ in range(2):  # once more if it was overtaken between looking and copying
            written = kernels.records_written(address)
            oldest = written - RECORDS
            if self.next < oldest:
                lost += oldest + MARGIN - self.next
                self.next = oldest + MARGIN
            count = min(written - self.next, most)
            records = np.empty((count, layout.record), np.int64)
            target, start = records.ctypes.data, layout.ring_start
            done = kernels.read_records(address, start, layout.record, self.next, count, target)
            if done or not count:
                break
        batch = Batch(self.next, records[:done], lost)
        self.next += done
        self.lost += lost
        return batch

    def snapshots(self, batch: Batch) -> list[Snapshot]:
        """The records of a batch with their fields by name."""
        return [Snapshot(self._state.layout, row, batch.first + i) for i, row in enumerate(batch.records)]
