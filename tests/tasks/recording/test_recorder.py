"""From the ring of a servo to a file: every number of every tick, and what happens when something is in the way."""

from __future__ import annotations

import math
import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from station.devices.replay import read_recording
from station.servo.shared import Emulated, ServoState, StateReader, StateWriter
from station.servo.shared.memory import RECORDS
from station.tasks.recording import Recording, Writer, recover
from station.tasks.recording.channels import recorded, settings_places
from station.tasks.recording.output import Output
from station.tasks.recording.recorder import Recorder
from tests.monitor import synthetic
from tests.tasks.recording.conftest import TEXT, record_seconds


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """A disk that is full after so many bytes in a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_every_number_of_every_tick_is_in_the_file(run: Path) -> None:
    ring = np.concatenate(list(synthetic.chunks(2.0, size=200)))
    with Recording(run) as recording:
        tables = recording.tables(recorded(synthetic.JOINTS))
    seen = 0
    for name, places in recorded(synthetic.JOINTS).items():
        for place in places:
            found = np.ascontiguousarray(tables[name][place.name]).reshape(len(ring), -1)
            assert np.array_equal(found.view(np.int64), ring[:, place.start : place.end]), place.name  # bit by bit
            seen += place.end - place.start
    assert seen == ring.shape[1]


def test_times_are_those_of_the_day_and_go_on_by_the_clock_of_the_servo(run: Path) -> None:
    with Recording(run) as recording:
        times = recording.messages("/status")["log_time"]
    assert abs(times[0] - synthetic.BEGAN * 1e9) < 2e6
    assert (np.diff(times) == 1_000_000).mean() > 0.99


def test_what_is_only_in_snapshots_is_there_too(run: Path) -> None:
    with Recording(run) as recording:
        settings = recording.messages("/settings")
    assert len(settings) == 10  # one per chunk
    assert set(settings.dtype.names or ()) == {"log_time", *(place.name for place in settings_places(7))}
    assert settings["period"][0] == 1e-3
    assert settings["gains"].shape == (10, 12)


def test_events_tell_what_changed(run: Path) -> None:
    with Recording(run) as recording:
        events = recording.messages("/events")
    states = events[events["kind"] == "state"]
    wanted = [ServoState.READY, ServoState.ENGAGED, ServoState.FAULT, ServoState.READY, ServoState.ENGAGED]
    assert [*wanted, ServoState.HOLD] == states["code"].tolist()
    assert states["text"][1].startswith("ENGAGED: ")
    assert events["text"][events["kind"] == "device"].tolist() == ["READY", "LOST", "READY"]
    assert states["tick"][2] == 1000


def test_it_says_where_it_comes_from(run: Path) -> None:
    with Recording(run) as recording:
        told = recording.metadata
    assert told["servo"]["robot"] == "macdac"
    assert told["layout"]["joints"] == "7"
    assert '"ENGAGED": 2' in told["words"]["ServoState"]
    assert told["end"]["records"] == "2000"
    assert told["end"]["lost"] == "0"


def test_the_recorded_hand_is_a_device(run: Path) -> None:
    hand = read_recording(run)
    wanted = synthetic.whole(2.0)
    ready = wanted["device_status"] == 2
    assert hand.capabilities.model == "syntaxer"
    assert hand.samples["sequence"].tolist() == wanted["hand_sequence"][ready].tolist()
    assert np.array_equal(hand.samples["pose"], wanted["hand_pose"][ready])


def test_a_reader_that_comes_too_late_counts_what_it_lost(servo: StateWriter, state: StateReader, folder: Path) -> None:
    path = folder / "late.mcap"
    recorder = Recorder(state, Writer(path, chunk=math.inf))
    for rows in synthetic.chunks(10.0):
        synthetic.publish(servo, rows)
    recorder.take()
    recorder.write()
    done = recorder.close()
    assert done.lost + done.records == 10_000
    assert 0 < done.lost < 10_000 - RECORDS + 200
    with Recording(path) as recording:
        events = recording.messages("/events")
        ticks = recording.messages("/status")["tick"]
    lost = events[events["kind"] == "lost"]
    assert lost["code"].tolist() == [done.lost]
    assert ticks[0] == done.lost + 1


def test_what_was_overwritten_before_it_came_is_lost_too(servo: StateWriter, state: StateReader, folder: Path) -> None:
    for rows in synthetic.chunks(10.0):
        synthetic.publish(servo, rows)
    recorder = Recorder(state, Writer(folder / "late.mcap", chunk=math.inf))
    recorder.take()
    recorder.write()
    done = recorder.close()
    assert 0 < done.lost == 10_000 - done.records
    with Recording(folder / "late.mcap") as recording:
        events = recording.messages("/events")
    assert events["code"][events["kind"] == "lost"].tolist() == [done.lost]


def test_a_disk_without_room_costs_ticks_but_not_the_file(servo: StateWriter, state: StateReader, folder: Path) -> None:
    path, told = folder / "full.mcap", list[str]()
    recorder = Recorder(state, Writer(path, chunk=math.inf), told.append)
    with room_for(300_000):
        for rows in synthetic.chunks(3.0, size=200):
            synthetic.publish(servo, rows)
            recorder.take()
            recorder.write()
        done = recorder.close()
    assert len(told) == 1
    assert "cannot be written" in told[0]
    assert done.trouble == told[0]
    assert path.stat().st_size <= 300_000
    with Recording(path) as recording:  # whole and sealed, although the disk is full
        ticks = recording.messages("/status")["tick"]
        assert recording.metadata["end"]["lost"] == str(done.lost)
    assert 0 < len(ticks) == done.records
    assert done.records + done.lost == 3000
    assert ticks.tolist() == list(range(1, len(ticks) + 1))


def test_when_there_is_room_again_it_goes_on(servo: StateWriter, state: StateReader, folder: Path) -> None:
    path = folder / "room.mcap"
    recorder = Recorder(state, Writer(path, chunk=math.inf))
    for number, rows in enumerate(synthetic.chunks(3.0, size=200)):
        synthetic.publish(servo, rows)
        recorder.take()
        with room_for(1 if 5 <= number < 8 else resource.RLIM_INFINITY):
            recorder.write()
    done = recorder.close()
    assert (done.records, done.lost) == (2400, 600)
    with Recording(path) as recording:
        lost = recording.messages("/events")
        ticks = recording.messages("/status")["tick"]
        lengths = {len(table) for table in recording.tables(recorded(7)).values()}
    assert lost["code"][lost["kind"] == "lost"].tolist() == [600]
    assert lengths == {2400}
    assert ticks.tolist() == [*range(1, 1001), *range(1601, 3001)]


def test_a_disk_that_has_no_room_at_all_is_told(servo: StateWriter, state: StateReader, folder: Path) -> None:
    path = folder / "none.mcap"
    writer = Writer(path, chunk=math.inf)
    recorder = Recorder(state, writer)
    for rows in synthetic.chunks(1.0, size=200):
        synthetic.publish(servo, rows)
    recorder.take()
    with room_for(writer.size):
        recorder.write()
        done = recorder.close()
    assert (done.records, done.lost) == (0, 1000)
    assert recover(path).messages == 0  # once there is room, even this one can be made whole
    with Recording(path) as recording:
        assert "/status" in recording.channels


def test_a_slow_disk_costs_nothing_while_memory_lasts(
    servo: StateWriter, state: StateReader, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = threading.Event()
    write = Output.write

    def slow(output: Output, data: bytes) -> None:
        stuck.wait(30.0)
        write(output, data)

    path = folder / "slow.mcap"
    recorder = Recorder(state, Writer(path, chunk=math.inf))
    monkeypatch.setattr(Output, "write", slow)
    running = threading.Thread(target=recorder.run)
    running.start()
    for rows in synthetic.chunks(4.0):
        synthetic.publish(servo, rows)  # the servo does not wait
        while recorder._tracks[0].reader.next < rows[-1, state.layout.by_name["tick"].start]:
            os.sched_yield()
    stuck.set()
    recorder.stop()
    running.join()
    with Recording(path) as recording:
        assert recording.messages("/status")["tick"].tolist() == list(range(1, 4001))


def test_a_disk_that_is_too_slow_for_too_long_costs_ticks_that_are_counted(
    servo: StateWriter, state: StateReader, folder: Path
) -> None:
    path = folder / "slow.mcap"
    recorder = Recorder(state, Writer(path, chunk=math.inf), most_waiting=1)
    for rows in synthetic.chunks(20.0):
        synthetic.publish(servo, rows)
        assert not recorder.take()  # no room, as nothing is written
    for _ in range(20):
        recorder.write()
        recorder.take()
    recorder.write()
    done = recorder.close()
    assert done.records + done.lost == 20_000
    assert done.lost > 5_000
    with Recording(path) as recording:
        ticks = recording.messages("/status")["tick"]
        events = recording.messages("/events")
    gaps = np.diff(ticks, prepend=0) - 1
    assert gaps.sum() == done.lost == events["code"][events["kind"] == "lost"].sum()


def test_a_servo_that_ends_ends_the_recording(servo: StateWriter, state: StateReader, folder: Path) -> None:
    recorder = Recorder(state, Writer(folder / "end.mcap", chunk=math.inf))
    for rows in synthetic.chunks(1.0):
        synthetic.publish(servo, rows)
    servo.close()
    done = recorder.run()
    assert (done.records, done.lost, done.ending) == (1000, 0, "the servo ended")


def test_a_status_that_flutters_does_not_flood_the_file(servo: StateWriter, state: StateReader, folder: Path) -> None:
    recorder = Recorder(state, Writer(folder / "flutter.mcap", chunk=math.inf))
    rows = next(synthetic.chunks(2.0))
    rows[:, state.layout.by_name["clutched"].start] = np.arange(2000) % 2
    synthetic.publish(servo, rows)
    recorder.take()
    recorder.write()
    recorder.close()
    with Recording(folder / "flutter.mcap") as recording:
        assert len(recording.messages("/events")) == 50
        assert int(recording.metadata["end"]["events_left_out"]) > 1900
        assert recording.messages("/status")["clutched"].tolist() == [i % 2 for i in range(2000)]


def test_what_is_shown_before_the_first_tick_is_not_recorded(
    servo: StateWriter, state: StateReader, folder: Path
) -> None:
    servo.publish()
    recorder = record_seconds(servo, state, folder / "x.mcap", 0.4)
    assert recorder.close().records == 400


def test_a_device_that_is_not_known_leaves_no_hand_to_replay(folder: Path) -> None:
    text = {**TEXT, "device_model": "sixfold"}
    with StateWriter(7, text, "other", folder) as servo, StateReader(servo.path) as state:
        record_seconds(servo, state, folder / "x.mcap", 0.4).close()
    with Recording(folder / "x.mcap") as recording:
        assert "device" not in recording.metadata
        assert Emulated(int(recording.messages("/status")["emulated"][0])) & Emulated.DEVICE
