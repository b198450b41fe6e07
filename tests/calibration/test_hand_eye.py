"""Hand-eye on the geometry of RobuTER/ULM, whose camera sits at exactly 180°, where axis and angle fail."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chi2

import robots
import station
from calibration import DataError, NotExplainedError, UnitsError
from calibration.hand_eye import HandEye, HandEyeModel, calibrate_hand_eye, solve_ax_xb, solve_ax_yb
from calibration.hand_eye.linear import motions
from station.kernel.so3 import cross_matrix, rotation, rotation_vector
from tests.calibration.planted import Floats

# Camera in the gripper, measured with a ruler in the thesis of 2013: half a turn about z.
CAMERA = np.array([[-1.0, 0.0, 0.0, 0.130], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -0.050], [0.0, 0.0, 0.0, 1.0]])
TARGET = np.array([[0.0, 0.0, 1.0, 1.2], [0.0, 1.0, 0.0, -0.2], [-1.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 1.0]])
NOISE = (5e-4, 2e-3)
Solve = Callable[[Floats, Floats], HandEye]
METHODS = pytest.mark.parametrize("solve", [solve_ax_xb, solve_ax_yb])


@pytest.fixture(scope="module")
def hand() -> Floats:
    """The arm of RobuTER at 12 stations around its capture pose."""
    arm = station.load(robots.path("robuter-ulm"))["robuter-ulm"]
    random, poses = np.random.default_rng(3), []
    middle = np.radians([0.0, 60.0, 30.0, 20.0, -15.0, 0.0])
    frame = arm.robot.tools[0].id if arm.robot.tools else arm.robot.links[-1].id
    for _ in range(12):
        arm.q = np.clip(middle + random.uniform(-0.5, 0.5, 6), *np.array([j.limits for j in arm.joints]).T)
        poses.append(arm.pose(frame))
    return np.array(poses)


def seen_from(hand: Floats, camera: Floats = CAMERA, noise: tuple[float, float] = (0.0, 0.0), seed: int = 0) -> Floats:
    """What the camera sees."""
    random = np.random.default_rng([4, seed])
    seen = np.linalg.inv(hand @ camera) @ TARGET
    seen[:, :3, :3] = seen[:, :3, :3] @ rotation(noise[1] * random.normal(size=(len(hand), 3)))
    seen[:, :3, 3] += noise[0] * random.normal(size=(len(hand), 3))
    return np.asarray(seen, dtype=np.float64)


def inverse(poses: Floats) -> Floats:
    return np.asarray(np.linalg.inv(poses), dtype=np.float64)


def by_axis_and_angle(hand: Floats, seen: Floats) -> tuple[Floats, Floats]:
    """The method of axis and angle (equations 2 to 4 of the thesis), and the singular values of its rotations."""
    b, a = motions(hand, inverse(seen))
    n_b, n_a = rotation_vector(b[:, :3, :3]), rotation_vector(a[:, :3, :3])
    n_a, n_b = (n / np.linalg.norm(n, axis=1, keepdims=True) for n in (n_a, n_b))
    system = cross_matrix(n_a + n_b).reshape(-1, 3)
    n = np.linalg.lstsq(system, (n_a - n_b).ravel(), rcond=1e-10)[0]
    size = np.linalg.norm(n)
    turn = rotation(2.0 * np.arctan(size) * n / size) if size > 0.0 else np.eye(3)
    return turn, np.asarray(np.linalg.svd(system, compute_uv=False), dtype=np.float64)


def angle_between(a: Floats, b: Floats) -> float:
    return float(np.linalg.norm(rotation_vector(a.T @ b)))


@METHODS
def test_half_a_turn_is_found_where_axis_and_angle_fail(solve: Solve, hand: Floats) -> None:
    seen = seen_from(hand)
    found = solve(hand, inverse(seen))
    assert found.x == pytest.approx(CAMERA, abs=1e-9)
    assert found.y == pytest.approx(TARGET, abs=1e-9)
    turn, singular = by_axis_and_angle(hand, seen)
    assert singular[2] < 1e-9 * singular[0]
    assert angle_between(turn, CAMERA[:3, :3]) > 1.0  # nonsense


def test_the_method_of_axis_and_angle_is_fair_away_from_half_a_turn(hand: Floats) -> None:
    camera = CAMERA.copy()
    camera[:3, :3] = rotation(np.array([0.0, 0.3, 1.0]))
    turn, _ = by_axis_and_angle(hand, seen_from(hand, camera))
    assert angle_between(turn, camera[:3, :3]) < 1e-9


@METHODS
@pytest.mark.parametrize("vector", [(0.0, 0.0, 0.0), (np.pi, 0.0, 0.0), (0.0, np.pi, 0.0), (1.0, -2.0, 0.5)])
def test_any_turn_of_the_camera_is_found(solve: Solve, vector: tuple[float, float, float], hand: Floats) -> None:
    camera = CAMERA.copy()
    camera[:3, :3] = rotation(np.array(vector))
    assert solve(hand, inverse(seen_from(hand, camera))).x == pytest.approx(camera, abs=1e-9)


def test_refinement_without_noise_is_exact(hand: Floats) -> None:
    result = calibrate_hand_eye(hand, seen_from(hand), NOISE)
    assert result.x == pytest.approx(CAMERA, abs=1e-9)
    assert result.y == pytest.approx(TARGET, abs=1e-9)


def test_derivatives_of_the_refinement_are_exact(hand: Floats) -> None:
    model = HandEyeModel(hand, seen_from(hand, noise=(0.01, 0.05)), HandEye(CAMERA, TARGET), (1.0, 1.0))
    values, which = 0.3 * np.random.default_rng(1).normal(size=12), np.arange(12)
    jacobian = model.rows(values, which).jacobian
    for place in range(12):
        step = np.zeros(12)
        step[place] = 1e-6
        slope = (model.rows(values + step, which).residuals - model.rows(values - step, which).residuals) / 2e-6
        assert jacobian[:, :, place] == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize("method", ["ax=xb", "ax=yb"])
def test_errors_are_within_their_covariance_a_hundred_times(method: str, hand: Floats) -> None:
    squares = 0.0
    better = 0
    for seed in range(100):
        seen = seen_from(hand, noise=NOISE, seed=seed)
        result = calibrate_hand_eye(hand, seen, NOISE, method=method, validate=False)
        errors = [np.linalg.inv(found) @ true for found, true in ((result.x, CAMERA), (result.y, TARGET))]
        error = np.concatenate([np.r_[one[:3, 3], rotation_vector(one[:3, :3])] for one in errors])
        squares += float(error @ np.linalg.solve(result.covariance, error))
        linear = np.linalg.norm(result.linear.x[:3, 3] - CAMERA[:3, 3])
        better += bool(np.linalg.norm(result.x[:3, 3] - CAMERA[:3, 3]) <= linear)
    assert chi2.ppf(1e-4, 1200) < squares < chi2.ppf(1 - 1e-4, 1200)
    assert better > 50


def test_a_wrong_station_is_named(hand: Floats) -> None:
    seen = seen_from(hand, noise=NOISE)
    seen[5, :3, 3] += [0.03, 0.0, 0.0]
    result = calibrate_hand_eye(hand, seen, NOISE)
    assert result.judgement.outliers == (5,)
    assert result.after is not None
    assert result.after.rms < 0.003
    assert np.abs(result.x[:3, 3] - CAMERA[:3, 3]).max() < 0.005


def test_what_cannot_be_solved_is_refused_in_one_line(hand: Floats) -> None:
    seen = seen_from(hand)
    with pytest.raises(DataError, match="2 stations; at least 3"):
        calibrate_hand_eye(hand[:2], seen[:2], NOISE)
    moved = np.tile(hand[0], (6, 1, 1))
    moved[:, :3, 3] += np.random.default_rng(1).normal(size=(6, 3))
    with pytest.raises(DataError, match="never turned"):
        calibrate_hand_eye(moved, seen_from(moved), NOISE)
    about_z = moved.copy()
    about_z[:, :3, :3] = rotation(np.linspace(0.0, 1.0, 6)[:, None] * np.array([0.0, 0.0, 1.0]))
    with pytest.raises(DataError, match="about one axis only"):
        calibrate_hand_eye(about_z, seen_from(about_z), NOISE)
    with pytest.raises(DataError, match="no method 'tsai'; there are: ax=xb, ax=yb"):
        calibrate_hand_eye(hand, seen, NOISE, method="tsai")
    millimetres = seen.copy()
    millimetres[:, :3, 3] *= 1000.0
    with pytest.raises(UnitsError, match="millimetres for metres"):
        calibrate_hand_eye(hand, millimetres, NOISE)
    with pytest.raises(NotExplainedError):
        calibrate_hand_eye(hand, np.roll(seen, 1, axis=0), NOISE)
