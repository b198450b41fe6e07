"""The ring of full-rate records."""

from __future__ import annotations

import numpy as np
import pytest

from station.servo.shared import RecordReader, StateReader, StateWriter
from station.servo.shared.memory import RECORDS
from station.servo.shared.reader import MARGIN
from station.servo.shared.state import FIELDS


def publish(writer: StateWriter, count: int) -> None:
    for _ in range(count):
        writer.shared.tick += 1
        writer.publish()


def test_a_reader_gets_every_tick_in_order(writer: StateWriter, reader: StateReader) -> None:
    publish(writer, 3)
    records = RecordReader(reader)
    ticks: list[int] = []
    for count in (1, 0, 5, 200):
        publish(writer, count)
        batch = records.read()
        assert (len(batch.records), batch.lost) == (count, 0)
        ticks += [int(record.tick[0]) for record in records.snapshots(batch)]
    assert ticks == list(range(4, 210))


def test_a_batch_is_bounded(writer: StateWriter, reader: StateReader) -> None:
    records = RecordReader(reader)
    publish(writer, 100)
    assert [len(records.read(most=64).records) for _ in range(3)] == [64, 36, 0]


def test_an_overtaken_reader_learns_how_many_it_lost(writer: StateWriter, reader: StateReader) -> None:
    records = RecordReader(reader)
    publish(writer, RECORDS + 1000)
    batch = records.read(most=RECORDS)
    assert batch.lost == 1000 + MARGIN
    assert batch.first == 1000 + MARGIN
    assert len(batch.records) == RECORDS - MARGIN
    assert [record.tick[0] for record in records.snapshots(batch)[:2]] == [batch.first + 1, batch.first + 2]
    publish(writer, 1)
    assert records.read().lost == 0
    assert records.lost == 1000 + MARGIN


def test_a_full_ring_that_is_read_in_time_loses_nothing(writer: StateWriter, reader: StateReader) -> None:
    records = RecordReader(reader)
    publish(writer, RECORDS)
    assert (len(records.read(most=RECORDS).records), records.lost) == (RECORDS, 0)


def test_readers_do_not_disturb_each_other(writer: StateWriter, reader: StateReader) -> None:
    publish(writer, 10)
    late, early = RecordReader(reader), RecordReader(reader, from_start=True)
    publish(writer, 5)
    assert np.array_equal(early.read().records[-5:], late.read().records)


def test_a_record_has_the_recorded_fields_only(writer: StateWriter, reader: StateReader) -> None:
    records = RecordReader(reader)
    writer.shared.predicted_q[:] = 0.5
    publish(writer, 1)
    (record,) = records.snapshots(records.read())
    assert record.predicted_q.tolist() == [0.5] * 3
    for name, field in FIELDS.items():
        if field.recorded:
            assert np.array_equal(getattr(record, name), writer.shared.view(name))
        else:
            with pytest.raises(AttributeError, match="not in records"):
                getattr(record, name)
