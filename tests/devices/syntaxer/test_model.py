"""The model as driver and emulator use it: counts in, currents out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.devices.device import AxisKind
from station.devices.syntaxer import PlaceStatus, Syntaxer, SyntaxerModel
from tests.devices.syntaxer.syntaxers import (
    BOTH,
    FIFTEEN,
    Array,
    in_cylinder,
    in_the_middle,
    matrix,
    placed,
    put,
    rotations,
)

both = pytest.mark.parametrize("geometry", BOTH.values(), ids=BOTH.keys())


@both
def test_counts_tell_the_pose_to_half_a_count(geometry: Syntaxer) -> None:
    model = SyntaxerModel(geometry)
    for place, vector in zip(in_cylinder(geometry, 100), rotations(100), strict=True):
        pose = put(model, place, vector)
        assert model.status is PlaceStatus.OK
        np.testing.assert_allclose(pose[:3, 3], place, rtol=0, atol=60e-6)
        np.testing.assert_allclose(pose[:3, :3], matrix(vector), rtol=0, atol=1e-4)
        np.testing.assert_array_equal(pose[3], [0.0, 0.0, 0.0, 1.0])


def test_one_arm_turn_is_32000_counts() -> None:
    model = SyntaxerModel()
    model.pose([32_000 // 12, 32_000 // 12, 32_000 // 12, 0, 0, 0])
    np.testing.assert_allclose(np.degrees(model.joints[:3]), 360.0 * (32_000 // 12) / 32_000, rtol=0, atol=1e-12)


def test_counters_may_go_round() -> None:
    plain = SyntaxerModel()
    counts = plain.counts_of(plain.joints_at([0.2, 0.05, -0.03], [0.1, -0.1, 0.05]).values).astype(np.int64)
    expected = plain.pose(counts)
    home = np.array([2**31 - 1, -(2**31), 2**31 - 500, -(2**31) + 3, 2**31 - 1, -1])
    a, b, c, d, e, f = home.tolist()
    moved = SyntaxerModel(Syntaxer(home=(a, b, c, d, e, f)))
    wrapped = (counts + home).astype(np.uint32).astype(np.int32)
    assert (np.sign(wrapped[:5]) != np.sign(home[:5])).any()  # some did go round
    for shown in (wrapped, wrapped.astype(np.int64), (counts + home), wrapped.tolist()):
        np.testing.assert_array_equal(moved.pose(shown), expected)


def test_counts_of_joints_go_round_as_counters_do() -> None:
    model = SyntaxerModel(Syntaxer(home=(2**31 - 1, 0, 0, 0, 0, 0)))
    counts = model.counts_of(model.joints_at(model.middle).values)
    assert counts.dtype == np.int32
    assert counts[0] < 0
    np.testing.assert_allclose(model.pose(counts)[:3, 3], model.middle, atol=60e-6)


@both
def test_jacobians_are_the_derivative_of_the_pose(geometry: Syntaxer) -> None:
    model, step = SyntaxerModel(geometry), 20
    for place, vector in zip(in_cylinder(geometry, 10), 0.9 * rotations(10), strict=True):
        counts = model.counts_of(model.joints_at(place, vector).values).astype(np.int64)
        for i in range(6):
            side = step * np.eye(6, dtype=np.int64)[i]
            after, joints_after = model.pose(counts + side), model.joints
            before, joints_before = model.pose(counts - side), model.joints
            model.pose(counts)
            twist = model.velocity(joints_after - joints_before)
            np.testing.assert_allclose(twist[:3], after[:3, 3] - before[:3, 3], rtol=0, atol=1e-7)
            turn = after[:3, :3] @ before[:3, :3].T
            axis = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
            np.testing.assert_allclose(twist[3:], axis, rtol=0, atol=1e-7)


def test_counts_that_make_no_sense_give_no_pose_and_no_current() -> None:
    model = SyntaxerModel()
    for counts, status in (
        ([13_000, 13_000, 13_000, 0, 0, 0], PlaceStatus.BEYOND_SINGULARITY),
        ([2000, 2000, 2000, 80_000, 0, 0], PlaceStatus.NO_ROTATION),
    ):
        pose = model.pose(counts)
        assert model.status is status
        assert np.isnan(pose[:3]).all()
        given = model.currents([1.0, 2.0, 3.0, 0.1, 0.1, 0.1])
        np.testing.assert_array_equal(given.amperes, np.zeros(6))
        assert (given.force_share, given.torque_share) == (0.0, 0.0)
    assert not np.isnan(put(model, model.middle, np.zeros(3))).any()  # and it recovers


def test_before_the_first_counts_there_is_no_place_and_no_current() -> None:
    model = SyntaxerModel()
    assert model.status is PlaceStatus.UNKNOWN
    assert np.isnan(model.jacobians.arms).all()
    np.testing.assert_array_equal(model.currents([1.0, 2.0, 3.0, 0.1, 0.1, 0.1]).amperes, np.zeros(6))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", range(6))
def test_a_wrench_that_is_not_a_number_gives_no_current(place: int, bad: float) -> None:
    wrench = np.ones(6)
    wrench[place] = bad
    given = in_the_middle().currents(wrench)
    np.testing.assert_array_equal(given.amperes, np.zeros(6))
    assert (given.force_share, given.torque_share) == (0.0, 0.0)


@both
@pytest.mark.parametrize("for_long", [False, True])
def test_saturation_keeps_directions_and_limits(geometry: Syntaxer, for_long: bool) -> None:
    dice = np.random.default_rng(8)
    for place, vector in zip(in_cylinder(geometry, 100), rotations(100), strict=True):
        model = placed(geometry, place, vector)
        wrench = dice.normal(size=6) * 10.0 ** dice.uniform(-2.0, 3.0, 6)
        given = model.currents(wrench, for_long=for_long)
        limits = model.parts.continuous if for_long else model.parts.peak
        assert (np.abs(given.amperes) <= limits).all()
        assert 0.0 <= given.force_share <= 1.0
        assert 0.0 <= given.torque_share <= 1.0
        felt = model.wrench_of(given.amperes)
        np.testing.assert_allclose(felt[:3], given.force_share * wrench[:3], rtol=0, atol=1e-9)
        np.testing.assert_allclose(felt[3:], given.torque_share * wrench[3:], rtol=0, atol=1e-9)
        assert_taut(model, given.amperes)


def assert_taut(model: SyntaxerModel, amperes: Array) -> None:
    struts = model.parts.struts
    tensions = struts.pretension + struts.pull_per_ampere * amperes[3:]
    assert (tensions >= model.geometry.paramat.least_tension - 1e-12).all()


def test_force_and_torque_are_shortened_apart() -> None:
    model = in_the_middle()
    given = model.currents([100.0, 0.0, 0.0, 0.01, 0.0, 0.0])
    assert given.force_share < 0.5
    assert given.torque_share == 1.0
    given = model.currents([1.0, 0.0, 0.0, 0.0, 0.0, 5.0])
    assert given.force_share == 1.0
    assert given.torque_share < 0.5


def test_shortened_means_a_limit_is_met() -> None:
    model = in_the_middle()
    given = model.currents([0.0, 30.0, -40.0, 0.0, 0.0, 0.0])
    assert np.abs(given.amperes[:3]).max() == pytest.approx(model.geometry.motor.peak)


def test_a_huge_wrench_is_cut_without_overflow() -> None:
    model = in_the_middle()
    given = model.currents(np.full(6, 1e308))
    assert np.isfinite(given.amperes).all()
    felt = model.wrench_of(given.amperes)
    np.testing.assert_allclose(felt[:3] / felt[0], np.ones(3), atol=1e-9)
    np.testing.assert_allclose(felt[3:] / felt[3], np.ones(3), atol=1e-9)


def test_results_are_not_overwritten_by_the_next_call() -> None:
    model = SyntaxerModel()
    pose, jacobians, given = model.pose([2000, 2000, 2000, 0, 0, 0]), model.jacobians, model.currents(np.ones(6))
    kept = pose.copy(), jacobians.arms.copy(), given.amperes.copy()
    model.pose([2500, 2300, 1800, 50, 20, 10])
    model.currents(np.zeros(6))
    for now, before in zip((pose, jacobians.arms, given.amperes), kept, strict=True):
        np.testing.assert_array_equal(now, before)


def test_inside_is_told_place_by_place() -> None:
    model = SyntaxerModel()
    assert model.inside(model.middle)
    assert not model.inside([0.5, 0.0, 0.0])
    assert model.joints_at([0.5, 0.0, 0.0]).status is PlaceStatus.NO_SOLUTION


def test_the_map_tells_the_force_that_every_direction_gets() -> None:
    model, dice = SyntaxerModel(), np.random.default_rng(9)
    places = in_cylinder(model.geometry, 10)
    for place, force in zip(places, model.capability_map(places, for_long=True), strict=True):
        put(model, place, np.zeros(3))
        directions = dice.normal(size=(300, 3))
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        shares = [model.currents([*(1.1 * force * way), 0, 0, 0], for_long=True).force_share for way in directions]
        assert min(shares) < 1.0
        for way in directions:
            assert model.currents([*(0.999 * force * way), 0, 0, 0], for_long=True).force_share == 1.0
    assert math.isnan(model.capability_map([[0.5, 0.0, 0.0]])[0])


def test_capabilities_are_declared() -> None:
    found = SyntaxerModel().capabilities
    assert [axis.kind for axis in found.axes] == [AxisKind.ABSOLUTE] * 3 + [AxisKind.INCREMENTAL] * 3
    assert [(axis.low, axis.high) for axis in found.axes[3:]] == [(-FIFTEEN, FIFTEEN)] * 3
    assert found.rate == 1000.0
    assert found.buttons[0] == "deadman"
    assert found.grip
    for axis in found.axes:
        assert 0.0 < axis.force <= axis.peak
        assert axis.stiffness > 0.0


def test_forces_declared_are_given_everywhere() -> None:
    model = SyntaxerModel()
    axes = model.capabilities.axes
    for place, vector in zip(in_cylinder(model.geometry, 100), rotations(100), strict=True):
        put(model, place, vector)
        for i, axis in enumerate(axes):
            for way in (-1.0, 1.0):
                wrench = np.zeros(6)
                wrench[i] = way * 0.97 * axis.force
                given = model.currents(wrench, for_long=True)
                assert (given.force_share, given.torque_share) == (1.0, 1.0)
