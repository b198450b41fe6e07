"""A task on an emulated arm: every case is asserted from the arm's own log."""

from __future__ import annotations

import numpy as np
import pytest

from sim_devices.arm.machine import ArmState
from station.tasks.execute import ExecuteError, Player, State
from station.tasks.execute.prepare import accepted
from station.tasks.task import Kind, LinkLoss, TaskFile
from station.tasks.task.edit import on_link_loss
from tests.tasks.execute.places import (
    START,
    Place,
    assert_nothing_beyond_limits,
    off_the_path,
    place,
    still,
    there_and_back,
)
from tests.tasks.making import HOME, through

TASK = there_and_back()
MIDDLE = 0.45  # in the middle of the first move [s]


def at(time: float):  # type: ignore[no-untyped-def]
    """Until a place of the task."""
    return lambda player: player.walker.place >= time


def begun(made: Place) -> Player:
    player = made.player(TASK)
    player.start()
    player.run(at(MIDDLE), seconds=10.0)
    assert player.state is State.RUNNING
    return player


def on(made: Place) -> float:
    """When the arm got to the path, by its log [s]."""
    log = made.arm.log.ticks
    near = np.abs(log["true"] - TASK.q[0]).max(axis=1) < 0.0015
    return float(log["time"][np.argmax(near)])


def finished(made: Place, player: Player) -> None:
    """It gets to the end, on the path, and holds there by itself."""
    assert player.run(seconds=30.0) is State.DONE, player.reason
    reading = made.arm.reading()
    assert reading.state is ArmState.READY
    assert np.abs(reading.q - TASK.q[-1]).max() < 0.006
    assert_nothing_beyond_limits(made)


def test_from_the_measured_pose_to_the_end_within_the_tube() -> None:
    with place() as made:
        player = made.player(TASK)
        assert made.arm.reading().state is ArmState.READY
        player.start()
        finished(made, player)
        assert off_the_path(made, TASK, on(made)) < 0.002
        states = [happening.state for happening in player.happenings]
        assert [s for k, s in enumerate(states) if k == 0 or s is not states[k - 1]] == [
            State.STARTING, State.EASING_IN, State.RUNNING, State.LEAVING, State.DONE,
        ]  # fmt: skip
        assert player.progress.share == 1.0


def test_progress_and_time_left_are_told() -> None:
    with place() as made:
        player = begun(made)
        early = player.progress
        player.run(at(1.0), seconds=5.0)
        later = player.progress
        assert 0.0 < early.share < later.share < 1.0
        assert early.left - later.left == pytest.approx(later.place - early.place, rel=0.01)
        assert np.abs(later.planned - later.measured).max() < 0.02
        player.abort()
        player.run(seconds=5.0)


def test_pause_and_resume_in_mid_motion() -> None:
    with place() as made:
        player = begun(made)
        player.pause()
        player.run(seconds=1.0)
        assert player.state is State.PAUSED
        assert still(made)
        where = player.walker.place
        assert MIDDLE < where < MIDDLE + 0.5
        player.resume()
        finished(made, player)
        assert off_the_path(made, TASK, on(made)) < 0.002


def test_steps_go_from_segment_to_segment() -> None:
    with place() as made:
        player = begun(made)
        for segment in TASK.segments[:2]:
            player.step()
            player.run(lambda p: p.state is State.PAUSED, seconds=10.0)
            assert player.walker.place == pytest.approx(segment.end * TASK.period, abs=1e-6)
            player.run(seconds=0.2)
            assert still(made)
            assert np.abs(made.arm.reading().q - TASK.q[segment.end]).max() < 0.005
        player.resume()
        finished(made, player)


def test_slower_by_half_takes_twice_as_long_and_keeps_to_the_path() -> None:
    with place() as made:
        player = made.player(TASK)
        player.start()
        player.run(lambda p: p.state is State.RUNNING, seconds=10.0)
        began = made.clock.now()
        player.speed(0.5)
        finished(made, player)
        assert made.clock.now() - began == pytest.approx(2.0 * TASK.duration, rel=0.15)
        assert off_the_path(made, TASK, on(made)) < 0.002
        for wrong in (-0.1, 1.5, float("nan")):
            with pytest.raises(ExecuteError, match="0 to 1"):
                player.speed(wrong)


def test_back_up_along_the_path_and_forth_again() -> None:
    with place() as made:
        player = begun(made)
        player.run(at(1.0), seconds=5.0)
        player.back_up(0.2)
        player.run(lambda p: p.state is State.PAUSED, seconds=10.0)
        assert player.walker.place == pytest.approx(0.2, abs=1e-6)
        player.run(seconds=0.3)
        assert np.abs(made.arm.reading().q - TASK.q[200]).max() < 0.005
        player.resume()
        finished(made, player)
        assert off_the_path(made, TASK, on(made)) < 0.002
        with pytest.raises(ExecuteError, match="not possible while done"):
            player.back_up()


def test_an_abort_eases_out_on_the_path_and_the_arm_holds() -> None:
    with place() as made:
        player = begun(made)
        player.abort("operator")
        assert player.run(seconds=5.0) is State.ABORTED
        assert made.arm.reading().state is ArmState.READY
        assert off_the_path(made, TASK, on(made)) < 0.002
        made.clock.advance(0.3)
        assert still(made)
        assert_nothing_beyond_limits(made)


def test_torque_is_released_only_on_request_and_never_in_motion() -> None:
    with place() as made:
        player = begun(made)
        with pytest.raises(ExecuteError, match="abort it first"):
            player.release()
        player.abort()
        player.run(seconds=5.0)
        made.clock.advance(0.5)
        before = made.arm.reading().q.copy()
        made.clock.advance(0.5)
        assert np.abs(made.arm.reading().q - before).max() < 1e-3  # it holds: nobody asked
        player.release()
        made.clock.advance(1.0)
        made.controller.newest()
        assert np.abs(made.arm.reading().q - before).max() > 0.02  # it sinks


def test_a_fault_of_the_arm_in_mid_motion_ends_it() -> None:
    for fault in ("brown-out", "reflex", "stuck-joint joint=2"):
        with place() as made:
            player = begun(made)
            made.arm.faults.add(fault)
            player.run(lambda p: p.state in (State.FAILED, State.HELD), seconds=5.0)
            assert player.state in (State.FAILED, State.HELD)
            assert "\n" not in player.reason
            assert made.arm.reading().state is not ArmState.ACTIVE or player.state is State.HELD
            assert_nothing_beyond_limits(made, spoilt=1)


def test_a_link_that_is_lost_in_mid_motion_stops_the_arm_and_resumes_where_it_was() -> None:
    with place() as made:
        player = begun(made)
        made.arm.faults.add("silence for 1")
        player.run(lambda p: p.state is State.LINK_LOST, seconds=2.0)
        assert player.state is State.LINK_LOST
        with pytest.raises(ExecuteError, match="not there"):
            player.resume()
        player.run(seconds=2.0)
        assert player.state is State.LINK_LOST  # nothing goes on by itself
        assert still(made)
        player.resume()
        finished(made, player)
        assert off_the_path(made, TASK, on(made)) < 0.02  # the arm stopped by itself, near the path


def test_an_abort_while_nobody_answers_ends_it_all_the_same() -> None:
    with place() as made:
        player = begun(made)
        made.arm.faults.add("silence for 60")
        player.run(lambda p: p.state is State.LINK_LOST, seconds=2.0)
        player.abort("Ctrl-C")
        assert player.run(seconds=2.0) is State.ABORTED
        assert "Ctrl-C; the link to the arm is lost" in player.reason
        made.clock.advance(1.0)
        assert still(made)


def test_an_emergency_stop_stops_the_arm() -> None:
    with place() as made:
        player = begun(made)
        player.emergency_stop()
        player.run(seconds=0.5)
        made.clock.advance(0.5)
        assert player.state is State.FAILED
        assert made.arm.reading().state is ArmState.STOPPED


@pytest.mark.parametrize("what", list(LinkLoss))
def test_on_link_loss_the_segment_says_what_the_arm_does_by_itself(what: LinkLoss) -> None:
    with place() as made:
        player = made.player(on_link_loss(TASK, what))
        player.start()
        player.run(at(MIDDLE), seconds=10.0)
        player.link_lost()
        player.run(lambda p: p.state is State.PAUSED and p.walker.at_rest, seconds=10.0)
        ends = {LinkLoss.FINISH: TASK.segments[0].end * TASK.period, LinkLoss.RETREAT: 0.0}
        if what in ends:
            assert player.walker.place == pytest.approx(ends[what], abs=1e-6)
        else:
            assert MIDDLE <= player.walker.place < MIDDLE + 0.5
        assert "link lost" in player.reason
        player.run(seconds=0.3)
        assert still(made)
        assert_nothing_beyond_limits(made)


def test_what_was_not_verified_or_changed_since_is_refused_and_nothing_moves() -> None:
    with place() as made:
        file = made.file(TASK)
        before = made.arm.reading().q.copy()
        for note, said in (
            ({}, "was not verified"),
            ({**file.verified, "hash": "0" * 64}, "has changed since"),
            ({**file.verified, "passed": "no"}, "did not pass"),
        ):
            with pytest.raises(ExecuteError, match=said):
                accepted(TaskFile(TASK, file.hash, note))
        made.clock.advance(0.2)
        assert np.abs(made.arm.reading().q - before).max() < 1e-3
        assert made.arm.reading().state is ArmState.READY


def test_a_start_that_cannot_be_reached_is_refused_and_nothing_moves() -> None:
    behind = HOME + np.array([-1.2, 0, 0, 0, 0, 0])
    with place() as made:
        task = through([behind, behind + np.array([-0.2, 0, 0, 0, 0, 0])])
        before = made.arm.reading().q.copy()
        with pytest.raises(ExecuteError, match="the way there is not free"):
            made.player(task)
        made.clock.advance(0.2)
        assert np.abs(made.arm.reading().q - before).max() < 1e-3
        assert (made.arm.log.ticks["state"] != 1.0).all()


def test_kinds_of_segments_are_named() -> None:
    assert {kind.value for kind in Kind} == {"free", "contact", "action", "wait"}
    assert np.abs(START - HOME).max() < 0.05
