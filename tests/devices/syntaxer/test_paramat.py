"""The rotation stage: there and back, taut strings, stiffness by finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from station.devices.syntaxer import Syntaxer
from station.devices.syntaxer.rotation import (
    cube,
    return_torque,
    rotation_from,
    stiffness,
    stiffness_range,
    tensions_for,
    tensions_for_stiffness,
    torque_of,
    turned_by,
)
from station.devices.syntaxer.state import Parts, parts_of
from tests.devices.syntaxer.syntaxers import BOTH, FIFTEEN, Array, matrix, rotations

STRIDE = 1e-6  # of central differences [rad]
both = pytest.mark.parametrize("geometry", BOTH.values(), ids=BOTH.keys())


@both
def test_rotation_comes_back_from_its_string_lengths(geometry: Syntaxer) -> None:
    parts = parts_of(geometry)
    for vector in rotations(1000):
        at = turned_by(parts, vector)
        np.testing.assert_allclose(at.rotation, matrix(vector), rtol=0, atol=1e-14)
        back = rotation_from(parts, at.lengths)
        assert back is not None
        np.testing.assert_allclose(back, at.rotation, rtol=0, atol=1e-12)


@both
def test_string_rates_are_the_derivative_of_their_lengths(geometry: Syntaxer) -> None:
    parts = parts_of(geometry)
    for vector in rotations(20):
        at = turned_by(parts, vector)
        for i, side in enumerate(STRIDE * np.eye(3)):
            slope = (lengths(parts, matrix(side) @ at.rotation) - lengths(parts, matrix(-side) @ at.rotation)) / (
                2.0 * STRIDE
            )
            np.testing.assert_allclose(at.strings[:, i], slope, rtol=0, atol=1e-9)


def lengths(parts: Parts, rotation: Array) -> Array:
    points = parts.struts.point @ rotation.T
    return np.asarray(np.linalg.norm(points - parts.struts.anchor, axis=1))


def test_strings_are_well_conditioned_all_over_the_cube() -> None:
    parts = parts_of(Syntaxer())
    conditions = [np.linalg.cond(turned_by(parts, vector).strings) for vector in cube(FIFTEEN, 9)]
    assert np.linalg.cond(turned_by(parts, np.zeros(3)).strings) == pytest.approx(1.0)
    assert max(conditions) < 2.0


def test_three_struts_alike_around_the_mast_would_be_singular() -> None:
    paramat = Syntaxer().paramat
    alike = []
    for angle in np.arange(3) * 2.0 * np.pi / 3.0:
        y, z = 0.032 * np.sin(angle), 0.032 * np.cos(angle)
        alike.append(replace(paramat.struts[0], anchor=(-0.05, y, z), point=(0.0, y, z)))
    symmetric = replace(paramat, struts=(alike[0], alike[1], alike[2]))
    strings = turned_by(parts_of(Syntaxer(paramat=symmetric)), np.zeros(3)).strings
    assert np.linalg.matrix_rank(strings, tol=1e-9) == 2


def test_lengths_that_do_not_belong_together_have_no_rotation() -> None:
    parts = parts_of(Syntaxer())
    neutral = turned_by(parts, np.zeros(3)).lengths
    for wrong in (neutral + 0.08 * np.eye(3)[0], neutral + np.nan, neutral - 0.049 * np.eye(3)[1]):
        assert rotation_from(parts, wrong) is None


@both
def test_without_current_the_plate_turns_back_to_neutral(geometry: Syntaxer) -> None:
    parts = parts_of(geometry)
    np.testing.assert_allclose(return_torque(parts, turned_by(parts, np.zeros(3))), np.zeros(3), atol=1e-15)
    for vector in rotations(200):
        assert return_torque(parts, turned_by(parts, vector)) @ vector < -0.2 * vector @ vector


@both
def test_the_springs_stay_pressed(geometry: Syntaxer) -> None:
    parts = parts_of(geometry)
    for vector in cube(FIFTEEN):
        stretch = turned_by(parts, vector).lengths - parts.struts.neutral
        assert (parts.struts.spring * stretch < parts.struts.pretension).all()


@both
def test_stiffness_is_the_slope_of_the_torque(geometry: Syntaxer) -> None:
    parts, dice = parts_of(geometry), np.random.default_rng(4)
    for vector in rotations(20):
        at, tensions = turned_by(parts, vector), dice.uniform(1.0, 20.0, 3)
        found = stiffness(parts, at, tensions)
        for i, side in enumerate(STRIDE * np.eye(3)):
            after, before = (torque_at(parts, matrix(way * side) @ at.rotation, tensions) for way in (1.0, -1.0))
            np.testing.assert_allclose(found[:, i], -(after - before) / (2.0 * STRIDE), rtol=0, atol=1e-8)


def torque_at(parts: Parts, rotation: Array, tensions: Array) -> Array:
    """Torque on the plate, from lines and forces one by one [N·m]."""
    total = np.zeros(3)
    struts = parts.struts
    for i, tension in enumerate(tensions):
        point = rotation @ struts.point[i]
        line = struts.anchor[i] - point
        size = float(np.linalg.norm(line))
        push = struts.pretension[i] - struts.spring[i] * (size - struts.neutral[i])
        total += np.cross(point, (tension - push) * line / size)
    return total


@both
def test_torque_is_that_of_lines_and_forces(geometry: Syntaxer) -> None:
    parts, dice = parts_of(geometry), np.random.default_rng(5)
    for vector in rotations(20):
        at, tensions = turned_by(parts, vector), dice.uniform(1.0, 20.0, 3)
        np.testing.assert_allclose(torque_of(parts, at, tensions), torque_at(parts, at.rotation, tensions), atol=1e-14)


@both
def test_strings_are_never_slack_whatever_is_asked(geometry: Syntaxer) -> None:
    parts, dice = parts_of(geometry), np.random.default_rng(6)
    least, most = geometry.paramat.least_tension, geometry.paramat.most_tension
    for vector in rotations(200):
        at, torque = turned_by(parts, vector), dice.normal(size=3) * 10.0 ** dice.uniform(-3.0, 3.0)
        tensions, share = tensions_for(parts, at, torque, parts.peak)
        assert (tensions >= least - 1e-9).all()
        assert (tensions <= most + 1e-9).all()
        added = torque_of(parts, at, tensions) - return_torque(parts, at)
        np.testing.assert_allclose(added, share * torque, rtol=0, atol=1e-12)


def test_tensions_give_each_axis_the_stiffness_wanted() -> None:
    parts = parts_of(Syntaxer())
    for vector in 0.5 * rotations(50):
        at, wanted = turned_by(parts, vector), np.array([0.2, 0.5, 0.8])
        tensions, share = tensions_for_stiffness(parts, at, wanted, parts.peak)
        assert share == 1.0
        np.testing.assert_allclose(torque_of(parts, at, tensions), -wanted * vector, rtol=0, atol=1e-12)


def test_the_range_of_stiffness_ends_where_a_limit_is_met() -> None:
    parts = parts_of(Syntaxer())
    for axis in range(3):
        low, high = stiffness_range(parts, axis, FIFTEEN, parts.continuous)
        own = stiffness(parts, turned_by(parts, np.zeros(3)), parts.struts.pretension)[axis, axis]
        assert low < 0.0 < own < high
        for way in (-1.0, 1.0):
            at = turned_by(parts, way * FIFTEEN * np.eye(3)[axis])
            for wanted in (low, high):
                assert tensions_for_stiffness(parts, at, np.full(3, wanted), parts.continuous).share > 1.0 - 1e-9
        worst = [
            tensions_for_stiffness(
                parts, turned_by(parts, way * FIFTEEN * np.eye(3)[axis]), 3 * [1.01 * high], parts.continuous
            ).share
            for way in (-1.0, 1.0)
        ]
        assert min(worst) < 1.0


def test_more_pretension_widens_the_range_of_stiffness_but_does_not_stiffen_the_plate() -> None:
    spans, own = [], []
    for pretension in (5.0, 8.0, 12.0):
        paramat = Syntaxer().paramat
        a, b, c = (replace(strut, pretension=pretension) for strut in paramat.struts)
        parts = parts_of(Syntaxer(paramat=replace(paramat, struts=(a, b, c))))
        low, high = stiffness_range(parts, 0, FIFTEEN, parts.peak)
        spans.append(high - low)
        own.append(stiffness(parts, turned_by(parts, np.zeros(3)), np.full(3, pretension)))
    assert spans == sorted(spans)
    assert spans[-1] > 1.5 * spans[0]
    np.testing.assert_allclose(own[0], own[2], atol=1e-12)
