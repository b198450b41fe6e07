"""Cameras: a printed board, pictures of it made by an emulated camera, and the whole way from pictures to hand-eye."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from calibration import DataError, NotExplainedError, ResultFileError, UnitsError
from calibration.camera import Board, CameraModel, Lens, Sheet, View, calibrate_camera, find_board, project, write_board
from calibration.camera.detecting import board_pose, read_picture
from calibration.camera.source import take
from calibration.errors import PoseError
from calibration.fitting import FitSettings, fit, refit
from calibration.hand_eye.linear import HandEye
from calibration.hand_eye.pictures import PictureModel, calibrate_from_pictures
from calibration.hand_eye.refine import small_pose
from calibration.leading import SensorLostError
from sim_devices.camera import CameraServer, CameraSettings, pictured
from station.kernel.so3 import rotation_vector
from tests.calibration.planted import Floats
from tests.calibration.test_hand_eye import CAMERA

cv2: Any = pytest.importorskip("cv2")
SMALL = CameraSettings(width=480, height=384, fx=520.0, fy=516.0, cx=236.0, cy=195.0)
LENS = Lens(SMALL.fx, SMALL.fy, SMALL.cx, SMALL.cy, SMALL.k1, SMALL.k2, SMALL.p1, SMALL.p2)
BOARD = Board(columns=7, rows=5, square=0.03, marker=0.017)
PIXEL = 0.05


def poses(count: int) -> Floats:
    """Where a board is for a camera in some pictures."""
    random = np.random.default_rng(11)
    middle = np.eye(4)
    middle[:3, 3] = [-BOARD.size[0] / 2.0, -BOARD.size[1] / 2.0, 0.0]
    made = []
    for _ in range(count):
        tilt = random.uniform(-0.6, 0.6, 3)
        place = [random.uniform(-0.04, 0.04), random.uniform(-0.03, 0.03), random.uniform(0.30, 0.42)]
        made.append(small_pose(np.array([*place, *tilt])) @ middle)
    return np.array(made)


def view_at(pose: Floats, name: str, noise: float = 0.0, seed: int = 0) -> View:
    """What would be found in a picture."""
    number = int("".join(filter(str.isdigit, name)) or 0)
    pixels = project(BOARD.corners @ pose[:3, :3].T + pose[:3, 3], LENS).pixels
    shaken = pixels + noise * np.random.default_rng([12, seed, number]).normal(size=pixels.shape)
    return View(name, np.arange(len(BOARD.corners)), shaken, (SMALL.width, SMALL.height))


def test_projection_is_that_of_opencv_and_its_derivatives_are_exact() -> None:
    lens = Lens(520.0, 516.0, 236.0, 195.0, -0.2, 0.06, 8e-4, -5e-4, 0.03)
    points = np.column_stack([np.random.default_rng(1).uniform(-0.1, 0.1, (30, 2)), np.linspace(0.3, 0.5, 30)])
    found = project(points, lens)
    theirs, _ = cv2.projectPoints(points, np.zeros(3), np.zeros(3), lens.matrix, lens.distortion)
    assert found.pixels == pytest.approx(theirs.reshape(-1, 2), abs=1e-9)
    for axis in range(3):
        step = np.zeros(3)
        step[axis] = 1e-7
        slope = (project(points + step, lens).pixels - project(points - step, lens).pixels) / 2e-7
        assert found.by_place[:, :, axis] == pytest.approx(slope, abs=1e-4)
    for number in range(9):
        moved = [np.array(lens), np.array(lens)]
        moved[0][number] += 1e-6
        moved[1][number] -= 1e-6
        up, down = (project(points, Lens.of(one)).pixels for one in moved)
        assert found.by_lens[:, :, number] == pytest.approx((up - down) / 2e-6, abs=1e-5)


def test_without_noise_the_lens_is_found_to_a_billionth() -> None:
    found = calibrate_camera([view_at(pose, f"p{k}") for k, pose in enumerate(poses(10))], BOARD)
    assert np.array(found.lens) == pytest.approx(np.array(LENS), rel=1e-9, abs=1e-9)
    assert found.poses == pytest.approx(poses(10), abs=1e-9)


def test_errors_are_within_their_standard_deviations_a_hundred_times() -> None:
    true, squares, numbers = poses(5), 0.0, 0

    def model(seed: int) -> CameraModel:
        views = [view_at(pose, f"p{k}", PIXEL, seed) for k, pose in enumerate(true)]
        return CameraModel(views, BOARD, LENS, list(true), PIXEL)

    begin = fit(model(100))
    for seed in range(100):
        found = refit(model(seed), begin, settings=FitSettings(small_step=1e-6))
        error = (found.values - np.array([*LENS, *np.zeros(30)]))[found.identified.free]
        squares += float(error @ np.linalg.solve(found.covariance, error))
        numbers += len(error)
    assert numbers >= 100 * 38
    assert chi2.ppf(1e-4, numbers) < squares < chi2.ppf(1 - 1e-4, numbers)


def test_a_wrong_corner_is_named_and_does_no_harm() -> None:
    views = [view_at(pose, f"p{k}", PIXEL) for k, pose in enumerate(poses(8))]
    views[2].pixels[5] += [4.0, 0.0]
    found = calibrate_camera(views, BOARD, noise=PIXEL)
    assert found.judgement.outliers == (2 * len(BOARD.corners) + 5,)
    assert found.outliers == {"p2": [5]}
    assert abs(found.lens.fx - LENS.fx) < 4.0 * found.deviations[0]


def test_pictures_that_tell_no_lens_are_refused_in_one_line() -> None:
    views = [view_at(pose, f"p{k}", PIXEL) for k, pose in enumerate(poses(6))]
    with pytest.raises(DataError, match="2 pictures in which the board is seen; 3 are needed"):
        calibrate_camera(views[:2], BOARD)
    with pytest.raises(DataError, match="pictures of different sizes: 480×384, 640×480"):
        calibrate_camera([*views, views[0]._replace(size=(640, 480))], BOARD)
    flat = [small_pose(np.array([-0.1 + 0.01 * k, -0.07, 0.35 + 0.02 * k, 0.0, 0.0, 0.0])) for k in range(6)]
    with pytest.raises(DataError, match="seen from one side only"):
        calibrate_camera([view_at(pose, f"p{k}", PIXEL) for k, pose in enumerate(flat)], BOARD)
    shuffled = [view._replace(pixels=view.pixels[::-1] + 3.0 * k) for k, view in enumerate(views)]
    rng = np.random.default_rng(2)
    wild = [view._replace(pixels=view.pixels + 8.0 * rng.normal(size=view.pixels.shape)) for view in shuffled]
    with pytest.raises((NotExplainedError, DataError)):
        calibrate_camera(wild, BOARD)
    with pytest.raises(UnitsError, match="millimetres given for metres"):
        Board(square=30.0, marker=17.0)


@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_a_board_is_drawn_to_scale(kind: str, tmp_path: Path) -> None:
    file = tmp_path / f"board.{kind}"
    write_board(file, BOARD, Sheet(dpi=100.0))
    if kind == "svg":
        assert 'width="841.88' in file.read_text()  # 297 mm, in points
    if kind == "png":
        picture = read_picture(file)
        view = find_board(picture, BOARD)
        assert len(view.numbers) == len(BOARD.corners)
        distance = np.linalg.norm(view.pixels[1] - view.pixels[0])
        assert distance == pytest.approx(30.0 / 25.4 * 100.0, abs=0.5)
    with pytest.raises(ResultFileError, match="exists already"):
        write_board(file, BOARD)
    with pytest.raises(DataError, match="does not fit on a sheet"):
        write_board(tmp_path / f"large.{kind}", Board(columns=12, rows=9))


@pytest.fixture(scope="module")
def texture() -> Any:
    return BOARD.picture(80)


def test_corners_are_found_in_pictures_to_a_small_part_of_a_pixel(texture: Any) -> None:
    random, errors = np.random.default_rng(3), []
    for number, pose in enumerate(poses(3)):
        view = find_board(pictured(texture, BOARD.size, pose, SMALL, random), BOARD, f"p{number}")
        true = project(BOARD.corners[view.numbers] @ pose[:3, :3].T + pose[:3, 3], LENS).pixels
        errors.append(view.pixels - true)
        assert board_pose(view, BOARD, LENS) == pytest.approx(pose, abs=2e-3)
    every = np.concatenate(errors)
    assert np.sqrt(np.mean(every**2)) < 0.1
    assert np.abs(every.mean(axis=0)).max() < 0.03
    with pytest.raises(PoseError, match="0 corners and 0 markers"):
        find_board(np.full((100, 100), 90, dtype=np.uint8), BOARD)


def test_derivatives_of_hand_eye_by_pictures_are_exact() -> None:
    hand = np.array([small_pose(np.array(row)) for row in np.random.default_rng(4).normal(size=(3, 6)) * 0.1])
    views = [view_at(pose, f"p{k}") for k, pose in enumerate(poses(3))]
    model = PictureModel(hand, views, BOARD, LENS, HandEye(np.eye(4), poses(1)[0]), 1.0)
    values, which = 0.05 * np.random.default_rng(5).normal(size=12), np.arange(model.observations)
    jacobian = model.rows(values, which).jacobian
    for place in range(12):
        step = np.zeros(12)
        step[place] = 1e-7
        slope = (model.rows(values + step, which).residuals - model.rows(values - step, which).residuals) / 2e-7
        assert jacobian[:, :, place] == pytest.approx(slope, rel=1e-4, abs=1e-2)


def around(count: int) -> tuple[Floats, Floats]:
    """Poses of a hand around a board, and the board, for the camera of RobuTER/ULM at half a turn."""
    random, board = np.random.default_rng(13), small_pose(np.array([0.9, -0.2, 0.4, 0.2, -1.4, 0.3]))
    middle = np.eye(4)
    middle[:3, 3] = [-BOARD.size[0] / 2.0, -BOARD.size[1] / 2.0, 0.0]
    hands = []
    for _ in range(count):
        tilt, place = random.uniform(-0.5, 0.5, 3), [*random.uniform(-0.03, 0.03, 2), random.uniform(0.30, 0.40)]
        seen = small_pose(np.array([*place, *tilt])) @ middle
        hands.append(board @ np.linalg.inv(seen) @ np.linalg.inv(CAMERA))
    return np.array(hands), board


def test_hand_eye_by_pictures_is_within_its_covariance_a_hundred_times() -> None:
    hand, board = around(6)
    seen = np.linalg.inv(hand @ CAMERA) @ board
    squares = 0.0
    for seed in range(100):
        views = [view_at(pose, f"p{k}", PIXEL, seed) for k, pose in enumerate(seen)]
        found = fit(PictureModel(hand, views, BOARD, LENS, HandEye(CAMERA, board), PIXEL))
        squares += float(found.values @ np.linalg.solve(found.covariance, found.values))
    assert chi2.ppf(1e-4, 1200) < squares < chi2.ppf(1 - 1e-4, 1200)


def test_from_pictures_of_an_ip_camera_to_the_place_of_the_camera_in_the_hand(texture: Any) -> None:
    hand, board = around(9)
    random, turn = np.random.default_rng(14), itertools.count()

    def picture() -> Any:
        pose = np.linalg.inv(hand[next(turn) % 9] @ CAMERA) @ board
        return pictured(texture, BOARD.size, pose, SMALL, random)

    with contextlib.closing(CameraServer(picture, "SIM-7")) as server:
        taken = [take(server.address) for _ in hand]
        address = server.address
    assert {one.serial_number for one in taken} == {"SIM-7"}
    views = [find_board(one.picture, BOARD, f"p{k}") for k, one in enumerate(taken)]
    lens = calibrate_camera(views, BOARD).lens
    assert lens.fx == pytest.approx(LENS.fx, rel=0.01)
    found = calibrate_from_pictures(hand, views, BOARD, lens)
    error = np.linalg.inv(found.x) @ CAMERA
    assert np.linalg.norm(error[:3, 3]) < 2e-3
    assert np.linalg.norm(rotation_vector(error[:3, :3])) < 3e-3
    with pytest.raises(SensorLostError, match="the camera does not answer"):
        take(address)
    with pytest.raises(DataError, match="not the address of a camera"):
        take("file:///etc/passwd")
