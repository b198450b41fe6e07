"""Servo loops: tracking, delay, saturation, counts; and an arm that sinks when it is released."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import robots
from sim_devices.arm import ArmSettings, ArmState
from tests.sim_devices.arm.benches import Live, lever, rise, shipped

SERIAL = ["hobby-arm", "macdac", "panda", "puma560", "redundant", "robuter-ulm", "scara", "ur5e"]


@pytest.mark.parametrize("name", SERIAL)
def test_a_slow_sine_is_tracked_within_half_a_milliradian_after_the_delay(name: str) -> None:
    bench = Live(shipped(name), ArmSettings(delay=0.004)).active()
    arm = bench.arm
    begin = arm.reading().q
    slides = np.array([joint.prismatic for joint in arm.capabilities.joints])
    middle = np.array([0.5 * ((j.low or 0.0) + (j.high or 0.0)) for j in arm.capabilities.joints])
    size = np.where(slides, 0.02, 0.1) * np.where(middle >= begin, 1.0, -1.0)

    def path(time: float) -> np.ndarray:
        return np.asarray(begin + 0.5 * size * (1.0 - math.cos(math.pi * time)))  # 0.5 Hz

    measured = bench.follow(path, 2.0)
    assert arm.state is ArmState.ACTIVE, arm.reason
    late = 0.002 + 1.0 / arm.capabilities.rate  # delay and one period, less two ticks that speed fed forward gains
    errors = [np.abs(path(k / 1000 - late) - q) for k, q in enumerate(measured, start=1) if k > 50]
    assert np.max(errors) < 0.5e-3


def test_a_setpoint_takes_effect_after_the_delay_and_is_echoed_then() -> None:
    bench = Live(lever(), ArmSettings(delay=0.03)).active()
    q = bench.arm.reading().q
    bench.arm.setpoint(q + 0.01, None, None, 7)
    bench.wait(0.028)
    assert bench.arm.reading().echo == -1
    bench.wait(0.004)
    assert bench.arm.reading().echo == 7


def test_the_newest_of_several_setpoints_wins() -> None:
    bench = Live(lever()).active()
    q = bench.arm.reading().q
    for number in range(1, 6):
        assert bench.arm.setpoint(q + 0.001 * number, None, None, number)
    bench.wait(0.01)
    assert bench.arm.reading().echo == 5


def test_efforts_never_exceed_the_limit_of_the_drive() -> None:
    bench = Live(lever(), ArmSettings(following_turn=5.0, acceleration_margin=100.0, payload=5.0))
    bench.wait(2.0)
    bench.active()
    begin = bench.arm.reading().q
    bench.follow(rise(begin, np.array([0.0, 1.0]), 0.35), 0.5)
    efforts = np.abs(bench.arm.log.ticks["effort"])
    assert efforts[:, 1].max() == pytest.approx(30.0)  # it was asked for more
    assert (efforts <= np.array([60.0, 30.0]) + 1e-9).all()


def test_a_slower_loop_follows_later() -> None:
    lag = {}
    for bandwidth in (2.0, 15.0):
        bench = Live(lever(), ArmSettings(bandwidth=bandwidth, integral=0.0, following_turn=2.0)).active()
        q = bench.arm.reading().q
        for number in range(40):  # a step of 20 mrad
            bench.arm.setpoint(q + np.array([0.0, 0.02]), None, None, number)
            bench.wait(0.001)
        lag[bandwidth] = 0.02 - (bench.arm.body.q - q)[1]
    assert lag[2.0] > 2.0 * lag[15.0]


def test_positions_are_whole_counts() -> None:
    bench = Live(lever(), ArmSettings(encoder_bits=12))
    bench.wait(0.1)
    counts = bench.arm.reading().q / (2.0 * math.pi / 2**12)
    assert counts == pytest.approx(np.rint(counts), abs=1e-9)


def test_measured_speed_is_that_of_the_motion() -> None:
    bench = Live(lever()).active()
    q = bench.arm.reading().q
    bench.follow(lambda time: q + np.array([0.0, 0.2 * time]), 0.4)
    assert bench.arm.reading().v[1] == pytest.approx(0.2, abs=0.02)


def test_a_controller_that_does_not_know_the_weight_sags() -> None:
    knows, guesses = Live(lever()), Live(lever(), ArmSettings(weight_known=0.5, integral=0.0))
    knows.wait(0.5)
    guesses.wait(0.5)
    assert abs(knows.arm.body.q[0]) < 1e-4
    assert guesses.arm.body.q[0] < -5e-4


def test_effort_and_speed_that_are_fed_forward_act() -> None:
    bench = Live(lever(), ArmSettings(integral=0.0)).active()
    q = bench.arm.reading().q
    for number in range(200):
        assert bench.arm.setpoint(q, np.zeros(2), np.array([0.0, 5.0]), number)
        bench.wait(0.001)
    assert bench.arm.body.q[1] > q[1] + 1e-3  # it was pushed up


@pytest.mark.parametrize("name", robots.names())
def test_a_released_arm_sinks_and_does_not_explode(name: str) -> None:
    bench = Live(shipped(name))
    bench.wait(0.05)
    weight = sum(float(body.mass) for body in bench.arm.world.built.inertials[bench.arm.robot.name].values())
    size = 4.0 * sum(body.length for body in bench.arm.world.built.trees[bench.arm.robot.name].bodies.values())
    before = bench.arm.body.tool_pose[2, 3]
    bench.arm.release()
    for _ in range(20):
        bench.wait(0.1)
        assert bench.arm.world.energy < 9.81 * weight * size  # never more than a fall through all of it gives
    assert bench.arm.body.tool_pose[2, 3] < before + 0.05 * size
    assert np.isfinite(bench.arm.reading().q).all()
    assert np.abs(bench.arm.reading().effort).max() == 0.0


def test_energy_of_a_released_arm_never_grows_beyond_what_it_fell() -> None:
    bench = Live(lever())
    bench.wait(0.05)
    _, data = bench.arm.world.physics
    bench.arm.release()
    masses = {f"lever/{name}": mass for name, mass in (("1", 2.0), ("2", 1.0), ("tool", 0.5))}

    def height() -> float:
        return float(sum(mass * data.body(name).xipos[2] for name, mass in masses.items()))

    begin = height()
    for _ in range(300):
        bench.wait(0.01)
        assert bench.arm.world.energy <= 9.80665 * (begin - height()) + 0.02
    assert height() < begin - 0.3


@pytest.mark.parametrize("silence", [0.03, 0.045])
def test_setpoints_that_come_again_after_a_silence_are_joined_without_a_reflex(silence: float) -> None:
    bench = Live(lever(), ArmSettings(watchdog=0.1)).active()
    begin, swing = bench.arm.reading().q, 0.4

    def path(time: float) -> np.ndarray:
        return np.asarray(begin + np.array([0.0, 0.5 * swing * (1.0 - math.cos(2.0 * math.pi * time))]))

    for number in range(1, 9):  # of a swing of one second: at its start, its fastest, and its far end
        bench.follow(functools.partial(lambda begun, time: path(time + begun), (number - 1) * 0.125), 0.125 - silence)
        bench.wait(silence)
        assert bench.arm.state is ArmState.ACTIVE, bench.arm.reason
    bench.follow(lambda _: path(1.0), 1.0)
    assert bench.arm.body.q == pytest.approx(begin, abs=1e-3)
