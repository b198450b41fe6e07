"""The times of the clockwork reach other processes."""

from __future__ import annotations

import pytest

from station.clock import VirtualClock
from station.servo.pacing import Measure, Pace, Stage
from station.servo.shared import StateReader, StateWriter
from station.servo.shared.state import fill_timing


def test_times_of_a_pace_are_shown_in_seconds(writer: StateWriter, reader: StateReader) -> None:
    clock = VirtualClock()
    pace = Pace(0.001, clock, window=10)
    for number in range(40):
        pace.wait()
        clock.sleep_until(clock.now() + (0.0022 if number == 35 else 0.0004))
        pace.mark(Stage.SOLVE)
        pace.finish(300_000)
        fill_timing(writer.shared, pace.state)
        writer.publish()
    moment = reader.read()
    assert moment is not None
    assert moment.period[0] == pytest.approx(0.001)
    assert moment.spent[Measure.SOLVE] == pytest.approx(0.0004)
    assert moment.spent[Measure.LATENCY] == pytest.approx(0.0003)
    assert (moment.late_ticks[0], moment.skipped_ticks[0]) == (1, 2)
    assert moment.late_by_stage.tolist() == [0, 0, 1, 0, 0, 0]
    assert moment.percentiles[Measure.TICK].tolist() == list(pace.statistics.window(Measure.TICK)[1:])
