"""Robots whose files give no speeds: bounded by their size, in every tick, also in loops and at singularities."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import station
from station.mad.assumed import FASTER, MOST_TURNING, RISE_TIME, TIP_SPEED, assumed_limits, longest_chain
from station.mad.leading import led_frame
from station.mad.scene import Robot
from station.mechanism import Mechanism, Status
from station.mechanism.closures import bend_loops, closure_rows, eliminate, land
from station.mechanism.tasks import begin, put_pose, task_rows
from tests.mechanism.mechanisms import LOOPED, SHIPPED, Array, link, made, moved, robot, shipped

DT = 1e-3
LOOPED_OR_CURVED = (*LOOPED, "cam-lifter", "macdac")
LEGS = 3  # there and back
TICKS = 1200  # of a leg


def silent(given: Robot) -> Mechanism:
    """The same robot without speeds and accelerations."""
    return Mechanism(replace(given, links=tuple(replace(one, speed=None, acceleration=None) for one in given.links)))


def chain(rng: np.random.Generator) -> Mechanism:
    """Four to seven joints in a row, turning or sliding, in any direction."""
    rows, count = [], int(rng.integers(4, 8))
    for number in range(1, count + 1):
        sliding = rng.uniform() < 0.2
        theta, alpha = float(rng.uniform(-180, 180)), float(rng.choice([0, 90, -90]))
        r, d = float(rng.uniform(0, 300)), float(rng.uniform(0, 400))
        kind = "prismatic" if sliding else "revolute"
        rows.append(link(number, number - 1, kind, theta=theta, alpha=alpha, r=r, d=d))
    return made(robot([*rows, f"frame 20 {{ pos {{ 100 0 50 }} pred {count} }}"]))


def arms_on_a_bar(rng: np.random.Generator) -> Mechanism:
    """Two planar arms of three joints that hold one bar: they are often stretched, one or the other."""
    (a, b), (c, d) = rng.uniform(250, 500, size=(2, 2)).tolist()
    bar, apart = float(rng.uniform(100, 300)), float(rng.uniform(400, 800))
    turns = rng.uniform(20, 60, size=2).tolist()
    rows = [
        link(1, theta=60),
        link(2, 1, d=a, theta=-turns[0]),
        link(3, 2, d=b, theta=-30),
        f"frame 10 {{ pos {{ {apart!r} 0 0 }} pred 0 }}",
        link(4, 10, theta=120),
        link(5, 4, d=c, theta=turns[1]),
        link(6, 5, d=d),
        f"frame 11 {{ pos {{ {bar!r} 0 0 }} pred 3 }}",
        "constraint { link 6 frame 11 axes ( x y ) }",
        f"frame 20 {{ pos {{ {0.5 * bar!r} 0 0 }} pred 3 }}",
    ]
    return made(robot(rows))


def five_bar(rng: np.random.Generator) -> Mechanism:
    """Two cranks and two rods, the rods' joints passive."""
    (a, b), (c, d) = rng.uniform(150, 350, size=(2, 2)).tolist()
    rows = [
        link(1, theta=110),
        link(2, 1, d=a, theta=-60, more="passive"),
        f"frame 10 {{ pos {{ {float(rng.uniform(100, 250))!r} 0 0 }} pred 0 }}",
        link(3, 10, theta=70),
        link(4, 3, d=c, theta=60, more="passive"),
        f"frame 11 {{ pos {{ {b!r} 0 0 }} pred 2 }}",
        f"frame 12 {{ pos {{ {d!r} 0 0 }} pred 4 }}",
        "constraint { frame 11 frame 12 axes ( x y ) }",
        f"frame 20 {{ pos {{ {b!r} 0 0 }} pred 2 }}",
    ]
    return made(robot(rows))


GENERATED = {
    f"{make.__name__}-{seed}": (make, seed)
    for make, count in ((chain, 8), (arms_on_a_bar, 6), (five_bar, 6))
    for seed in range(count)
}


def by_name(name: str) -> Robot:
    """A robot without speeds: of `robots/`, or generated."""
    if name in SHIPPED:
        return silent(shipped(name).robot).robot
    make, seed = GENERATED[name]
    return make(np.random.default_rng(seed)).robot


def limited(given: Robot) -> Mechanism:
    """The same robot as if its file had what is assumed, and accelerations too."""
    assumed = assumed_limits(given)
    links = (
        replace(one, speed=assumed[one.id].speed, acceleration=assumed[one.id].acceleration)
        if one.id in assumed
        else one
        for one in given.links
    )
    return Mechanism(replace(given, links=tuple(links)))


def reversals(q: Array, bounds: Array, share: float) -> int:
    """How often a joint turns round from one tick to the next, faster than a share of its bound before and after."""
    v = np.diff(q, axis=0) / DT
    fast = np.minimum(np.abs(v[1:]), np.abs(v[:-1])) > share * bounds
    return int((fast & (v[1:] * v[:-1] < 0.0)).sum())


def lead(arm: Mechanism, calm: bool = False, ticks: int = TICKS) -> tuple[Array, Array, int]:
    """A target that moves slowly beyond reach and back; joint values of all ticks, bounds, and ticks that were lost."""
    led = led_frame(arm.robot)
    assert led is not None
    if calm:
        arm.calm_down()
    follow, start, size = arm.following(led.id), arm.pose(led.id), 4.0 * arm.memory.length
    rng, q, lost = np.random.default_rng(7), [arm.q], 0
    for _ in range(LEGS):
        along, about = rng.normal(size=(2, 3))
        along, about = 0.5 * size * along / np.linalg.norm(along), 1.5 * about / np.linalg.norm(about)
        for share in np.sin(np.linspace(0.0, math.pi, ticks)):
            lost += follow(moved(start, share * along, share * about), DT) == Status.CLOSURE_LOST
            q.append(arm.q)
    return np.array(q), arm.memory.v_max.copy(), lost


def check(arm: Mechanism) -> None:
    q, bounds, lost = lead(arm)
    assert bounds == pytest.approx([limits.speed for limits in assumed_limits(arm.robot).values()])
    assert lost == 0
    assert np.abs(np.diff(q, axis=0)).max() > 0.0
    assert (np.abs(np.diff(q, axis=0)) <= bounds * DT * (1.0 + 1e-9)).all()


@pytest.mark.parametrize("name", SHIPPED)
def test_no_joint_of_a_shipped_robot_without_speeds_leaps(name: str) -> None:
    check(silent(shipped(name).robot))


@pytest.mark.parametrize("name", GENERATED)
def test_no_joint_of_a_generated_robot_leaps(name: str) -> None:
    make, seed = GENERATED[name]
    check(make(np.random.default_rng(seed)))


@pytest.mark.parametrize("name", [*SHIPPED, *GENERATED])
def test_a_calmed_robot_is_as_calm_as_one_with_limits(name: str) -> None:
    given = by_name(name)
    q, bounds, lost = lead(Mechanism(given), calm=True)
    with_limits, _, _ = lead(limited(given))
    change = np.abs(np.diff(q, n=2, axis=0)) / DT / bounds
    most = np.abs(np.diff(with_limits, n=2, axis=0)) / DT / bounds
    assert lost == 0
    assert reversals(q, bounds, 0.03) <= reversals(with_limits, bounds, 0.03)
    assert change.max() <= max(most.max(), 1.01 * DT / RISE_TIME)
    if name not in LOOPED_OR_CURVED and not name.startswith(("arms", "five")):
        assert change.max() <= 1.01 * DT / RISE_TIME
        assert reversals(q, bounds, 0.03) == 0


@pytest.mark.parametrize("name", ["cam-lifter", *(name for name in GENERATED if not name.startswith("chain"))])
def test_loops_out_of_reach_do_not_chatter_without_any_acceleration_limit(name: str) -> None:
    """Loops bend, and a straight step overshoots; before, most of these turned round 1,000 to 7,000 times in 3.6 s."""
    q, bounds, _ = lead(Mechanism(by_name(name)))
    assert reversals(q, bounds, 0.002) <= 30


@pytest.mark.parametrize("name", ["panda", "puma560"])
def test_a_robot_that_leans_away_from_a_singularity_does_not_rock(name: str) -> None:
    """Before, a lean came and went every eight ticks: 1,186 and 648 turns in 15 s."""
    q, bounds, _ = lead(Mechanism(by_name(name)), ticks=5000)
    assert reversals(q, bounds, 0.002) <= 50


def squared(arm: Mechanism, frame: int, target: Array, q: Array) -> float:
    """Half the squared distance of a frame from a place, loops closed by the joints that they determine."""
    mem = arm.memory
    free = np.full(len(q), math.inf)
    assert land(mem, q, -free, free)
    place = mem.rotation[mem.frame_body[frame]] @ mem.frame_offset[frame, :, 3] + mem.position[mem.frame_body[frame]]
    return 0.5 * float(((target[:3, 3] - place) ** 2).sum())


@pytest.mark.parametrize("name", ["five-bar", "delta", "3-rpr", "hitachi-hpr", "stewart", "cam-lifter", "bennett"])
def test_how_loops_bend_is_the_second_derivative_of_what_is_missing(name: str) -> None:
    arm = Mechanism(by_name(name))
    led = led_frame(arm.robot)
    assert led is not None
    mem, q, frame, h = arm.memory, arm.q, arm._frame(led.id), 1e-4
    target = moved(arm.pose(led.id), [0.1, -0.2, 0.15])
    begin(mem, False)
    put_pose(mem, 0, frame, 0, target)
    mem.task_axes[0], mem.curvature[:], mem.missed = 0b111, 0.0, 0.0
    closure_rows(mem, q, True)
    eliminate(mem, mem.closure_rank)
    rows = task_rows(mem, 0, 0, q, DT)
    bend_loops(mem, q, mem.basis, mem.free)
    free, basis = mem.free, mem.basis.copy()
    straight = mem.task_matrix[:rows] @ basis
    model, bound = mem.triangle.copy(), mem.bend.copy()
    for k in range(free):
        before, here, after = (squared(arm, frame, target, q + step * basis[:, k]) for step in (-h, 0.0, h))
        true = (before - 2.0 * here + after) / h**2
        size = abs(true) + float(straight[:, k] @ straight[:, k])
        assert model[k, k] + straight[:, k] @ straight[:, k] == pytest.approx(true, abs=2e-3 * size + 1e-9)
        assert bound[k] >= abs(model[k, k])


def test_bounds_come_from_the_size() -> None:
    small = made(robot([link(1), link(2, 1, d=100)])).robot
    large = made(robot([link(1), link(2, 1, d=5000)])).robot
    assert assumed_limits(small)[1].speed == MOST_TURNING
    assert assumed_limits(large)[1].speed == pytest.approx(TIP_SPEED / longest_chain(large))


def test_what_the_file_gives_stays() -> None:
    rows = [link(1, more="speed 90 acceleration 200"), link(2, 1, d=300, more="acceleration 100"), link(3, 2, d=300)]
    arm = made(robot(rows))
    arm.calm_down()
    assumed = assumed_limits(arm.robot)
    assert set(assumed) == {2, 3}
    assert arm.memory.v_max[0] == pytest.approx(math.radians(90))
    assert arm.memory.a_max == pytest.approx([*np.radians([200, 100]), math.inf])
    assert arm.joints[2].speed is None


def test_a_silent_joint_is_faster_than_any_that_is_not() -> None:
    """Passive joints of a quick machine are as quick as its motors."""
    delta = shipped("delta")
    fastest = max(joint.speed for joint in delta.joints if joint.speed is not None)
    passive = assumed_limits(delta.robot).values()
    assert all(one.speed == FASTER * fastest for one in passive)


def test_a_slow_target_is_followed_as_before() -> None:
    """The bounds are wide: a hand that moves as hands do is followed to the digit."""
    arm = made(robot([link(1), link(2, 1, d=400, theta=60), link(3, 2, d=400)]))
    start, follow = arm.pose(3), arm.following(3)
    for tick in range(500):
        assert follow(moved(start, [-1e-3 * tick * 0.3, 0, 0]), DT) == Status.OK
    assert np.abs(arm.pose(3) - moved(start, [-0.499 * 0.3, 0, 0])).max() < 1e-6


def test_a_file_without_joints_has_no_bounds() -> None:
    scene = station.loads("RAFF v2.0 Made\nrobot test { base { } }")
    assert assumed_limits(scene.robots[0]) == {}
