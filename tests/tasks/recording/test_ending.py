"""What a recording or a report is called is looked at before anything is started."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from station.monitor.errors import ReportKindError
from station.run.session import Showing, run_session
from station.servo.job import Job
from station.tasks.recording import launch


@pytest.mark.parametrize(
    ("name", "usual"), [("run.mcap", True), ("RUN.MCAP", True), ("run.txt", False), ("run", False)]
)
def test_a_recording_with_an_unusual_ending_is_made_and_that_is_said(
    name: str, usual: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "RecorderProcess", contextlib.nullcontext)
    said: list[str] = []
    launch.recorder_for(tmp_path / name, False, said.append)
    assert len(said) == (0 if usual else 1)
    if said:
        assert said[0].startswith(f"note: {tmp_path / name} will be an MCAP file")


def test_a_report_that_is_none_is_refused_before_the_run() -> None:
    with pytest.raises(ReportKindError, match=r"^run.txt: a report ends in .html or .png$"):
        run_session(Job(file="no such file", devices={"": "no such device"}), 1.0, Showing(report=Path("run.txt")))
