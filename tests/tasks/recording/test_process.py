"""The recorder as a process of its own."""

from __future__ import annotations

import errno
import os
import signal
import time
from pathlib import Path

import pytest

from station.applied import Applied
from station.servo.shared import StateWriter
from station.tasks.recording import CutShortError, Recording, RecordingError, RecordingFileError, process, recover
from station.tasks.recording.facts import attach, calibration_of, calibrations_in, files_of, seeds, versions
from station.tasks.recording.launch import RecorderProcess
from station.tasks.recording.order import Order
from station.tasks.recording.writing import Writer
from tests.monitor import synthetic

pytestmark = pytest.mark.wall_clock

PATIENCE = 60.0  # [s]


def order(servo: StateWriter, path: Path, **more: object) -> Order:
    return Order(state=str(servo.path), path=str(path), **more)  # type: ignore[arg-type]


def test_it_records_until_the_servo_ends(servo: StateWriter, folder: Path) -> None:
    path, scene = folder / "x.mcap", folder / "scene.mad"
    scene.write_text("RAFF v2.0 Scene")
    with RecorderProcess() as recorder:
        recorder.begin(order(servo, path, attach=(str(scene), "missing.mad"), metadata={"seeds": {"device": "7"}}))
        for rows in synthetic.chunks(1.0):
            synthetic.publish(servo, rows)
        servo.close()
        outcome = recorder.close()
    assert outcome is not None
    assert (outcome.records, outcome.lost) == (1000, 0)
    assert outcome.troubles == ("missing.mad is not in the recording: No such file or directory",)
    assert outcome.text.startswith(f"{path}: 1000 ticks, none lost, ")
    with Recording(path) as recording:
        assert recording.kind == "run"
        assert recording.attachments["scene.mad"] == b"RAFF v2.0 Scene"
        assert recording.metadata["seeds"] == {"device": "7"}
        assert recording.metadata["calibration"] == {"ids": "none"}
        assert "numpy" in recording.metadata["versions"]
        assert recording.metadata["end"]["ending"] == "the servo ended"


def test_its_death_harms_nobody_and_its_file_can_be_made_whole(servo: StateWriter, folder: Path) -> None:
    path = folder / "x.mcap"
    with RecorderProcess() as recorder:
        recorder.begin(order(servo, path))
        begun, end = path.stat().st_size, time.monotonic() + PATIENCE
        for rows in synthetic.chunks(60.0, size=100):
            synthetic.publish(servo, rows)
            if path.stat().st_size > begun or time.monotonic() > end:
                break
        os.kill(recorder.process, signal.SIGKILL)
        synthetic.publish(servo, rows)  # the servo goes on
        while recorder.running:
            time.sleep(0.01)
        outcome = recorder.close()
    assert outcome is not None
    assert outcome.records is None
    assert "ended early by SIGKILL" in outcome.text
    assert "station recover" in outcome.text
    with pytest.raises(CutShortError):
        Recording(path)
    assert recover(path).messages > 0
    with Recording(path) as recording:
        assert recording.messages("/status")["tick"][0] == 1


def test_an_old_file_is_refused_before_anything_is_recorded(servo: StateWriter, folder: Path) -> None:
    path = folder / "x.mcap"
    path.write_text("mine")
    with RecorderProcess() as recorder:
        with pytest.raises(RecordingFileError, match="--overwrite"):
            recorder.begin(order(servo, path))
        assert recorder.close() is None
    assert path.read_text() == "mine"


def test_a_servo_that_is_not_there_is_one_line(folder: Path) -> None:
    with RecorderProcess() as recorder, pytest.raises(RecordingError, match="no such servo"):
        recorder.begin(Order(state=str(folder / "none.state"), path=str(folder / "x.mcap")))
    assert not (folder / "x.mcap").exists()


@pytest.mark.parametrize(("name", "words"), [(".", "a folder"), ("no/such/x.mcap", "there is no folder")])
def test_a_place_that_cannot_be_is_refused(servo: StateWriter, folder: Path, name: str, words: str) -> None:
    with RecorderProcess() as recorder, pytest.raises(RecordingFileError, match=words):
        recorder.begin(order(servo, folder / name))


def test_a_recording_that_was_refused_leaves_no_file(
    servo: StateWriter, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(RecordingFileError, match="No space left"):
        Writer(folder / "x.mcap")
    monkeypatch.undo()
    monkeypatch.setattr(process, "attach", full)
    with pytest.raises(OSError, match="No space left"):
        process.record(order(servo, folder / "y.mcap"))
    assert not list(folder.glob("*.mcap"))


def test_an_order_survives_its_way() -> None:
    first = Order(state="a", path="b", overwrite=True, attach=("c",), metadata={"d": {"e": "f"}})
    assert Order.from_line(first.to_line()) == first


def test_seeds_are_those_of_emulated_parts() -> None:
    urls = {"device": "sim:syntaxer?hand=none&seed=7", "controller": "sim:arm", "other": "tcp://127.0.0.1:5555"}
    assert seeds(urls) == {"device": "7", "controller": "0"}


def test_files_are_those_that_addresses_name(tmp_path: Path) -> None:
    hand, scene = tmp_path / "x.hand", tmp_path / "x.mad"
    hand.write_text("hold 1")
    scene.write_text("RAFF")
    urls = (f"sim:syntaxer?hand=@{hand}&seed=3", f"sim:arm?world={scene}&settings=tip_time=0.1", "replay:missing.mcap")
    assert files_of(str(scene), urls) == (str(scene), str(hand))


def test_files_of_one_name_are_told_apart_and_large_ones_left_out(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "x.mad", tmp_path / "b" / "x.mad", tmp_path / "c" / "x.mad"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(str(path))
    paths[2].write_bytes(bytes(5 << 20))
    with Writer(tmp_path / "out.mcap") as file:
        troubles = attach(file, map(str, paths))
    assert len(troubles) == 1
    assert "larger than 4 MB" in troubles[0]
    with Recording(tmp_path / "out.mcap") as recording:
        assert recording.attachments == {"x.mad": str(paths[0]).encode(), "x-2.mad": str(paths[1]).encode()}


def test_calibrations_are_named() -> None:
    assert calibration_of({}) == {"ids": "none"}
    used = Applied("force sensor", "1a2b", "force sensor", "force.json", "serial number SN-7", "2026-11-17", "cafe")
    told = calibration_of({"calibration": [used.told]})
    assert told["ids"] == "1a2b"
    assert calibrations_in(told) == (used,)
    assert calibrations_in({"ids": "nominal"}) == ()  # of an older recording


def test_versions_name_this_program() -> None:
    assert {"station", "python", "mcap"} <= versions().keys()
