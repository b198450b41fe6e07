"""`station task`, `verify` and `execute` from the command line: one line for every mistake, exit codes, JSON."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner

from sim_devices.arm_links.process import ArmWishes, started
from station.cli import station
from station.errors import StationError
from station.tasks.task import load, save
from station.tasks.task.model import changed
from tests.tasks.execute.places import there_and_back
from tests.tasks.making import robot_file, wandering


class Said(NamedTuple):
    """What a command printed, and its exit code."""

    output: str
    exit_code: int


def run(*words: str) -> Said:
    """As the program does it, in this process."""
    result = CliRunner().invoke(station, list(words), standalone_mode=False)
    if isinstance(result.exception, StationError):
        return Said(f"{result.exception}\n", 2)
    if result.exception is not None:
        raise result.exception
    code = result.return_value
    return Said(result.stdout, code if isinstance(code, int) else 0)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "task.mcap"
    save(there_and_back(), path)
    return str(path)


def test_a_task_is_shown_edited_verified_and_noted(file: str, tmp_path: Path) -> None:
    assert "not verified" in run("task", "show", file).output
    out = str(tmp_path / "better.mcap")
    made = run("task", "edit", file, "mark 0.5 half", "wait half 0.2", "contact half 0.9 30", "lost retreat", "-o", out)
    assert made.exit_code == 0, made.output
    told = json.loads(run("task", "show", out, "--json").output)
    assert [segment["kind"] for segment in told["segments"]][:3] == ["free", "wait", "contact"]
    assert {segment["on_link_loss"] for segment in told["segments"]} == {"retreat"}
    better = str(tmp_path / "timed.mcap")
    assert run("task", "edit", out, "smooth 0.02", "retime 0.2", "-o", better).exit_code == 0
    checked = run("verify", better, "--json")
    assert checked.exit_code == 0, checked.output
    data = json.loads(checked.output)
    assert data["passed"]
    assert {margin["check"] for margin in data["margins"]} >= {"speed", "jerk", "collision", "effort"}
    assert load(better).verified["hash"] == load(better).hash == data["hash"]
    assert ", verified" in run("task", "show", better).output


def test_what_does_not_pass_is_told_with_exit_code_1(tmp_path: Path) -> None:
    task = wandering(seconds=1.0)
    q = np.array(task.q)
    q[500:, 1] += 0.01
    save(changed(task, q=q), tmp_path / "bad.mcap")
    found = run("verify", str(tmp_path / "bad.mcap"))
    assert found.exit_code == 1
    assert "shoulder too fast" in found.output
    assert "at 0.5" in found.output
    assert "did not pass" in run("task", "show", str(tmp_path / "bad.mcap")).output


def test_mistakes_are_one_line(file: str, tmp_path: Path) -> None:
    out = str(tmp_path / "x.mcap")
    for words in (
        ("verify", "nowhere.mcap"),
        ("verify", file, "--share", "3"),
        ("verify", file, "--scene", str(robot_file("panda"))),
        ("task", "edit", file, "dance", "-o", out),
        ("task", "edit", file, "trim 5 1", "-o", out),
        ("task", "edit", file, "trim", "-o", out),
        ("task", "edit", file, "to nowhere", "-o", out),
        ("task", "edit", file, "smooth 0.02", "-o", file),
        ("task", "move", file, "--calibration", "none.json", "-o", out),
        ("execute", file, "--controller", "tcp://127.0.0.1:1"),
        ("rehearse", "no-such-robot", "-o", out),
        ("rehearse", "ur5e", "-o", file),
    ):
        said = run(*words)
        assert said.exit_code == 2, words
        assert said.output.count("\n") == 1, words


def test_a_verified_task_is_executed_by_an_arm_in_its_own_process(file: str) -> None:
    assert run("verify", file).exit_code == 0
    with started(ArmWishes(str(robot_file("bench")), settings="watchdog=1")) as address:
        for _ in range(3):  # another program may take this machine's time: then the arm stops by itself, as it should
            done = run("execute", file, "--controller", address, "--json")
            data = json.loads(done.output.splitlines()[-1])
            if data["state"] == "done":
                break
            time.sleep(0.5)
    assert data["state"] == "done", data
    assert data["furthest_from_path"] < 0.01
