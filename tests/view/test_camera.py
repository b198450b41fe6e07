"""Cameras: what they see, how they are moved, and the rays that go back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from station.view.camera import VIEWPOINTS, Camera, PoseCamera, viewpoint
from station.view.errors import ViewRequestError
from station.view.floor import floor_under, round_number

angle = st.floats(-1.5, 1.5)
place = st.floats(-0.9, 0.9)


def clip(camera: Camera, point: NDArray[np.float64], aspect: float = 1.6) -> NDArray[np.float64]:
    """Where a point is in the picture, -1 to 1."""
    found = camera.sight(aspect, camera.centre, 100.0).view_projection @ [*point, 1.0]
    return np.asarray(found[:3] / found[3])


@given(azimuth=angle, elevation=angle, x=place, y=place, opening=st.sampled_from([0.0, 0.5]))
def test_a_ray_goes_through_what_is_seen_there(
    azimuth: float, elevation: float, x: float, y: float, opening: float
) -> None:
    camera = Camera(np.array([0.1, 0.2, 0.3]), 2.0, azimuth, elevation, opening)
    ray = camera.ray(x, y, 1.6)
    along = (camera.centre - ray.origin) @ ray.direction
    np.testing.assert_allclose(clip(camera, ray.origin + along * ray.direction)[:2], (x, y), atol=1e-9)


@settings(max_examples=40)
@given(azimuth=angle, elevation=angle, opening=st.sampled_from([0.0, 0.5]), seed=st.integers(0, 99))
def test_fitting_brings_every_point_into_the_picture(
    azimuth: float, elevation: float, opening: float, seed: int
) -> None:
    points = np.random.default_rng(seed).normal(size=(50, 3)) * [1.0, 0.3, 2.0]
    camera = Camera(azimuth=azimuth, elevation=elevation, opening=opening)
    camera.fit(points, 1.6)
    seen = np.array([clip(camera, point) for point in points])
    assert np.abs(seen[:, :2]).max() <= 0.95
    assert np.abs(seen[:, :2]).max() >= 0.80
    assert np.abs(seen[:, 2]).max() <= 1.0


def test_the_named_viewpoints_look_along_the_axes() -> None:
    x, y, z = np.eye(3)
    for name, right, up in (("front", x, z), ("side", y, z), ("top", x, y)):
        axes = viewpoint(name).axes()
        np.testing.assert_allclose(axes[:, 0], right, atol=1e-12)
        np.testing.assert_allclose(axes[:, 1], up, atol=1e-12)
        assert viewpoint(name).opening == 0.0
    assert viewpoint("perspective").opening > 0.0
    with pytest.raises(ViewRequestError, match=f"there are: {', '.join(VIEWPOINTS)}, tool"):
        viewpoint("behind")


def test_turning_stops_at_the_poles_and_zoom_at_its_ends() -> None:
    camera = Camera()
    camera.turn(0.0, 99.0)
    assert camera.elevation == pytest.approx(math.pi / 2)
    camera.zoom(1e-12)
    assert camera.distance == pytest.approx(1e-3)


def test_panning_moves_the_picture_by_what_was_asked() -> None:
    camera = viewpoint("perspective")
    before = clip(camera, np.zeros(3))
    camera.pan(0.1, -0.2)
    np.testing.assert_allclose((before - clip(camera, np.zeros(3)))[:2], (0.2 / 1.6, -0.4), atol=1e-9)


def test_a_pose_camera_looks_along_z_with_y_down() -> None:
    camera = PoseCamera(distance=1.0, opening=0.8)
    camera.put(np.eye(4))
    seen = clip(camera, np.array([0.1, 0.2, 1.0]))
    assert seen[0] > 0.0
    assert seen[1] < 0.0


def test_the_floor_is_at_zero_or_under_the_lowest_point() -> None:
    assert floor_under(np.array([[0.0, 0.0, 0.1], [1.0, 1.0, 1.0]]), 1.0).height == 0.0
    assert floor_under(np.array([[0.0, 0.0, -1.2], [1.0, 1.0, 0.0]]), 1.0).height == -1.2


@given(st.floats(1e-4, 1e4))
def test_spacings_are_round_and_not_above_what_was_asked(value: float) -> None:
    found = round_number(value)
    assert found <= value * (1.0 + 1e-6)
    assert 2.5 * found >= value * (1.0 - 1e-6)
    assert round(found / 10.0 ** math.floor(math.log10(found * (1.0 + 1e-9))), 9) in (1.0, 2.0, 5.0)
