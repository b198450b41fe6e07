"""Targets out of reach: a calm approach, the nearest pose, rest; and back when the target comes back."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import robots
import station
from station.kernel import Floats
from station.kernel.so3 import write_vector
from station.mechanism import Mechanism, Status

DT = 1e-3
READY = [0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4]
HAND = 9


def pulled(seconds: float, hold: float) -> tuple[Mechanism, Floats, Floats, list[Status]]:
    """The 7-axis arm pulled 0.6 m along x within some time, then held: arm, target, velocities, statuses."""
    arm = station.load(robots.path("panda"))["panda"]
    arm.q = READY
    start = arm.pose(HAND)
    target, velocity, status = start.copy(), [], []
    for k in range(int((seconds + hold) / DT)):
        target[0, 3] = start[0, 3] + 0.6 * (min(k * DT / seconds, 1.0) if seconds > 0.0 else 1.0)
        step = arm.step({HAND: target}, DT)
        velocity.append(step.velocity)
        status.append(step.status)
    return arm, target, np.array(velocity), status


@pytest.mark.parametrize("seconds", [0.0, 0.5, 1.0])
def test_the_hold_is_calm(seconds: float) -> None:
    arm, target, velocity, status = pulled(seconds, hold=4.0)
    change = np.abs(np.diff(velocity, axis=0, prepend=0.0))
    assert (change <= arm.memory.a_max * DT * (1.0 + 1e-9) + 1e-12).all()  # never a velocity step beyond a_max·dt
    settled = velocity[-1000:]
    assert (np.sign(settled[1:]) * np.sign(settled[:-1]) >= 0).all()  # not one sign flip
    assert np.abs(settled).max() < 1e-9
    assert status[-1] is Status.UNREACHABLE
    near = nearest(arm, target)
    assert np.linalg.norm(arm.pose(HAND)[:3, 3] - near[:3, 3]) < 1e-4


def nearest(arm: Mechanism, target: Floats) -> Floats:
    """Pose of least weighed distance, by an optimiser that knows nothing of ours."""
    length = arm.memory.length
    other = station.load(robots.path("panda"))["panda"]

    def cost(q: Floats) -> float:
        other.q = q
        pose, vector = other.pose(HAND), np.zeros(3)
        write_vector(np.ascontiguousarray(target[:3, :3] @ pose[:3, :3].T), vector)
        return float(np.sum((pose[:3, 3] - target[:3, 3]) ** 2) + length**2 * np.sum(vector**2))

    bounds = list(zip(arm.memory.q_min, arm.memory.q_max, strict=True))
    found = minimize(cost, arm.q, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-16, "gtol": 1e-12})
    other.q = found.x
    return other.pose(HAND)


@pytest.mark.parametrize("seconds", [0.001, 0.2, 0.4, 1.0, 4.0])
def test_it_comes_back_when_the_target_comes_back(seconds: float) -> None:
    """At full stretch the elbow could bend either way, and one way ends at a stop."""
    arm, target, _, _ = pulled(1.0, hold=1.0)
    start = target.copy()
    for k in range(int(1000 * seconds) + 3000):
        target[0, 3] = start[0, 3] - 0.6 * min(k * DT / seconds, 1.0)
        step = arm.step({HAND: target}, DT)
    assert step.tracking_error.metres < 1e-6
    assert step.status is Status.OK


def test_a_target_that_jumps_is_reached_without_overshoot() -> None:
    arm = station.load(robots.path("panda"))["panda"]
    arm.q = READY
    target = arm.pose(HAND)
    target[1, 3] += 0.2
    distance = [arm.step({HAND: target}, DT).tracking_error.metres for _ in range(3000)]
    assert distance[-1] < 1e-6
    assert (np.diff(distance) < 1e-6).all()  # always nearer


def test_a_moving_target_is_followed_without_lag() -> None:
    arm = station.load(robots.path("panda"))["panda"]
    arm.q = READY
    start = arm.pose(HAND)
    errors = []
    for k in range(3000):
        target = start.copy()
        angle = 2.0 * np.pi * 0.5 * k * DT
        target[1, 3] += 0.1 * np.sin(angle) * min(1.0, k / 500)
        target[2, 3] += 0.1 * (np.cos(angle) - 1.0)
        errors.append(arm.step({HAND: target}, DT).tracking_error.metres)
    assert max(errors[1000:]) < 5e-6
