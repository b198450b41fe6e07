"""Runs of several hands and robots in one file: each part as if it were alone, with the same ticks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from mcap.reader import make_reader

from station.devices import open_device
from station.devices.errors import DeviceMismatchError
from station.devices.replay import read_recording
from station.monitor import Summary
from station.run.recorded import watched_run, write_report
from station.run.recordings import info_command
from station.servo.shared import DeviceCode, StateReader, StateWriter
from station.servo.shared.memory import layout_of
from station.servo.shared.parts import opened_parts, part_names
from station.tasks.export import export
from station.tasks.recording import DamagedError, MissingError, Recording, Writer, recover
from station.tasks.recording.parts import from_told, places_of, told
from station.tasks.recording.recorder import Recorder
from station.tasks.replay import Ticks
from tests.monitor import synthetic
from tests.servo.test_parts import gantries, hands_on
from tests.tasks.recording.conftest import TEXT

Pair = tuple[StateWriter, StateWriter]


@pytest.fixture
def pair(folder: Path) -> Iterator[Pair]:
    more = {name: TEXT[name] for name in ("buttons", "rate", "device_serial_number")}
    with synthetic.pair(folder, **more) as made:
        yield made


@pytest.fixture
def both(pair: Pair, folder: Path) -> Path:
    """A recording of a second of both."""
    path = folder / "both.mcap"
    with opened_parts(pair[0].path) as states:
        recorder = Recorder(states, Writer(path, kind="run", chunk=math.inf))
        for number in synthetic.together(pair, 1.0):
            if number % 200 == 199:
                recorder.take()
                recorder.write()
        done = recorder.close()
    assert (done.records, done.lost) == (1000, 0)
    return path


def test_all_parts_are_in_one_file_with_the_same_ticks_and_times(both: Path) -> None:
    with Recording(both) as run:
        assert run.parts == ("left", "right")
        left, right = (run.part(name).messages("/status") for name in run.parts)
        np.testing.assert_array_equal(left["tick"], np.arange(1, 1001))
        np.testing.assert_array_equal(left["tick"], right["tick"])
        np.testing.assert_array_equal(left["log_time"], right["log_time"])
        assert run.metadata["end"]["records of right"] == "1000"
        assert run.metadata["end"]["lost of right"] == "0"


def test_the_first_part_is_where_it_has_always_been(both: Path, run: Path) -> None:
    with Recording(both) as several, Recording(run) as one:
        assert set(one.channels) <= set(several.channels)
        assert {name for name in several.channels if name not in one.channels} == {f"/right{n}" for n in one.channels}
        np.testing.assert_array_equal(
            several.messages("/predicted")["predicted_q"], several.part("left").messages("/predicted")["predicted_q"]
        )
        assert several.part("left").channels == one.channels
        assert one.parts == ("macdac",)  # a recording of one says nothing of parts
        assert one.part("macdac").counts == one.counts


def test_a_part_has_the_interface_of_a_recording(both: Path) -> None:
    with Recording(both) as run:
        right = run.part("right")
        assert right.channels == run.part("left").channels
        assert right.counts["/status"] == 1000
        assert right.metadata["servo"]["robot"] == "other"
        assert right.metadata["layout"]["joints"] == "6"
        assert "right/servo" not in right.metadata
        assert right.metadata["end"] == run.metadata["end"]
        assert right.messages("/predicted")["predicted_q"].shape == (1000, 6)
        assert right.parts == ("right",)
        assert Ticks(right).layout is layout_of(6)
        with pytest.raises(MissingError, match="no part 'up'; there are: left, right"):
            run.part("up")
        with pytest.raises(MissingError, match="no channel /right/hand"):
            right.messages("/right/hand")


def test_events_and_frames_of_further_parts_are_their_own(both: Path) -> None:
    with Recording(both) as run:
        states = [set(run.part(name).messages("/events")["text"].tolist()) for name in run.parts]
        assert any("ENGAGED" in text for text in states[0])
        assert not any("ENGAGED" in text for text in states[1])
    with both.open("rb") as stream:
        found = [message.data for _, _, message in make_reader(stream).iter_messages(topics=["/right/frames"])]
    assert b'"right/target"' in found[0]
    assert b'"parent_frame_id": "world"' in found[0]
    assert b'"parent_frame_id": "right/device"' in found[0]


def test_what_one_part_lost_is_told_of_that_part(pair: Pair, folder: Path) -> None:
    with opened_parts(pair[0].path) as states:
        recorder = Recorder(states, Writer(folder / "lost.mcap", chunk=math.inf))
        for _ in range(9000):  # more than the ring holds, of one part alone
            pair[1].shared.tick += 1
            pair[1].publish()
        recorder.take()
        recorder.write()
        done = recorder.close()
    assert done.lost > 800
    with Recording(folder / "lost.mcap") as run:
        assert run.metadata["end"]["lost of right"] == str(done.lost)
        assert "lost" in run.part("right").messages("/events")["kind"].tolist()
        assert "lost" not in run.part("left").messages("/events")["kind"].tolist()


def test_a_recording_of_several_that_was_cut_is_made_whole(pair: Pair, folder: Path) -> None:
    path = folder / "cut.mcap"
    with opened_parts(pair[0].path) as states:
        writer = Writer(path, kind="run", chunk=math.inf)
        recorder = Recorder(states, writer)
        for _ in synthetic.together(pair, 0.3):
            pass
        recorder.take()
        recorder.write()
        writer.abandon()  # as if it had been killed
    recover(path)
    with Recording(path) as run:
        assert run.parts == ("left", "right")
        last = [run.part(name).messages("/status")["tick"][-1] for name in run.parts]
        assert last == [300, 300]
    assert recover(path).was_whole


def test_parts_that_make_no_sense_are_refused(folder: Path) -> None:
    path = folder / "odd.mcap"
    with Writer(path, kind="run") as writer:
        writer.metadata("parts", {"names": '["a", "b"]', "folders": '["", ""]'})
    with pytest.raises(DamagedError, match=r"odd\.mcap: damaged"):
        Recording(path)


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        ([{"part": "left"}, {"part": "right"}], ("left", "right")),
        ([{"part": "1", "robot": "a"}, {"part": "1", "robot": "b"}], ("1 a", "1 b")),
        ([{"part": "1", "robot": "a"}, {"part": "1", "robot": "a"}], ("1 a", "1 a 2")),
        ([{"robot": "ur5e"}], ("ur5e",)),
        ([{}, {}], ("1", "2")),
    ],
)
def test_every_part_has_a_name_of_its_own(texts: list[dict[str, str]], names: tuple[str, ...]) -> None:
    assert part_names(texts) == names


def test_folders_can_be_topics_and_are_never_those_of_the_first_part() -> None:
    places = places_of(["left", "the right one", "device", "the.right.one", "episode"])
    assert [place.folder for place in places] == ["", "/the_right_one", "/device_3", "/the_right_one_4", "/episode_5"]
    assert places[1].channel("/hand") == "/the_right_one/hand"
    assert places[1].metadata("servo") == "the_right_one/servo"
    assert from_told(told(places)) == places


def test_readers_of_all_parts_come_in_their_order(pair: Pair) -> None:
    with opened_parts(pair[0].path) as states:
        assert [state.text["part"] for state in states] == ["left", "right"]
        assert all(isinstance(state, StateReader) for state in states)
    with opened_parts(pair[1].path) as states:  # a further part alone
        assert [state.text["part"] for state in states] == ["right"]
    with ExitStack() as stack, pytest.raises(Exception, match="no such servo"):
        stack.enter_context(opened_parts(pair[0].path.with_name("none.state")))


def test_a_real_servo_of_two_hands_is_recorded_whole_and_summed_up_from_its_recording(folder: Path) -> None:
    path = folder / "hands.mcap"
    with (
        hands_on(gantries("left", "right"), folder, "left", "right") as bench,
        opened_parts(bench.servo.part.writer.path) as states,
    ):
        recorder = Recorder(states, Writer(path, kind="run", chunk=math.inf))
        bench.press("left", "right")
        bench.move("left", (0.0, 0.0, 0.03))
        bench.move("right", (0.0, 0.0, -0.02))
        recorder.take()
        recorder.write()
        done = recorder.close()
    assert done.lost == 0
    with Recording(path) as run:
        assert run.parts == ("left", "right")
        tables = [run.part(name).tables(("/status", "/predicted")) for name in run.parts]
        np.testing.assert_array_equal(tables[0]["/status"]["tick"], tables[1]["/status"]["tick"])
        np.testing.assert_array_equal(tables[0]["/status"]["log_time"], tables[1]["/status"]["log_time"])
        moved = [table["/predicted"]["predicted_pose"].reshape(-1, 4, 4)[:, 2, 3] for table in tables]
        assert moved[0][-1] - moved[0][0] == pytest.approx(0.03, abs=1e-3)
        assert moved[1][-1] - moved[1][0] == pytest.approx(-0.02, abs=1e-3)
        summary = Summary.of(watched_run(Ticks(run)))
        assert [part.part for part in summary.parts] == ["left", "right"]
        assert all("ENGAGED" in part.shares for part in summary.parts)


def test_tables_and_reports_have_all_parts(both: Path, folder: Path) -> None:
    with Recording(both) as run:
        files = {path.name for path in export(run, folder / "tables", "csv")}
        assert {"predicted.csv", "right_predicted.csv", "right_events.csv"} <= files
        head = (folder / "tables" / "right_predicted.csv").read_text(encoding="utf8").partition("\n")[0]
        assert "predicted_q/pitch" in head
        assert "predicted_q/slide" not in head  # which only the first robot has
        page = write_report(Ticks(run), folder / "both.html", overwrite=False, pictures=False).read_text(
            encoding="utf8"
        )
    assert "<h1>left: the recording</h1>" in page
    assert "<h1>right: the recording</h1>" in page
    assert page.count("<h2>Margins</h2>") == 2


def test_facts_name_the_parts(both: Path) -> None:
    told = CliRunner().invoke(info_command, [str(both)])
    assert told.exit_code == 0, told.output
    assert "part left: sim:syntaxer leads macdac" in told.output
    assert "part right: sim:syntaxer leads other" in told.output


def test_each_recorded_hand_can_lead_again(both: Path) -> None:
    with Recording(both) as run:
        right = run.part("right")
        ready = right.messages("/status")["device_status"] == DeviceCode.READY  # while it was lost there were none
        wanted = right.messages("/hand")["hand_pose"][ready]
    with open_device(f"replay:{both}?part=right") as device:
        assert device.capabilities.model == "syntaxer"
    found = read_recording(both, "right").samples["pose"]
    np.testing.assert_array_equal(found.reshape(-1, 16), wanted.reshape(-1, 16))
    with pytest.raises(DeviceMismatchError, match="no samples of a device on /up/device/sample"):
        open_device(f"replay:{both}?part=up")
