"""`station task`, `verify` and `execute` from the command line: one line for every mistake, exit codes, JSON."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import pytest
from click.testing import CliRunner

from sim_devices.arm_links.process import ArmWishes, started
from station.cli import station
from station.errors import StationError
from station.servo.shared import ServoState
from station.tasks.recording import Recording
from station.tasks.task import load, save
from station.tasks.task.model import changed
from tests.tasks.execute.places import there_and_back
from tests.tasks.making import robot_file, wandering

pytestmark = pytest.mark.wall_clock


class Said(NamedTuple):
    """What a command printed, and its exit code."""

    output: str
    exit_code: int


def run(*words: str) -> Said:
    """As the program does it, in this process."""
    result = CliRunner().invoke(station, list(words), standalone_mode=False)
    if isinstance(result.exception, StationError | click.UsageError):
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
        ("verify", file, "--limit-fraction", "3"),
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
        ("rehearse", "ur5e", "-o", out, "--as-driven", "--fastest"),
        ("rehearse", "ur5e", "-o", out, "--tolerance", "-1"),
        ("rehearse", "ur5e", "-o", out, "--tool-speed", "0"),
        ("task", "edit", file, "ease -1", "-o", out),
    ):
        said = run(*words)
        assert said.exit_code == 2, words
        assert said.output.count("\n") == 1, words


@pytest.mark.parametrize("old_word", [(), ("--as-driven",)])
def test_a_rehearsal_is_as_driven_and_passes_the_check(old_word: tuple[str, ...], tmp_path: Path) -> None:
    hand = "tighten 0.6 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.3; reach 0.22 0.05 0.03 in 0.6; hold 5"
    device, out = f"sim:syntaxer?hand={hand}", str(tmp_path / "task.mcap")
    words = ["rehearse", str(robot_file("bench")), "-o", out, "--device", device, "--seconds", "2.5", *old_word]
    said = CliRunner().invoke(station, words, standalone_mode=False)
    assert said.exception is None, said.output
    assert not said.return_value, said.output
    assert "as driven: " in said.stderr
    assert "mm from the driven path" in said.stderr
    assert ("hint: " in said.stderr) == bool(old_word)
    assert run("verify", out).exit_code == 0


def test_an_edited_task_is_eased_to_pass_the_check(file: str, tmp_path: Path) -> None:
    cut, eased = str(tmp_path / "cut.mcap"), str(tmp_path / "eased.mcap")
    assert run("task", "edit", file, "trim 0.2 0.9", "-o", cut).exit_code == 0
    assert run("verify", cut).exit_code == 1
    assert run("task", "edit", cut, "ease", "-o", eased).exit_code == 0
    assert run("verify", eased).exit_code == 0


@contextmanager
def beside(address: str) -> Iterator[str]:
    """Who takes tasks beside an arm, as a process; gives the address at which it listens."""
    command = [sys.executable, "-c", "from station.cli import main; main()", "agent", "--controller", address]
    words = [*command, "--listen", "tcp://127.0.0.1:0", "--link-limit", "10", *EASY]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            assert process.wait(60.0) == 130  # in order, as by Ctrl-C


PATIENT = "watchdog=1,speed_margin=5,acceleration_margin=50"  # an arm that does not mind it either
EASY = ("--tube", "300")  # a machine that is busy with something else is late


def executed(*words: str) -> dict[str, Any]:
    """A task to its end; another program may take this machine's time: then the arm stops by itself, as it should."""
    for _ in range(5):
        said = run("execute", *words, "--json")
        assert said.exit_code in (0, 1), said.output
        data: dict[str, Any] = json.loads(said.output.splitlines()[-1])
        if data["state"] == "done":
            break
        time.sleep(0.5)
    assert data["state"] == "done", data
    return data


def test_a_verified_task_is_executed_recorded_and_sent_ahead_to_an_arm_in_its_own_process(
    file: str, tmp_path: Path
) -> None:
    assert run("verify", file).exit_code == 0
    tape = tmp_path / "done.mcap"
    with started(
        ArmWishes(str(robot_file("bench")), settings="watchdog=1,speed_margin=5,acceleration_margin=50")
    ) as address:
        assert run("verify", file, "--controller", address).exit_code == 0
        data = executed(file, "--controller", address, "--record", str(tape), "--overwrite", "--speed", "0.5", *EASY)
        assert data["recording"]["path"] == str(tape)
        with beside(address) as where:
            assert executed(file, "--ahead", where, "--speed", "0.5")["place"] == pytest.approx(
                there_and_back().duration
            )
            executed(file, "--ahead", where)  # by another station, after the first
    with Recording(tape) as recording:
        status, measured = recording.messages("/status"), recording.messages("/measured")
        predicted, commanded = recording.messages("/predicted"), recording.messages("/commanded")
        assert recording.metadata["run"]["task"] == file
        assert {"bench.mad", "task.mcap"} <= set(recording.attachments)
        assert recording.metadata["calibration"] == {"ids": "none"}
    assert ServoState.ENGAGED in status["state"]
    assert np.abs(predicted["predicted_q"][-1] - there_and_back().q[-1]).max() < 1e-6
    assert np.abs(measured["measured_q"][-1] - there_and_back().q[-1]).max() < 0.01
    assert np.abs(commanded["commanded_pose"][-1] - measured["measured_pose"][-1]).max() < 0.01
    page = tmp_path / "page.html"
    assert run("report", str(tape), "--no-pictures", "-o", str(page)).exit_code == 0
    assert "task:try" in page.read_text(encoding="utf8")


def test_who_executes_where_is_said_in_one_way(file: str) -> None:
    assert run("verify", file).exit_code == 0
    for words, said in (
        ((), "name either the arm"),
        (("--controller", "sim:arm", "--ahead", "tcp://127.0.0.1:5"), "name either the arm"),
        (("--ahead", "tcp://127.0.0.1:1", "--wait", "0.1"), "nobody answers there"),
        (("--ahead", "tcp://192.0.2.1:5600"), "must be encrypted"),
        (("--ahead", "tcp://127.0.0.1:5600", "--device", "sim:syntaxer"), "led by `station agent`"),
        (("--controller", "sim:leg"), "arm"),
    ):
        found = run("execute", file, *words)
        assert found.exit_code == 2, words
        assert said in found.output
        assert found.output.count("\n") == 1
    found = run("agent", "--controller", "tcp://127.0.0.1:1", "--listen", "tcp://0.0.0.0:5600")
    assert "must be encrypted" in found.output
