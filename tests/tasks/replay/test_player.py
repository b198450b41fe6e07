"""A recorded run as shared state: the same numbers at the same times, for everybody who watches servos."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from station.clock import VirtualClock
from station.monitor import Collector
from station.servo.shared import CommandClient, Engage, Play, Reason, RecordReader, StateReader
from station.servo.shared.memory import Words
from station.tasks.recording import MissingError, Recording, VersionError, Writer, channels
from station.tasks.replay import Player, Ticks
from station.tasks.replay.player import SpeedError
from tests.monitor import synthetic
from tests.tasks.recording.conftest import folder, run, servo, state
from tests.tasks.recording.test_files import write as write_small

__all__ = ["folder", "run", "servo", "state"]  # fixtures

RING = np.concatenate(list(synthetic.chunks(2.0, size=200)))


class Stage:
    """A player on a virtual clock, and a reader of its ring."""

    def __init__(self, ticks: Ticks, folder: Path, speed: float = 1.0) -> None:
        self.clock = VirtualClock()
        self.player = Player(ticks, speed, self.clock, "again", folder)
        self.state = StateReader(self.player.path)
        self.records = RecordReader(self.state, from_start=True)

    def go(self, seconds: float, step: float = 0.02) -> Words:
        """Let time pass; returns what was shown."""
        shown = []
        for _ in range(round(seconds / step)):
            self.clock.sleep_until(self.clock.now() + step)
            self.player.step()
            shown.append(self.records.read().records)
        return np.concatenate(shown)


@pytest.fixture
def ticks(run: Path) -> Iterator[Ticks]:
    with Recording(run) as recording:
        yield Ticks(recording)


@pytest.fixture
def stage(ticks: Ticks, folder: Path) -> Iterator[Stage]:
    made = Stage(ticks, folder)
    yield made
    made.state.close()
    made.player.close()


def test_a_replay_shows_the_same_numbers(stage: Stage) -> None:
    assert np.array_equal(stage.go(2.02)[:2000], RING)
    assert stage.player.ended
    assert stage.player.position == pytest.approx(1.999)


def test_they_come_at_their_own_times(stage: Stage) -> None:
    shown = stage.go(0.5)
    assert len(shown) == pytest.approx(500, abs=2)
    assert stage.player.position == pytest.approx(0.5)


@pytest.mark.parametrize("speed", [0.1, 3.0])
def test_at_another_speed_they_come_sooner_or_later(ticks: Ticks, folder: Path, speed: float) -> None:
    stage = Stage(ticks, folder, speed)
    assert len(stage.go(0.5)) == pytest.approx(500 * speed, abs=4)
    stage.player.close()


def test_what_is_only_in_snapshots_comes_with_them(stage: Stage) -> None:
    stage.go(1.0)
    snapshot = stage.state.read()
    assert snapshot is not None
    assert snapshot.period[0] == 1e-3
    assert snapshot.percentiles[0, 0] == 40e-6
    assert (
        snapshot.predicted_q.tolist()
        == RING[snapshot.tick[0] - 1].view(np.float64)[stage.state.layout.by_name["predicted_q"].start :][:7].tolist()
    )


def test_it_is_named_as_a_replay(stage: Stage, run: Path) -> None:
    text = stage.state.text
    assert text["robot"] == "macdac"
    assert text["replay"] == str(run)
    assert f"replay of {run.name}" in text["notes"]


def test_a_pause_stands_still_but_lives(stage: Stage) -> None:
    stage.go(0.5)
    stage.player.paused = True
    before = stage.state.read()
    again = stage.go(1.0)
    after = stage.state.read()
    assert before is not None
    assert after is not None
    assert after.tick[0] == before.tick[0]
    assert after.number > before.number  # shown again, so that nobody takes it for dead
    assert set(again[:, stage.state.layout.by_name["tick"].start]) == {int(before.tick[0])}
    stage.player.paused = False
    assert stage.go(0.1)[0, stage.state.layout.by_name["tick"].start] == before.tick[0] + 1


@pytest.mark.parametrize(("place", "tick"), [(1.5, 1501), (0.25, 251), (-3.0, 1), (0.0, 1)])
def test_it_goes_on_where_it_was_sent(stage: Stage, place: float, tick: int) -> None:
    stage.go(1.0)
    stage.player.seek(place)
    shown = stage.go(0.1)[:, stage.state.layout.by_name["tick"].start]
    assert shown[0] == pytest.approx(tick, abs=1)
    assert (np.diff(shown) == 1).all()


def test_a_seek_during_a_pause_is_seen_at_once(stage: Stage) -> None:
    stage.player.paused = True
    stage.player.seek(1.0)
    snapshot = stage.state.read()
    assert snapshot is not None
    assert snapshot.tick[0] == pytest.approx(1001, abs=1)


def test_beyond_the_end_is_the_end(stage: Stage) -> None:
    stage.player.seek(99.0)
    stage.go(0.1)
    assert stage.player.ended


@pytest.mark.parametrize("speed", [0.0, -1.0, 1e3, float("nan")])
def test_speeds_that_are_not_possible_are_refused(stage: Stage, speed: float) -> None:
    with pytest.raises(SpeedError, match=r"from 0.01 to 100"):
        stage.player.speed = speed


def test_a_dashboard_counts_the_same_as_it_did_live(stage: Stage) -> None:
    collector = Collector(stage.state)
    for _ in range(30):
        stage.go(0.1)
        collector.poll()
        stage.player.paused = stage.player.ended
    found = collector.run()
    assert found.late == 2000 // 700
    assert found.bench.robot == "macdac"
    assert [spell.name for spell in found.spells] == ["READY", "ENGAGED", "FAULT", "READY", "ENGAGED", "HOLD"]


def test_commands_are_refused(stage: Stage) -> None:
    with CommandClient(stage.player.path.with_suffix(".commands")) as client:
        number = client.send(Engage())
        stage.go(0.1)
        answer = client.acknowledgement(number)
    assert answer is not None
    assert not answer.accepted
    assert answer.reason is Reason.NOT_POSSIBLE


def test_who_watches_may_pause_and_go_somewhere_else(stage: Stage) -> None:
    text = stage.state.text
    assert text["replay_seconds"] == pytest.approx(stage.player.ticks.duration)

    def shown() -> float:
        """Where a window would say that the replay is [s]."""
        snapshot = stage.state.read()
        assert snapshot is not None
        return float(snapshot.time[0]) - float(text["replay_start"])

    with CommandClient(stage.player.path.with_suffix(".commands")) as client:
        stage.go(0.2)
        assert shown() == pytest.approx(0.2, abs=0.03)
        client.send(Play(True, 1.5))
        stage.go(0.5)
        assert shown() == pytest.approx(1.5, abs=0.01)
        assert stage.player.paused
        client.send(Play(False))
        stage.go(0.2)
        assert shown() == pytest.approx(1.7, abs=0.03)
        assert stage.player.jumps == 1
        stage.go(1.0)
        assert stage.player.ended
        client.send(Play(False))  # from the beginning, as there is nothing else
        stage.go(0.2)
        assert shown() == pytest.approx(0.2, abs=0.04)


def test_something_else_than_a_run_is_refused(tmp_path: Path) -> None:
    write_small(tmp_path / "x.mcap")
    with (
        Recording(tmp_path / "x.mcap") as recording,
        pytest.raises(MissingError, match="a test, not a recording of a run"),
    ):
        Ticks(recording)


def test_a_run_without_a_tick_is_refused(tmp_path: Path) -> None:
    with Writer(tmp_path / "x.mcap", kind="run") as file:
        file.metadata("layout", {"joints": "7"})
        file.channel("/status", channels.schemas(7)["/status"])
    with Recording(tmp_path / "x.mcap") as recording, pytest.raises(MissingError, match="no tick was recorded"):
        Ticks(recording)


@pytest.mark.parametrize("joints", ["", "many", "100000"])
def test_a_robot_of_no_size_is_refused(tmp_path: Path, joints: str) -> None:
    with Writer(tmp_path / "x.mcap", kind="run") as file:
        file.metadata("layout", {"joints": joints})
        file.channel("/status", channels.schemas(7)["/status"])
    with Recording(tmp_path / "x.mcap") as recording, pytest.raises(VersionError, match="how many joints"):
        Ticks(recording)


def test_a_field_in_another_form_is_refused(tmp_path: Path) -> None:
    with Writer(tmp_path / "x.mcap", kind="run") as file:
        file.metadata("layout", {"joints": "6"})
        for name in ("/status", "/predicted"):
            file.channel(name, channels.schemas(7)[name])
    with Recording(tmp_path / "x.mcap") as recording, pytest.raises(VersionError, match="predicted_q has another form"):
        Ticks(recording)


def test_a_field_that_an_older_release_did_not_record_is_zero(tmp_path: Path, run: Path) -> None:
    older = tmp_path / "older.mcap"
    with Recording(run) as recording, Writer(older, kind="run") as file:
        file.metadata("layout", recording.metadata["layout"])
        for name in ("/status", "/hand"):
            schema = recording.schemas[name]
            kept = schema._replace(fields=tuple(field for field in schema.fields if field.name != "hand_grip"))
            table = recording.messages(name)
            file.table(file.channel(name, kept), table["log_time"], table)
    with Recording(older) as recording:
        ticks = Ticks(recording)
        _, rows = ticks.read(ticks.start_ns, ticks.end_ns)
    assert "hand_grip" in ticks.missing
    assert "hand_pose" not in ticks.missing
    assert len(rows) == 2000
