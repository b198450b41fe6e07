"""Robots of one physics that are tied to each other, or stand on each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import station
from sim_devices.arm import ArmError, ArmSettings, ArmState, World, emulated_arm, mujoco_model
from sim_devices.arm.model import GRAVITY, build
from station.mechanism import Mechanism
from tests.sim_devices.arm.benches import LEVER, QUIET, Floats, rise, shipped

LINKS = LEVER[LEVER.index("  link 1") :]  # of a robot
FACING = LINKS.replace(
    "}\n}", "}\n  frame 4 { pos { 0 0 0 } ori { 0 180 0 } pred 3 }\n}"
)  # as the other's tool is turned
BAR = 0.8 * GRAVITY  # its weight [N]


def two_levers(tie: str, base: str = "pos { 1200 0 0 } ori { 0 0 180 }") -> station.bench.Bench:
    """Two levers that face each other, and what holds them together."""
    return station.loads(LEVER + f"robot other {{ base {{ {base} }}\n{FACING}{tie}\n")


def live(world: World, seconds: float, begin: float) -> float:
    for k in range(1, round(1000 * seconds) + 1):
        world.advance(begin + k / 1000)
    return begin + seconds


def lifted(world: World, by: float) -> None:
    """Lift the bar by a smooth path, both arms told where to be."""
    system = shipped("two_arms_bar").system("left")
    world.advance(0.0)
    live(world, 0.1, 0.0)
    assert all(arm.activate() for arm in world.arms.values())
    path = rise(np.zeros(1), np.array([by]), 1.0)
    flange = system.frame_id("left", 7)
    start = system.mechanism.pose(flange)
    for k in range(1500):
        wanted = start.copy()
        wanted[2, 3] += path(k / 1000)[0]
        system.mechanism.reach(flange, wanted)
        for name, arm in world.arms.items():
            assert arm.setpoint(system.q_of(name), None, None, k)
        world.advance(0.1 + (k + 1) / 1000)


def bar_world(settings: ArmSettings | None = None) -> World:
    return World(shipped("two_arms_bar"), settings or ArmSettings(**QUIET))


# Constraints between robots ---------------------------------------------------------------------------------------


def test_arms_that_hold_a_bar_lift_it_together() -> None:
    world = bar_world()
    (tie,) = world.ties
    before = {name: arm.body.tool_pose for name, arm in world.arms.items()}
    lifted(world, 0.05)
    for name, arm in world.arms.items():
        assert arm.state is ArmState.ACTIVE
        moved = arm.body.tool_pose[:3, 3] - before[name][:3, 3]
        assert moved == pytest.approx([0.0, 0.0, 0.05], abs=5e-4)
    apart = world.arms["left"].body.tool_pose[:3, 3] - world.arms["right"].body.tool_pose[:3, 3]
    assert np.linalg.norm(apart) == pytest.approx(0.6, abs=1e-5)
    assert tie.gap < 1e-5
    assert np.abs(tie.wrench[:3]).max() < 5.0


def test_the_bar_weighs_on_who_carries_it() -> None:
    world = bar_world()
    world.advance(0.0)
    live(world, 1.0, 0.0)
    (tie,) = world.ties
    assert np.abs(tie.wrench).max() < 0.05  # the left arm was told of the bar, and holds it alone
    left, right = world.arms["left"], world.arms["right"]
    through = left.body.tool_turn.reshape(3, 3) @ left.body.through_tool[:3]
    assert through == pytest.approx([0.0, 0.0, BAR], abs=0.05)
    assert left.reading().wrench == pytest.approx(np.zeros(6), abs=0.05)  # less what its tool weighs
    assert right.reading().wrench == pytest.approx(np.zeros(6), abs=0.05)


def test_a_bar_that_its_arm_lets_go_is_carried_by_the_other() -> None:
    world = bar_world()
    world.advance(0.0)
    now = live(world, 0.2, 0.0)
    world.arms["left"].release()
    live(world, 1.0, now)
    (tie,) = world.ties
    right = world.arms["right"]
    assert right.state is ArmState.READY
    assert tie.wrench[2] < -4.0 * BAR  # some of the arm hangs at it, too
    turn = right.body.tool_turn.reshape(3, 3)
    measured = right.reading().wrench
    assert turn @ measured[:3] == pytest.approx(tie.wrench[:3], abs=1.0)
    assert turn @ measured[3:] == pytest.approx(tie.wrench[3:], abs=0.3)


def test_a_load_that_nobody_knew_of_is_shared_and_its_force_does_not_stay_between_them() -> None:
    world = World(shipped("two_arms_bar"), {"left": ArmSettings(payload=1.0, **QUIET), "right": ArmSettings(**QUIET)})
    world.advance(0.0)
    live(world, 4.0, 0.0)
    (tie,) = world.ties
    assert tie.gap < 1e-5
    assert np.abs(tie.wrench[:3]).max() < GRAVITY  # neither holds all of it against the other
    assert all(arm.state is ArmState.READY for arm in world.arms.values())


def test_brakes_hold_what_is_tied() -> None:
    world = bar_world()
    world.advance(0.0)
    now = live(world, 0.1, 0.0)
    before = {name: arm.body.q for name, arm in world.arms.items()}
    for arm in world.arms.values():
        arm.stop()
    live(world, 1.0, now)
    for name, arm in world.arms.items():
        assert arm.state is ArmState.STOPPED
        assert arm.body.q == pytest.approx(before[name], abs=2e-4)
    assert all(arm.reset() and arm.activate() for arm in world.arms.values())


def test_bodies_that_are_tied_never_touch_each_other() -> None:
    world = bar_world()
    model, data = world.physics
    lifted(world, 0.03)
    names = [[model.body(int(model.geom_bodyid[geom])).name for geom in contact.geom] for contact in data.contact]
    assert names == []
    mine = {"left/6", "left/tool"}
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature}
    pairs = {frozenset(model.body(body).name for body in pair) for pair in excluded}
    assert {frozenset({one, f"right/{other}"}) for one in mine for other in ("6", "tool")} <= pairs


@pytest.mark.parametrize(
    ("tie", "free"),
    [
        ("constraint { robot lever tool 3 robot other frame 4 }", 0),
        ("ball { robot lever tool 3 robot other frame 4 }", 0),
        ("constraint { robot lever tool 3 robot other frame 4 type revolute }", 1),
        ("constraint { robot lever tool 3 robot other frame 4 axes ( x y ) }", 4),
    ],
)
def test_every_kind_of_constraint_begins_closed_and_stays_so(tie: str, free: int) -> None:
    scene = two_levers(tie)
    world = World(scene)
    model, _ = world.physics
    assert model.nv == 4 + free
    (force,) = world.ties
    assert force.gap < 1e-9
    system = scene.system("lever")
    assert world.bodies["other"].all_q == pytest.approx(system.q_of("other"))
    world.advance(0.0)
    live(world, 0.3, 0.0)
    assert force.gap < 1e-4
    assert all(arm.state is ArmState.READY for arm in world.arms.values())


def test_a_wanted_start_takes_along_what_is_tied() -> None:
    scene = shipped("two_arms_bar")
    system = scene.system("left")
    q = system.q_of("left") + np.array([0.0, 0.1, -0.1, 0.0, 0.0, 0.0])
    system.put("left", q)
    world = World(scene, start={"left": q})
    assert world.ties[0].gap < 1e-9
    assert world.bodies["left"].q == pytest.approx(system.q_of("left"), abs=1e-9)
    assert world.bodies["right"].q == pytest.approx(system.q_of("right"), abs=1e-9)


def test_arms_that_are_not_as_the_scene_says_are_assembled_all_the_same() -> None:
    world = World(shipped("two_arms_bar"), ArmSettings(wrong_length=0.001, **QUIET), seed=2)
    assert world.ties[0].gap < 1e-9
    true = world.true_parameters("left").robot
    nominal = world.arms["left"].robot
    assert [frame.pos for frame in true.frames if frame.id == 9] == [f.pos for f in nominal.frames if f.id == 9]
    assert true.links != nominal.links


@pytest.mark.parametrize("robot", ["left", "right"])
def test_an_arm_whose_partner_stands_on_its_brakes_is_refused_and_told_how(robot: str) -> None:
    with pytest.raises(ArmError) as refused:
        emulated_arm(shipped("two_arms_bar"), robot)
    other = {"left": "right", "right": "left"}[robot]
    assert str(refused.value) == (
        f"robot {robot} is tied to {other} on its brakes and cannot move; emulate all: "
        "--controller left=sim:arm --controller right=sim:arm"
    )


def test_a_model_of_one_of_them_says_what_is_not_there() -> None:
    scene = shipped("two_arms_bar")
    assert mujoco_model(scene, "right").compile().neq == 6  # brakes alone
    assert "right: left, to which it is tied, is not there" in build(scene, ["right"]).notes


# Robots that stand on others ----------------------------------------------------------------------------------------


def carried(base: str = "on { robot lever tool 3 } pos { 0 0 50 } ori { 0 0 90 }") -> station.bench.Bench:
    return two_levers("", base)


def test_a_robot_goes_where_the_one_goes_that_carries_it() -> None:
    scene = carried()
    world = World(scene, ArmSettings(**QUIET))
    world.advance(0.0)
    live(world, 0.1, 0.0)
    assert all(arm.activate() for arm in world.arms.values())
    path = rise(np.zeros(2), np.array([0.2, 0.1]), 0.5)
    for k in range(800):
        world.arms["lever"].setpoint(path(k / 1000), None, None, k)
        world.arms["other"].setpoint(np.zeros(2), None, None, k)
        world.advance(0.1 + (k + 1) / 1000)
    assert [arm.state for arm in world.arms.values()] == [ArmState.ACTIVE] * 2
    system = scene.system("lever")
    system.mechanism.q = np.concatenate([world.bodies[name].q for name in ("lever", "other")])
    assert world.bodies["other"].tool_pose == pytest.approx(
        system.mechanism.pose(system.frame_id("other", 3)), abs=1e-5
    )
    assert world.bodies["lever"].q == pytest.approx([0.2, 0.1], abs=1e-3)


def test_what_carries_another_was_told_of_its_weight_and_does_not_take_it_for_a_contact() -> None:
    world = World(carried(), ArmSettings(**QUIET))
    world.advance(0.0)
    live(world, 0.5, 0.0)
    lever = world.arms["lever"]
    assert np.abs(lever.reading().wrench).max() < 0.05
    assert np.abs(lever.body.q).max() < 1e-4
    shoulder = lever.reading().effort[0]
    assert shoulder == pytest.approx((2.0 * 0.2 + 1.0 * 0.55 + 0.5 * 0.68 + 3.5 * 0.7) * GRAVITY, abs=0.5)


def test_one_of_them_alone_may_be_an_arm_while_the_other_stands_on_its_brakes() -> None:
    for name in ("lever", "other"):
        arm = emulated_arm(carried(), name)
        arm.advance(0.0)
        live(arm.world, 0.2, 0.0)
        assert arm.activate()


def test_without_its_carrier_a_robot_stands_where_that_held_it() -> None:
    scene = carried()
    built = build(scene, ["other"])
    assert "other: lever, which carries it, is not there" in built.notes
    body = built.spec.body("other/base")
    system = scene.system("lever")
    expected = system.mechanism.pose(system.frame_id("other", 0))[:3, 3]
    assert np.array(body.pos) == pytest.approx(expected, abs=1e-9)


def test_a_carrier_that_the_file_has_later_carries_all_the_same() -> None:
    text = f"RAFF v2.0 Order\nrobot upper {{ base {{ on {{ robot lever tool 3 }} }}\n{LINKS}" + LEVER.split("\n", 1)[1]
    scene = station.loads(text)
    world = World(scene)
    lower = Mechanism(scene.robot("lever"))
    assert world.bodies["upper"].tool_pose[:3, 3] == pytest.approx(lower.pose(3)[:3, 3] + [0.7, 0.0, 0.0], abs=1e-9)
    assert list(world.arms) == ["upper", "lever"]


def test_what_a_tool_carries_belongs_to_it() -> None:
    scene = shipped("two_arms_bar")
    alone = replace(scene, robots=scene.robots[:1], ties=())
    world = World(alone, ArmSettings(**QUIET))
    world.advance(0.0)
    live(world, 0.2, 0.0)
    arm = world.arms["left"]
    measured: Floats = arm.body.tool_turn.reshape(3, 3) @ arm.body.through_tool[:3]
    assert measured == pytest.approx([0.0, 0.0, BAR], abs=0.05)
    assert world.tool_as_known("left")[0] == pytest.approx(0.8)
