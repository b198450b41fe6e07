"""Robots that are not as their files say, by the emulator's own errors of manufacture, and measurements of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import robots
import station
from calibration.geometry import ToolMeasurements, tool_poses
from calibration.geometry.candidates import candidate_joints, columns_of
from sim_devices.arm import ArmSettings
from sim_devices.arm.truth import truth_of
from station.mad.placement import from_position
from station.mad.scene import Angles, Robot, Vector

Floats = NDArray[np.float64]
NOISE = 5e-5  # of a position, per axis [m]
WRONG = ArmSettings(wrong_length=1e-3, wrong_angle=float(np.radians(0.2)), wrong_zero=float(np.radians(0.2)))
TRACKER = from_position(Vector(2.0, -1.0, 0.5), Angles(0.3, -0.2, 1.1))  # the robot's world, seen by who measures


class Case(NamedTuple):
    """A robot and its measured frame."""

    name: str
    frame: int
    within: float  # of where it begins, each joint that turns [rad]
    encoders: tuple[int, ...] = ()  # links that are driven; all if empty


MACDAC, UR5E, PANDA = Case("macdac", 6, np.pi), Case("ur5e", 7, np.pi / 2.0), Case("panda", 8, np.pi / 2.0)
CROSS_DELTA = Case("cross-delta", 5, 0.5, (1, 6, 11))


class Planted(NamedTuple):
    """A robot, measurements of it, and where its tool truly is at other poses."""

    robot: Robot  # nominal
    data: ToolMeasurements
    fresh: Floats  # joint values that were not measured [rad | m]
    truth: Floats  # true places of the tool there, for who measures [m]


def planted(case: Case, seed: int, poses: int, fresh: int = 100) -> Planted:
    """Errors of 1 mm and 0.2° in everything, zeros too; measured with 0.05 mm of noise."""
    scene = station.load(robots.path(case.name))
    mechanism = scene[case.name]
    driven = [joint.id for joint in mechanism.joints if joint.active]
    encoders = case.encoders or tuple(driven)
    joints = candidate_joints(mechanism, None, poses + fresh, case.within, seed)[:, columns_of(driven, encoders)]
    true = truth_of(mechanism.robot, len(encoders), WRONG, seed)
    places = (TRACKER @ tool_poses(true.robot, case.frame, encoders, joints - true.zeros))[:, :3, 3]
    noise = NOISE * np.random.default_rng([seed, 7]).normal(size=(poses, 3))
    data = ToolMeasurements(
        encoders=encoders, joints=joints[:poses], positions=places[:poses] + noise, position_noise=NOISE
    )
    return Planted(mechanism.robot, data, joints[poses:], places[poses:])
