"""`station run --record` as people run it: servo, emulated device and recorder, each a process of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from calibration.results import Result, Subject, read_results, write_result
from station.devices.parameter import SettingsError
from station.run.episodes import Wishes
from station.run.gripping import Grasp, Gripper
from station.run.recordings import info_command
from station.run.session import Showing, run_session
from station.servo.job import Job
from station.servo.rig import Wanted
from station.servo.shared import Emulated, GripperCode
from station.tasks.recording import Recording, RecordingFileError
from station.tasks.recording.episodes import episodes_of
from station.tasks.recording.facts import calibrations_in
from tests.calibration.arms import GRIPPER
from tests.servo.rigs import GANTRY

pytestmark = pytest.mark.wall_clock

HAND = "tighten 0.8 in 0.1; reach 0.22 0 0 in 0.3; press deadman; hold 0.1; reach 0.22 0.02 0 in 0.4; hold 1.5"


@pytest.fixture
def job(tmp_path: Path) -> Job:
    scene = tmp_path / "gantry.mad"
    scene.write_text(GANTRY, encoding="utf8")
    return Job(file=str(scene), devices={"": f"sim:syntaxer?hand={HAND}&seed=5"})


def test_a_run_is_recorded_from_its_first_tick_to_its_last(
    job: Job, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.mcap"
    run_session(job, 1.0, Showing(as_json=True, no_report=True, record=path))
    told = json.loads(capsys.readouterr().out)["recording"]
    assert told["path"] == str(path)
    with Recording(path) as recording:
        status = recording.messages("/status")
        assert told["records"] == len(status) >= 900
        assert recording.metadata["seeds"] == {"device": "5"}
        assert recording.metadata["run"]["file"] == job.file
        assert recording.metadata["wanted"]["rate"] == "1000.0"
        assert recording.attachments["gantry.mad"] == GANTRY.encode()
        assert "/device/sample" in recording.counts
    assert len(status) + told["lost"] == status["tick"][-1]
    assert (np.diff(status["tick"]) > 0).all()
    assert Emulated(int(status["emulated"][0])) & Emulated.DEVICE


# Left begins and ends an episode, right discards one: a success, then a failure of which nothing is to be kept.
PRESSES = (
    "tighten 0.8 in 0.1; reach 0.22 0 0 in 0.3; press deadman; hold 1; press left; hold 0.1; release left; hold 0.3; "
    "press left; hold 0.1; release left; hold 0.3; press left; hold 0.1; release left; hold 0.3; press right; "
    "hold 0.1; release right; hold 0.2; again"
)


def test_episodes_by_buttons_and_the_gripper_are_in_the_recording(
    job: Job, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.mcap"
    showing = Showing(
        as_json=True,
        no_report=True,
        record=path,
        gripper=Gripper("sim:gripper", Grasp(0.0, 0.08)),
        episodes=Wishes("pick it up", "left", "right"),
    )
    run_session(replace(job, devices={"": f"sim:syntaxer?hand={PRESSES}&seed=5"}), 9.0, showing)
    told = json.loads(capsys.readouterr().out)["recording"]
    with Recording(path) as recording:
        found, gripper = episodes_of(recording), recording.messages("/gripper")
        status = recording.messages("/status")
        assert recording.metadata["run"]["task"] == "pick it up"
    assert found
    assert {one.task for one in found} == {"pick it up"}
    assert {one.outcome for one in found[:-1]} <= {"success", "discarded"}
    assert sum(told["episodes"].values()) == len(found) == status["episode"].max()
    said = gripper[np.isfinite(gripper["gripper_width"])]
    assert len(said)
    assert set(said["gripper_status"].tolist()) <= {GripperCode.IDLE, GripperCode.ACTIVATING, GripperCode.READY}
    assert (said["gripper_width"] >= 0.0).all()
    assert int(status["emulated"][-1]) & Emulated.GRIPPER
    assert (np.diff(gripper["gripper_time"]) >= 0.0).all()


def test_a_button_that_is_not_there_is_one_line_and_nothing_is_recorded(job: Job, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    showing = Showing(as_json=True, no_report=True, record=path, episodes=Wishes("", "middle"))
    with pytest.raises(SettingsError, match="no button 'middle' for episodes; there are: deadman, "):
        run_session(job, 1.0, showing)
    assert not path.exists()


def result(serial: str, method: str, values: dict[str, Any]) -> Result:
    return Result(method=method, subject=Subject.device(serial), values=values, data_hash=method[0] * 64)


def test_calibrations_in_use_are_told_at_the_start_and_in_the_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene, hand, force, tape = (tmp_path / name for name in ("bench.mad", "hand.json", "force.json", "run.mcap"))
    note = 'calibrated { result "9e0" serial "SIM-0000" method "robot geometry" date "2026-11-16" data "d" }'
    lens = 'camera 9 { name "eye" pred 7 resolution { 640 480 } calibrated { result "1e5" method "camera" } }'
    text = GRIPPER.read_text(encoding="utf8")
    scene.write_text(text.replace("  constraint {", f"  {lens}\n  {note}\n  constraint {{", 1), encoding="utf8")
    write_result(hand, result("SIM-0001", "syntaxer zeros", {"numbers": {}}))
    weightless = {"mass": 0.0, "centre": [0.0, 0.0, 0.0]}
    values = {**weightless, "gain": np.eye(6), "bias": [0.0] * 6, "told": weightless}
    write_result(force, result("SIM-0000", "force sensor", values))
    job = Job(
        file=str(scene),
        devices={"": f"sim:syntaxer?hand=none&calibration={hand}"},
        controllers={"": "sim:arm"},
        wanted=Wanted(sensor=str(force)),
    )
    run_session(job, 0.3, Showing(no_report=True, headless=True, record=tape))
    said = capsys.readouterr().out
    with Recording(tape) as recording:
        used = {one.name: one for one in calibrations_in(recording.metadata["calibration"])}
        assert {"hand.json", "force.json"} <= set(recording.attachments)
    assert set(used) == {"device, syntaxer zeros", "robot ur5e, robot geometry", "camera eye, camera", "force sensor"}
    for one in used.values():
        assert one.text in said
    sensor, robot = used["force sensor"], used["robot ur5e, robot geometry"]
    assert sensor == read_results(force)[0].applied("force sensor", force)
    assert (sensor.subject, sensor.data) == ("serial number SIM-0000", "f" * 64)
    assert (robot.result, robot.subject, robot.date, robot.data) == ("9e0", "serial number SIM-0000", "2026-11-16", "d")
    shown = CliRunner().invoke(info_command, [str(tape)])
    assert sensor.text in shown.output.splitlines()
    data = json.loads(CliRunner().invoke(info_command, [str(tape), "--json"]).output)
    assert sensor.told in data["calibration"]


def test_an_old_recording_is_refused_before_anything_is_started(job: Job, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    path.write_text("mine")
    with pytest.raises(RecordingFileError, match="--overwrite"):
        run_session(job, 1.0, Showing(no_report=True, record=path))
    assert path.read_text() == "mine"
