"""Following a station through its shared state; the station is played by a `StateWriter`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from station.servo.shared import Acting, Emulated, ServoState, StateWriter
from station.view.follow import Follower, Link
from station.view.labels import age_words
from tests.view.pictures import picture, scene


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[StateWriter]:
    with StateWriter(7, {"robot": "panda"}, folder=tmp_path) as station:
        yield station


def publish(station: StateWriter, q: NDArray[np.float64], measured: NDArray[np.float64], age: float) -> None:
    shared = station.shared
    shared.tick += 1
    shared.predicted_q[:], shared.measured_q[:] = q, measured
    shared.predicted_pose[:] = shared.measured_pose[:] = np.eye(4)
    shared.predicted_pose[0, 3] = 0.1 * shared.tick
    shared.measured_age = age
    station.publish()


def test_the_predicted_and_the_measured_robot_are_put_where_the_station_says(
    tmp_path: Path, writer: StateWriter
) -> None:
    view = scene("panda")
    robot = view.robots["panda"]
    q = robot.q + 0.1
    publish(writer, q, q - 0.2, age=0.2)
    follower = Follower(view, folder=tmp_path)
    assert follower.update()
    assert follower.link is Link.FOLLOWING
    mechanism = view.bench["panda"]
    for values, measured in ((q, False), (q - 0.2, True)):
        mechanism.q = values
        np.testing.assert_allclose(robot.pose(9, measured), mechanism.pose(9), atol=1e-12)
    assert robot.measured.shown
    assert robot.measured.age is not None
    assert 0.2 <= robot.measured.age < 5.0
    picture(view)


def test_the_commanded_robot_is_shown_on_demand_and_only_once_something_was_sent(
    tmp_path: Path, writer: StateWriter
) -> None:
    view = scene("panda")
    robot, q = view.robots["panda"], view.robots["panda"].q
    follower = Follower(view, folder=tmp_path)
    writer.shared.commanded_q[:] = q + 0.05
    for wanted, sent, shown in ((False, True, False), (True, False, False), (True, True, True), (False, True, False)):
        view.show_commanded = wanted
        writer.shared.commanded_pose[:] = np.eye(4) if sent else 0.0
        publish(writer, q, q - 0.2, age=0.2)
        assert follower.update()
        assert robot.commanded.shown is shown
    mechanism = view.bench["panda"]
    mechanism.q = q + 0.05
    np.testing.assert_allclose(robot.commanded.poses[robot.row(9)], mechanism.pose(9), atol=1e-12)


def test_what_holds_back_and_what_is_emulated_is_said(tmp_path: Path, writer: StateWriter) -> None:
    view = scene("panda")
    writer.shared.state = ServoState.ENGAGED
    writer.shared.emulated = Emulated.DEVICE | Emulated.CONTROLLER
    writer.shared.acting = Acting.JOINT_STOP
    writer.shared.joint_acting[2] = 1
    writer.shared.wrench[0] = 3.0
    writer.shared.measured_wrench[2] = 12.34
    publish(writer, view.robots["panda"].q, view.robots["panda"].q, 0.0)
    Follower(view, folder=tmp_path).update()
    assert view.status == ["engaged", "emulated: device, controller", "joint 3 at its upper stop", "on the hand: 3.0 N"]
    assert view.robots["panda"].emulated
    added = view.augment.additions()
    assert list(view.robots["panda"].tints) == [3]
    assert [label.text for label in added.labels] == ["12.3 N"]
    assert added.arrows[0].vector[2] > 0.0


def test_trails_follow_the_records(tmp_path: Path, writer: StateWriter) -> None:
    view = scene("panda")
    q = view.robots["panda"].q
    publish(writer, q, q, 0.0)
    follower = Follower(view, folder=tmp_path)
    follower.update()
    for _ in range(40):
        publish(writer, q, q, 0.0)
    follower.update()
    trail = view.trails["predicted"].points()
    assert len(trail) == 5
    np.testing.assert_allclose(np.diff(trail[:, 0]), 0.8)


def test_a_station_that_ends_is_told_and_the_last_state_stays(tmp_path: Path, writer: StateWriter) -> None:
    view = scene("panda")
    q = view.robots["panda"].q + 0.1
    publish(writer, q, q, 0.0)
    follower = Follower(view, folder=tmp_path)
    follower.update()
    writer.close()
    assert follower.update()
    assert follower.link.name == "ENDED"
    assert view.status[-1] == "the station has ended; this is its last state"
    np.testing.assert_allclose(view.robots["panda"].q, q)
    assert not follower.update()  # and looks for the next one
    assert follower.link.name == "NONE"


def test_a_station_that_is_started_again_is_found_again(tmp_path: Path, writer: StateWriter) -> None:
    view = scene("panda")
    q = view.robots["panda"].q
    publish(writer, q, q, 0.0)
    follower = Follower(view, folder=tmp_path)
    follower.update()
    writer.close()
    follower.update()
    with StateWriter(7, {"robot": "panda"}, folder=tmp_path) as again:
        publish(again, q + 0.05, q, 0.0)
        assert follower.update()
        assert follower.link is Link.FOLLOWING
        np.testing.assert_allclose(view.robots["panda"].q, q + 0.05)


def test_no_station_is_no_trouble(tmp_path: Path) -> None:
    follower = Follower(scene("panda"), folder=tmp_path)
    assert not follower.update()
    assert (follower.link, follower.trouble) == (Link.NONE, "")


def test_a_station_with_another_robot_is_not_followed(tmp_path: Path) -> None:
    with StateWriter(6, folder=tmp_path):
        follower = Follower(scene("panda"), folder=tmp_path)
        assert not follower.update()
        assert follower.trouble == "the running station moves a robot of 6 joints, which is not in this file"
    with StateWriter(7, {"robot": "iiwa"}, folder=tmp_path):
        assert not follower.update()


def test_measurements_that_never_came_or_make_no_sense_show_no_ghost(tmp_path: Path, writer: StateWriter) -> None:
    view = scene("panda")
    robot = view.robots["panda"]
    follower = Follower(view, folder=tmp_path)
    publish(writer, robot.q, robot.q, age=np.inf)
    follower.update()
    assert not robot.measured.shown
    publish(writer, robot.q, np.full(7, np.nan), age=0.0)
    follower.update()
    assert not robot.measured.shown


def test_a_state_of_another_version_is_told_and_survived(tmp_path: Path, writer: StateWriter) -> None:
    view = scene("panda")
    writer.header.version = 99
    follower = Follower(view, folder=tmp_path)
    assert not follower.update()
    assert "use the same release for both" in follower.trouble


def test_ages_in_words() -> None:
    assert age_words(None, False) == ""
    assert age_words(0.2, False) == ", 200 ms"
    assert age_words(1.26, True) == ", STALE 1.3 s"
    assert age_words(np.inf, True) == ", nothing came yet"


def test_numbers_that_stand_for_nothing_are_told_and_survived(tmp_path: Path, writer: StateWriter) -> None:
    view = scene("panda")
    writer.shared.view("state")[:] = 77
    publish(writer, view.robots["panda"].q, view.robots["panda"].q, 0.0)
    follower = Follower(view, folder=tmp_path)
    assert follower.update()
    assert "77" in follower.trouble
