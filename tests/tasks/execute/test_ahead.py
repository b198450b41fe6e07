"""A task that is sent ahead over a link with delay and loss runs on the arm's clock."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_devices.arm.machine import ArmState
from station.tasks.execute import State
from station.tasks.execute.ahead import NearEnd
from station.tasks.execute.ahead.messages import packed, unpacked
from station.tasks.task import LinkLoss, save
from station.tasks.task.edit import on_link_loss
from tests.tasks.execute.places import assert_nothing_beyond_limits, off_the_path, place, still, there_and_back
from tests.tasks.execute.sending import Far

TASK = there_and_back()


@pytest.mark.parametrize(("delay", "loss"), [(0.0, 0.0), (0.5, 0.05)])
def test_it_is_sent_ahead_and_runs_within_the_tube(tmp_path: Path, delay: float, loss: float) -> None:
    with place() as made:
        far = Far(made, tmp_path, TASK, delay, loss)
        far.begin()
        far.until(lambda: far.near.shown.state is State.DONE)
        assert made.arm.reading().state is ArmState.READY
        assert np.abs(made.arm.reading().q - TASK.q[-1]).max() < 0.006
        log = made.arm.log.ticks
        on = float(log["time"][np.argmax(np.abs(log["true"] - TASK.q[0]).max(axis=1) < 0.0015)])
        assert off_the_path(made, TASK, on) < 0.002
        assert_nothing_beyond_limits(made)
        if delay:
            assert far.near.delay > 2.0 * delay


def test_predicted_is_ahead_of_measured_by_the_delay(tmp_path: Path) -> None:
    with place() as made:
        far = Far(made, tmp_path, TASK, 0.25, 0.0)
        far.begin()
        far.until(lambda: 0.5 < far.near.shown.place < 1.5)
        shown = far.near.shown
        assert shown.predicted is not None
        assert shown.measured is not None
        true = made.arm.reading().q
        assert np.abs(shown.predicted - true).max() < 0.5 * np.abs(shown.measured - true).max()
        assert shown.predicted_place - shown.place == pytest.approx(0.3, abs=0.1)
        far.near.order("abort")
        far.until(lambda: far.near.shown.state is State.ABORTED)


def test_pause_speed_back_and_resume_arrive_late_but_arrive(tmp_path: Path) -> None:
    with place() as made:
        far = Far(made, tmp_path, TASK, 0.25, 0.05)
        far.begin()
        far.until(lambda: far.player.walker.place > 0.3)
        far.near.order("pause")
        far.until(lambda: far.near.shown.state is State.PAUSED)
        far.near.order("speed", 0.5)
        far.near.order("back", 0.1)
        far.until(lambda: far.near.waiting == 0 and far.near.shown.place == pytest.approx(0.1, abs=1e-3))
        far.near.order("resume")
        far.until(lambda: far.near.shown.state is State.DONE, 40.0)
        assert_nothing_beyond_limits(made)


@pytest.mark.parametrize("what", list(LinkLoss))
def test_a_link_that_is_cut_leaves_the_arm_to_what_the_task_says(tmp_path: Path, what: LinkLoss) -> None:
    with place() as made:
        task = on_link_loss(TASK, what)
        far = Far(made, tmp_path, task, 0.1, 0.0)
        far.begin()
        far.near.order("speed", 0.3)
        far.until(lambda: far.player.walker.place > 0.2)
        far.station.cut = True
        far.until(lambda: far.far.alone and far.player.state is State.PAUSED and far.player.walker.at_rest)
        ends = {LinkLoss.FINISH: task.segments[0].end * task.period, LinkLoss.RETREAT: 0.0}
        if what in ends:
            assert far.player.walker.place == pytest.approx(ends[what], abs=1e-6)
        far.until(lambda: still(made), 3.0)
        assert_nothing_beyond_limits(made)
        far.station.cut = False
        far.near.order("resume")
        far.near.order("speed", 1.0)
        far.until(lambda: far.near.shown.state is State.DONE)


def test_orders_that_make_no_sense_are_answered_and_change_nothing(tmp_path: Path) -> None:
    with place() as made:
        far = Far(made, tmp_path, TASK, 0.0, 0.0)
        far.near.order("start")
        far.near.order("dance")
        far.until(lambda: far.near.waiting == 0)
        assert far.near.answers[0] == ("start", "there is no task here yet")
        assert (made.arm.log.ticks["state"] != 1.0).all()


def test_a_task_that_was_not_verified_is_refused_at_the_arm(tmp_path: Path) -> None:
    with place() as made:
        far = Far(made, tmp_path, TASK, 0.0, 0.0)
        save(TASK, tmp_path / "raw.mcap")
        far.near = NearEnd(far.station, tmp_path / "raw.mcap", made.clock)
        far.near.order("prepare")
        far.near.order("start")
        far.until(lambda: far.near.waiting == 0)
        assert "was not verified" in far.near.answers[0][1]
        assert (made.arm.log.ticks["state"] != 1.0).all()


def test_broken_messages_are_dropped() -> None:
    data = packed("order", {"number": 1, "word": "start", "value": 0.0})
    assert unpacked(data) is not None
    for place_ in range(0, len(data), 7):
        broken = bytearray(data)
        broken[place_] ^= 1
        assert unpacked(bytes(broken)) is None
    assert unpacked(b"") is None


def test_another_station_is_heard_only_when_nobody_leads(tmp_path: Path) -> None:
    with place() as made:
        far = Far(made, tmp_path, TASK, 0.0, 0.0)
        far.begin()
        far.until(lambda: far.player.walker.place > 0.3)
        first, other = far.near, NearEnd(far.station, far.path, made.clock)
        other.order("prepare")
        other.order("start")
        for _ in range(200):  # both call; the wire is the same, so each hears what is told to the other
            other.tick()
            first.tick()
            far.far.tick()
        assert not other.obeyed
        assert other.waiting == 2
        assert other.shown.state is None
        assert far.player.state is State.RUNNING
        left = far.player
        far.near = other  # the first one ends: the arm holds by itself, and after a while listens to the other
        far.until(lambda: other.waiting == 0)
        assert [answer for _, answer in other.answers] == ["", ""]
        assert left.state is State.ABORTED
        assert "another one has come" in left.reason
        far.until(lambda: other.shown.state is State.DONE)
        assert_nothing_beyond_limits(made)


def test_a_far_end_that_was_started_anew_is_noticed(tmp_path: Path) -> None:
    with place() as made:
        far = Far(made, tmp_path, TASK, 0.0, 0.0)
        far.begin()
        far.until(lambda: far.player.walker.place > 0.3)
        far.start_far_end()
        far.until(lambda: far.near.forgotten, 10.0)
