"""`station check --assemblies`, and the line that says what stays open."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import robots
import station

BENT = """RAFF v2.0 Bent
robot test {{ base {{ }}
link 1 {{ parameters {{ theta 60 r 0 alpha {skew} d 0 }} type revolute pred 0 }}
link 2 {{ parameters {{ theta -60 r 0 alpha 0 d 300 }} type revolute pred 1 passive }}
link 3 {{ parameters {{ theta 60 r 0 alpha 0 d 500 }} type revolute pred 0 passive }}
frame 4 {{ pos {{ 500 0 0 }} pred 2 }}
frame 5 {{ pos {{ 300 0 0 }} pred 3 }}
constraint {{ frame 4 frame 5 type revolute }}
}}
"""


class Done(NamedTuple):
    exit_code: int
    stdout: str
    output: str


def run(*arguments: str) -> Done:
    command = [sys.executable, "-c", "from station.cli import main; main()", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stdout + done.stderr)


def test_six_postures_are_named() -> None:
    result = run("check", "3-rpr", "--assemblies")
    assert result.exit_code == 0
    assert "6 assemblies with 400 starts" in result.output
    assert "mode-4" in result.output  # known to the file by this name
    assert "posture " not in result.output  # nothing new


def test_new_ones_are_written_and_nothing_else_changes(tmp_path: Path) -> None:
    text = Path(robots.path("3-rpr")).read_text()
    begin, end = text.index("  posture mode-3"), text.index("  posture mode-6")
    source, target = tmp_path / "some.mad", tmp_path / "all.mad"
    source.write_text(text[:begin] + text[end:])
    result = run("check", str(source), "--assemblies", "--write", str(target))
    assert result.exit_code == 0, result.output
    assert "2 new postures" in result.output
    lines = target.read_text().splitlines()
    added = [line for line in lines if "assembly-" in line]
    assert len(added) == 2
    assert [line for line in lines if line not in added] == source.read_text().splitlines()
    arm = station.load(target)["3-rpr"]
    for posture in arm.robot.postures:
        arm.q = [dict(posture.joints)[joint.id] for joint in arm.joints]
        assert arm.closure_error.metres < 1e-9
    again = run("check", str(source), "--assemblies", "--write", str(target))
    assert again.exit_code == 2
    assert "exists already" in again.output


def test_for_programs() -> None:
    data = json.loads(run("check", "delta", "--assemblies", "--json").stdout)
    assert data["ok"]
    assert data["held_links"] == [1, 6, 11]
    usual = [one for one in data["assemblies"] if not one["strange"]]
    assert [one["pose"][2][3] for one in usual] == pytest.approx([-1.064452, 1.064452], abs=1e-5)
    assert usual[1]["beyond_stops"]


def test_what_cannot_be_asked_is_said_in_a_line() -> None:
    for arguments, word in (
        (("ur5e", "--assemblies"), "--hold tool"),
        (("3-rpr", "--assemblies", "--robot", "x"), "there are: 3-rpr"),
        (("3-rpr", "--write", "x.mad"), "goes with --assemblies"),
    ):
        result = run("check", *arguments)
        assert result.exit_code == 2
        assert word in result.output


def test_one_honest_line_everywhere(tmp_path: Path) -> None:
    file = tmp_path / "bent.mad"
    file.write_text(BENT.format(skew=0.3))
    line = "robot test stays open at frame 4 – frame 5 (revolute, line 8) by 1.36 mm and 0.3°"
    for arguments in (
        ("check", str(file)),
        ("fk", str(file)),
        ("ik", str(file), "--frame", "4", "--to", "650,259.8,0"),
    ):
        output = run(*arguments).output
        assert line in output
        assert "closed now" not in output
    data = json.loads(run("check", str(file), "--json").stdout)["robots"][0]["assembly"]
    assert data["strained"]
    assert data["open_loops"][0]["metres"] == pytest.approx(1.36e-3, rel=1e-2)
    assert line in data["note"]
    assert line in station.load(file)["test"].report.note


def test_a_true_one_is_closed_now(tmp_path: Path) -> None:
    file = tmp_path / "true.mad"
    file.write_text(BENT.format(skew=0))
    assert "closed now" in run("check", str(file)).output
    assert "stays open" not in run("fk", str(file)).output


def test_two_degrees_are_refused_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "bent.mad"
    file.write_text(BENT.format(skew=2))
    result = run("check", str(file))
    assert result.exit_code == 2
    assert result.output.strip().count("\n") == 0
    assert "parts that do not quite fit may leave 10.5 mm and 1°" in result.output
