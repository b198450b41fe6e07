"""FABRIK with cones and twist limits: what the limits allow is kept, and most of it is reached."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.mechanism.classic import ClassicError, Status
from station.mechanism.classic.fabrik import clamp_twist, fabrik_cones
from station.mechanism.classic.fabrik.cones import Cone, nearest_on_ellipse, turned
from station.mechanism.classic.results import Floats
from tests.classic.test_fabrik_points import lengths


def test_nearest_point_of_an_ellipse_by_search() -> None:
    random = np.random.default_rng(1)
    angles = np.linspace(0.0, 2.0 * math.pi, 20001)
    for _ in range(30):
        a, b = random.uniform(0.2, 3.0, 2)
        x, y = random.uniform(-6.0, 6.0, 2)
        if (x / a) ** 2 + (y / b) ** 2 <= 1.0:
            continue
        u, v = nearest_on_ellipse(x, y, a, b)
        assert (u / a) ** 2 + (v / b) ** 2 == pytest.approx(1.0)
        tried = np.hypot(a * np.cos(angles) - x, b * np.sin(angles) - y).min()
        assert math.hypot(u - x, v - y) <= tried + 1e-9


CONE: Cone = tuple(math.radians(angle) for angle in (60.0, 40.0, 50.0, 30.0))  # type: ignore[assignment]


def inside(points: Floats, cones: list[Cone], frame: Floats) -> float:
    """Largest (x/qx)² + (y/qy)² of any link in its cone."""
    worst = 0.0
    for i, cone in enumerate(cones):
        x, y, depth = frame.T @ (points[i + 1] - points[i])
        assert depth > 0.0
        qx, qy = math.tan(cone[0] if x >= 0 else cone[2]), math.tan(cone[1] if y >= 0 else cone[3])
        worst = max(worst, (x / (depth * qx)) ** 2 + (y / (depth * qy)) ** 2)
        frame = turned(frame, points[i + 1] - points[i])
    return worst


def test_cones_are_kept_and_targets_reached() -> None:
    random = np.random.default_rng(0)
    base, cones = np.eye(3), [CONE] * 5
    straight = np.column_stack([np.zeros(6), np.zeros(6), np.arange(6.0)])
    solved = 0
    for _ in range(100):
        points, frame = [np.zeros(3)], base
        for _ in cones:
            side, part = random.uniform(0.0, 2.0 * math.pi), math.sqrt(random.uniform(0.0, 0.95))
            x, y = math.cos(side), math.sin(side)
            qx, qy = math.tan(CONE[0] if x >= 0 else CONE[2]), math.tan(CONE[1] if y >= 0 else CONE[3])
            way = frame @ np.array([part * qx * x, part * qy * y, 1.0])
            points.append(points[-1] + way / np.linalg.norm(way))
            frame = turned(frame, way)
        found = fabrik_cones(straight, points[-1], base, cones)
        solved += found.status is Status.SOLVED
        assert inside(found.points, cones, base) <= 1.0 + 1e-9
        assert lengths(found.points) == pytest.approx(np.ones(5), abs=1e-12)
    assert solved >= 99


def test_cones_before_a_target_behind_them_end() -> None:
    straight = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]
    found = fabrik_cones(straight, [0.3, 0.2, -1.0], np.eye(3), [CONE] * 2)
    assert found.status is not Status.SOLVED
    assert found.error > 1.0
    with pytest.raises(ClassicError, match="2 cones of four half-angles"):
        fabrik_cones(straight, [0.3, 0.2, -1.0], np.eye(3), [(2.0, 1.0, 1.0, 1.0)] * 2)


def test_twist_is_clamped_and_swing_kept() -> None:
    random = np.random.default_rng(3)
    axis = np.array([0.0, 0.0, 1.0])
    for _ in range(50):
        rotation = random.normal(size=4)
        rotation /= np.linalg.norm(rotation)
        clamped = clamp_twist(rotation, axis, -0.4, 0.7)
        twist = math.remainder(2.0 * math.atan2(clamped[3], clamped[0]), 2.0 * math.pi)
        assert -0.4 - 1e-12 <= twist <= 0.7 + 1e-12
        assert np.linalg.norm(clamped) == pytest.approx(1.0)
        assert pointed(clamped) == pytest.approx(pointed(rotation), abs=1e-12)  # where the axis goes
        kept = clamp_twist(rotation, axis, -4.0, 4.0)
        assert abs(kept @ rotation) == pytest.approx(1.0)


def pointed(quaternion: Floats) -> Floats:
    """The z axis after a rotation (w, x, y, z)."""
    w, x, y, z = quaternion
    return np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
