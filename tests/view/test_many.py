"""Sixteen robots: all are drawn and followed, each has its place in the chooser."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from station.bench import loads
from station.mad.scene import BASE_ID
from station.view.picking import first_triangle
from station.view.scene_view import SceneView
from tests.view.many import arms
from tests.view.pictures import background, bare, differs, picture, project
from tests.view.test_parts import seated

SIZE = (640, 480)


def seen(view: SceneView) -> list[bool]:
    """Whether something is drawn at the foot of each robot."""
    drawn = differs(picture(view, size=SIZE), background(view))
    feet = np.array([robot.pose(BASE_ID)[:3, 3] for robot in view.robots.values()])
    return [bool(drawn[y - 4 : y + 5, x - 4 : x + 5].any()) for x, y in np.rint(project(view, feet, SIZE)).astype(int)]


def test_sixteen_robots_are_drawn() -> None:
    view = bare(SceneView(loads(arms(16))))
    assert len(view.robots) == 16
    assert all(seen(view))


def test_sixteen_robots_of_a_station_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    with seated(arms(16, hands=2), tmp_path, "hand1", "hand2") as seat:
        for nth, part in enumerate(seat.servo.parts):
            part.shared.predicted_q[:] = 0.01 * nth
            part.writer.publish()
        seat.window.follower.update()
        for nth, robot in enumerate(seat.window.scene.robots.values()):
            np.testing.assert_allclose(robot.q, 0.01 * nth)
        bar = seat.window.parts_bar
        assert [button.text() for button in bar.buttons[:3]] == ["hand1 → arm1", "hand2 → arm2", "arm3"]
        assert len({button.y() for button in bar.buttons}) == 2  # rows
        assert seat.servo.parts[15].name == "arm16"


def test_a_robot_that_is_left_out_of_picking_is_not_met() -> None:
    view = bare(SceneView(loads(arms(4))))
    generator, left_out = np.random.default_rng(1), 0
    for x, y in generator.uniform(-1.0, 1.0, (60, 2)):
        ray = view.camera.ray(x, y, 1.0)
        for robot in view.robots.values():
            if not robot.body.may_be_met(ray, robot.predicted.poses):
                left_out += 1
                assert first_triangle(ray, robot.points(), robot.body.mesh.faces) is None
    assert left_out > 60
    for robot in view.robots.values():
        x, y = project(view, robot.pose(7)[None, :3, 3], (100, 100))[0]
        hit = view.hit(0.02 * x - 1.0, 1.0 - 0.02 * y, 1.0)
        assert hit is not None
        assert hit.robot == robot.name
