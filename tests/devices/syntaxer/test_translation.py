"""The translation stage against itself, finite differences and plain geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.devices.syntaxer import PlaceStatus, Syntaxer
from station.devices.syntaxer.state import Parts, parts_of
from station.devices.syntaxer.translation import (
    delta_forward,
    delta_inverse,
    delta_place,
    delta_room,
    survey,
    there_and_back,
)
from tests.devices.syntaxer.syntaxers import BOTH, Array, in_cylinder

STRIDE = 1e-6  # of central differences [rad]
both = pytest.mark.parametrize("geometry", BOTH.values(), ids=BOTH.keys())


def forward(parts: Parts, angles: Array) -> Array:
    position = np.zeros(3)
    assert delta_forward(parts.chains, np.array(angles), position) == PlaceStatus.OK
    return position


@both
def test_forward_undoes_inverse_all_over_the_workspace(geometry: Syntaxer) -> None:
    points = in_cylinder(geometry, 10_000)
    worst = there_and_back(parts_of(geometry).chains, points, np.zeros(3), np.zeros(3))
    assert 0.0 <= worst <= 1e-12


@both
def test_inverse_undoes_forward(geometry: Syntaxer) -> None:
    parts, angles = parts_of(geometry), np.zeros(3)
    for wanted in survey(parts, in_cylinder(geometry, 200)).angles:
        assert delta_inverse(parts.chains, forward(parts, wanted), angles) == PlaceStatus.OK
        np.testing.assert_allclose(angles, wanted, rtol=0, atol=1e-12)


@both
def test_the_bars_keep_their_length(geometry: Syntaxer) -> None:
    parts = parts_of(geometry)
    found = survey(parts, in_cylinder(geometry, 50))
    for place, angles in zip(found.points, found.angles, strict=True):
        for chain, angle in zip(geometry.chains, angles, strict=True):
            out = np.array([0.0, math.sin(chain.azimuth), math.cos(chain.azimuth)])
            elbow = (chain.base_radius + chain.arm * math.cos(angle)) * out + [chain.arm * math.sin(angle), 0.0, 0.0]
            joint = place + chain.platform_radius * out
            assert np.linalg.norm(joint - elbow) == pytest.approx(chain.bar, abs=1e-14)


@both
def test_the_jacobian_is_the_derivative_of_the_position(geometry: Syntaxer) -> None:
    parts = parts_of(geometry)
    found = survey(parts, in_cylinder(geometry, 50))
    for angles, jacobian in zip(found.angles, found.jacobians, strict=True):
        for i, side in enumerate(STRIDE * np.eye(3)):
            slope = (forward(parts, angles + side) - forward(parts, angles - side)) / (2.0 * STRIDE)
            np.testing.assert_allclose(jacobian[:, i], slope, rtol=0, atol=1e-9)


def test_of_two_places_the_one_towards_the_operator_is_taken() -> None:
    parts = parts_of(Syntaxer())
    for angles in np.random.default_rng(2).uniform(np.radians(-45.0), np.radians(100.0), (500, 3)):
        position = np.zeros(3)
        if delta_forward(parts.chains, angles, position) == PlaceStatus.OK:
            arm = geometry_centres(angles)
            assert position[0] > arm[:, 0].mean()


def geometry_centres(angles: Array) -> Array:
    """Elbows moved inwards by the radius of the platform, of the published device [m]."""
    azimuth = np.arange(3) * 2.0 * np.pi / 3.0
    outwards = 0.100 + 0.160 * np.cos(angles)
    return np.stack([0.160 * np.sin(angles), outwards * np.sin(azimuth), outwards * np.cos(azimuth)], axis=1)


def test_places_out_of_reach_are_told() -> None:
    chains, angles = parts_of(Syntaxer()).chains, np.zeros(3)
    for far in ([0.5, 0.0, 0.0], [0.2, 0.5, 0.0], [0.2, 0.0, math.nan], [math.inf, 0.0, 0.0]):
        assert delta_inverse(chains, np.array(far), angles) == PlaceStatus.NO_SOLUTION


def test_angles_that_no_bars_join_are_told() -> None:
    chains, position = parts_of(Syntaxer()).chains, np.zeros(3)
    for nowhere in ([math.nan, 0.0, 0.0], [math.inf, 0.0, 0.0]):
        assert delta_forward(chains, np.array(nowhere), position) == PlaceStatus.NO_SOLUTION
    chains.bar[:] = 0.259  # elbows in the plate are 260 mm from the middle
    assert delta_forward(chains, np.zeros(3), position) == PlaceStatus.NO_SOLUTION


def test_the_margin_vanishes_where_an_arm_and_its_bars_stretch() -> None:
    parts = parts_of(Syntaxer())
    far = max(x for x in np.linspace(0.38, 0.42, 400) if survey(parts, [x, 0.0, 0.0]).margins[0] > 0.0)
    stretched = math.sqrt((0.160 + 0.265) ** 2 - 0.100**2)
    assert far == pytest.approx(stretched, abs=2e-4)
    assert survey(parts, [stretched - 1e-6, 0.0, 0.0]).margins[0] < 0.01
    assert survey(parts, [stretched + 1e-3, 0.0, 0.0]).margins[0] == -math.inf


def test_the_margin_vanishes_where_all_bars_lie_in_a_plane() -> None:
    parts = parts_of(Syntaxer())
    margins = []
    for reach in (0.2640, 0.2649, 0.26499):
        chains = parts.chains.copy()
        chains.reach[:] = reach - 0.160  # arms in the plate, elbows almost as far out as the bars are long
        margins.append(delta_place(chains, np.zeros(3), np.zeros(3), np.zeros((3, 3)))[1])
    assert margins == sorted(margins, reverse=True)
    assert 0.0 < margins[-1] < 0.01


def test_an_elbow_bent_inwards_is_beyond_a_singularity() -> None:
    parts = parts_of(Syntaxer())
    position, jacobian = np.zeros(3), np.zeros((3, 3))
    elbows_in = np.full(3, np.radians(150.0))
    status, margin = delta_place(parts.chains, elbows_in, position, jacobian)
    assert status == PlaceStatus.BEYOND_SINGULARITY
    assert margin < 0.0


def test_room_to_the_stops_is_that_of_the_nearest_one() -> None:
    parts, stops = parts_of(Syntaxer()), Syntaxer().stops
    found = survey(parts, in_cylinder(Syntaxer(), 300))
    assert found.inside
    for angles, place, room in zip(found.angles, found.points, found.rooms, strict=True):
        assert delta_room(parts.chains, angles, place) == room
        assert room <= min(angles.min() - stops.motor_low, stops.motor_high - angles.max())
    assert survey(parts, [0.38, 0.0, 0.0]).rooms[0] > 0.0
    assert not survey(parts, [0.4125, 0.0, 0.0]).inside
