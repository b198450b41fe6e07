"""What `station calibrate hand-eye`, `register` and all others never do: take another's data, guess, or go on."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import station
from calibration import UnitsError, WrongDeviceError, opening
from calibration.collection import Collection, collect, read_collection
from calibration.errors import ResultFileError
from calibration.hand_eye.refine import small_pose
from calibration.leading import SensorLostError
from calibration.origin import origin
from calibration.results import Result, Subject, read_results, write_result
from station.controllers.errors import ControllerMismatchError
from tests.calibration import test_hand_eye as eyes
from tests.calibration import test_registration as pieces
from tests.calibration.arms import GRIPPER, arm_on_a_clock
from tests.calibration.refusing import emulated_arms, refused
from tests.calibration.test_sensor_commands import SERIAL, collected, run
from tests.calibration.test_sensor_links import SIDES, approaches


def stations(path: Path, facts: dict[str, Any] | None = None, factor: float = 1.0) -> Path:
    turns = np.random.default_rng(3).uniform(-0.5, 0.5, (10, 6))
    hand = np.array([small_pose(turn) for turn in turns])
    seen = eyes.seen_from(hand, noise=eyes.NOISE)
    scaled = [poses * np.array([[1.0, 1.0, 1.0, factor]] * 3 + [[1.0] * 4]) for poses in (hand, seen)]
    return collected(path, SERIAL, [{"hand": a, "seen": b} for a, b in zip(*scaled, strict=True)], facts)


def test_stations_of_another_camera_are_refused(tmp_path: Path) -> None:
    file = stations(tmp_path / "s.jsonl")
    error = refused("hand-eye", file, "--serial", "SN-8", "--out", tmp_path / "e.json")
    assert isinstance(error, WrongDeviceError)
    assert not (tmp_path / "e.json").exists()
    run("hand-eye", file, "--serial", "SN-7", "--out", tmp_path / "e.json")


def test_millimetres_on_both_sides_are_named(tmp_path: Path) -> None:
    file = stations(tmp_path / "s.jsonl", factor=1000.0)
    error = refused("hand-eye", file, "--serial", "SN-7", "--out", tmp_path / "e.json")
    assert isinstance(error, UnitsError)
    assert "10 at most: millimetres for metres" in str(error)


def test_a_camera_is_mounted_on_the_robot_that_it_was_measured_with(tmp_path: Path) -> None:
    facts = {**origin(station.load(GRIPPER).robots[0], 7, "SIM-0003"), "picture": "http://10.0.0.5/a"}
    eye, lens, made = tmp_path / "eye.json", tmp_path / "lens.json", tmp_path / "made.mad"
    run("hand-eye", stations(tmp_path / "s.jsonl", facts), "--serial", "SN-7", "--out", eye)
    values = {"lens": [500.0, 500.0, 320.0, 240.0, 0.0, 0.0, 0.0, 0.0, 0.0], "size": [640, 480]}
    write_result(lens, Result(method="camera", subject=SERIAL, values=values, data_hash="x"))
    words = ("--serial", "SN-7", "--out", made)
    other = refused("mount", eye, lens, "ur5e", *words)
    assert isinstance(other, WrongDeviceError)
    assert "was measured with the robot of MAD file" in str(other)
    assert "in frame 7, not in 6" in str(refused("mount", eye, lens, GRIPPER, *words, "--frame", 6))
    assert not made.exists()
    run("mount", eye, lens, GRIPPER, *words)
    again = tmp_path / "again.mad"  # a camera more does not make it another robot
    run("mount", eye, lens, made, "--serial", "SN-7", "--out", again)
    unsaid = tmp_path / "unsaid.json"
    run("hand-eye", stations(tmp_path / "u.jsonl"), "--serial", "SN-7", "--out", unsaid)
    said = run("mount", unsaid, lens, "ur5e", "--serial", "SN-7", "--out", tmp_path / "ur5e.mad").output
    assert "does not say with which robot it was measured" in said


def touched(folder: Path, factor: float = 1.0, facts: dict[str, Any] | None = None) -> tuple[Any, ...]:
    features = {
        one.name: {"kind": one.kind, "place": [factor * x for x in one.place], "direction": one.direction}
        for one in pieces.FEATURES
        if one.kind == "plane"
    }
    piece = folder / "piece.json"
    piece.write_text(json.dumps({"piece": "fixture", "features": features}))
    data = pieces.touches(pieces.SETS["planes"], 2e-5)
    rows = [{"feature": one, "point": factor * point} for one, point in zip(data.features, data.points, strict=True)]
    file = collected(folder / "t.jsonl", Subject.piece(piece.read_text(), "fixture"), rows, facts)
    return "register", piece, file, "--out", folder / "place.json", "--frames", folder / "frames.json"


NEAR = ("--near", "400,0,100,103")


def test_without_near_one_of_several_places_is_not_guessed(tmp_path: Path) -> None:
    words = (*touched(tmp_path), "--tip", 5)
    listed = str(refused(*words))
    assert "the touches fit fixture at " in listed
    assert "say with --near which one" in listed
    first = listed.partition("places: ")[2].partition(" or ")[0]
    run(*words, "--near", first)  # as it was listed, it can be said
    between = tmp_path / "between"
    between.mkdir()
    again = (*touched(between), "--tip", 5, "--near", "450,-100,120,17.2,-11.5,20")
    assert "--near does not decide between the first two" in str(refused(*again))
    assert sorted(one.name for one in between.iterdir()) == ["piece.json", "t.jsonl"]


@pytest.mark.parametrize(
    ("tip", "says"),
    [("0.005", "metres given for millimetres, 5 mm meant"), ("5000", "a factor of 1000 too large")],
)
def test_a_tip_in_another_unit_is_named(tmp_path: Path, tip: str, says: str) -> None:
    assert says in str(refused(*touched(tmp_path), *NEAR, "--tip", tip))
    assert not (tmp_path / "frames.json").exists()


def test_the_tip_must_be_said_and_is_that_of_the_collection(tmp_path: Path) -> None:
    words = (*touched(tmp_path, facts={"device": "SN-3", "tip": 0.005}), *NEAR)
    assert "Missing option '--tip'" in run(*words, fails=True).output
    assert "was touched with --tip 5, not 4" in str(refused(*words, "--tip", 4))
    run(*words, "--tip", 5)
    assert read_results(tmp_path / "place.json")[0].values["measured_by"] == {"device": "SN-3"}


def test_a_work_piece_in_millimetres_is_named(tmp_path: Path) -> None:
    assert "m large, 10 at most: millimetres given" in str(refused(*touched(tmp_path, 1000.0), *NEAR, "--tip", 5))


def test_frames_and_result_are_written_both_or_none(tmp_path: Path) -> None:
    words = (*touched(tmp_path), *NEAR, "--tip", 5)
    other = Result(method="registration", subject=Subject.piece("another"), values={}, data_hash="x")
    write_result(tmp_path / "place.json", other)
    assert isinstance(refused(*words), WrongDeviceError)
    assert not (tmp_path / "frames.json").exists()
    (tmp_path / "place.json").unlink()
    (tmp_path / "frames.json").write_text("something else")
    assert isinstance(refused(*words), ResultFileError)
    assert (tmp_path / "frames.json").read_text() == "something else"
    assert not (tmp_path / "place.json").exists()


def test_touches_of_an_arm_say_which_arm_and_tip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    emulated_arms(monkeypatch)
    piece, plan = tmp_path / "block.json", approaches(tmp_path / "approaches.json")
    sides = {n: {"kind": "plane", "place": place, "direction": out} for n, (place, out) in SIDES.items()}
    piece.write_text(json.dumps({"piece": "block", "features": sides}))
    file = tmp_path / "t.jsonl"
    written = ("--out", tmp_path / "p.json", "--frames", tmp_path / "frames.json")
    where = ("--scene", GRIPPER, "--approaches", plan, "--near", "-460,-120,100,15", "--reach", 6)
    words = ("register", piece, file, *written, *where)
    run(*words, "--tip", 5, "--controller", "block:3")
    facts = read_collection(file).facts
    assert facts["arm"] == "SIM-0003"
    assert facts["tip"] == 0.005
    assert facts["features"][:3] == ["top"] * 3
    assert "was begun with arm 'SIM-0003', not with 'SIM-0009'" in str(
        refused(*words, "--tip", 5, "--controller", "block:9")
    )
    assert "was begun with tip 0.005" in str(refused(*words, "--tip", 4, "--controller", "block:3"))
    values = read_results(tmp_path / "p.json")[0].values
    assert values["measured_by"]["arm"] == "SIM-0003"
    assert np.array(values["pose"])[:3, 3] == pytest.approx([-0.47, -0.13, 0.10], abs=2e-4)
    plan.write_text(json.dumps([["lid", [0, 0, 0], [0, 0, 1]]]))
    assert "no feature 'lid'; there are: top" in str(refused(*words, "--tip", 5, "--controller", "block:3"))


def test_an_arm_for_which_the_file_was_not_corrected_is_not_opened(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    corrected = station.dumps(station.load(GRIPPER)).replace(
        "robot ur5e {", 'robot ur5e {\n    calibrated { result "1a2b" serial "SIM-0003" }', 1
    )
    file = tmp_path / "mine.mad"
    file.write_text(corrected, encoding="utf8")
    for seed, fine in ((3, True), (9, False)):
        with arm_on_a_clock(seed=seed) as (arm, _), contextlib.ExitStack() as stack:
            monkeypatch.setattr(
                opening, "open_controller", lambda *_, held=arm.controller, **__: contextlib.nullcontext(held)
            )
            if fine:
                stack.enter_context(opening.opened(str(file), "tcp://127.0.0.1:1"))
                continue
            with pytest.raises(ControllerMismatchError, match="calibrated for the arm with serial number SIM-0003"):
                stack.enter_context(opening.opened(str(file), "tcp://127.0.0.1:1"))


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "much"])
@pytest.mark.parametrize(
    "words",
    [
        "hand-eye s.jsonl --serial SN-7 --out o --noise",
        "hand-eye s.jsonl --serial SN-7 --out o --within",
        "force ur5e f.jsonl --out o --within",
        "force ur5e f.jsonl --out o --speed",
        "register p.json t.jsonl --out o --frames f --tip",
        "register p.json t.jsonl --out o --frames f --tip 1 --reach",
        "collect ur5e c.jsonl --instrument person --within",
        "geometry ur5e c.jsonl --out o --noise",
        "timing ur5e --controller tcp://127.0.0.1:1 --out o --amplitude",
        "timing ur5e --controller tcp://127.0.0.1:1 --out o --seconds",
        "board b.pdf --square",
        "camera . --serial SN-7 --out o --noise",
        "syntaxer collect sim:syntaxer d --bar",
    ],
)
def test_numbers_are_finite_and_within_bounds(words: str, number: str, tmp_path: Path) -> None:
    done = run(*words.replace("board b.pdf", f"board {tmp_path}/b.pdf").split(), number, fails=True)
    assert done.exit_code == 2
    assert "is not a finite number" in done.output or "is not in the range" in done.output
    assert list(tmp_path.iterdir()) == []


def test_who_is_interrupted_is_told_what_is_kept(tmp_path: Path) -> None:
    held = Collection(tmp_path / "c.jsonl", SERIAL, [[0.0], [1.0]])
    said: list[str] = []

    def measure(number: int, _: list[float]) -> dict[str, Any]:
        if number == 1:
            raise SensorLostError("tcp://x: the arm is lost")
        return {"x": 1}

    with pytest.raises(SensorLostError):
        collect(held, measure, said.append)
    assert said[-1] == f"1 of 2 are in {tmp_path / 'c.jsonl'}; the same command goes on"
