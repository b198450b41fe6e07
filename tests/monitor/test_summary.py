"""The summary of a run."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from station.monitor import Collector, Summary
from station.servo.shared import BilateralStatus, Cause, Event, ServoState, StateReader, StateWriter
from tests.monitor import synthetic


@pytest.fixture
def summary(writer: StateWriter, reader: StateReader) -> Summary:
    collector = Collector(reader)
    synthetic.publish(writer, synthetic.rows(writer.layout, 1, 4000, 4.0))
    collector.poll()
    return Summary.of(collector.run())


def test_it_says_what_the_run_came_to(summary: Summary) -> None:
    exact = synthetic.columns(1, 4000, 4.0)
    assert summary.duration == pytest.approx(3.999)
    assert (summary.ticks, summary.late, summary.skipped) == (4000, 5, 2)
    assert sum(summary.late_by_stage.values()) == 5
    assert summary.late_waiting == 2
    assert summary.tick.p50 == pytest.approx(49e-6, rel=0.05)
    assert summary.latency_periods == pytest.approx(1.12, rel=0.02)
    assert summary.strongest is not None
    assert summary.strongest.cause == Cause.COUPLING.name.lower()
    assert summary.energy.generated == pytest.approx(2e-5)
    assert summary.limits["joint stop"] == pytest.approx((exact["acting"] & 1 != 0).sum() * 0.001)
    (fault,) = summary.faults
    assert (fault.state, fault.cause) == ("FAULT", Event.HAPTICS_FAULT.words)
    assert set(summary.shares) == {"READY", "ENGAGED", "FAULT", "HOLD"}
    assert sum(summary.shares.values()) == pytest.approx(summary.duration)


def test_people_get_about_a_dozen_lines(summary: Summary) -> None:
    lines = summary.text.splitlines()
    assert 10 <= len(lines) <= 14
    assert max(map(len, lines)) < 150
    for word in (
        "macdac",
        "emulated: device, hand",
        "5 late",
        "2 of them kept waiting for a processor",
        "2 skipped",
        "µs",
        "periods",
        "mm",
        " N by ",
        "mJ",
    ):
        assert word in summary.text


def test_programs_get_everything_as_json(summary: Summary) -> None:
    data = json.loads(json.dumps(summary.data, allow_nan=False))
    assert data["tick"].keys() == {"p50", "p99", "largest"}
    assert data["faults"][0]["cause"] == Event.HAPTICS_FAULT.words
    assert data["energy"]["generated"] == summary.energy.generated
    assert data["states"][0]["state"] == "READY"
    assert data.keys() == set(Summary.__dataclass_fields__) - {"part", "further"}  # which only several parts have


def test_an_empty_run_is_one_line(reader: StateReader) -> None:
    summary = Summary.of(Collector(reader).run())
    assert summary.empty
    assert summary.text == "no tick was recorded: the servo ended before its first one"
    json.dumps(summary.data, allow_nan=False)


def test_the_same_trouble_over_and_over_is_told_once(writer: StateWriter, reader: StateReader) -> None:
    for tick in range(1, 41):
        writer.shared.tick, writer.shared.time = tick, tick / 1000.0
        writer.shared.state = ServoState.OFF if tick % 2 else ServoState.READY
        writer.shared.cause = Event.DEVICE_LOST if tick % 2 else Event.ALL_READY
        writer.publish()
    collector = Collector(reader)
    collector.poll()
    summary = Summary.of(collector.run())
    assert len(summary.faults) == 20
    (line,) = (line for line in summary.text.splitlines() if line.startswith("faults"))
    assert line.count(Event.DEVICE_LOST.words) == 1
    assert "20× in all for 0.02 s" in line


def test_a_servo_that_failed_is_a_fault(writer: StateWriter, reader: StateReader) -> None:
    writer.shared.tick, writer.shared.state = 1, ServoState.READY
    writer.publish()
    collector = Collector(reader)
    collector.poll()
    assert "faults     none" in Summary.of(collector.run()).text
    summary = Summary.of(replace(collector.run(), failure="the servo was ended by SIGKILL"))
    assert "faults     the servo was ended by SIGKILL" in summary.text
    assert summary.data["failure"] == "the servo was ended by SIGKILL"


def test_how_long_the_arm_pressed_at_its_limit_is_told_if_it_did(
    summary: Summary, writer: StateWriter, reader: StateReader
) -> None:
    assert summary.arm == {}
    assert not any(line.startswith("arm") for line in summary.text.splitlines())
    collector = Collector(reader)
    writer.shared.reflection_status = BilateralStatus.UNTARED
    for tick in range(3000):
        writer.shared.tick += 1
        writer.shared.time += 0.001
        if tick == 1250:
            writer.shared.reflection_status |= BilateralStatus.PRESSING
        elif tick == 2500:
            writer.shared.reflection_status = BilateralStatus.GOOD
        writer.publish()
    collector.poll()
    again = Summary.of(collector.run())
    assert again.arm == pytest.approx({"pressing": 1.25, "untared": 2.5})
    assert "arm        pressed as hard as it may 1.25 s, sensor not tared 2.50 s" in again.text.splitlines()
    assert json.loads(json.dumps(again.data))["arm"]["pressing"] == pytest.approx(1.25)


def test_a_run_that_never_engaged_has_no_tracking_error(writer: StateWriter, reader: StateReader) -> None:
    writer.shared.tick, writer.shared.state = 1, ServoState.READY
    writer.publish()
    collector = Collector(reader)
    collector.poll()
    summary = Summary.of(collector.run())
    assert math.isnan(summary.error.p50)
    assert "never engaged" in summary.text
    assert summary.data["error"] == {"p50": None, "largest": None}
