"""Straight lines through the singularities of two arms, in and out: bounded, no jump, and it comes back out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import robots
import station
from station.kernel import Floats
from station.mechanism import Mechanism, Status

DT = 1e-3
SPEED = 0.15  # along the line [m/s]


class Crossing(NamedTuple):
    robot: str
    where: str
    singular: list[float]  # joint values in the singularity [deg]
    line: list[float]  # direction of the straight line; the elbow is crossed outwards, beyond reach
    length: float  # to each side [m]


CROSSINGS = [
    Crossing("ur5e", "wrist", [0, -90, 90, -90, 0, 0], [0, 1, 0], 0.15),
    Crossing("ur5e", "elbow", [0, -60, 0, -90, -90, 0], [-0.5, 0, 0.866], 0.12),
    Crossing("ur5e", "shoulder", [0, -12.1649, 219.55, -165, -90, 0], [1, 0, 0], 0.12),
    Crossing("puma560", "wrist", [0, -45, 180, 0, 0, 0], [0, 1, 0], 0.15),
    Crossing("puma560", "elbow", [0, -30, 92.7, 0, 45, 0], [0.866, 0, 0.5], 0.12),
    Crossing("puma560", "shoulder", [0, -125.2738, 163.0654, 0, 60, 0], [1, 0, 0], 0.12),
]


def arm_of(name: str) -> tuple[Mechanism, int]:
    arm = station.load(robots.path(name))[name]
    frame = next(constraint.targets[0].id for constraint in arm.robot.constraints if not constraint.closes_loop)
    return arm, frame


def smallest_singular_value(arm: Mechanism, frame: int) -> float:
    jacobian = arm.jacobian(frame)
    jacobian[3:] *= arm.memory.length
    return float(np.linalg.svd(jacobian, compute_uv=False)[-1])


def travel(arm: Mechanism, frame: int, centre: Floats, direction: Floats, length: float) -> tuple[Floats, list[Status]]:
    """There and back along the line through the singular pose: velocities and statuses."""
    line = np.linspace(-length, length, int(2 * length / SPEED / DT))
    way = np.concatenate([line, line[::-1], np.full(2500, line[0])])
    velocity, status = [], []
    for place in way:
        target = centre.copy()
        target[:3, 3] += place * direction
        step = arm.step({frame: target}, DT)
        velocity.append(step.velocity)
        status.append(step.status)
    return np.array(velocity), status


@pytest.mark.parametrize("case", CROSSINGS, ids=lambda case: f"{case.robot} {case.where}")
def test_crossing(case: Crossing) -> None:
    arm, frame = arm_of(case.robot)
    arm.q = np.radians(case.singular)
    centre, direction = arm.pose(frame), np.array(case.line) / np.linalg.norm(case.line)
    assert smallest_singular_value(arm, frame) < 0.012  # it is a singularity
    start = centre.copy()
    start[:3, 3] -= case.length * direction
    assert arm.reach(frame, start).status is Status.OK
    velocity, status = travel(arm, frame, centre, direction, case.length)
    mem = arm.memory
    assert (np.abs(velocity) <= mem.v_max * (1.0 + 1e-9)).all()
    change = np.abs(np.diff(velocity, axis=0, prepend=0.0))
    assert (change <= mem.a_max * DT * (1.0 + 1e-9) + 1e-12).all()
    assert Status.CLOSURE_LOST not in status
    assert Status.NEAR_SINGULAR in status  # and it is said
    home = arm.pose(frame)
    assert np.linalg.norm(home[:3, 3] - start[:3, 3]) < 1e-4  # back where it came from
    assert np.linalg.norm(home[:3, :3] - start[:3, :3]) < 1e-3
