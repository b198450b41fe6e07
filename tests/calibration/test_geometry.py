"""Robot geometry: planted errors are found, within their standard deviations, and what cannot be told is named."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

import station
from calibration import DataError, NotExplainedError, UnitsError, fit, judge
from calibration.fitting import refit
from calibration.geometry import (
    GeometryModel,
    GeometrySettings,
    ToolMeasurements,
    calibrate_geometry,
    tool_poses,
)
from calibration.parameters import nominal_of
from station.kernel.so3 import rotation
from tests.calibration.planted import (
    CROSS_DELTA,
    MACDAC,
    NOISE,
    UR5E,
    Case,
    Floats,
    measured,
    nominal_model,
    plant,
    plant_what_can_be_told,
)

TRACKER = np.array([[0.0, -1.0, 0.0, 2.0], [1.0, 0.0, 0.0, -1.0], [0.0, 0.0, 1.0, 0.5], [0.0, 0.0, 0.0, 1.0]])
FINE = 1e-9  # noise that hides nothing [m]
SERIAL = pytest.mark.parametrize("case", [MACDAC, UR5E], ids=lambda case: case.name)
ALL = pytest.mark.parametrize("case", [MACDAC, UR5E, CROSS_DELTA], ids=lambda case: case.name)
TOLD = {"macdac": 21, "ur5e": 23, "cross-delta": 16}  # parameters that 60 places of the tool tell


def differenced(model: GeometryModel, values: Floats, which: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Floats:
    columns = []
    for place in range(len(values)):
        step = np.zeros(len(values))
        step[place] = 1e-6
        columns.append((model.rows(values + step, which)[0] - model.rows(values - step, which)[0]) / 2e-6)
    return np.moveaxis(np.array(columns), 0, -1)


@ALL
def test_derivatives_are_exact_through_loops_too(case: Case) -> None:
    model = nominal_model(case, case.joints(4), GeometrySettings(ratios=True))
    values = nominal_of(model) + 1e-3 * np.random.default_rng(1).normal(size=len(model.parameters))
    which = np.arange(4)
    jacobian = model.rows(values, which).jacobian * NOISE
    assert jacobian == pytest.approx(differenced(model, values, which) * NOISE, abs=2e-6)


def test_derivatives_of_full_poses_are_exact() -> None:
    joints = UR5E.joints(4)
    poses = tool_poses(UR5E.robot(), 7, UR5E.encoders, joints)
    data = ToolMeasurements(
        encoders=UR5E.encoders, joints=joints, positions=poses[:, :3, 3], rotations=poses[:, :3, :3]
    )
    model = GeometryModel(UR5E.robot(), 7, data)
    values = nominal_of(model) + 1e-2 * np.random.default_rng(1).normal(size=len(model.parameters))
    which = np.arange(4)
    assert model.rows(values, which).jacobian == pytest.approx(differenced(model, values, which), rel=1e-5, abs=1e-2)


@ALL
def test_poses_are_those_of_the_mechanism(case: Case) -> None:
    joints = case.joints(3)
    poses = tool_poses(case.robot(), case.frame, case.encoders, joints)
    arm = station.mechanism.Mechanism(case.robot())
    for row, pose in zip(joints, poses, strict=True):
        wanted = dict(zip(case.encoders, row.tolist(), strict=True))
        for _ in range(300):
            arm.step({}, 0.05, joints=wanted)
        assert [arm.q[arm.joint_number(name)] for name in case.encoders] == pytest.approx(row, abs=1e-9)
        assert arm.pose(case.frame) == pytest.approx(pose, abs=1e-8)


@ALL
def test_without_noise_planted_errors_are_found_to_a_billionth(case: Case) -> None:
    model = nominal_model(case, case.joints(60))
    planted = plant_what_can_be_told(model, 1)
    again = GeometryModel(model.robot, case.frame, measured(model, planted.poses[:, :3, 3]), model.settings)
    found = fit(again)
    assert np.sum(planted.values != nominal_of(model)) == TOLD[case.name]
    assert found.values == pytest.approx(planted.values, abs=1e-9)
    assert np.abs(found.residuals * NOISE).max() < 1e-12


def test_gear_ratios_are_found() -> None:
    model = nominal_model(UR5E, UR5E.joints(60), GeometrySettings(stand=False, ratios=True))
    planted = plant_what_can_be_told(model, 2)
    found = fit(GeometryModel(model.robot, 7, measured(model, planted.poses[:, :3, 3]), model.settings))
    ratios = [place for place, one in enumerate(model.parameters) if one.name.endswith("ratio")]
    assert len(ratios) == 6
    assert found.values[ratios] == pytest.approx(planted.values[ratios], abs=1e-9)
    assert np.abs(planted.values[ratios] - 1.0).max() > 1e-4


@SERIAL
def test_everything_wrong_at_once_is_found_in_all_poses_though_not_every_parameter_can_be_told(case: Case) -> None:
    planted = plant(nominal_model(case, case.joints(60)), 3)
    positions = planted.poses[:, :3, 3] @ TRACKER[:3, :3].T + TRACKER[:3, 3]
    exact = measured(planted.model, positions, noise=FINE)
    result = calibrate_geometry(planted.model.robot, case.frame, exact)
    assert result.before.rms > 1e-3
    assert result.after.largest < 1e-9
    fresh = case.joints(20, seed=1)
    truth = TRACKER @ tool_poses(planted.robot, case.frame, case.encoders, fresh)
    found = result.stand @ tool_poses(result.robot, case.frame, case.encoders, fresh)
    assert found[:, :3, 3] == pytest.approx(truth[:, :3, 3], abs=1e-9)


def test_parameters_that_cannot_be_told_apart_are_named_and_keep_their_nominal_values() -> None:
    planted = plant(nominal_model(UR5E, UR5E.joints(60)), 4)
    result = calibrate_geometry(planted.model.robot, 7, measured(planted.model, planted.poses[:, :3, 3]))
    fixed = {one.name: one.like for one in result.judgement.fixed}
    assert "link 2 r" in fixed["link 3 r"]  # parallel axes: only the sum counts
    assert "link 2 r" in fixed["link 4 r"]
    assert fixed["link 1 r"] == ("stand z",)
    assert set(fixed["link 6 zero"]) == {"tool x", "tool y"}
    assert "link 3 beta" not in fixed
    assert {one.name for one in result.judgement.parameters if one.fixed} == set(fixed)
    assert all(one.value == one.nominal and one.deviation == 0.0 for one in result.judgement.parameters if one.fixed)


def repeated(model: GeometryModel, positions: Floats, seed: int) -> GeometryModel:
    """The same model with other noise."""
    again = copy.copy(model)
    noisy = positions + NOISE * np.random.default_rng([9, seed]).normal(size=positions.shape)
    again.data = replace(model.data, positions=noisy)
    return again


@ALL
def test_with_noise_errors_are_within_their_standard_deviations_a_hundred_times(case: Case) -> None:
    model = nominal_model(case, case.joints(20 if case is CROSS_DELTA else 40))
    planted = plant_what_can_be_told(model, 5)
    positions = planted.poses[:, :3, 3]
    begin = fit(repeated(model, positions, 1000))
    squares, chi_squares, freedom, left_out = 0.0, 0.0, 0, 0
    for seed in range(100):
        noisy = repeated(model, positions, seed)
        found = refit(noisy, begin) if case is CROSS_DELTA else fit(noisy)  # loops take longer to close
        error = (found.values - planted.values)[found.identified.free]
        squares += float(error @ np.linalg.solve(found.covariance, error))
        judged = judge(noisy, found)
        chi_squares, freedom = chi_squares + judged.chi_square, freedom + judged.freedom
        left_out += len(found.outliers)
    assert left_out <= 3  # of some thousands of good ones
    count = 100 * int(begin.identified.free.sum())
    assert chi2.ppf(1e-4, count) < squares < chi2.ppf(1 - 1e-4, count)
    assert chi2.ppf(1e-4, freedom) < chi_squares < chi2.ppf(1 - 1e-4, freedom)


@pytest.mark.parametrize("case", [MACDAC, UR5E, CROSS_DELTA], ids=lambda case: case.name)
def test_the_tool_is_twenty_times_nearer_on_poses_that_were_held_back(case: Case) -> None:
    planted = plant(nominal_model(case, case.joints(60)), 6)
    noise = NOISE * np.random.default_rng(7).normal(size=(60, 3))
    data = measured(planted.model, planted.poses[:, :3, 3] + noise)
    result = calibrate_geometry(planted.model.robot, case.frame, data)
    fresh = case.joints(30, seed=1)
    truth = tool_poses(planted.robot, case.frame, case.encoders, fresh)[:, :3, 3]
    before = tool_poses(planted.model.robot, case.frame, case.encoders, fresh)[:, :3, 3]
    after = (result.stand @ tool_poses(result.robot, case.frame, case.encoders, fresh))[:, :3, 3]
    ratio = np.linalg.norm(before - truth) / np.linalg.norm(after - truth)
    assert ratio > 20.0
    assert result.after.rms < 3.0 * NOISE  # measured against measurements, which have noise of their own


def test_outliers_are_named_and_do_no_harm() -> None:
    planted = plant(nominal_model(UR5E, UR5E.joints(60)), 8)
    positions = planted.poses[:, :3, 3] + NOISE * np.random.default_rng(8).normal(size=(60, 3))
    clean = calibrate_geometry(planted.model.robot, 7, measured(planted.model, positions), validate=False)
    positions[[3, 17, 44]] += [[0.02, 0.0, 0.0], [0.0, -0.5, 0.1], [0.0, 0.0, 0.002]]
    spoilt = calibrate_geometry(planted.model.robot, 7, measured(planted.model, positions), validate=False)
    assert spoilt.judgement.outliers == (3, 17, 44)
    assert spoilt.after.rms == pytest.approx(clean.after.rms, rel=0.1)


def test_nothing_but_outliers_is_refused() -> None:
    model = nominal_model(UR5E, UR5E.joints(60))
    wild = model.data.positions + 0.1 * np.random.default_rng(1).normal(size=(60, 3))
    with pytest.raises(NotExplainedError, match=r"the model does not explain|do not fit the others"):
        calibrate_geometry(model.robot, 7, measured(model, wild))


@pytest.mark.parametrize(("factor", "says"), [(1000.0, "millimetres given for metres"), (0.001, "metres given for")])
def test_a_factor_of_a_thousand_is_named(factor: float, says: str) -> None:
    model = nominal_model(MACDAC, MACDAC.joints(20))
    with pytest.raises(UnitsError, match=says):
        GeometryModel(model.robot, 6, measured(model, factor * model.data.positions))


def test_degrees_for_radians_are_named() -> None:
    model = nominal_model(MACDAC, MACDAC.joints(20))
    data = replace(model.data, joints=np.degrees(model.data.joints))
    with pytest.raises(UnitsError, match="degrees given"):
        GeometryModel(model.robot, 6, data)


def test_bad_measurements_are_refused_in_one_line() -> None:
    model = nominal_model(MACDAC, MACDAC.joints(20))
    data = model.data
    positions = data.positions.copy()
    positions[3, 1] = np.nan
    with pytest.raises(DataError, match="positions of observation 3 are not finite"):
        measured(model, positions)
    with pytest.raises(DataError, match="3 observations; at least 4"):
        replace(data, joints=data.joints[:3], positions=data.positions[:3])
    with pytest.raises(DataError, match=r"positions has the shape \(19, 3\); allowed: \(20, 3\)"):
        measured(model, data.positions[:19])
    with pytest.raises(DataError, match="joints without an encoder: 5"):
        GeometryModel(model.robot, 6, replace(data, encoders=(1, 2, 3, 4), joints=data.joints[:, :4]))
    with pytest.raises(DataError, match="has no joint 9; there are: 1, 2, 3, 4, 5"):
        GeometryModel(model.robot, 6, replace(data, encoders=(1, 2, 3, 4, 9)))
    with pytest.raises(DataError, match="positive standard deviation"):
        measured(model, data.positions, noise=0.0)


def test_a_parallel_robot_needs_as_many_encoders_as_freedoms() -> None:
    model = nominal_model(CROSS_DELTA, CROSS_DELTA.joints(10))
    data = replace(model.data, encoders=(1, 6), joints=model.data.joints[:, :2])
    with pytest.raises(DataError, match="2 encoders for a robot with loops and 3 freedoms"):
        GeometryModel(model.robot, 5, data)


def test_too_few_or_degenerate_poses_are_refused_or_leave_parameters_fixed() -> None:
    model = nominal_model(UR5E, UR5E.joints(60))
    with pytest.raises(DataError, match="measured numbers for"):
        fit(model, which=np.arange(5))
    joints = model.data.joints.copy()
    joints[:, 3:] = joints[0, 3:]  # the wrist never moved
    positions = tool_poses(model.robot, 7, UR5E.encoders, joints)[:, :3, 3]
    still = GeometryModel(model.robot, 7, replace(model.data, joints=joints, positions=positions))
    fixed = {one.name for one in judge(still, fit(still)).fixed}
    assert {"link 5 zero", "link 5 alpha", "link 6 alpha"} <= fixed


def test_full_poses_tell_the_turn_of_the_tool_too() -> None:
    joints = UR5E.joints(60)
    planted = plant(nominal_model(UR5E, joints), 11)
    turned = planted.poses[:, :3, :3] @ rotation(np.array([0.01, -0.02, 0.03]))
    data = measured(planted.model, planted.poses[:, :3, 3], rotations=turned, rotation_noise=1e-4)
    result = calibrate_geometry(planted.model.robot, 7, data)
    free = {one.name for one in result.judgement.parameters if not one.fixed}
    assert {"tool a", "tool b", "tool c"} <= free
    assert result.judgement.chi_square < 1e-9
