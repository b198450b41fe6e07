"""What is changed in a run is drawn by everybody who looks: other windows, those that come later, and replays."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import station
from station.clock import VirtualClock
from station.servo.shared.commands import MoveObstacle, SetGeometry
from station.servo.shared.parts import opened_parts
from station.servo.shared.words import EditState, Reason
from station.tasks.recording import Recording, Writer
from station.tasks.recording.recorder import Recorder
from station.tasks.replay import Player, Ticks
from station.view.follow import Follower
from station.view.scene_view import SceneView
from tests.servo.rigs import Bench, ideal, loaded
from tests.servo.test_changes import arm, ask, numbers_of
from tests.servo.test_parts import hands_on
from tests.view.pictures import SIZE, bare, picture

SCENE = arm() + "\nobstacle wall { box { 40 400 400 } pos { 2000 0 0 } }"
WALL = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.3, 0.0, 0.0, 1.0, 0.0)


def changed(bench: Bench) -> None:
    bench.engage()
    for command in (
        SetGeometry(4, numbers_of(bench, 4, d=0.38)),
        SetGeometry(5, (0.08, 0.0, 0.01, 0.0, 0.0, 0.0)),
        MoveObstacle(0, WALL),
    ):
        assert ask(bench, command) is Reason.ACCEPTED


def until_rest(bench: Bench) -> None:
    bench.ticks()
    while bench.shared.edit_state == EditState.GOING:
        bench.ticks()
    bench.ticks(300)  # all that were changed are shown, one after the other


def new_view() -> SceneView:
    return bare(SceneView(loaded(SCENE)))


def assert_as_in_the_run(view: SceneView, bench: Bench) -> None:
    drawn = view.robots["arm"]
    for frame in drawn.body.ids:
        np.testing.assert_allclose(drawn.pose(frame), bench.robot.pose(frame), atol=1e-9)
    points = view.world.mesh.points
    np.testing.assert_allclose(0.5 * (points.min(axis=0) + points.max(axis=0)), [1.0, 0.3, 0.0], atol=1e-9)


def test_other_windows_draw_the_geometry_after_an_edit(tmp_path: Path) -> None:
    with ideal(SCENE, tmp_path) as bench:
        view = new_view()
        follower, before = Follower(view, folder=tmp_path), picture(view)
        changed(bench)
        follower.update()
        for _ in range(20):  # also on the way
            bench.ticks(17)
            follower.update()
        middle = view.robots["arm"].kinematics.robot.links[3].parameters.d
        assert 0.35 < middle < 0.38
        while bench.shared.edit_state == EditState.GOING:
            bench.ticks(16)
            follower.update()
        for _ in range(20):
            bench.ticks(17)
            follower.update()
        assert_as_in_the_run(view, bench)
        longer = station.loads(SCENE.replace("0 0 0 350", "0 0 0 380")).robots[0]
        assert view.robots["arm"].kinematics.robot.links == longer.links
        assert (picture(view) != before).any()
        follower.close()


def test_a_window_that_comes_later_sees_all_that_was_changed(tmp_path: Path) -> None:
    with ideal(SCENE, tmp_path) as bench:
        changed(bench)
        until_rest(bench)
        view = new_view()
        follower = Follower(view, folder=tmp_path)
        for _ in range(20):
            bench.ticks(17)
            follower.update()
        assert_as_in_the_run(view, bench)
        other = SceneView(loaded(SCENE.replace("0 0 0 350", "0 0 0 380").replace("{ 50 0 0 }", "{ 80 0 10 }")))
        other.robots["arm"].predict(view.robots["arm"].q)
        for one, same in zip(view.robots["arm"].points(), other.robots["arm"].points(), strict=True):
            np.testing.assert_allclose(one, same, atol=1e-6)  # bodies are those of the new geometry
        follower.close()


def test_the_next_station_begins_with_the_file(tmp_path: Path) -> None:
    view = new_view()
    follower, world, body = Follower(view, folder=tmp_path), view.world.mesh.points, view.robots["arm"].body.mesh.points
    with ideal(SCENE, tmp_path) as bench:
        changed(bench)
        until_rest(bench)
        for _ in range(20):
            bench.ticks(17)
            follower.update()
    follower.update()
    with ideal(SCENE, tmp_path) as bench:
        bench.ticks(20)
        follower.update()
        np.testing.assert_allclose(view.robots["arm"].pose(5), bench.robot.pose(5), atol=1e-12)
        np.testing.assert_array_equal(view.world.mesh.points, world)
        np.testing.assert_allclose(view.robots["arm"].body.mesh.points, body, atol=1e-6)
    follower.close()


def test_a_replay_shows_the_changed_geometry_and_goes_back(tmp_path: Path) -> None:
    path, live, again = tmp_path / "run.mcap", tmp_path / "live", tmp_path / "again"
    live.mkdir(mode=0o700)
    again.mkdir(mode=0o700)
    with ideal(SCENE, live) as bench, opened_parts(bench.servo.part.writer.path) as states:
        recorder = Recorder(states, Writer(path, kind="run", chunk=math.inf))
        first = bench.robot.pose(5)
        changed(bench)
        while not (bench.shared.edit == 3 and bench.shared.edit_state == EditState.DONE):
            bench.ticks(100)
            recorder.take()
            recorder.write()
        bench.ticks(400)
        recorder.take()
        recorder.write()
        recorder.close()
        view, clock = new_view(), VirtualClock()
        with Recording(path) as recording, Player(Ticks(recording), 1.0, clock, "replay-1", again) as player:
            follower = Follower(view, player.path)
            while not player.ended:
                clock.advance(0.017)
                player.step()
                follower.update()
            assert_as_in_the_run(view, bench)
            player.seek(0.0)
            player.step()
            follower.update()
            np.testing.assert_allclose(view.robots["arm"].pose(5), first, atol=1e-6)
            follower.close()


@pytest.mark.parametrize("measured", [False, True])
def test_a_robot_that_another_carries_is_drawn_on_it(tmp_path: Path, measured: bool) -> None:
    with hands_on("arm_on_gantry", tmp_path, "1", "2") as bench:
        parts = {part.rig.alone.robot.name: part for part in bench.servo.parts}
        bench.press("1", "2")
        bench.move("2", (0.05, 0.04, 0.0), 0.5)
        bench.ticks(50)
        arm_part, gantry = parts["arm"], parts["gantry"]
        if measured:  # as arms behind them would say: the gantry is behind by 10 mm
            for part in (arm_part, gantry):
                part.shared.measured_q[:], part.shared.measured_age = part.shared.predicted_q, 0.0
            gantry.shared.measured_q[0] -= 0.01
            for part in (arm_part, gantry):
                part.writer.publish()
        view = SceneView(loaded("arm_on_gantry"))
        view.fit(SIZE[0] / SIZE[1])
        follower = Follower(view, bench.servo.part.writer.path)
        follower.update()
        drawn = view.robots["arm"]
        np.testing.assert_allclose(drawn.pose(7), arm_part.shared.predicted_pose, atol=1e-9)
        assert drawn.measured.shown is measured
        if measured:
            behind = drawn.pose(7, measured=True) - drawn.pose(7)
            np.testing.assert_allclose(behind[:3, 3], [-0.01, 0.0, 0.0], atol=1e-9)
            np.testing.assert_allclose(behind[:3, :3], 0.0, atol=1e-9)
        follower.close()
