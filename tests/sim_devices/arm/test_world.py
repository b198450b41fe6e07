"""Worlds: the same seed gives the same bytes, several arms live in one scene, and what is true may differ from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import station
from sim_devices.arm import ArmError, ArmSettings, ArmState, World, emulated_arm
from station.devices.parameter import SettingsError
from tests.sim_devices.arm.benches import LEVER, QUIET, Live, lever, rise, shipped

OTHER = LEVER.split("\n", 1)[1].replace("robot lever", "robot other")
TWO = LEVER + OTHER.replace("base { }", "base { pos { 0 500 0 } }")
FACING = LEVER + OTHER.replace("base { }", "base { pos { 1300 0 0 } ori { 0 0 180 } }")


def lived(seed: int, faults: str = "", name: str = "ur5e") -> bytes:
    bench = Live(shipped(name), seed=seed, faults=faults).active()
    q = bench.arm.reading().q
    bench.follow(rise(q, np.full(len(q), 0.02), 0.2), 0.25)
    bench.wait(0.1)
    return bench.arm.log.to_bytes()


@pytest.mark.parametrize("name", ["ur5e", "delta"])
def test_the_same_seed_gives_the_same_log_to_the_last_bit(name: str) -> None:
    faults = "following-error joint=1 share=0.3 at 0.1 for 0.05; clock-drift"
    assert lived(1, faults, name) == lived(1, faults, name)


def test_another_seed_gives_another_log() -> None:
    assert lived(1) != lived(2)


def test_the_log_is_bounded_and_keeps_the_newest() -> None:
    bench = Live(lever(), ArmSettings(log_time=0.1))
    bench.wait(0.35)
    ticks = bench.arm.log.ticks
    assert len(ticks) == len(bench.arm.log) == 100
    assert ticks["time"][0] == pytest.approx(0.251)
    assert ticks["time"][-1] == pytest.approx(0.35)
    for _ in range(200):
        bench.arm.stop()
        bench.wait(0.012)
        bench.arm.reset()
    for _ in range(1000):
        bench.arm.release()
    assert len(bench.arm.log.events) == 1000


def test_two_arms_of_one_scene_move_each_for_itself() -> None:
    world = World(station.loads(TWO))
    left, right = world.arms["lever"], world.arms["other"]
    world.advance(0.0)
    assert left.activate()
    assert right.activate()
    for k in range(400):
        left.setpoint(rise(np.zeros(2), np.array([0.2, 0.0]), 0.3)(k / 1000), None, None, k)
        right.setpoint(rise(np.zeros(2), np.array([0.0, -0.3]), 0.3)(k / 1000), None, None, k)
        world.advance((k + 1) / 1000)
    assert left.body.q == pytest.approx([0.2, 0.0], abs=2e-3)
    assert right.body.q == pytest.approx([0.0, -0.3], abs=2e-3)
    assert left.state is right.state is ArmState.ACTIVE


def test_any_of_them_takes_the_world_along_and_time_passes_once() -> None:
    world = World(station.loads(TWO))
    for k in range(100):
        for arm in world.arms.values():
            arm.advance(k / 1000)
    assert world.lived == pytest.approx(0.099)


def test_two_arms_can_touch_and_both_feel_it() -> None:
    start = {"lever": np.array([0.4, -0.4]), "other": np.array([0.2, -0.2])}
    world = World(station.loads(FACING), ArmSettings(bandwidth=4.0, **QUIET), start=start)
    here, there = world.arms["lever"], world.arms["other"]
    world.advance(0.0)
    for k in range(50):
        world.advance(k / 1000)
    assert here.activate()
    path = rise(here.reading().q, np.array([-0.35, 0.35]), 1.0)
    for k in range(1200):  # come down onto the other
        here.setpoint(path(k / 1000), None, None, k)
        world.advance(0.05 + k / 1000)
    forces = [arm.body.contact_force for arm in (here, there)]
    assert forces[0][2] > 1.0
    assert forces[0] == pytest.approx(-forces[1], abs=1e-6)


def test_robots_without_an_arm_stand_on_their_brakes() -> None:
    scene = station.loads(TWO)
    arm = emulated_arm(scene, "other")
    arm.advance(0.0)
    for k in range(500):
        arm.advance(k / 1000)
    assert np.abs(arm.world.bodies["lever"].q).max() < 1e-5
    assert list(arm.world.arms) == ["other"]


def test_an_arm_may_be_other_than_the_scene_says_and_the_truth_is_there_for_tests() -> None:
    settings = ArmSettings(wrong_length=0.001, wrong_angle=0.002, wrong_zero=0.003)
    bench = Live(shipped("ur5e"), settings, seed=5)
    bench.wait(0.2)
    nominal = shipped("ur5e")["ur5e"]
    true = bench.arm.world.true_parameters("ur5e")
    assert np.std([a.parameters.d - b.parameters.d for a, b in zip(true.robot.links, nominal.robot.links, strict=True)])
    assert bench.arm.reading().q - bench.arm.body.q == pytest.approx(true.zeros, abs=1e-5)
    nominal.q = bench.arm.reading().q
    away = np.linalg.norm(nominal.pose(7)[:3, 3] - bench.arm.body.tool_pose[:3, 3])
    assert 2e-4 < away < 0.02
    exact = station.mechanism.Mechanism(true.robot)
    exact.q = bench.arm.body.q
    assert exact.pose(7) == pytest.approx(bench.arm.body.tool_pose, abs=1e-5)
    again = emulated_arm(shipped("ur5e"), None, settings, seed=5).world.true_parameters("ur5e")
    assert again.robot == true.robot


def test_a_parallel_robot_with_wrong_lengths_still_closes() -> None:
    bench = Live(shipped("stewart"), ArmSettings(wrong_length=0.0005), seed=3)
    bench.wait(0.3)
    assert bench.arm.state is ArmState.READY
    assert bench.arm.body.closure_gap < 1e-4


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"bandwidth": 500.0}, "bandwidth is 500 [Hz]; allowed: 0.5 to 60"),
        ({"delay": float("nan")}, "delay is nan [s]; allowed: 0 to 1"),
        ({"payload": -1.0}, "payload is -1 [kg]; allowed: 0 to 500"),
    ],
)
def test_settings_out_of_range_are_refused_in_one_line(wrong: dict[str, float], says: str) -> None:
    with pytest.raises(SettingsError) as refused:
        ArmSettings(**wrong)  # type: ignore[arg-type]
    assert str(refused.value) == says


def test_physics_that_breaks_down_is_a_fault_and_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bench = Live(lever(), start=np.array([0.3, -0.2])).active()
    bench.hold(0.05)
    bench.arm.world.physics[1].qvel[0] = np.nan
    bench.wait(0.01)
    said = bench.arm.reading()
    assert said.state is ArmState.FAULT
    assert "physics broke down" in said.reason
    assert said.q == pytest.approx([0.3, -0.2], abs=1e-3)
    assert bench.arm.reset()
    assert bench.arm.activate()
    bench.hold(0.1)
    assert bench.arm.state is ArmState.ACTIVE
    assert bench.arm.body.q == pytest.approx([0.3, -0.2], abs=1e-3)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_not_there_is_refused_in_one_line() -> None:
    for make in (
        lambda: emulated_arm(lever(), "crane"),
        lambda: World(lever(), {"crane": ArmSettings()}),
        lambda: World(lever(), start={"crane": np.zeros(2)}),
        lambda: World(lever(), faults={"crane": "reflex"}),
    ):
        with pytest.raises(ArmError) as refused:
            make()
        assert str(refused.value) == "no robot 'crane' in this scene; there are: lever"


def test_a_start_that_is_no_configuration_is_refused_in_one_line() -> None:
    for start in (np.zeros(3), np.array([np.nan, 0.0])):
        with pytest.raises(ArmError, match="takes 2 finite joint values") as refused:
            emulated_arm(lever(), start=start)
        assert "\n" not in str(refused.value)


def test_a_scene_without_robots_is_refused() -> None:
    with pytest.raises(ArmError, match="no robot"):
        emulated_arm(station.loads("RAFF v2.0 Empty\nobstacle floor { plane }"))
