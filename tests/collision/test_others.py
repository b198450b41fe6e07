"""Robots around a robot: of other mechanisms, and of those that move as one with it; and obstacles that wake up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import station
from station.bench import Bench
from station.collision import CollisionSettings, Surroundings, library
from station.collision.bodies import mechanism_solids
from station.collision.passage import room_of
from station.collision.survey import move_solids
from station.mechanism import Mechanism
from tests.collision.scenes import ROBOTS, put

DT = 1e-3
# Two sledges on one rail that face each other, 600 mm apart at first, with a ball of 50 mm each.
SLEDGE = """link 1 {{ parameters {{ theta 0  r 0  alpha 90  d 0  gamma 90 }} type prismatic pred 0 limits {{ -900 900 }}
  speed 2000 acceleration 20000 collision {{ sphere 50 }} }}"""
SLEDGES = (
    "RAFF v2.0 Rail "
    f"robot left {{ base {{ pos {{ -300 0 0 }} }} {SLEDGE.format()} }} "
    f"robot right {{ base {{ pos {{ 300 0 0 }} }} {SLEDGE.format()} }}"
)


def facing(bench: Bench, settings: CollisionSettings | None = None) -> tuple[Surroundings, Surroundings]:
    left, right = bench["left"], bench["right"]
    return (
        Surroundings(bench, left, settings, others=[right]),
        Surroundings(bench, right, settings, others=[left]),
    )


def two_arms(apart: float) -> Bench:
    """Two UR5e, this far from each other [mm], that nothing holds together."""
    body = (ROBOTS / "ur5e.mad").read_text().split("robot ur5e ")[1]
    there = body.replace("base { filename", f"base {{ pos {{ {apart} 0 0 }}  ori {{ 0 0 180 }}  filename")
    return station.loads(f"RAFF v2.0 Two device 1 {{ type spaceball }} robot left {body} robot right {there}")


def world(mechanism: Mechanism, q: NDArray[np.float64]) -> None:
    put(mechanism, np.clip(q, mechanism.memory.q_min, mechanism.memory.q_max))


def test_another_robot_is_an_obstacle_with_its_name() -> None:
    left, right = facing(station.loads(SLEDGES))
    (row,) = left.distances()
    assert (row.pair.body, row.pair.obstacle, row.pair.with_itself) == ("link 1", "right link 1", False)
    assert row.distance == pytest.approx(0.5, abs=1e-6)
    assert row.normal == pytest.approx([-1, 0, 0], abs=1e-6)
    (back,) = right.distances()
    assert back.normal == pytest.approx([1, 0, 0], abs=1e-6)


def test_distances_between_two_arms_are_those_of_the_library_at_any_posture() -> None:
    """Both robots thrown anywhere: every pair against the library asked with poses that Python worked out."""
    bench = two_arms(700)
    arm, other = bench["left"], bench["right"]
    left = Surroundings(bench, arm, include_self=True, others=[other])
    generator = np.random.default_rng(7)
    assert len(left.pairs) > 30
    checked = 0
    for _ in range(40):
        world(arm, generator.uniform(-2.0, 2.0, 6))
        world(other, generator.uniform(-2.0, 2.0, 6))
        told = left.tell(DT)
        left.refine()
        true = []
        for a, b in left._pairs:
            one, two = left.solids[a], left.solids[b]
            carrier = arm if two.other is None else other
            assert one.frame is not None
            assert two.frame is not None
            pose = np.linalg.inv(carrier.pose(two.frame) @ two.pose) @ arm.pose(one.frame) @ one.pose
            answer = np.zeros(7)
            assert library.Query(one.geometry, two.geometry).ask(pose[:3, :3].copy(), pose[:3, 3].copy(), answer)
            true.append(answer[0])
            checked += 1
        assert [row.distance for row in left.distances()] == pytest.approx(sorted(true), abs=2e-6)
        told_now = left.table.told[: left.table.pair_count]
        assert (told_now <= np.array(true) + 1e-8).all()  # never more than the truth
        assert told.nearest == math.inf or told.nearest <= min(true) + 1e-8
    assert checked > 1000


@pytest.mark.parametrize("approach_time", [0.0, 0.001, 0.02])
@pytest.mark.parametrize("speed", [0.2, 2.0])
def test_two_robots_that_are_led_into_each_other_stop_at_the_margin(approach_time: float, speed: float) -> None:
    settings = CollisionSettings(approach_time=approach_time)
    bench = station.loads(SLEDGES)
    around = dict(zip(("left", "right"), facing(bench, settings), strict=True))
    least = math.inf
    for tick in range(2200):
        for sign, name in ((1.0, "left"), (-1.0, "right")):
            arm, near = bench[name], around[name]
            wanted = sign * min(speed * tick * DT, 0.4)  # 100 mm further than where they meet
            arm.step({}, DT, joints={1: wanted}, contacts=near.contacts(DT))
            near.refine()
        least = min(least, 0.6 - 0.1 + bench["right"].q[0] - bench["left"].q[0])
    assert least > settings.margin - 1e-6
    assert 0.6 - 0.1 + bench["right"].q[0] - bench["left"].q[0] < settings.margin + 2e-4  # and they did come near
    assert around["left"].rows[0, 1:4] == pytest.approx([-1, 0, 0], abs=1e-6)


def test_one_that_stands_still_is_neared_to_the_margin_by_one_alone() -> None:
    bench = station.loads(SLEDGES)
    near, _ = facing(bench)
    for tick in range(1500):
        bench["left"].step({}, DT, joints={1: min(tick * DT, 0.8)}, contacts=near.contacts(DT))
        near.refine()
    left = 0.5 - bench["left"].q[0]
    assert near.settings.margin - 1e-6 < left < near.settings.margin + 1e-5


def test_arms_led_through_each_other_never_touch() -> None:
    bench = two_arms(1100)
    around = dict(zip(("left", "right"), facing(bench, CollisionSettings(approach_time=0.005)), strict=True))
    start = {name: bench[name].pose(7) for name in around}
    for name in around:  # turned towards each other
        values = bench[name].q
        values[0] = math.pi
        world(bench[name], values)
        start[name] = bench[name].pose(7)
        around[name].refresh()
    least, nearest = math.inf, math.inf
    for tick in range(1200):
        for name, sign in (("left", 1.0), ("right", -1.0)):
            target = start[name].copy()
            target[0, 3] += sign * min(0.5 * tick * DT, 0.4)
            target[1, 3] *= 1.0 - min(1e-3 * tick, 1.0)  # onto one line
            target[2, 3] += sign * 0.05 * math.sin(0.01 * tick)
            bench[name].step({7: target}, DT, contacts=around[name].contacts(DT))
            around[name].refine()
        if tick % 10 == 0:
            least = min(least, around["left"].distances(include_self=False)[0].distance)
        nearest = min(nearest, around["left"].tell(DT).nearest)
    assert least > around["left"].settings.margin - 0.3e-3
    assert nearest < 0.01  # they did meet


def test_a_robot_that_is_nowhere_stays_where_it_was_and_blinds_nobody() -> None:
    bench = station.loads(SLEDGES + " obstacle wall { box { 10 400 400 } pos { -500 0 0 } }")
    near, _ = facing(bench)
    other = bench["right"].memory
    assert near.follow_others()
    other.position[0, 0] = math.nan
    assert not move_solids(near.table, other, 0)
    told = near.tell(DT)
    assert not told.condition
    assert near.table.solid_offset[near.table.other_solid[0], 0, 3] == pytest.approx(0.3)


def test_what_another_robot_carries_is_around_too_and_can_be_moved() -> None:
    text = SLEDGES.replace("robot right {", "robot right { obstacle lamp { sphere 20 pos { 0 0 -200 } pred 1 }")
    bench = station.loads(text)
    near, _ = facing(bench)
    lamp = next(row for row in near.distances() if row.pair.obstacle == "right lamp")
    assert lamp.distance == pytest.approx(0.6 - 0.2 - 0.07, abs=1e-6)  # z of the link is x of the world
    pose = np.eye(4)
    pose[2, 3] = -0.3
    near.move("right lamp", pose)
    lamp = next(row for row in near.distances() if row.pair.obstacle == "right lamp")
    assert lamp.distance == pytest.approx(0.6 - 0.3 - 0.07, abs=1e-6)
    with pytest.raises(station.StationError, match="no obstacle 'right link 1'; there are: right lamp"):
        near.move("right link 1", pose)


def test_robots_on_one_carriage_are_kept_apart_while_it_moves() -> None:
    """Two sledges on a carriage are one mechanism: the joints between their bodies get stops, those below them none."""
    mounted = "base { on { robot carriage link 1 } pos { 0 0 %d } ori { -90 -90 0 } }"
    text = SLEDGES.replace("base { pos { -300 0 0 } }", mounted % -300).replace(
        "base { pos { 300 0 0 } }", mounted % 300
    )
    bench = station.loads(text + "robot carriage { base { pos { 0 0 -500 } }" + SLEDGE.format() + " }")
    system = bench.system("left")
    assert system.robots == ("left", "right", "carriage")
    arm = system.mechanism
    np.testing.assert_allclose(arm.pose(system.frame_id("left", 0))[:3, :3], np.eye(3), atol=1e-12)
    near = Surroundings(bench, arm)
    assert ("right link 1", "left link 1", False) in [(p.body, p.obstacle, p.with_itself) for p in near._in_ticks]
    left, right, carriage = (system.frame_id(name, 1) for name in system.robots)
    least, places = math.inf, []
    for tick in range(1500):
        way = min(0.5 * tick * DT, 0.4)
        wanted = {left: way, right: -way, carriage: 0.3 * math.sin(5.0 * tick * DT)}
        arm.step({}, DT, joints=wanted, contacts=near.contacts(DT))
        near.refine()
        places.append(arm.q[2])
        least = min(least, float(arm.pose(right)[0, 3] - arm.pose(left)[0, 3]) - 0.1)
    margin = near.settings.margin
    assert margin - 1e-6 < least < margin + 1e-3
    assert np.ptp(places[-600:]) > 0.2  # nothing holds the carriage


def test_arms_on_one_bar_do_not_enter_each_other() -> None:
    bench = station.load("two_arms_bar")
    (system,) = bench.systems()
    near = Surroundings(bench, system.mechanism)
    between = [pair for pair in near.pairs if pair.body.split()[0] != pair.obstacle.split()[0]]
    assert len(between) > 20
    assert not any(pair.with_itself for pair in between)
    ticking = set(near._in_ticks)
    assert set(between) <= ticking
    assert not any(pair.with_itself for pair in ticking)  # a robot with itself is not asked for
    names = {solid.name for solid in near.solids}
    assert {"left base", "right base", "left frame 8 (bar)", "right link 6 (wrist 3)"} <= names


def test_the_first_link_of_one_meets_the_base_of_another_that_it_is_tied_to() -> None:
    """A joint holds it to its own base only."""
    link = (
        "link 1 { parameters { 0 0 0 0 } type prismatic pred 0 limits { -2000 2000 } collision { box { 90 90 90 } } }"
    )
    text = "RAFF v2.0 Pair\n" + "".join(
        f"robot {name} {{ base {{ pos {{ 0 0 {z} }} collision {{ box {{ 90 90 90 }} }} }} {link} }}\n"
        for name, z in (("left", 0), ("right", 1000))
    )
    bench = station.loads(text + "constraint { robot left link 1  robot right link 1  axes ( z ) }")
    (system,) = bench.systems()
    near = Surroundings(bench, system.mechanism)
    assert {(pair.body, pair.obstacle) for pair in near.pairs} == {
        ("left link 1", "right base"),
        ("right link 1", "left base"),
    }


def test_an_obstacle_that_was_never_left_is_told_once_it_is_moved_away() -> None:
    """A block in which the sledge always is: nothing can keep them apart, until it stands elsewhere."""
    text = SLEDGES.split("robot right")[0] + "obstacle block { box { 4000 300 300 } }"
    bench = station.loads(text)
    near = Surroundings(bench, bench["left"])
    assert not list(near.pairs)
    assert [out.obstacle for out in near.left_out] == ["block"]
    assert near.tell(DT).rows == 0
    pose = np.eye(4)
    pose[1, 3] = 0.02
    near.move("block", pose)  # still inside
    assert not list(near.pairs)
    pose[1, 3] = 0.26
    near.move("block", pose)
    assert len(near.left_out) == 0
    assert [pair.obstacle for pair in near.pairs] == ["block"]
    assert near.tell(DT).nearest == pytest.approx(0.06, abs=1e-6)
    assert near.rows[0, 1:4] == pytest.approx([0, -1, 0], abs=1e-6)
    (row,) = near.distances()
    assert row.distance == pytest.approx(0.06, abs=1e-6)
    near.refresh()
    assert near.refine() == 0


def test_robots_that_can_never_meet_cost_nothing() -> None:
    bench = two_arms(4000)
    near, _ = facing(bench)
    assert not any(pair.obstacle.startswith("right") for pair in near.pairs)
    assert len(near.table.other_solid) == 0
    near, _ = facing(two_arms(2000))  # 0.95 m each, and a horizon of 0.15 m
    assert any(pair.obstacle.startswith("right") for pair in near.pairs)


def test_a_solid_never_leaves_the_room_that_is_taken_for_its_own() -> None:
    generator = np.random.default_rng(3)
    for name in ("ur5e", "arm_on_gantry", "scara"):
        (system,) = station.load(name).systems()
        arm, mem = system.mechanism, system.mechanism.memory
        solids = mechanism_solids(station.load(name), arm.robot).bodies
        rooms = [room_of(arm, solid) for solid in solids]
        for _ in range(200):
            put(arm, generator.uniform(mem.q_min, mem.q_max))
            for solid, room in zip(solids, rooms, strict=True):
                assert solid.frame is not None
                pose = arm.pose(solid.frame) @ solid.pose
                centre = pose[:3, :3] @ solid.centre + pose[:3, 3]
                assert np.linalg.norm(centre - room.centre) + solid.ball <= room.radius + 1e-9
