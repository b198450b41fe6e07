"""`station view --task`: a real task, checked anew, in a picture; and one clear line for every mistake."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from station.errors import StationError
from station.run.places import DEFAULT_BENCH
from station.run.task_view import read_task
from station.run.viewing import view_command
from station.tasks.task import Kind, Mark, changed, save
from tests.tasks.making import HOME, through
from tests.view.test_png import size_of

INTO_THE_WALL = [HOME + np.radians([35.0, 0, 0, 0, 0, 0]), HOME + np.radians([-10.0, 8, 5, 0, 0, 0])]


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task that leads through the wall of the default bench."""
    path = tmp_path_factory.mktemp("tasks") / "through.mcap"
    made = through(INTO_THE_WALL)
    first = made.segments[0]._replace(name="carelessly")
    save(changed(made, name="through", segments=(first,), marks=(Mark(100, "begun"),)), path)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(view_command, [str(argument) for argument in arguments])


def test_what_a_check_finds_is_what_is_shown(task: Path) -> None:
    scene, shown = read_task(task)
    assert scene == DEFAULT_BENCH
    assert shown.robot == "ur5e"
    assert {finding.check for finding in shown.findings} == {"collision"}
    worst = max(shown.findings, key=lambda finding: finding.end - finding.begin)
    assert "inside wall" in worst.text
    assert worst.begin <= worst.worst <= worst.end
    x, y, z = shown.places[shown.sample_at(worst.worst)]
    assert (-0.55 < x < -0.3, -0.2 < y < 0.1, 0.0 < z < 0.6) == (True, True, True)  # beside or in the wall
    assert [(part.kind, part.name) for part in shown.segments] == [(Kind.FREE, "carelessly")]
    assert [mark.name for mark in shown.marks] == ["begun"]
    assert shown.marks[0].time == pytest.approx(0.1)
    assert shown.q.shape == (len(shown.places), 6)


def test_the_command_draws_it_without_a_screen(task: Path, tmp_path: Path) -> None:
    pictures = set()
    choices: list[list[object]] = [[], ["--at", "0"], [DEFAULT_BENCH, "--at", "0.3"]]
    for number, more in enumerate(choices):
        out = tmp_path / f"{number}.png"
        result = run(*more, "--task", task, "--png", out, "--size", "240x160")
        assert result.exit_code == 0, result.output
        assert size_of(out) == (240, 160)
        pictures.add(out.read_bytes())
    assert len(pictures) == 3


def test_mistakes_are_one_clear_line(task: Path, tmp_path: Path) -> None:
    (tmp_path / "no.mcap").write_bytes(b"nothing")
    for arguments, said in (
        ((), "name a FILE, or a task with --task TASK.mcap"),
        (("ur5e", "--at", "1"), "--at is a time of a task"),
        (("--task", tmp_path / "no.mcap"), "no.mcap"),
        (("--task", tmp_path / "none.mcap"), "there is no such file"),
        (("panda", "--task", task), "was made with another version of panda.mad"),
    ):
        result = run(*arguments)
        told = f"{result.output}{result.exception}"
        assert result.exit_code != 0
        assert said in told, told
        assert isinstance(result.exception, StationError | SystemExit)
