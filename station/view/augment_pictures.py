"""Pictures of what stands beside the robots, from moments that are staged; called by `station.view.pictures`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import robots
from station.bench import load, loads
from station.servo.shared import Cause
from station.view.augment.colours import ramp
from station.view.drawing.points import Cloud
from station.view.png import render_image, sheet, write_png
from station.view.robot import DrawnRobot
from station.view.scene_view import SceneView
from station.view.staged import staged
from station.view.theme import DARK, LIGHT, Theme

WIDE, SMALL = (960, 600), (480, 360)  # [px]
ASPECT = 4.0 / 3.0
SPEEDS = np.array([-0.9, 1.4, 0.4, -1.9, 0.9, 0.3, -1.2])  # [rad/s]
ERRORS = np.array([0.004, 0.03, 0.012, 0.045, 0.008, 0.02, 0.0])  # [rad]
SURROUNDINGS = """
obstacle bench { box { 400 800 40 } pos { 620 0 120 } }
guide seam { type line pos { 550 0 300 } direction { 0 1 0 } }
guide table { type plane pos { 600 0 145 } direction { 0 0 1 } }
guide funnel { type cone pos { 500 350 250 } direction { 0 0 1 } half_angle 25 }
guide home { type zone pos { 450 -300 600 } size 60 }
"""


def station_moving(view: SceneView, **fields: Any) -> DrawnRobot:
    """The only robot of a scene, moved by a station that is staged, its measurement lagging a little."""
    (robot,) = view.robots.values()
    robot.predict(robot.q, 0.001)
    robot.measure(robot.q - 0.06, 0.2)
    robot.emulated = True
    view.augment.put(robot, staged(robot, measured_age=0.2, **fields))
    return robot


def marked(quantity: str, mark: str, theme: Theme = LIGHT) -> SceneView:
    """A quantity by a mark, joints 4 and 6 near their stops."""
    view = SceneView(load(robots.path("panda")), theme)
    robot = view.robots["panda"]
    q = robot.q.copy()
    q[3], q[5] = -0.25, 3.55
    robot.predict(q)
    station_moving(view, measured_v=SPEEDS, measured_q=q - 0.06, commanded_q=q - 0.06 + ERRORS)
    view.augment.layers.cursor = False
    view.augment.layers.stops = "off"
    view.augment.show(quantity, mark)
    view.look("perspective", ASPECT)
    return view


def gauges(theme: Theme, name: str = "panda") -> SceneView:
    """All stops, and the manipulability ellipsoid."""
    view = SceneView(load(robots.path(name)), theme)
    robot = view.robots[name]
    if name == "panda":
        robot.predict(np.array([0.9, 0.5, -0.4, -0.5, 1.0, 3.3, -2.0]))
    view.augment.layers.stops, view.augment.layers.ellipsoid = "all", True
    view.look("perspective", ASPECT)
    return view


def hand(theme: Theme) -> SceneView:
    """The hand beside the robot: cursor, workspace of the device, forces by cause; and a joint at its stop."""
    view = SceneView(load(robots.path("panda")), theme)
    robot = view.robots["panda"]
    parts, acting = np.zeros((12, 6)), np.zeros(7, np.int64)
    parts[Cause.COUPLING, :3] = 1.2, -2.5, 1.6
    parts[Cause.STOPS, :3] = -3.1, 4.4, 3.0
    parts[Cause.CONTACT, :3] = 0.0, 0.5, 3.4
    acting[2] = 1
    target = robot.pose(9).copy()
    target[:3, 3] += 0.06, -0.10, 0.05
    hand_pose = np.eye(4)
    hand_pose[:3, 3] = 0.22, 0.04, -0.05
    text = {"device_model": "syntaxer"}
    fields = {"wrench_parts": parts, "wrench": parts.sum(axis=0), "joint_acting": acting, "target_pose": target}
    station_moving(view, text=text, hand_pose=hand_pose, measured_wrench=(0.0, 2.0, 12.5, 0.0, 0.0, 0.0), **fields)
    view.augment.layers.device_workspace = True
    view.look("perspective", ASPECT)
    return view


def around(theme: Theme) -> SceneView:
    """Obstacles with distances, guides, and a workspace as a cloud."""
    view = SceneView(loads(robots.path("panda").read_text() + SURROUNDINGS), theme)
    places = np.random.default_rng(3).normal(size=(2500, 3))
    places *= 0.75 / np.linalg.norm(places, axis=1, keepdims=True)
    places = places[places[:, 2] > 0.0] + (0.0, 0.0, 0.33)
    view.clouds["workspace"] = Cloud(places, ramp(theme, np.abs(places[:, 2] - 0.33) / 0.75), 3.0)
    view.augment.show("obstacle", "arrow", full=1.0)
    view.look("perspective", ASPECT)
    return view


def draw(folder: Path) -> None:
    """All pictures of this part."""
    marks = [
        marked("speed", "sphere"),
        marked("tracking", "colour"),
        marked("nearness", "transparency"),
        marked("speed", "arrow"),
    ]
    write_png(folder / "view-marks.png", sheet([render_image(view, SMALL) for view in marks], 2))
    others = [gauges(LIGHT), gauges(DARK, "scara"), around(LIGHT), around(DARK)]
    write_png(folder / "view-stops-guides.png", sheet([render_image(view, SMALL) for view in others], 2))
    write_png(folder / "view-hand.png", render_image(hand(DARK), (880, 660)))
