"""Pictures of the robot in a report: drawn by `station view`, and missed by nobody if they cannot be."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

import robots
from station.run import recorded
from station.tasks.recording import Recording, Writer
from station.tasks.replay import Ticks
from station.tasks.report.curves import Curves
from tests.tasks.recording.conftest import folder, run, servo, state

__all__ = ["folder", "run", "servo", "state"]  # fixtures


@pytest.fixture
def with_scene(run: Path, tmp_path: Path) -> Path:
    """The same recording with the scene in it, as the recorder's process writes it."""
    path = tmp_path / "scene.mcap"
    with Recording(run) as old, Writer(path, kind="run") as new:
        new.metadata("layout", old.metadata["layout"])
        new.metadata("servo", old.metadata["servo"])
        for name in old.channels:
            if old.schemas[name].fixed:
                table = old.messages(name)
                new.table(new.channel(name, old.schemas[name]), table["log_time"], table)
        new.attachment("macdac.mad", robots.path("macdac").read_bytes())
    return path


def test_each_moment_is_drawn_where_the_robot_was(with_scene: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = []

    def draw(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        Path(command[command.index("--png") + 1]).write_bytes(b"\x89PNG")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", draw)
    with Recording(with_scene) as recording:
        ticks = Ticks(recording)
        moments = Curves(ticks).moments
        found, notes = recorded.pictures_of(ticks, moments, lambda _: None)
    assert notes == []
    assert [picture.png for picture in found] == [b"\x89PNG"] * 3
    (pose,) = [word for word in commands[0] if word.startswith("--pose=")]
    values = [float(value) for value in pose.removeprefix("--pose=").split(",")]
    assert values[1] == pytest.approx(moments[0].q[1] * 180.0 / 3.141592653589793, abs=1e-5)  # [°]
    assert values[6] == pytest.approx(1e3 * moments[0].q[6], abs=1e-5)  # the slide [mm]


def test_where_there_is_no_graphics_the_reason_is_told(with_scene: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 2, "", "warning\nno graphics here\n")

    monkeypatch.setattr(subprocess, "run", fail)
    with Recording(with_scene) as recording:
        ticks = Ticks(recording)
        found, notes = recorded.pictures_of(ticks, Curves(ticks).moments, lambda _: None)
    assert found == []
    assert notes == ["no pictures: no graphics here"]


def test_drawing_that_takes_too_long_is_given_up(with_scene: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired(command, 1.0)

    monkeypatch.setattr(subprocess, "run", hang)
    with Recording(with_scene) as recording:
        ticks = Ticks(recording)
        _, notes = recorded.pictures_of(ticks, Curves(ticks).moments, lambda _: None)
    assert "took longer" in notes[0]


def test_a_scene_that_has_changed_since_is_taken_from_the_recording(with_scene: Path, tmp_path: Path) -> None:
    with Recording(with_scene) as recording:
        found = recorded.scene_of(Ticks(recording), tmp_path)
        assert found is not None
        assert found.read_bytes() == recording.attachments["macdac.mad"]
