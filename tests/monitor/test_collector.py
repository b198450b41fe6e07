"""Following the ring of records."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from station.monitor import Collector, OtherRobotError
from station.monitor.collector import BATCH
from station.monitor.columns import tracking_error
from station.servo.pacing import Measure
from station.servo.shared import (
    Acting,
    Batch,
    Cause,
    Emulated,
    Event,
    RecordReader,
    ServoState,
    StateReader,
    StateWriter,
)
from station.servo.shared.memory import RECORDS
from tests.monitor import synthetic

LENGTH = 4.0  # [s]


def watched(writer: StateWriter, reader: StateReader, length: float = LENGTH) -> Collector:
    collector = Collector(reader)
    for rows in synthetic.chunks(length):
        synthetic.publish(writer, rows)
        collector.poll()
    return collector


def test_every_tick_is_collected(writer: StateWriter, reader: StateReader) -> None:
    run = watched(writer, reader).run()
    assert (run.records, run.ticks, run.lost) == (4000, 4000, 0)
    assert run.duration == pytest.approx(LENGTH - 0.001)
    assert run.period == 0.001
    assert run.began == pytest.approx(synthetic.BEGAN + 0.001)
    assert run.emulated == Emulated.DEVICE | Emulated.HAND
    assert run.bench.joints[1].name == "shoulder"


def test_a_poll_does_not_chase_a_servo_that_goes_on_meanwhile(
    writer: StateWriter, reader: StateReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector, rows, read = Collector(reader), synthetic.rows(writer.layout, 1, 1000, LENGTH), RecordReader.read
    looks: list[int] = []

    def read_while_it_goes_on(records: RecordReader, most: int) -> Batch:
        looks.append(len(looks))
        batch = read(records, most)
        synthetic.publish(writer, rows[100 + len(looks) : 101 + len(looks)])
        return batch

    synthetic.publish(writer, rows[:101])
    monkeypatch.setattr(RecordReader, "read", read_while_it_goes_on)
    assert collector.poll() >= 101
    assert len(looks) == -(-101 // BATCH)


def test_curves_are_those_of_the_records(writer: StateWriter, reader: StateReader) -> None:
    curves = watched(writer, reader).run().curves
    exact = synthetic.whole(LENGTH)
    assert np.allclose(curves.time, exact["time"] - exact["time"][0])
    assert np.allclose(curves.of("joints")[0], exact["predicted_q"], atol=1e-6)
    assert np.allclose(curves.of("target")[1], exact["target_pose"][:, :3, 3], atol=1e-6)
    apart = np.linalg.norm((exact["target_pose"] - exact["predicted_pose"])[:, :3, 3], axis=1)
    assert np.allclose(curves.of("error")[0][:, 0], apart, atol=1e-6)
    parts = np.linalg.norm(exact["wrench_parts"][..., :3], axis=-1)
    assert np.allclose(curves.of("force_parts")[1], parts, atol=1e-5)


def test_the_turn_between_poses_is_an_angle(writer: StateWriter, reader: StateReader) -> None:
    run = watched(writer, reader).run()
    assert run.turn_error.worst == pytest.approx(0.002, rel=1e-2)


def test_limits_are_counted_in_seconds(writer: StateWriter, reader: StateReader) -> None:
    run = watched(writer, reader).run()
    exact = synthetic.whole(LENGTH)
    at_stop = int((exact["acting"] & int(Acting.JOINT_STOP) != 0).sum())
    assert at_stop > 0
    assert run.acting[Acting.JOINT_STOP] == pytest.approx(at_stop * 0.001)
    assert Acting.SINGULARITY not in run.acting
    low, high, speed = run.joint_acting[1]
    assert low + high == pytest.approx(at_stop * 0.001)
    assert speed == 0.0


def test_the_largest_force_names_the_cause_that_pushed(writer: StateWriter, reader: StateReader) -> None:
    collector = Collector(reader)
    rows = synthetic.rows(writer.layout, 1, 50, LENGTH)
    parts = writer.layout.by_name["wrench_parts"]
    for row in rows:
        parts.view(row)[...] = 0.0
    parts.view(rows[20])[Cause.STOPS, 0] = 5.0
    parts.view(rows[20])[Cause.LIMITS, 0] = -3.0  # opposes: it is not what pushes
    writer.layout.by_name["wrench"].view(rows[20])[0] = 2000.0
    synthetic.publish(writer, rows)
    collector.poll()
    peak = collector.run().peak
    assert peak is not None
    assert (peak.force, peak.cause) == (2000.0, Cause.STOPS)
    assert peak.time == pytest.approx(0.02)
    assert collector.run().cause_peaks[Cause.LIMITS] == 3.0


def test_energy_is_added_up_over_engagements(writer: StateWriter, reader: StateReader) -> None:
    collector = Collector(reader)
    rendered = [0.0, 1.0, 2.0, 0.0, 0.5, 0.25]  # the count begins anew at the second engaging
    states = [ServoState.ENGAGED] * 2 + [ServoState.HOLD] + [ServoState.ENGAGED] * 3
    for tick, (energy, state) in enumerate(zip(rendered, states, strict=True), 1):
        writer.shared.tick, writer.shared.state, writer.shared.energy_rendered = tick, state, energy
        writer.shared.energy_parts[Cause.PASSIVITY] = 0.1 * energy
        writer.shared.energy_lowest = -1e-4 if tick == 2 else 0.0
        writer.publish()
        collector.poll()
    book = collector.run().energy
    assert book.rendered == pytest.approx(2.25)
    assert book.by_passivity == pytest.approx(0.225)
    assert book.generated == 1e-4


def test_states_and_their_causes_are_kept_to_the_tick(writer: StateWriter, reader: StateReader) -> None:
    run = watched(writer, reader).run()
    order = [ServoState[spell.name] for spell in run.spells]
    assert order == [
        ServoState.READY,
        ServoState.ENGAGED,
        ServoState.FAULT,
        ServoState.READY,
        ServoState.ENGAGED,
        ServoState.HOLD,
    ]
    (fault,) = run.faults
    assert fault.cause == Event.HAPTICS_FAULT
    assert fault.begin == pytest.approx(0.5 * LENGTH - 0.001, abs=1e-9)
    assert [spell.end for spell in run.spells[:-1]] == [spell.begin for spell in run.spells[1:]]


def test_a_hold_that_nobody_asked_for_counts_as_trouble(writer: StateWriter, reader: StateReader) -> None:
    collector = Collector(reader)
    for tick, cause in enumerate((Event.RELEASED, Event.DEVICE_LOST), 1):
        writer.shared.tick, writer.shared.state, writer.shared.cause = tick, ServoState.HOLD, cause
        writer.publish()
    collector.poll()
    assert [spell.cause for spell in collector.run().faults] == [Event.DEVICE_LOST]


def test_lost_records_are_counted_and_their_gap_is_kept(writer: StateWriter, reader: StateReader) -> None:
    collector = Collector(reader)
    synthetic.publish(writer, synthetic.rows(writer.layout, 1, 10, LENGTH))
    collector.poll()
    for tick in range(11, RECORDS + 2011):  # more than the ring holds, and nobody reads
        writer.shared.tick, writer.shared.time = tick, 100.0 + tick / 1000.0
        writer.publish()
    collector.poll()
    run = collector.run()
    assert run.lost == 2000 + 64
    assert run.lost + run.records == run.ticks == RECORDS + 2010
    (gap,) = run.gaps
    assert gap.begin == pytest.approx(0.009)
    assert gap.end - gap.begin == pytest.approx(0.001 * (gap.lost + 1))


def test_numbers_that_are_none_are_counted_and_hurt_nothing(writer: StateWriter, reader: StateReader) -> None:
    collector = Collector(reader)
    rows = synthetic.rows(writer.layout, 1, 20, LENGTH)
    for name in ("target_pose", "predicted_q", "wrench", "wrench_parts", "energy_rendered", "spent"):
        writer.layout.by_name[name].view(rows[5])[...] = math.nan
        writer.layout.by_name[name].view(rows[6])[...] = math.inf
    synthetic.publish(writer, rows)
    collector.poll()
    run = collector.run()
    assert (run.not_finite, run.records) == (2, 20)
    assert math.isfinite(run.energy.rendered)
    assert math.isfinite(run.error.worst) or run.error.samples == 0
    assert all(np.isfinite(list(run.cause_peaks.values())))
    assert run.times[Measure.TICK].samples == 18


def test_memory_does_not_grow_with_the_run(writer: StateWriter, reader: StateReader) -> None:
    collector = Collector(reader, capacity=64)
    for rows in synthetic.chunks(LENGTH):
        synthetic.publish(writer, rows)
        collector.poll()
    run = collector.run()
    assert len(run.curves.time) <= 64
    exact = synthetic.whole(LENGTH)
    assert run.curves.of("joints")[1][:, 0].max() == pytest.approx(exact["predicted_q"][:, 0].max(), abs=1e-6)


def test_a_servo_that_was_started_again_continues_the_run(
    folder: Path, writer: StateWriter, reader: StateReader
) -> None:
    collector = Collector(reader)
    synthetic.publish(writer, synthetic.rows(writer.layout, 1, 1000, LENGTH))
    collector.poll()
    writer.close()
    with StateWriter(synthetic.JOINTS, synthetic.TEXT, name="again", folder=folder) as second:
        synthetic.publish(second, synthetic.rows(second.layout, 1, 500, LENGTH))
        with StateReader(second.path) as state:
            collector.attach(state)
            collector.poll()
    run = collector.run()
    assert (run.ticks, run.records, run.restarts) == (1500, 1500, 1)
    assert run.duration == pytest.approx(0.999 + 0.499, abs=2e-3)
    assert np.all(np.diff(run.curves.time) >= 0.0)
    assert run.late == 1  # only the first servo ran long enough for one
    assert sum(run.late_by_stage.values()) == 1


def test_another_robot_cannot_continue_a_run(folder: Path, reader: StateReader) -> None:
    collector = Collector(reader)
    with (
        StateWriter(3, name="other", folder=folder) as second,
        StateReader(second.path) as state,
        pytest.raises(OtherRobotError, match="3 joints; only a servo with 7"),
    ):
        collector.attach(state)


def test_what_a_servo_publishes_while_it_warms_up_is_no_tick(writer: StateWriter, reader: StateReader) -> None:
    writer.publish()
    writer.publish()
    collector = Collector(reader)
    collector.poll()
    assert collector.run().empty
    synthetic.publish(writer, synthetic.rows(writer.layout, 1, 10, LENGTH))
    collector.poll()
    run = collector.run()
    assert (run.records, run.ticks) == (10, 10)
    assert run.duration == pytest.approx(0.009)


def test_a_run_without_a_tick_is_empty(reader: StateReader) -> None:
    collector = Collector(reader)
    assert collector.poll() == 0
    run = collector.run()
    assert run.empty
    assert (run.ticks, run.duration, run.spells, run.peak) == (0, 0.0, (), None)


def test_numbers_without_names_are_shown_all_the_same(folder: Path) -> None:
    odd = {"robot": 3, "joints": [None, {"low": "x"}, 7], "notes": "no list"}
    with StateWriter(4, odd, name="odd", folder=folder) as writer, StateReader(writer.path) as state:
        bench = Collector(state).bench
    assert [joint.name for joint in bench.joints] == ["joint 1", "joint 2", "joint 3", "joint 4"]
    assert not any(joint.limited for joint in bench.joints)
    assert (bench.title, bench.notes) == ("the robot", ())


def test_a_pose_that_nobody_filled_is_not_known() -> None:
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, :3, 3] = [[1.0, 2.0, 3.0]] * 3
    poses[1] = 0.0
    poses[2, 3, 3] = 0.0  # the last row of a pose says nothing, whoever writes it
    apart = tracking_error(np.tile(np.eye(4), (3, 1, 1)), poses)
    assert apart[:, 0] == pytest.approx([math.sqrt(14.0), math.nan, math.sqrt(14.0)], nan_ok=True)
    assert apart[:, 1] == pytest.approx([0.0, math.nan, 0.0], nan_ok=True)


def test_what_device_and_controller_say_of_a_trouble_is_kept_with_it(writer: StateWriter, reader: StateReader) -> None:
    collector = Collector(reader)
    for tick, (state, said) in enumerate(((ServoState.FAULT, "contact of 405 N"), (ServoState.FAULT, "reset it")), 1):
        writer.shared.tick, writer.shared.state, writer.shared.cause = tick, state, Event.ARM_STOPPED
        writer.write_reason(said)
        writer.publish()
        collector.poll()
    (fault,) = collector.run().faults
    assert fault.reason == "contact of 405 N"


def test_what_is_warned_of_while_the_hand_leads_is_kept(writer: StateWriter, reader: StateReader) -> None:
    collector = Collector(reader)
    for tick, said in ((1, "left over from before"), (1000, "joint 'elbow' was measured 8 mrad away"), (1001, "")):
        writer.shared.tick, writer.shared.time = tick, 0.001 * tick
        writer.shared.state, writer.shared.cause = ServoState.ENGAGED, Event.ENGAGE
        writer.write_reason(said)
        writer.publish()
        collector.poll()
    (led,) = collector.tallies.spells.all
    assert led.reason == "joint 'elbow' was measured 8 mrad away"
