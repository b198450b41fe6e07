"""`station calibrate force|payload|camera|hand-eye|register`: from files to results, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import station
from calibration import WrongDeviceError, load_result
from calibration.camera.command import views_of
from calibration.collection import Collection
from calibration.command import calibrate_command
from calibration.hand_eye.refine import small_pose
from calibration.origin import origin
from calibration.registration import write_frames
from calibration.results import Subject, read_results
from sim_devices.camera import pictured
from station.tasks.task import TaskMismatchError, bind, changed, load, read_calibration, reference_of, save
from station.tasks.task.command import task_command
from station.tasks.task.joints import tool_path, whole_path
from tests.calibration import test_camera as pictures
from tests.calibration import test_force as forces
from tests.calibration import test_registration as pieces
from tests.calibration.arms import GRIPPER
from tests.calibration.test_hand_eye import CAMERA
from tests.tasks.making import scene_of, wandering

cv2: Any = pytest.importorskip("cv2")
SERIAL = Subject.device("SN-7")


def run(*words: object, fails: bool = False) -> Result:
    done = CliRunner().invoke(calibrate_command, [str(word) for word in words])
    assert (done.exit_code != 0) == fails, done.output + repr(done.exception)
    return done


def collected(path: Path, subject: Subject, rows: list[dict[str, Any]], facts: dict[str, Any] | None = None) -> Path:
    collection = Collection(path, subject, [[float(number)] for number in range(len(rows))], facts)
    for number, row in enumerate(rows):
        collection.add(number, row)
    return path


def test_a_force_sensor_from_a_collection(tmp_path: Path) -> None:
    data = forces.readings(12, 1.0)
    rows = [
        {"turn": turn, "wrench": wrench, "deviation": data.noise, "load": None}
        for turn, wrench in zip(data.turns, data.wrenches, strict=True)
    ]
    facts = origin(station.load(GRIPPER).robots[0], 7, "SN-7")
    file = collected(tmp_path / "force.jsonl", SERIAL, rows, facts)
    said = run("force", GRIPPER, file, "--out", tmp_path / "force.json")
    assert "tool: 1.3" in said.output
    result = load_result(tmp_path / "force.json", SERIAL, "force sensor")
    assert result.values["bias"] == pytest.approx(forces.BIAS.tolist(), abs=0.05)
    assert len(result.data_hash) == 64
    with pytest.raises(WrongDeviceError):
        load_result(tmp_path / "force.json", Subject.device("SN-8"))
    again = run("force", GRIPPER, file, "--out", tmp_path / "force.json", "--json")
    assert json.loads(again.output)["mass"] == pytest.approx(1.3, abs=0.01)


def test_a_payload_from_a_collection(tmp_path: Path) -> None:
    data = forces.passes(station.load(GRIPPER)["ur5e"], 1.0)
    rows = [
        {"joints": data.joints[k], "up": data.efforts[k], "down": data.efforts[k + 1], "deviation": data.noise}
        for k in range(0, len(data.joints), 2)
    ]
    file = collected(tmp_path / "payload.jsonl", SERIAL, rows)
    said = run("payload", GRIPPER, file, "--out", tmp_path / "payload.json")
    assert "load: 1.3" in said.output
    assert load_result(tmp_path / "payload.json", SERIAL, "payload").values["mass"] == pytest.approx(1.3, abs=0.05)


def test_a_work_piece_from_a_collection_moves_tasks(tmp_path: Path) -> None:
    piece = tmp_path / "piece.json"
    features = {
        one.name: {"kind": one.kind, "place": one.place, "direction": one.direction}
        for one in pieces.FEATURES
        if one.kind == "plane"
    }
    piece.write_text(json.dumps({"piece": "fixture", "features": features}))
    data = pieces.touches(pieces.SETS["planes"], 2e-5)
    rows = [{"feature": name, "point": point} for name, point in zip(data.features, data.points, strict=True)]
    subject = Subject.piece(piece.read_text(), "fixture")
    file = collected(tmp_path / "touches.jsonl", subject, rows)
    words = ("register", piece, file, "--out", tmp_path / "place.json", "--frames", tmp_path / "frames.json")
    said = run(*words, "--tip", 5, "--near", "400,0,100,103")
    assert "station task move TASK --calibration" in said.output
    assert "other places explain the touches as well" in said.output
    known = read_calibration(tmp_path / "frames.json")
    assert known.frames["fixture"] == pytest.approx(pieces.TRUE, abs=2e-3)
    piece.write_text(piece.read_text().replace("fixture", "other"))
    wrong = run(*words, "--tip", 5, fails=True)
    assert isinstance(wrong.exception, WrongDeviceError)
    assert read_calibration(tmp_path / "frames.json").id == known.id


def test_from_pictures_in_files_to_lens_and_hand_eye(tmp_path: Path) -> None:
    random, texture = np.random.default_rng(6), pictures.BOARD.picture(80)
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, pose in enumerate(pictures.poses(8)):
        picture = pictured(texture, pictures.BOARD.size, pose, pictures.SMALL, random)
        cv2.imwrite(str(folder / f"{number}.png"), picture)
    cv2.imwrite(str(folder / "nothing.png"), np.full((384, 480), 90, dtype=np.uint8))
    board = ("--squares", "7x5", "--square", 30, "--marker", 17)
    lens = tmp_path / "camera.json"
    said = run("camera", folder, "--serial", "SN-7", "--out", lens, *board)
    assert "left out: nothing.png: 0 corners" in said.output
    assert load_result(lens, SERIAL, "camera").values["lens"][0] == pytest.approx(520.0, rel=0.01)
    hand, target = pictures.around(6)
    rows = []
    for number, pose in enumerate(hand):
        seen = np.linalg.inv(pose @ CAMERA) @ target
        picture = pictured(texture, pictures.BOARD.size, seen, pictures.SMALL, random)
        cv2.imwrite(str(tmp_path / f"station-{number}.png"), picture)
        rows.append({"hand": pose, "picture": f"station-{number}.png"})
    file = collected(tmp_path / "stations.jsonl", SERIAL, rows)
    words = ("hand-eye", file, "--serial", "SN-7", "--out", tmp_path / "eye.json", *board)
    needs = run(*words, fails=True)
    assert "need the lens of their camera" in str(needs.exception)
    run(*words, "--camera", lens)
    found = np.array(load_result(tmp_path / "eye.json", SERIAL, "hand-eye").values["x"])
    assert found[:3, 3] == pytest.approx(CAMERA[:3, 3], abs=2e-3)
    made = tmp_path / "with-camera.mad"
    run("mount", tmp_path / "eye.json", lens, GRIPPER, "--serial", "SN-7", "--out", made)
    arm = station.load(made)["ur5e"]
    assert np.linalg.inv(arm.pose("gripper")) @ arm.pose("camera") == pytest.approx(found, abs=1e-9)
    wrong = run("mount", tmp_path / "eye.json", lens, GRIPPER, "--serial", "SN-8", "--out", tmp_path / "x", fails=True)
    assert isinstance(wrong.exception, WrongDeviceError)
    other = run(
        "hand-eye", file, "--serial", "SN-8", "--out", tmp_path / "8.json", *board, "--camera", lens, fails=True
    )
    assert isinstance(other.exception, WrongDeviceError)
    assert not (tmp_path / "8.json").exists()


def test_mistakes_on_the_command_line_are_one_line(tmp_path: Path) -> None:
    for words, says in (
        (("board", tmp_path / "a.gif"), "a board is drawn as .pdf, .svg, .png"),
        (("board", tmp_path / "a.png", "--squares", "nine"), "give columns and rows, such as 9x6"),
        (("board", tmp_path / "a.png", "--square", 30000), "millimetres given for metres"),
        (("force", GRIPPER, tmp_path / "none", "--out", tmp_path / "o"), "cannot be read"),
        (
            ("force", GRIPPER, tmp_path / "none", "--out", tmp_path / "o", "--load", "1"),
            "give mass and place by commas",
        ),
        (("force", GRIPPER, tmp_path / "none", "--out", tmp_path / "o", "--told", "1,0,nan,0"), "give mass and place"),
    ):
        failed = run(*words, fails=True)
        assert says in str(failed.exception)
        assert "\n" not in str(failed.exception)
    assert list(tmp_path.iterdir()) == []


def test_pictures_without_a_board_are_all_named() -> None:
    assert views_of([("a.png", np.full((100, 100), 90, dtype=np.uint8))], pictures.BOARD) == []


def test_a_rehearsed_task_moves_with_a_work_piece_that_was_touched(tmp_path: Path) -> None:
    scene = scene_of()
    mechanism = scene["ur5e"]
    reference = reference_of(scene, mechanism, "wall")
    save(changed(wandering(seconds=0.5, size=0.05), reference=reference), tmp_path / "task.mcap")
    stands = reference.pose @ small_pose(np.array([0.02, -0.01, 0.03, 0.0, 0.0, 0.1]))  # somebody has pushed it
    half = {"end": (0.1, 0, 0), "side": (0, -0.02, 0), "top": (0, 0, 0.275)}
    features = {
        name: {"kind": "plane", "place": place, "direction": (np.array(place) / np.linalg.norm(place)).tolist()}
        for name, place in half.items()
    }
    piece = tmp_path / "wall.json"
    piece.write_text(json.dumps({"piece": "wall", "features": features}))
    random, rows = np.random.default_rng(8), []
    for name in ["side"] * 4 + ["end"] * 3 + ["top"] * 2:
        out = np.array(half[name])
        local = out + (out == 0) * random.uniform(-0.9, 0.9, 3) * [0.1, 0.02, 0.275]
        rows.append({"feature": name, "point": stands[:3, :3] @ local + stands[:3, 3]})
    file = collected(tmp_path / "touches.jsonl", Subject.piece(piece.read_text(), "wall"), rows)
    x, y, z = 1e3 * reference.pose[:3, 3]
    frames = tmp_path / "frames.json"
    near = f"{x},{y},{z},0"
    run("register", piece, file, "--out", tmp_path / "place.json", "--frames", frames, "--tip", 0, "--near", near)
    words = ["move", tmp_path / "task.mcap", "--calibration", frames, "-o", tmp_path / "moved.mcap"]
    done = CliRunner().invoke(task_command, [str(word) for word in words])
    assert done.exit_code == 0, repr(done.exception)
    assert "moved with wall by 37.42 mm and 5.73°" in done.output
    old, new = (load(tmp_path / name).task for name in ("task.mcap", "moved.mcap"))
    paths = [tool_path(mechanism, one.frame, whole_path(mechanism, one.q).q) for one in (old, new)]
    assert new.calibration == read_calibration(frames).id
    away = np.linalg.inv(stands) @ paths[1] - np.linalg.inv(reference.pose) @ paths[0]
    assert np.abs(away).max() < 2e-5
    jerks = [float(np.abs(np.diff(one.q, 3, axis=0)).max()) for one in (old, new)]
    assert jerks[1] < 2.0 * jerks[0]  # as smooth as before, so that it can pass its check
    told = read_calibration(frames).applied[1]
    held = read_results(tmp_path / "place.json")[0]
    assert (told.part, told.result, told.data) == ("frame wall", held.id, held.data_hash)
    with pytest.raises(TaskMismatchError, match="name the file of its frames with --calibration FILE"):
        bind(new)
    write_frames(frames, "another", np.eye(4))
    bind(new, None, read_calibration(frames))  # its own frame is where it was
    write_frames(frames, "wall", np.eye(4))
    with pytest.raises(TaskMismatchError, match="move it with: station task move"):
        bind(new, None, read_calibration(frames))
    with pytest.raises(TaskMismatchError, match="belongs to no frame: leave --calibration out"):
        bind(wandering(seconds=0.5), None, read_calibration(frames))
