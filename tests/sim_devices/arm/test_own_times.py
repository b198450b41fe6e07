"""Setpoints that tell their times are judged by these, however they bunch on the way; and no time hides a jump."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sim_devices.arm import ArmState
from tests.sim_devices.arm.benches import Floats, Live, lever

SPEED, ACCELERATION = np.pi, 600 * np.pi / 180  # of the lever's joints [rad/s], [rad/s²]
EPOCH = 1.79e9  # clocks of senders begin anywhere [s]


def swing(q: Floats, share: float = 0.8) -> Callable[[float], Floats]:
    """Back and forth at a share of the limits, from rest."""
    rate = ACCELERATION / SPEED
    return lambda time: np.asarray(q + np.array([0.0, share * SPEED / rate * (1.0 - np.cos(rate * time))]))


def in_bunches(bench: Live, path: Callable[[float], Floats], timed: bool, seconds: float = 2.0, seed: int = 1) -> None:
    """Sent at 1 kHz; the arm comes to look at them only now and then, up to 30 ms later, and takes the newest."""
    random, busy = np.random.default_rng(seed), 0
    for k in range(round(1000 * seconds)):
        if k >= busy:
            bench.arm.setpoint(path(k / 1000), None, None, k, EPOCH + k / 1000 if timed else None)
            busy = k + (int(random.uniform(10, 30)) if random.random() < 0.02 else 1)
        bench.wait(0.001)


@pytest.mark.parametrize("seed", range(3))
def test_bunches_are_no_accelerations_where_setpoints_tell_their_times(seed: int) -> None:
    bench = Live(lever()).active()
    in_bunches(bench, swing(bench.arm.reading().q), timed=True, seed=seed)
    assert bench.arm.state is ArmState.ACTIVE, bench.arm.reason
    assert not bench.arm.refused


def test_without_times_the_same_bunches_are_taken_for_accelerations() -> None:
    bench = Live(lever()).active()
    in_bunches(bench, swing(bench.arm.reading().q), timed=False)
    assert "setpoints accelerate by" in bench.arm.reason


def timed(
    bench: Live, path: Callable[[float], Floats], clock: Callable[[float], float], seconds: float, every: int = 1
) -> float:
    """Send setpoints whose times are what `clock` makes of the true ones; when the arm stopped [s]."""
    for k in range(round(1000 * seconds)):
        if k % every == 0:
            bench.arm.setpoint(path(k / 1000), None, None, k, clock(k / 1000))
        bench.wait(0.001)
        if bench.arm.state is not ArmState.ACTIVE:
            return k / 1000
    return float("inf")


def honest(time: float) -> float:
    return EPOCH + time


CLOCKS = {
    "honest": honest,
    "stands still": lambda _: 5.0,
    "ten times too fast": lambda time: 10.0 * time,
    "goes back": lambda time: -time,
    "leaps to and fro": lambda time: 1e6 * (round(1000 * time) % 2),
    "a day ahead from 0.1 s on": lambda time: time + 86400.0 * (time > 0.1),
}


@pytest.mark.parametrize("clock", CLOCKS.values(), ids=CLOCKS)
def test_too_much_acceleration_is_a_reflex_stop_whatever_the_times_say(clock: Callable[[float], float]) -> None:
    bench = Live(lever()).active()
    q = bench.arm.reading().q
    stopped = timed(bench, lambda time: q + np.array([0.0, 0.05 * (1 - np.cos(40.0 * time))]), clock, 2.0)  # 80 rad/s²
    assert "setpoints accelerate by" in bench.arm.reason or "setpoints move at" in bench.arm.reason
    assert stopped < 0.5
    assert sum(bench.arm.refused.values()) == bench.arm.refused["speed or acceleration"] == 1


@pytest.mark.parametrize("clock", CLOCKS.values(), ids=CLOCKS)
def test_too_much_speed_is_a_reflex_stop_whatever_the_times_say(clock: Callable[[float], float]) -> None:
    bench = Live(lever(), start=np.array([0.0, -2.0])).active()
    q = bench.arm.reading().q
    ramp = 6.0 / 10.0  # of 10 rad/s², to 6 rad/s

    def path(time: float) -> Floats:
        way = 5.0 * time**2 if time < ramp else 6.0 * (time - 0.5 * ramp)
        return np.asarray(q + np.array([0.0, way]))

    timed(bench, path, clock, 1.0)
    assert bench.arm.state is ArmState.STOPPED
    assert "setpoints" in bench.arm.reason


@pytest.mark.parametrize("ahead", [0.0, 0.02, 0.1, 1.0, 1e9])
@pytest.mark.parametrize("before", [0.0, -0.04, -1.0])
def test_no_time_hides_a_jump(ahead: float, before: float) -> None:
    """The sender falls behind, then stamps the jump as if it had taken long."""
    bench = Live(lever()).active()
    q = bench.arm.reading().q

    def clock(time: float) -> float:
        slipped = before * min(time / 0.2, 1.0)
        return EPOCH + time + (slipped if time < 0.3 else ahead)

    timed(bench, lambda time: q + np.array([0.0, 0.09 * (time >= 0.3)]), clock, 0.6)
    assert bench.arm.state is ArmState.STOPPED
    assert "setpoints" in bench.arm.reason


def test_clocks_that_drift_apart_and_slow_senders_are_no_harm() -> None:
    bench = Live(lever()).active()
    path = swing(bench.arm.reading().q)
    assert timed(bench, path, lambda time: 1.002 * time, 4.0) == float("inf"), bench.arm.reason
    bench = Live(lever()).active()
    path = swing(bench.arm.reading().q, 0.5)
    assert timed(bench, path, honest, 2.0, every=8) == float("inf"), bench.arm.reason  # 125 per second


def test_the_log_keeps_setpoints_as_they_came_with_their_times() -> None:
    bench = Live(lever()).active()
    q = bench.arm.reading().q
    for k, place in enumerate((0.0, 0.001, 0.5)):
        bench.arm.setpoint(q + np.array([0.0, place]), None, None, k, None if k == 1 else 7.0 + k)
        bench.wait(0.001)
    told = bench.arm.log.setpoints
    assert told["sequence"].tolist() == [0.0, 1.0, 2.0]
    assert told["stamp"][[0, 2]].tolist() == [7.0, 9.0]
    assert np.isnan(told["stamp"][1])
    assert told["activation"].tolist() == [1.0] * 3
    assert told["q"][:, 1] - q[1] == pytest.approx([0.0, 0.001, 0.5])  # also the one that was refused: a jump
    assert bench.arm.refused == {"jump": 1}
