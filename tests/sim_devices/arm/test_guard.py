"""The arm's own limits: what it refuses and counts, and what makes it stop by reflex, with the reason in one line."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from sim_devices.arm import ArmSettings, ArmState
from tests.sim_devices.arm.benches import QUIET, Floats, Live, lever, rise, shipped


@functools.cache
def fuzzed() -> Live:
    """One arm for all that is thrown at it."""
    return Live(lever())


WALL = "obstacle table { box { 400 400 100 } pos { 700 0 -250 } }"


@pytest.mark.parametrize(
    ("q", "cause"),
    [
        ([np.nan, 0.0], "finite"),
        ([np.inf, 0.0], "finite"),
        ([0.0], "finite"),
        ([0.0, 0.0, 0.0], "finite"),
        ([[0.0, 0.0]], "finite"),
        ([2.0, 0.0], "position outside"),
        ([0.0, -2.7], "position outside"),
        (["a", "b"], "not numbers"),
        (None, "finite"),
        ([1e308, -1e308], "position outside"),
    ],
)
def test_what_makes_no_sense_is_refused_counted_and_changes_nothing(q: Any, cause: str) -> None:
    bench = Live(lever()).active()
    bench.hold(0.02)
    assert not bench.arm.setpoint(q, None, None, 99)
    assert sum(count for why, count in bench.arm.refused.items() if cause in why) == 1
    bench.hold(0.02)
    assert bench.arm.reading().state is ArmState.ACTIVE
    assert bench.arm.reading().echo != 99


@pytest.mark.parametrize(
    ("v", "effort", "cause"),
    [
        ([np.nan, 0.0], None, "v is not"),
        ([9.0, 0.0], None, "speed outside"),
        (None, [0.0, np.inf], "effort is not"),
        (None, [61.0, 0.0], "effort outside"),
        (None, [0.0], "effort is not"),
    ],
)
def test_speeds_and_efforts_beyond_the_limits_are_refused(v: Any, effort: Any, cause: str) -> None:
    bench = Live(lever()).active()
    assert not bench.arm.setpoint(bench.arm.reading().q, v, effort, 1)
    assert [why for why in bench.arm.refused if cause in why]


junk = some.one_of(
    some.none(),
    some.floats(),
    some.integers(),
    some.text(max_size=5),
    some.binary(max_size=5),
    some.lists(some.one_of(some.floats(), some.integers(), some.none(), some.text(max_size=2)), max_size=4),
    some.lists(some.lists(some.floats(), max_size=3), max_size=3),
)


@given(junk, junk, junk, some.integers(-(2**63), 2**64))
def test_no_setpoint_whatever_raises_or_moves_the_arm_beyond_its_limits(
    q: Any, v: Any, effort: Any, sequence: int
) -> None:
    bench = fuzzed()
    bench.wait(0.002)
    bench.arm.activate()
    bench.arm.setpoint(q, v, effort, sequence)
    bench.arm.setpoint([0.0, 0.0] if v is None else q, v, effort, sequence)  # type: ignore[arg-type]
    bench.wait(0.002)
    said = bench.arm.reading()
    assert np.isfinite(said.q).all()
    assert np.abs(said.v).max() < 4.0
    if said.state is not ArmState.ACTIVE:
        bench.wait(0.02)
        bench.arm.reset()


def stops_because(bench: Live, cause: str) -> None:
    said = bench.arm.reading()
    assert said.state is ArmState.STOPPED
    assert cause in said.reason
    assert "\n" not in said.reason
    bench.wait(0.5)
    assert np.abs(bench.arm.body.v).max() < 1e-3
    assert bench.arm.reset(), "the cause is gone"


def test_a_jump_of_the_setpoint_is_a_reflex_stop_and_never_reaches_the_drives() -> None:
    bench = Live(lever()).active()
    q = bench.arm.reading().q
    assert not bench.arm.setpoint(q + np.array([0.0, 0.2]), None, None, 1)
    assert bench.arm.refused["jump"] == 1
    stops_because(bench, "setpoint jumps by 0.2 rad at elbow, allowed are 0.1 rad")
    assert np.abs(bench.arm.log.ticks["reference"] - q).max() < 1e-3


def test_the_first_setpoint_counts_from_where_the_arm_is() -> None:
    bench = Live(lever()).active()
    assert not bench.arm.setpoint(bench.arm.reading().q + 0.15, None, None, 1)
    stops_because(bench, "setpoint jumps")


def test_setpoints_that_are_too_fast_are_a_reflex_stop() -> None:
    bench = Live(lever(), ArmSettings(acceleration_margin=100.0, following_turn=3.0)).active()
    q = bench.arm.reading().q
    bench.follow(lambda time: q + np.array([0.0, 4.5 * time]), 0.2)  # allowed are 1.2 times 3.14 rad/s
    stops_because(bench, "setpoints move at")


def test_setpoints_that_accelerate_too_much_are_a_reflex_stop() -> None:
    bench = Live(lever(), ArmSettings(following_turn=3.0)).active()
    q = bench.arm.reading().q
    bench.follow(lambda time: q + np.array([0.0, 0.5 * 40.0 * time**2]), 0.08)  # allowed are twice 10.5 rad/s²
    stops_because(bench, "setpoints accelerate by")


def test_motion_at_the_limits_themselves_is_not() -> None:
    bench = Live(lever()).active()
    q = bench.arm.reading().q
    speed, acceleration = np.pi, 600 * np.pi / 180

    def path(time: float) -> Floats:
        ramp = speed / acceleration
        way = 0.5 * acceleration * time**2 if time < ramp else speed * (time - 0.5 * ramp)
        return np.asarray(q + [0.0, way])  # noqa: RUF005 a sum of arrays

    bench.follow(path, 0.5)
    assert bench.arm.state is ArmState.ACTIVE, bench.arm.reason


def test_setpoints_with_jitter_are_not_taken_for_accelerations() -> None:
    bench = Live(lever()).active()
    q = bench.arm.reading().q
    random = np.random.default_rng(3)
    path = rise(q, np.array([0.5, 0.5]), 1.0)
    waiting: list[tuple[float, int]] = []
    for k in range(1200):
        waiting.append((k + random.uniform(0.0, 5.0), k))
        for due in [one for one in waiting if one[0] <= k]:
            waiting.remove(due)
            bench.arm.setpoint(path(due[1] / 1000), None, None, due[1])
        bench.wait(0.001)
    assert bench.arm.state is ArmState.ACTIVE, bench.arm.reason
    assert np.abs(bench.arm.body.q - q - 0.5).max() < 2e-3


def test_a_slow_client_moves_the_arm_without_bumps() -> None:
    bench = Live(lever()).active()
    q = bench.arm.reading().q
    path = rise(q, np.array([0.0, 0.5]), 1.0)
    for k in range(60):
        bench.arm.setpoint(path(k / 50), None, None, k)  # 50 per second
        bench.wait(0.02)
    assert bench.arm.state is ArmState.ACTIVE, bench.arm.reason
    speeds = bench.arm.log.ticks["v"][200:900, 1]
    assert np.abs(np.diff(speeds)).max() < 0.15  # 20 ms apart a staircase would be 0.9 rad/s high


def test_contact_beyond_the_limit_is_a_reflex_stop() -> None:
    bench = Live(lever(WALL), ArmSettings(contact_force=20.0, **QUIET)).active()
    q = bench.arm.reading().q
    bench.follow(rise(q, np.array([-0.35, 0.0]), 1.0), 1.2)
    said = bench.arm.reading()
    assert said.state is ArmState.STOPPED
    assert "contact force of" in said.reason
    bench.wait(0.5)
    assert np.abs(bench.arm.body.v).max() < 1e-3


def test_torque_on_the_tool_beyond_the_limit_is_a_reflex_stop() -> None:
    bench = Live(shipped("ur5e"), ArmSettings(contact_torque=5.0)).active()
    bench.arm.body.push(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 8.0]))
    bench.wait(0.05)
    assert "contact torque" in bench.arm.reading().reason


def test_an_arm_that_is_held_by_somebody_stops_by_its_following_error() -> None:
    bench = Live(lever(), ArmSettings(contact_force=1e4, following_turn=0.05)).active()
    q = bench.arm.reading().q
    bench.arm.body.push(np.array([0.0, 0.0, -500.0, 0.0, 0.0, 0.0]))
    bench.follow(lambda _: q, 0.3)
    assert "following error of" in bench.arm.reading().reason
    bench.arm.body.push(np.zeros(6))
    stops_because(bench, "following error of")


def test_reasons_name_the_joint_and_the_limit() -> None:
    bench = Live(shipped("ur5e")).active()
    bench.arm.setpoint(bench.arm.reading().q + np.array([0, 0, 0, 0, 0.5, 0]), None, None, 1)
    assert bench.arm.reason == "setpoint jumps by 0.5 rad at wrist 2, allowed are 0.1 rad; reset it"
