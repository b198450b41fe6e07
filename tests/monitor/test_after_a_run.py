"""What is told after a run: the summary, whatever becomes of the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from station.monitor import ReportError, ReportKindError, Run
from station.run.session import Showing, _sum_up, run_session
from station.servo.job import Job

pytestmark = pytest.mark.wall_clock


@pytest.fixture
def no_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "file").write_text("", encoding="utf8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file" / "state"))
    return tmp_path


def test_a_state_folder_that_cannot_be_written_costs_the_report_and_not_the_summary(
    run: Run, no_state_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _sum_up(run, Showing(), Console(), None)
    told = capsys.readouterr().out
    assert "ticks" in told
    assert "no report: " in told
    assert "give a place: --report OUT.html" in told.replace("\n", " ")


def test_programs_get_the_summary_too(run: Run, no_state_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _sum_up(run, Showing(as_json=True), Console(stderr=True), None)
    told = capsys.readouterr()
    assert json.loads(told.out)["report"] is None
    assert "no report: " in told.err


def test_a_report_that_was_asked_for_and_cannot_be_written_is_an_error_after_the_summary(
    run: Run, no_state_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ReportError, match="cannot be written"):
        _sum_up(run, Showing(as_json=True, report=no_state_folder / "file" / "x.html"), Console(stderr=True), None)
    assert json.loads(capsys.readouterr().out)["report"] is None


def test_a_report_of_another_kind_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    with pytest.raises(ReportKindError):
        run_session(Job(file="none.mad", devices={"": "none:"}), 1.0, Showing(report=tmp_path / "x.pdf"))
