"""Episodes in recordings and exports: where they begin, how they ended, what they are about; none is ever deleted."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner

from station.run.recordings import info_command
from station.servo.shared import EpisodeState, GripperCode, StateReader, StateWriter
from station.tasks.export import CSV, export, joint_names
from station.tasks.recording import Recording, Writer
from station.tasks.recording.channels import EVENT, EVENTS
from station.tasks.recording.episodes import EPISODES, Episode, episodes_of, told
from station.tasks.recording.recorder import Recorded, Recorder
from station.tasks.replay import Ticks
from tests.monitor import synthetic

# From tick to tick: number of the newest episode, its state, its task.
SAID = (
    (0, 0, EpisodeState.NONE, ""),
    (200, 1, EpisodeState.RUNNING, "pick"),
    (500, 1, EpisodeState.SUCCESS, "pick"),
    (700, 2, EpisodeState.RUNNING, "place – gently"),
    (900, 2, EpisodeState.FAILURE, "place – gently"),
    (950, 2, EpisodeState.DISCARDED, "place – gently"),
    (1200, 3, EpisodeState.RUNNING, "place – gently"),
)


class Made(NamedTuple):
    path: Path
    done: Recorded


@pytest.fixture
def made(servo: StateWriter, state: StateReader, folder: Path) -> Made:
    """Two seconds with three episodes, the last of which does not end, and a gripper."""
    path = folder / "run.mcap"
    recorder = Recorder(state, Writer(path, kind="run", chunk=math.inf))
    places, at = servo.layout.by_name, 0
    for rows in synthetic.chunks(2.0, size=50):
        for first, number, now, task in SAID:
            if at >= first:
                rows[:, places["episode"].start], rows[:, places["episode_state"].start] = number, now
                servo.write_task(task)
        widths = np.linspace(0.08, 0.04, len(rows))
        rows[:, places["gripper_width"].start] = widths.view(np.int64)
        rows[:, places["gripper_detected"].start] = widths < 0.05
        rows[:, places["gripper_status"].start] = GripperCode.READY
        synthetic.publish(servo, rows)
        recorder.take()
        recorder.write()
        at += len(rows)
    return Made(path, recorder.close())


def test_each_episode_has_its_task_its_outcome_and_its_time(made: Made) -> None:
    with Recording(made.path) as recording:
        found, status = episodes_of(recording), recording.messages("/status")
        events = recording.messages(EPISODES)
    times = status["log_time"]
    assert [(one.number, one.task, one.outcome) for one in found] == [
        (1, "pick", "success"),
        (2, "place – gently", "discarded"),
        (3, "place – gently", "unfinished"),
    ]
    assert [(one.begin, one.end) for one in found[:2]] == [(times[200], times[500]), (times[700], times[900])]
    assert found[2].begin == times[1200]
    assert found[2].end > times[-1]
    assert events["kind"].tolist() == ["start", "success", "start", "failure", "discarded", "start"]
    assert events["tick"].tolist() == [status["tick"][row] for row in (200, 500, 700, 900, 950, 1200)]
    assert len(status) == 2000  # what was discarded is there, too


def test_the_recorder_says_how_many_there_were(made: Made) -> None:
    assert made.done.episodes == {"success": 1, "discarded": 1, "unfinished": 1}
    assert told(made.done.episodes) == "3 episodes (1 success, 1 discarded, 1 unfinished)"
    assert told({"success": 1}) == "1 episode (1 success)"
    assert told({}) == ""


def test_tables_have_the_episode_of_every_row_and_one_of_outcomes(made: Made, tmp_path: Path) -> None:
    with Recording(made.path) as recording:
        files = export(recording, tmp_path / "out", CSV)
    assert {"episodes.csv", "episode_events.csv", "gripper.csv"} <= {path.name for path in files}
    with (tmp_path / "out" / "measured.csv").open() as file:
        rows = list(csv.DictReader(file))
    inside = np.array([int(row["in_episode"]) for row in rows])
    assert np.array_equal(np.flatnonzero(np.diff(inside)) + 1, [200, 500, 700, 900, 1200])
    assert sorted(set(inside.tolist())) == [0, 1, 2, 3]
    with (tmp_path / "out" / "episodes.csv").open() as file:
        outcomes = list(csv.DictReader(file))
    assert [(row["episode"], row["task"], row["outcome"]) for row in outcomes] == [
        ("1", "pick", "success"),
        ("2", "place – gently", "discarded"),
        ("3", "place – gently", "unfinished"),
    ]
    assert int(outcomes[0]["begin"]) == int(rows[200]["log_time"])


def test_columns_of_joints_have_their_names(made: Made, tmp_path: Path) -> None:
    with Recording(made.path) as recording:
        export(recording, tmp_path / "out", CSV)
        measured = recording.messages("/measured")["measured_q"]
        assert joint_names(recording)[:2] == ["turret", "shoulder"]
    with (tmp_path / "out" / "measured.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["measured_q/shoulder"]) for row in rows] == measured[:, 1].tolist()
    assert "measured_v/slide" in rows[0]
    assert "measured_wrench_0" in rows[0]  # not of joints
    assert not any(name.startswith("measured_q_") for name in rows[0])


def test_the_gripper_is_in_tables_and_replays(made: Made, tmp_path: Path) -> None:
    with Recording(made.path) as recording:
        export(recording, tmp_path / "out", CSV)
        ticks = Ticks(recording)
        _, rows = next(ticks.parts())
    with (tmp_path / "out" / "gripper.csv").open() as file:
        table = list(csv.DictReader(file))
    assert {"gripper_width", "gripper_command", "gripper_detected", "gripper_status"} <= set(table[0])
    assert float(table[0]["gripper_width"]) == 0.08
    assert [table[row]["gripper_detected"] for row in (0, 49)] == ["0", "1"]
    assert ticks.missing == ()
    assert rows[49, ticks.layout.by_name["gripper_detected"].start] == 1


def test_facts_tell_the_episodes(made: Made) -> None:
    said = CliRunner().invoke(info_command, [str(made.path)]).output.splitlines()
    assert "episode 2: discarded, 0.20 s, place – gently" in said


def test_a_recording_without_episodes_has_none(run: Path) -> None:
    with Recording(run) as recording:
        assert episodes_of(recording) == []


def test_a_recording_of_a_release_that_knew_of_none_is_exported_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "old.mcap"
    with Writer(path, kind="run") as writer:
        channel = writer.channel(EVENTS, EVENT)
        writer.message(channel, 1000, {"kind": "mode", "text": "RATE", "tick": 1, "code": 1, "time": 0.0})
    with Recording(path) as recording:
        assert episodes_of(recording) == []
        assert joint_names(recording) == []
        (table,) = export(recording, tmp_path / "out", CSV)
    with table.open() as file:
        assert "in_episode" not in next(csv.reader(file))


def test_an_end_whose_begin_was_lost_is_no_episode(tmp_path: Path) -> None:
    from station.tasks.recording.episodes import EPISODE

    path = tmp_path / "run.mcap"
    with Writer(path, kind="run") as writer:
        channel = writer.channel(EPISODES, EPISODE)
        for at, kind, number in ((1000, "success", 1), (2000, "start", 2)):
            fields = {"kind": kind, "episode": number, "task": "", "tick": at, "time": 0.0}
            writer.message(channel, at, fields)
    with Recording(path) as recording:
        assert episodes_of(recording) == [Episode(2, "", "unfinished", 2000, 2001)]
