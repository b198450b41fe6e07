"""Position, speed and acceleration limits of one joint: braking in time, at full command, and no later than needed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from station.mechanism import Mechanism, Status
from station.mechanism.tasks import braking_speed
from tests.mechanism.mechanisms import Array, link, made, robot

LIMITS = "limits { -90 90 } speed 100 acceleration 500"
Q_MAX, V_MAX, A_MAX = math.radians(90), math.radians(100), math.radians(500)


def way(speed: float, a_max: float, dt: float) -> float:
    """Shortest way to rest: this step at `speed`, every following one slower by a_max·dt."""
    speeds = speed - a_max * dt * np.arange(math.ceil(speed / (a_max * dt)) + 1)
    return float(dt * np.maximum(speeds, 0.0).sum())


UNITS = st.floats(-6, 6).map(lambda power: 10.0**power)  # of the distance, in a_max·dt²
A_MAXES = st.floats(-3, 5).map(lambda power: 10.0**power)
STEPS = st.floats(-5, -1).map(lambda power: 10.0**power)


@settings(max_examples=500, deadline=None)
@given(UNITS, A_MAXES, STEPS)
def test_the_braking_speed_is_the_largest_that_stops_in_time(unit: float, a_max: float, dt: float) -> None:
    distance = unit * a_max * dt * dt
    speed = braking_speed(distance, a_max, dt)
    assert way(speed, a_max, dt) <= distance * (1.0 + 1e-9)
    assert way(speed * (1.0 + 1e-6), a_max, dt) > distance


@settings(max_examples=200, deadline=None)
@given(UNITS.filter(lambda unit: unit < 1e5), A_MAXES, STEPS)
def test_braking_along_the_limit_is_always_possible_and_arrives(unit: float, a_max: float, dt: float) -> None:
    """Always as fast as allowed: the change of speed stays within a_max·dt, and the distance is used up."""
    distance = left = unit * a_max * dt * dt
    speed = braking_speed(left, a_max, dt)
    for _ in range(1000):
        left -= speed * dt
        assert left >= -1e-9 * distance
        following = braking_speed(left, a_max, dt)
        assert following >= speed - a_max * dt * (1.0 + 1e-6)
        speed = following
        if left <= 1e-9 * distance:
            break
    assert left <= 1e-9 * distance


def test_at_or_beyond_the_stop_there_is_no_speed() -> None:
    assert braking_speed(0.0, 1.0, 1e-3) == 0.0
    assert braking_speed(-0.1, 1.0, 1e-3) == 0.0
    assert braking_speed(0.2, math.inf, 1e-3) == pytest.approx(200.0)


def test_without_a_stop_there_is_nothing_to_brake_for() -> None:
    assert braking_speed(math.inf, 1.0, 1e-3) == math.inf


def hinge(more: str = LIMITS) -> Mechanism:
    return made(robot([link(1, more=more), "frame 2 { pos { 500 0 0 } pred 1 }\n"]))


def kept(arm: Mechanism, command: float, dt: float, steps: int) -> Array:
    """Turn at a commanded speed [rad/s], checking all limits; the joint values on the way."""
    values, before = [], float(arm.velocity[0])
    for _ in range(steps):
        step = arm.step({1: [0, 0, 0, 0, 0, command]}, dt)
        speed, q = float(step.velocity[0]), float(step.q[0])
        assert abs(q) <= Q_MAX + 1e-9
        assert abs(speed) <= V_MAX * (1.0 + 1e-9)
        assert abs(speed - before) <= A_MAX * dt * (1.0 + 1e-9) + 1e-12
        assert not step.acceleration_gave_way
        before = speed
        values.append(q)
    return np.array(values)


@pytest.mark.parametrize("dt", [2.5e-4, 1e-3, 4e-3, 1.3e-2])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_full_command_into_the_stop(dt: float, side: float) -> None:
    arm = hinge()
    ideal = Q_MAX / V_MAX + V_MAX / A_MAX  # [s]
    values = side * kept(arm, side * 20.0, dt, int((ideal + 0.5) / dt))
    arrived = int(np.argmax(values >= Q_MAX - 1e-6))
    assert values[arrived] >= Q_MAX - 1e-6
    assert arrived * dt <= ideal + 3.0 * dt  # and not by creeping
    assert (np.diff(values) >= 0.0).all()
    assert (values[arrived:] >= Q_MAX - 1e-6).all()
    assert values[-1] == pytest.approx(Q_MAX, abs=1e-12)
    step = arm.step({1: [0, 0, 0, 0, 0, side * 20.0]}, dt)
    assert step.status is Status.LIMITED
    assert step.active_limits == (1,)
    assert step.multipliers[0] * side < 0.0  # an upper bound pushes down


def test_a_joint_without_stops_keeps_its_acceleration_limit() -> None:
    arm, dt, before = hinge("speed 100 acceleration 500"), 1e-3, 0.0
    for k in range(1000):
        step = arm.step({1: [0, 0, 0, 0, 0, 20.0 if k % 400 < 200 else -20.0]}, dt)
        assert abs(step.velocity[0] - before) <= A_MAX * dt * (1.0 + 1e-9) + 1e-12
        assert not step.acceleration_gave_way
        before = float(step.velocity[0])


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_wild_commands_break_no_limit(dt: float) -> None:
    arm, rng = hinge(), np.random.default_rng(13)
    for _ in range(200):
        kept(arm, float(rng.normal() * 20.0), dt, int(rng.integers(1, 40)))


def test_changing_steps_break_no_limit() -> None:
    """The time between two steps is not always the same: stops hold, and what gives way is told."""
    arm, rng = hinge(), np.random.default_rng(14)
    for _ in range(3000):
        before = float(arm.velocity[0])
        dt = float(rng.uniform(0.5e-3, 1.5e-3))
        step = arm.step({1: [0, 0, 0, 0, 0, 20.0]}, dt)
        assert step.q[0] <= Q_MAX + 1e-9
        assert abs(step.velocity[0]) <= V_MAX * (1.0 + 1e-9)
        assert abs(step.velocity[0] - before) <= A_MAX * dt * (1.0 + 1e-9) + 1e-12 or step.acceleration_gave_way
    assert step.q[0] == pytest.approx(Q_MAX, abs=1e-6)


@pytest.mark.parametrize("goal", [0.4, -1.2, 1.5707, 10.0, -10.0])
def test_a_joint_target_is_reached_within_the_limits_and_kept(goal: float) -> None:
    arm, dt, before = hinge(), 1e-3, 0.0
    for _ in range(2500):
        step = arm.step({}, dt, joints={1: goal})
        assert abs(step.velocity[0]) <= V_MAX * (1.0 + 1e-9)
        assert abs(step.velocity[0] - before) <= A_MAX * dt * (1.0 + 1e-9) + 1e-12
        before = float(step.velocity[0])
    assert step.q[0] == pytest.approx(min(max(goal, -Q_MAX), Q_MAX), abs=1e-9)
    assert abs(before) <= 1e-9


def test_a_slide_without_acceleration_limit_stops_at_its_stop() -> None:
    arm = made(robot([link(1, kind="prismatic", r=100, more="limits { 0 300 } speed 200")]))
    for _ in range(2000):
        step = arm.step({1: [0, 0, 5.0, 0, 0, 0]}, 1e-3)
        assert step.q[0] <= 0.3 + 1e-9
        assert abs(step.velocity[0]) <= 0.2 * (1.0 + 1e-9)
    assert step.q[0] == pytest.approx(0.3, abs=1e-9)


def test_the_position_limit_of_the_books() -> None:
    """One joint pushed over its stop in one step ends on the stop exactly."""
    arm = made(robot([link(1, kind="prismatic", r=950, more="limits { -1000 1000 }")]))
    step = arm.step({1: [0, 0, 20.0, 0, 0, 0]}, 0.01)
    assert step.q[0] == 1.0
    assert step.multipliers[0] < 0.0
