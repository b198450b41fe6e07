"""`station run --record` as people run it: servo, emulated device and recorder, each a process of its own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from station.run.session import Showing, run_session
from station.servo.job import Job
from station.servo.shared import Emulated
from station.tasks.recording import Recording, RecordingFileError
from tests.servo.rigs import GANTRY

HAND = "tighten 0.8 in 0.1; reach 0.22 0 0 in 0.3; press deadman; hold 0.1; reach 0.22 0.02 0 in 0.4; hold 1.5"


@pytest.fixture
def job(tmp_path: Path) -> Job:
    scene = tmp_path / "gantry.mad"
    scene.write_text(GANTRY, encoding="utf8")
    return Job(file=str(scene), device=f"sim:syntaxer?hand={HAND}&seed=5")


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


def test_an_old_recording_is_refused_before_anything_is_started(job: Job, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    path.write_text("mine")
    with pytest.raises(RecordingFileError, match="--force"):
        run_session(job, 1.0, Showing(no_report=True, record=path))
    assert path.read_text() == "mine"
