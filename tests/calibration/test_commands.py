"""`station calibrate collect, geometry, apply, show, report, touch`: as people call them; mistakes are one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import station
from calibration.collection import Collection, read_collection
from calibration.command import calibrate_command
from calibration.geometry import robot_subject, tool_poses
from sim_devices.arm_links.process import ArmWishes, started
from station.errors import StationError
from tests.calibration.planted import MACDAC, UR5E, nominal_model, plant


def calibrate(*words: object, typed: str = "") -> str:
    """Output of a command that works; a StationError is raised."""
    done = CliRunner().invoke(calibrate_command, [str(word) for word in words], input=typed, catch_exceptions=True)
    if isinstance(done.exception, StationError):
        raise done.exception
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def collection(path: Path, factor: float = 1.0, count: int = 40, serial: str = "SN-7") -> Path:
    """Measurements of an UR5e that is not as its file says."""
    planted = plant(nominal_model(UR5E, UR5E.joints(count)), 8)
    noise = 5e-5 * np.random.default_rng(1).normal(size=(count, 3))
    places = factor * (planted.poses[:, :3, 3] + noise)
    facts = {"arm": serial, "frame": 7, "encoders": list(UR5E.encoders), "noise": 5e-5}
    held = Collection(path, robot_subject(UR5E.robot()), planted.model.data.joints.tolist(), facts)
    for number, (joints, place) in enumerate(zip(planted.model.data.joints, places, strict=True)):
        held.add(number, {"joints": joints, "position": place})
    return path


def test_from_a_collection_to_a_calibrated_scene_and_a_page(tmp_path: Path) -> None:
    data, result, made = collection(tmp_path / "poses.jsonl"), tmp_path / "ur5e.json", tmp_path / "mine.mad"
    told = calibrate("geometry", "ur5e", data, "--out", result)
    assert "tool on held-back poses" in told
    assert "fixed: link 1 r: cannot be told apart from stand z" in told
    found = json.loads(calibrate("geometry", "ur5e", data, "--out", result, "--json").partition("…\n")[2])
    assert found["after"]["rms"] < 2e-4
    assert "for the arm SN-7" in calibrate("apply", result, "ur5e", "--out", made)
    robot = station.load(made).robots[0]
    assert robot.calibrated is not None
    assert robot.calibrated.serial == "SN-7"
    assert calibrate("show", result, "--file", "ur5e").count("robot geometry") == 2
    assert "page.html" in calibrate("report", result, "-o", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    before = made.read_bytes()
    with pytest.raises(StationError, match="exists already"):
        calibrate("apply", result, "ur5e", "--out", made)
    assert made.read_bytes() == before


def test_what_cannot_be_is_one_line_and_nothing_is_written(tmp_path: Path) -> None:
    data, out = collection(tmp_path / "poses.jsonl"), tmp_path / "out.json"
    wrong = {
        ("geometry", "macdac", data): "is of MAD file .* not of MAD file",
        ("geometry", "ur5e", tmp_path / "none.jsonl"): "cannot be read",
        ("geometry", "ur5e", collection(tmp_path / "mm.jsonl", 1000.0)): "millimetres given for metres",
        ("geometry", "ur5e", collection(tmp_path / "few.jsonl", count=6)): "18 measured numbers for",
        ("geometry", "ur5e", data, "--encoders", "1,x"): "give ids of links by commas",
        ("geometry", "ur5e", data, "--encoders", "1,9"): "joint 9 was not taken down",
        ("geometry", "ur5e", data, "--frame", "nowhere"): "nowhere",
        ("geometry", "ur5e", data, "--robot", "other"): "no robot 'other' in this scene; there are: ur5e",
        ("geometry", "nothing", data): "no shipped robot of that name",
    }
    for words, told in wrong.items():
        with pytest.raises(StationError, match=told) as caught:
            calibrate(*words, "--out", out)
        assert "\n" not in str(caught.value)
        assert not out.exists()
    with pytest.raises(StationError, match="cannot be read"):
        calibrate("report", tmp_path / "none.json")


@pytest.mark.wall_clock
def test_an_arm_and_a_tracker_as_processes(tmp_path: Path) -> None:
    path = tmp_path / "poses.jsonl"
    wishes = ArmWishes(
        "robots/ur5e.mad", seed=3, settings="wrong_length=0.001,wrong_zero=0.003", tracker="flange,turns=1"
    )
    with started(wishes) as addresses:
        arm, _, tracker = addresses.partition(" ")
        words = ("collect", "ur5e", path, "--controller", arm, "--instrument", tracker, "--within", 15, "--speed", 0.5)
        told = calibrate(*words, "--poses", 4)
        assert "pose 4 of 4" in told
        assert "goes on, 4 poses were measured before" in calibrate(*words, "--poses", 5)
        touched = ("touch", "ur5e", tmp_path / "touch.jsonl", "--controller", arm, "--plane", "table")
        assert "2 touches" in calibrate(*touched, typed="\n\nend\n")
        with pytest.raises(StationError, match="no instrument there"):
            calibrate("collect", "ur5e", path, "--controller", arm, "--instrument", "tcp://127.0.0.1:9")
    held = read_collection(path)
    assert held.facts["arm"] == "SIM-0003"
    assert held.facts["instrument"] == "emulated tracker SIM-T0003"
    assert len(held.observations) == 5
    assert np.shape(held.observations[0].values["rotation"]) == (3, 3)
    touches = read_collection(tmp_path / "touch.jsonl")
    assert [one.values["touched"] for one in touches.observations] == ["table", "table"]
    assert touches.facts["surfaces"] == {"table": ["plane", None]}


def test_a_person_may_move_the_robot_and_measure_it(tmp_path: Path) -> None:
    path = tmp_path / "macdac.jsonl"
    poses = "\n100 200 300\n" * 2 + "1 2 3\n5 4 3 2 1\n0 0 0\n\nskip\n" + "\n1 1 1\n"
    told = calibrate("collect", "macdac", path, "--instrument", "person", "--poses", 4, "--noise", 0.1, typed=poses)
    assert "left out: skipped by the person" in told
    held = read_collection(path)
    assert held.facts["noise"] == pytest.approx(1e-4)
    assert [one.values["position"] for one in held.observations][:2] == [[0.1, 0.2, 0.3]] * 2
    assert held.observations[2].values["joints"] == pytest.approx(np.radians([5, 4, 3, 2, 1]))


def test_a_person_who_types_too_few_joints_is_told_how_many(tmp_path: Path) -> None:
    path = tmp_path / "macdac.jsonl"
    typed = "30\n1 2\n1 2 3 4 nan\n1 2 3 4 5\n0 0 0\n" + "\n1 1 1\n" * 3
    told = calibrate("collect", "macdac", path, "--instrument", "person", "--poses", 4, typed=typed)
    assert told.count("5 numbers by spaces, one for each joint [° | mm], or Enter for") == 3
    assert read_collection(path).observations[0].values["joints"] == pytest.approx(np.radians([1, 2, 3, 4, 5]))


def test_arms_of_one_kind_in_one_file_are_told_apart(tmp_path: Path) -> None:
    result, made = tmp_path / "ur5e.json", tmp_path / "mine.mad"
    for serial in ("SN-7", "SN-8"):
        data = collection(tmp_path / f"{serial}.jsonl", serial=serial)
        calibrate("geometry", "ur5e", data, "--out", result)
    told = calibrate("show", result)
    assert "arm SN-7" in told
    assert "arm SN-8" in told
    assert "SN-8" not in calibrate("show", result, "--serial", "SN-7")
    with pytest.raises(StationError, match="is of the arm SN-7, SN-8, not of SN-9"):
        calibrate("show", result, "--serial", "SN-9")
    with pytest.raises(StationError, match="of several arms: SN-7, SN-8; say which with --serial"):
        calibrate("apply", result, "ur5e", "--out", made)
    assert not made.exists()
    assert "for the arm SN-7" in calibrate("apply", result, "ur5e", "--out", made, "--serial", "SN-7")
    assert calibrate("report", result).count("robot geometry, result") == 2


def test_touches_from_a_file(tmp_path: Path) -> None:
    robot = MACDAC.robot()
    facts = {"frame": 6, "encoders": list(MACDAC.encoders), "noise": 1e-3, "surfaces": {"ball": ["sphere", 0.2]}}
    held = Collection(tmp_path / "t.jsonl", robot_subject(robot), [], facts)
    joints = MACDAC.joints(3000)
    places = tool_poses(robot, 6, MACDAC.encoders, joints)[:, :3, 3]
    away = np.linalg.norm(places - places.mean(axis=0), axis=1)
    for number in np.argsort(np.abs(away - 0.2))[:60]:
        held.add(int(number), {"joints": joints[number], "touched": "ball"})
    told = calibrate("geometry", "macdac", tmp_path / "t.jsonl", "--out", tmp_path / "r.json", "--prior")
    assert "ball x" in told
    held.add(9999, {"joints": joints[0], "touched": "table"})
    with pytest.raises(StationError, match="a touch of a surface that the collection does not name"):
        calibrate("geometry", "macdac", tmp_path / "t.jsonl", "--out", tmp_path / "r.json")


def test_an_emulated_tracker_without_a_frame_is_told_what_is_missing(tmp_path: Path) -> None:
    words = ["collect", "ur5e", str(tmp_path / "poses.jsonl"), "--instrument", "sim:tracker", "--controller", "sim:arm"]
    done = CliRunner().invoke(calibrate_command, words)
    assert done.exit_code == 2
    assert "sim:arm?tracker=FRAME" in done.output
    assert not (tmp_path / "poses.jsonl").exists()
