"""Every kind of body pressed against every kind of obstacle, turning: none goes in."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import station
from station.collision import Surroundings
from tests.collision.scenes import lift, write_tetrahedra

DT = 1e-3
# By which a body may come nearer than the margin [m]. Faces keep to a fraction; of two sharp edges only the nearest
# point is known, and another one may come down for a tick, by turning at 2.6 rad/s with a lever of 0.25 m.
ALLOWED, EDGE_ON_EDGE = 0.3e-3, 0.8e-3
NOWHERE = "collision { sphere 0.01 pos { 0 0 9000 } }"  # so that nothing is made up
FLYING = """RAFF v2.0 Fly robot fly {{ base {{ {nowhere} }}
  link 1 {{ parameters {{ 0 0 0 0 }}     type prismatic pred 0 limits {{ -2000 2000 }} speed 2000 {nowhere} }}
  link 2 {{ parameters {{ 0 0 90 0 }}    type prismatic pred 1 limits {{ -2000 2000 }} speed 2000 {nowhere} }}
  link 3 {{ parameters {{ 0 0 90 0 90 }} type prismatic pred 2 limits {{ -2000 2000 }} speed 2000 {nowhere} }}
  link 4 {{ parameters {{ 0 0 0 0 }}     type revolute pred 3 speed 400 {nowhere} }}
  link 5 {{ parameters {{ 90 0 90 0 }}   type revolute pred 4 speed 400 {nowhere} }}
  link 6 {{ parameters {{ 0 0 90 0 }}    type revolute pred 5 speed 400 collision {{ {body} }} }} }}
obstacle it {{ {obstacle} }}"""
BODIES = {
    "sphere": "sphere 40",
    "capsule": "capsule { 20 200 }",
    "box": "box { 100 150 60 }",
    "cylinder": "cylinder { 40 150 }",
    "mesh": 'mesh "t.obj" scale { 150 150 150 } pos { -40 -40 -40 }',
}
OBSTACLES = {
    "plane": "plane",
    "sphere": "sphere 100",
    "capsule": "capsule { 60 200 }",
    "box": "box { 300 200 150 }",
    "cylinder": "cylinder { 100 200 }",
    "mesh": 'mesh "t.obj" scale { 300 300 300 } pos { -75 -75 -75 }',
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize("body", BODIES)
def test_a_turning_body_pressed_against_an_obstacle_stays_outside(tmp_path: Path, body: str, obstacle: str) -> None:
    write_tetrahedra(tmp_path / "t.obj", 0.0)
    file = tmp_path / "fly.mad"
    file.write_text(FLYING.format(body=BODIES[body], obstacle=OBSTACLES[obstacle], nowhere=NOWHERE))
    scene = station.load(file)
    arm = scene["fly"]
    generator = np.random.default_rng(5)
    arm.q = np.concatenate([np.linalg.solve(arm.jacobian(6)[:3, :3], [0.1, 0.15, 0.45]), generator.uniform(-1, 1, 3)])
    surroundings = Surroundings(scene, arm)
    least, touched = math.inf, 0
    spin, goal = np.zeros(3), np.zeros(3)
    for tick in range(1200):
        if tick % 300 == 0:
            spin, goal = 1.5 * generator.normal(size=3), 0.05 * generator.normal(size=3)
        way = 3.0 * (goal - arm.pose(6)[:3, 3])
        twist = np.concatenate([way * min(1.0, 0.5 / float(np.linalg.norm(way))), spin])
        arm.step({6: twist}, DT, contacts=surroundings.contacts(DT))
        surroundings.refine()
        distance = min(row.distance for row in surroundings.distances() if row.pair.frame == 6)
        least, touched = min(least, distance), touched + (distance < surroundings.settings.margin + 0.5e-3)
    assert touched > 50
    assert least > surroundings.settings.margin - (EDGE_ON_EDGE if body == obstacle == "mesh" else ALLOWED)


def test_a_cylinder_that_stands_is_held_at_its_rim() -> None:
    contacts = lift("cylinder { 50 200 }", "obstacle floor { plane }", 105).contacts(DT)
    radii = sorted(float(np.hypot(*np.asarray(contact.point)[:2])) for contact in contacts)
    assert len(contacts) == 5
    assert radii[0] == pytest.approx(0.0, abs=1e-6)
    assert radii[1:] == pytest.approx([0.05] * 4)


def test_two_crossed_planks_are_held_where_their_edges_cross() -> None:
    plank = "obstacle plank { box { 60 600 20 } pos { 0 0 -10 } }"
    contacts = lift("box { 600 60 20 }", plank, 15).contacts(DT)
    corners = {(round(float(x), 3), round(float(y), 3)) for x, y, _ in (np.asarray(each.point) for each in contacts)}
    assert {(0.03, 0.03), (0.03, -0.03), (-0.03, 0.03), (-0.03, -0.03)} <= corners
    assert all(each.normal == pytest.approx([0, 0, 1]) for each in contacts)
