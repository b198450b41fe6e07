"""A recorded run of several parts is shown as its servo showed it: a state for each, tick by tick."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from station.clock import VirtualClock
from station.servo.shared import CommandClient, Play, RecordReader, StateReader
from station.servo.shared.memory import Words
from station.servo.shared.parts import opened_parts
from station.servo.shared.runtime import parts_of, running
from station.tasks.recording import Recording, Writer
from station.tasks.recording.recorder import Recorder
from station.tasks.replay import Player, Ticks
from tests.monitor import synthetic
from tests.tasks.recording.conftest import folder

__all__ = ["folder"]  # a fixture


def record_pair(folder: Path, seconds: float = 1.0) -> Path:
    """A recording of two parts."""
    path = folder / "both.mcap"
    with synthetic.pair(folder) as pair, opened_parts(pair[0].path) as states:
        recorder = Recorder(states, Writer(path, kind="run", chunk=math.inf))
        for tick in synthetic.together(pair, seconds):
            if tick % 200 == 199:
                recorder.take()
                recorder.write()
        recorder.take()
        recorder.write()
        recorder.close()
    return path


@pytest.fixture
def ticks(folder: Path) -> Iterator[Ticks]:
    with Recording(record_pair(folder)) as recording:
        yield Ticks(recording)


def test_all_parts_are_shown_tick_by_tick(ticks: Ticks, folder: Path) -> None:
    clock = VirtualClock()
    with Player(ticks, 1.0, clock, "again", folder) as player, opened_parts(player.path) as states:
        assert [state.text["part"] for state in states] == ["left", "right"]
        assert [state.layout.joints for state in states] == [7, 6]
        assert [state.text["replay"] for state in states] == [str(ticks.recording.path)] * 2
        assert [path for path in running(folder) if "again" in path.name] == [player.path]
        readers = [RecordReader(state, from_start=True) for state in states]
        shown: list[list[Words]] = [[], []]
        while not player.ended:
            clock.sleep_until(clock.now() + 0.02)
            player.step()
            for reader, rows, state in zip(readers, shown, states, strict=True):
                rows.append(reader.read().records[:, state.layout.by_name["tick"].start])
        first, second = (np.concatenate(rows) for rows in shown)
        np.testing.assert_array_equal(first, np.arange(1, 1001))
        np.testing.assert_array_equal(first, second)


def test_a_jump_is_one_of_all_parts_and_any_of_them_may_ask_for_it(ticks: Ticks, folder: Path) -> None:
    with Player(ticks, 1.0, VirtualClock(), "again", folder) as player:
        _, second = parts_of(player.path)
        with CommandClient(second.with_suffix(".commands")) as client, opened_parts(player.path) as states:
            client.send(Play(True, 0.5))
            player.step()
            assert player.jumps == 1
            ticks_shown = []
            for state in states:
                snapshot = state.read()
                assert snapshot is not None
                ticks_shown.append(int(snapshot.tick[0]))
            assert ticks_shown == [501, 501]


def test_one_part_alone_can_be_played(ticks: Ticks, folder: Path) -> None:
    assert [part.name for part in (ticks, *ticks.further)] == ["left", "right"]
    with Player(ticks.further[0], 1.0, VirtualClock(), "again", folder) as player, StateReader(player.path) as state:
        assert parts_of(player.path) == [player.path]
        assert state.text["robot"] == "other"
