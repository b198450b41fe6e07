"""Guided pictures of a board: which view next, in words; a camera that goes, a hand that shakes, and going on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from calibration.camera import CameraModel, calibrate_camera, collecting
from calibration.camera.collecting import Watched, collect_views
from calibration.camera.emulated import EmulatedHolder
from calibration.camera.wishes import Wish, pose_of, wish_of, wishes
from calibration.camera.worth import ViewsModel, Worth, told_by
from calibration.collection import Collection, read_collection
from calibration.command import calibrate_command
from calibration.errors import DataError, WrongDeviceError
from calibration.information import Information
from calibration.leading import SensorLostError
from calibration.results import Subject, read_results
from sim_devices.camera import CameraServer
from station.clock import VirtualClock
from tests.calibration.test_camera import BOARD, LENS, PIXEL, SMALL, poses, view_at

pytest.importorskip("cv2")
SIZE = (SMALL.width, SMALL.height)
CAMERA = Subject.device("SIM-7", "camera")
SETTINGS = "&".join(f"{name}={getattr(SMALL, name)}" for name in ("width", "height", "fx", "fy", "cx", "cy"))
SIM = f"sim:camera?serial=SIM-7&seed=4&{SETTINGS}"
SAME_BOARD = ("--squares", "7x5", "--square", "30", "--marker", "17")


def run(*words: object, fails: bool = False) -> Any:
    done = CliRunner().invoke(calibrate_command, [str(word) for word in words])
    assert (done.exit_code != 0) == fails, done.output + repr(done.exception)
    return done


def test_what_is_asked_for_is_told_in_words() -> None:
    level = Wish(0.0, 0.0, 0.5, 0.0, 0.0, 0.0)
    assert str(level) == "in the middle, so near that it takes half of the picture, facing the camera"
    tilted = Wish(-0.5, 0.5, 0.85, 0.0, 0.5, np.pi / 2.0)
    assert str(tilted) == (
        "towards the lower left, so near that it takes nearly all of the picture, "
        "its left edge tilted away by 29°, turned clockwise by 90°"
    )


def test_words_say_what_is_seen() -> None:
    for wish in wishes():
        pose = pose_of(wish, BOARD, LENS, SIZE)
        assert wish_of(pose, BOARD, LENS, SIZE) == pytest.approx(wish, abs=1e-9)
    away = pose_of(Wish(0.0, 0.0, 0.5, 0.0, 0.4, 0.0), BOARD, LENS, SIZE)
    left, right = away[2, 3], (away @ [BOARD.size[0], 0.0, 0.0, 1.0])[2]
    assert left > right  # its left edge is further from the camera


def test_what_a_view_tells_is_what_is_left_once_the_board_may_be_anywhere() -> None:
    pose = poses(1)[0]
    model = CameraModel([view_at(pose, "p0")], BOARD, LENS, [pose], 0.06)
    rows = model.rows(np.array([*LENS, *np.zeros(6)]), np.arange(model.observations)).jacobian.reshape(-1, 15)
    whole = rows.T @ rows
    schur = whole[:9, :9] - whole[:9, 9:] @ np.linalg.solve(whole[9:, 9:], whole[9:, :9])
    mine = told_by(pose, BOARD, LENS, SIZE)
    size = np.sqrt(np.outer(np.diag(schur), np.diag(schur)))
    assert mine.T @ mine / size == pytest.approx(schur / size, abs=1e-8)
    behind = pose.copy()
    behind[2, 3] = -0.3
    assert not told_by(behind, BOARD, LENS, SIZE).any()


def test_chosen_views_tell_more_than_any_of_fifty_random_sets() -> None:
    plan = wishes()
    information = Information(ViewsModel([pose_of(one, BOARD, LENS, SIZE) for one in plan], BOARD, LENS, SIZE))
    chosen, random = information.size(information.chosen(8)), np.random.default_rng(5)
    assert chosen > max(information.size(random.choice(len(plan), 8, replace=False)) for _ in range(50))


def test_a_view_that_was_seen_already_tells_less_than_what_is_asked_for() -> None:
    plan, views = wishes(), [view_at(pose, f"p{k}") for k, pose in enumerate(poses(2))]
    worth = Worth(plan, views, BOARD, SIZE)
    best = worth.best([])
    assert best is not None
    assert worth.share(views[0], best) < 0.5
    asked = view_at(pose_of(plan[best], BOARD, worth.lens, SIZE), "asked")
    assert worth.share(asked, best) > 0.5
    assert worth.best([best]) != best


class Before:
    """A camera over HTTP, and whoever holds a board before it."""

    def __init__(self, seed: int = 4, change: Callable[[Any], Any] = lambda picture: picture) -> None:
        self.holder = EmulatedHolder(BOARD, SMALL, seed)
        self.server = CameraServer(lambda: change(self.holder.picture()), "SIM-7")
        self.camera = Watched(self.server.address, CAMERA, BOARD, "http://camera")
        self.told: list[str] = []

    def collect(self, path: Path, count: int, holder: Any = None, camera: Watched | None = None) -> Collection:
        clock = VirtualClock()
        return collect_views(
            path, camera or self.camera, holder or self.holder, count=count, tell=self.told.append, clock=clock
        )


@pytest.fixture
def before() -> Iterator[Before]:
    made = Before()
    with contextlib.closing(made.server):
        yield made


class Leaves:
    """Holds a board, and pulls the plug of the camera after some views."""

    def __init__(self, before: Before, after: int) -> None:
        self.before, self.left = before, after

    def hold(self, wish: Wish) -> None:
        self.left -= 1
        if self.left < 0:
            raise self.error
        self.before.holder.hold(wish)

    error: BaseException = KeyboardInterrupt()


@pytest.mark.wall_clock
def test_ctrl_c_loses_nothing_and_the_same_command_goes_on(before: Before, tmp_path: Path) -> None:
    path = tmp_path / "views.jsonl"
    with pytest.raises(KeyboardInterrupt):
        before.collect(path, 7, Leaves(before, 3))
    assert before.told[-1] == f"3 of 7 are in {path}; the same command goes on"
    first, taken = path.read_bytes(), {file: file.read_bytes() for file in tmp_path.glob("*.png")}
    assert len(taken) == 3
    number = read_collection(path).observations[0].pose
    again = Before(seed=5)
    with contextlib.closing(again.server):
        held = again.collect(path, 7)
    assert again.told[0] == f"{path}: goes on, 3 pictures were taken before"
    assert path.read_bytes().startswith(first)
    assert all(file.read_bytes() == data for file, data in taken.items())
    assert len({one.pose for one in held.observations}) == 7
    assert number in {one.pose for one in held.observations}


def test_ctrl_c_while_the_next_view_is_chosen_says_what_is_kept(
    before: Before, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(Worth, "best", pressed)
    with pytest.raises(KeyboardInterrupt):
        before.collect(tmp_path / "views.jsonl", 4)
    assert before.told == [f"0 of 4 are in {tmp_path / 'views.jsonl'}; the same command goes on"]


def test_a_camera_that_goes_is_one_line_and_what_was_taken_stays(tmp_path: Path) -> None:
    made = Before()
    leaves = Leaves(made, 2)

    def go(wish: Wish) -> None:
        leaves.left -= 1
        if leaves.left < 0:
            made.server.close()
        made.holder.hold(wish)

    leaves.hold = go  # type: ignore[method-assign]
    with pytest.raises(SensorLostError, match="the camera does not answer") as caught:
        made.collect(tmp_path / "views.jsonl", 5, leaves)
    assert "\n" not in str(caught.value)
    assert len(read_collection(tmp_path / "views.jsonl").observations) == 2


def test_another_camera_board_or_size_is_not_mixed_in(before: Before, tmp_path: Path) -> None:
    path = tmp_path / "views.jsonl"
    before.collect(path, 1)
    data = path.read_bytes()
    other = before.camera._replace(subject=Subject.device("SIM-8", "camera"))
    with pytest.raises(WrongDeviceError, match="is serial number SIM-7, not SIM-8"):
        before.collect(path, 2, camera=other)
    with pytest.raises(WrongDeviceError, match="was begun with board"):
        before.collect(path, 2, camera=before.camera._replace(board=replace(BOARD, square=0.0301)))
    smaller = Before(change=lambda picture: picture[::2, ::2])
    with contextlib.closing(smaller.server), pytest.raises(WrongDeviceError, match="was begun with size"):
        smaller.collect(path, 2)
    assert path.read_bytes() == data


class Lazy:
    """Holds the board once, then never again; or shakes."""

    def __init__(self, before: Before, shakes: bool = False) -> None:
        self.before, self.shakes, self.done = before, shakes, False

    def hold(self, wish: Wish) -> None:
        if not self.done:
            self.before.holder.hold(wish)
        self.done = True


def test_a_board_that_is_not_moved_is_told_and_another_view_is_asked_for(
    before: Before, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "PATIENCE", 1.0)
    monkeypatch.setattr(collecting, "REMIND", 0.5)
    monkeypatch.setattr("calibration.collection.MOST_IN_A_ROW", 3)
    with pytest.raises(DataError, match="3 poses in a row could not be measured, the last: not seen like that for 1 s"):
        before.collect(tmp_path / "views.jsonl", 4, Lazy(before))
    assert "  the board is where it was in another picture" in before.told
    assert len({text for text in before.told if text.startswith("hold the board")}) == 4
    assert len(list(tmp_path.glob("*.png"))) == 1


def test_a_shaking_board_and_none_at_all_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "PATIENCE", 1.0)
    monkeypatch.setattr("calibration.collection.MOST_IN_A_ROW", 1)
    step = iter(range(1000))
    shaking = Before(change=lambda picture: np.roll(picture, 3 * (next(step) % 2), axis=1))
    with contextlib.closing(shaking.server), pytest.raises(DataError, match="hold it still"):
        shaking.collect(tmp_path / "shaking.jsonl", 4)
    blind = Before(change=lambda picture: np.full_like(picture, 90))
    with contextlib.closing(blind.server), pytest.raises(DataError, match="the board is not seen"):
        blind.collect(tmp_path / "blind.jsonl", 4)
    assert not list(tmp_path.glob("*.png"))


@pytest.mark.wall_clock
def test_from_words_to_a_lens_on_the_command_line(tmp_path: Path) -> None:
    views, lens = tmp_path / "views.jsonl", tmp_path / "lens.json"
    first = tmp_path / f"views-{Worth(wishes(), [], BOARD, SIZE).best([]):03d}.png"  # as the first would be called
    first.write_bytes(b"somebody else's")
    words = ("camera", views, "--serial", "SIM-7", *SAME_BOARD)
    said = run(*words, "--picture", SIM, "--count", 6, "--out", lens).output
    assert "an emulated camera" in said
    assert said.count("hold the board ") >= 6
    assert "condition" in said
    assert "corners that were held back: 0.0" in said
    found = read_results(lens)[0]
    values, deviations = (np.array(found.values[name]) for name in ("lens", "deviations"))
    assert (np.abs(values - LENS)[:4] < 5.0 * deviations[:4]).all()
    assert found.values["covered"] > 0.5
    again = run(*words, "--out", lens).output  # from the pictures that were kept
    assert f"result {read_results(lens)[0].id}" in again
    assert read_results(lens)[0].data_hash == found.data_hash
    assert first.read_bytes() == b"somebody else's"
    assert f"{first.stem}-2.png" in found.values["pictures"]


def test_a_collection_of_another_camera_or_board_is_refused(before: Before, tmp_path: Path) -> None:
    views, out = tmp_path / "views.jsonl", tmp_path / "lens.json"
    before.collect(views, 4)
    wrong = run("camera", views, "--serial", "SIM-8", *SAME_BOARD, "--out", out, fails=True)
    assert isinstance(wrong.exception, WrongDeviceError)
    wrong = run("camera", views, "--serial", "SIM-7", *SAME_BOARD[:2], "--out", out, fails=True)
    assert "was begun with another board" in str(wrong.exception)
    wrong = run("camera", views, "--serial", "SIM-8", "--picture", SIM, *SAME_BOARD, "--out", out, fails=True)
    assert "is serial number SIM-7, not SIM-8" in str(wrong.exception)
    wrong = run("camera", views, "--serial", "SIM-7", "--picture", "sim:camera?lens=1", "--out", out, fails=True)
    assert "no 'lens' there; there are: serial, seed, width" in str(wrong.exception)
    wrong = run("camera", tmp_path, "--serial", "SIM-7", "--picture", SIM, "--out", out, fails=True)
    assert "name one collection" in wrong.output
    assert not out.exists()


def test_a_covered_part_of_the_picture_is_told() -> None:
    views = [view_at(pose, f"p{k}", PIXEL) for k, pose in enumerate(poses(8))]
    whole = calibrate_camera(views, BOARD, noise=PIXEL)
    assert 0.3 < whole.covered <= 1.0
    half = [view._replace(pixels=view.pixels[view.pixels[:, 0] < SIZE[0] / 2.0]) for view in views]
    assert collecting.moved(views[0], views[0]) == 0.0
    from calibration.camera.intrinsics import covered

    assert covered(half) <= 0.5


def test_a_view_that_tells_too_little_is_told_in_words(
    before: Before, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "PATIENCE", 1.0)
    monkeypatch.setattr(collecting, "REMIND", 0.5)
    monkeypatch.setattr("calibration.collection.MOST_IN_A_ROW", 1)

    class Stubborn:
        """Holds the board as told twice, then only in the middle, facing the camera."""

        left = 2

        def hold(self, wish: Wish) -> None:
            self.left -= 1
            before.holder.hold(wish if self.left >= 0 else Wish(0.0, 0.0, 0.5, 0.0, 0.0, 0.0))

    with pytest.raises(DataError, match=r"this tells \d+ % of what was asked for; it is in the middle"):
        before.collect(tmp_path / "views.jsonl", 5, Stubborn())
    assert len(read_collection(tmp_path / "views.jsonl").observations) == 2
