"""A hand pushes the macdac arm past each of its ten stops, with the emulated syntaxer over its real driver."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import robots
import station
from station.haptics import Cause
from station.servo.shared import SetGain
from tests.servo.rigs import emulated

# Five of the six axes, as many as the arm has joints: then a stop cannot be evaded by the other joints. Which five
# decides which joints the hand drives: the roll of the tool stays fixed, or for the last joint its yaw.
SCENE = robots.path("macdac").read_text(encoding="utf8").replace("RAFF v1.0", "RAFF v2.0")
SCENE = SCENE.replace("sensor 1 { type spaceball }", "device 1 { type syntaxer }")
NAMES = ("x", "y", "z", "rx", "ry", "rz")
STOPS = [(joint, side) for joint in range(5) for side in (-1, 1)]
BEFORE = 0.02  # way of the hand from the start to the stop [m]
DEGREE = math.radians(1.0)
SEAT = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # device axes → world
MIDDLE = np.array([0.22, 0.0, 0.0])  # of the device [m]


def axes_for(joint: int) -> str:
    return "x y z ry rz" if joint == 4 else "x y z ry rx"


def scene_for(joint: int) -> str:
    return SCENE.replace("frame 6 sensor ( 0 1 )", f"frame 6 device ( 0 1 ) axes ( {axes_for(joint)} )")


def start_before(joint: int, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Joint values with one joint close to a stop, and the way of the hand that drives it there, device axes."""
    arm = station.loads(scene_for(joint))["macdac"]
    low, high = (np.array([each.limits[k] for each in arm.joints if each.limits]) for k in (0, 1))
    q = 0.5 * (low + high) + np.radians([0.0, -40.0, -30.0, 20.0, 25.0])
    q[joint] = stop = (low if side < 0 else high)[joint]
    arm.q = q
    rows = arm.jacobian(6)[[NAMES.index(axis) for axis in axes_for(joint).split()]]
    by_place = np.linalg.pinv(rows)[joint, :3]  # change of the joint per way of the tool
    direction = side * by_place / np.linalg.norm(by_place)
    q[joint] = stop - side * min(math.radians(3.0), BEFORE * float(np.linalg.norm(by_place)))
    return q, SEAT.T @ direction


@pytest.mark.parametrize(("joint", "side"), STOPS)
def test_a_stop_is_felt_where_it_is_and_points_back(joint: int, side: int, tmp_path: Path) -> None:
    q, way = start_before(joint, side)
    far, near, back = MIDDLE + 0.06 * way, MIDDLE, MIDDLE - 0.01 * way
    hand = (
        f"tighten 0.9 in 0.1; reach {near[0]:.5f} {near[1]:.5f} {near[2]:.5f} in 0.6; press deadman; hold 0.1; "
        f"reach {far[0]:.5f} {far[1]:.5f} {far[2]:.5f} in 1.2; hold 0.2; "
        f"reach {back[0]:.5f} {back[1]:.5f} {back[2]:.5f} in 0.8; hold 0.3"
    )
    with emulated(scene_for(joint), tmp_path, hand) as bench:
        for cause in (Cause.STOPS, Cause.SINGULARITY, Cause.CUES):
            bench.servo.part.orders.decide(SetGain(cause, 0.0))
        bench.robot.q = q
        bench.servo.part.follow(bench.servo.part.followed)
        limit = bench.robot.joints[joint].limits
        assert limit is not None
        stop = limit[0] if side < 0 else limit[1]
        times, places, forces, values = [], [], [], []
        for _ in range(3250):
            bench.ticks()
            now = bench.robot.q
            for value, each in zip(now, bench.robot.joints, strict=True):
                assert each.limits is not None
                assert each.limits[0] <= value <= each.limits[1]
            if bench.shared.engagement == 6:
                times.append(bench.servo.clock.now())
                places.append((bench.shared.hand_pose[:3, 3] - MIDDLE) @ way)
                forces.append(bench.shared.wrench_parts[Cause.COUPLING, :3].copy())
                values.append(now[joint])
        place, force, value = np.array(places), np.array(forces), np.array(values)
        along, size = force @ way, np.linalg.norm(force, axis=1)
        felt = np.flatnonzero(size > 0.15)
        assert len(felt) > 100, "never felt"
        assert abs(value[felt[0]] - stop) < DEGREE  # it appears at the stop
        deep = place > place[felt[0]] + 0.004
        assert (along[deep] < 0.0).all()  # points back
        pressed = np.flatnonzero(deep & (np.arange(len(place)) < np.argmax(place)))
        depths, pushes = place[pressed], -along[pressed]
        quarter = len(pressed) // 4
        assert pushes[-quarter:].mean() > 1.5 * pushes[:quarter].mean()  # grows with depth
        assert np.corrcoef(depths, pushes)[0, 1] > 0.8
        left = np.flatnonzero((np.arange(len(value)) > np.argmax(place)) & (abs(value - stop) > DEGREE))
        assert size[left[0]] < 0.2  # gone on return
