"""`station verify --payload`: a mass, or what a calibration has found, which is refused for another robot or arm."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from calibration.origin import carrier, weight_said
from calibration.results import Result, Subject, write_result
from station.controllers.controller import Capabilities
from station.controllers.order import scene_joints
from station.errors import StationError
from station.mad.scene import Calibrated
from station.tasks.task import TaskMismatchError, load, save
from station.tasks.verify import VerifySettings, make_workbench
from station.tasks.verify.command import verify_command
from station.tasks.verify.held import Held, held_by
from station.tasks.verify.masses import masses_of
from station.tasks.verify.noting import settings_in
from tests.tasks.making import scene_of, wandering

SCENE = scene_of()
ARM = SCENE["ur5e"]
CENTRE = [0.01, -0.02, 0.05]


def result(path: Path, arm: str = "SN-7", **changes: Any) -> str:
    whose = {"name": ARM.robot.name, "mad": carrier(ARM.robot).id}
    values = {"mass": 1.5, "centre": CENTRE, "frame": 7, "robot": whose, "weight_of_arm": weight_said(ARM.robot)}
    values |= changes
    write_result(path, Result(method="payload", subject=Subject.device(arm), values=values, data_hash="x"))
    return str(path)


def test_a_mass_or_a_result_says_what_is_held(tmp_path: Path) -> None:
    assert held_by("0.3", ARM) == Held(0.3)
    assert held_by(result(tmp_path / "p.json"), ARM) == Held(1.5, (0.01, -0.02, 0.05), 7, "SN-7")


def test_the_load_is_where_it_was_found() -> None:
    empty, held = masses_of(ARM), masses_of(ARM, 1.5, 7, (0.01, -0.02, 0.05))
    before, after, place = empty.bodies, held.bodies, ARM.pose(7) @ [*CENTRE, 1.0]
    body = int(np.argmax(after.mass - before.mass))
    moment = after.mass[body] * after.centre[body] - before.mass[body] * before.centre[body]
    assert after.mass[body] - before.mass[body] == pytest.approx(1.5)
    joint = ARM.joints[body].id
    assert (ARM.pose(joint) @ [*(moment / 1.5), 1.0])[:3] == pytest.approx(place[:3], abs=1e-9)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"robot": {"name": "macdac", "mad": "0" * 64}}, "was measured with the robot macdac of another file"),
        ({"robot": None}, "was measured with the robot none that it tells"),
        ({"weight_of_arm": "masses of the MAD file, 1 kg"}, "was found beside masses of the MAD file, 1 kg; the scene"),
        ({"frame": 99}, "does not say what is held, and where"),
        ({"mass": -1.5}, "does not say what is held, and where"),
        ({"centre": [0.0, "nan", 0.0]}, "does not say what is held, and where"),
    ],
)
def test_a_load_of_another_robot_is_refused(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    path = result(tmp_path / "p.json", **changes)
    with pytest.raises(StationError, match=says) as caught:
        held_by(path, ARM)
    assert "\n" not in str(caught.value)


def test_what_is_no_load_is_one_line(tmp_path: Path) -> None:
    force = Result(method="force sensor", subject=Subject.device("SN-7"), values={}, data_hash="x")
    write_result(tmp_path / "force.json", force)
    (tmp_path / "text").write_text("hello")
    for text, says in {
        "nan": "give a mass of at least 0 kg",
        "-1": "give a mass of at least 0 kg",
        "heavy": "neither a mass in kg nor a file",
        str(tmp_path / "force.json"): "holds no result of: station calibrate payload",
        str(tmp_path / "text"): "not a file of calibration results",
        str(tmp_path): "cannot be read",
    }.items():
        with pytest.raises(StationError, match=says):
            held_by(text, ARM)


def test_a_load_of_another_arm_is_refused(tmp_path: Path) -> None:
    held = held_by(result(tmp_path / "p.json"), ARM)
    settings = VerifySettings(**held._asdict())
    joints = tuple(scene_joints(ARM.joints))
    known = Capabilities(model="ur5e", joints=joints, rate=500.0, watchdog=0.1)

    def bench(serial: str, emulated: bool = False) -> None:
        make_workbench(SCENE, ARM, settings, dataclasses.replace(known, serial_number=serial, emulated=emulated), 7)

    bench("SN-7")
    bench("SIM-0001", emulated=True)
    for serial in ("SN-8", ""):
        with pytest.raises(TaskMismatchError, match="the load is that of the arm with serial number SN-7, this one"):
            bench(serial)
    corrected = dataclasses.replace(ARM.robot, calibrated=Calibrated(result="x", serial="SN-8"))
    other = scene_of()
    mechanism = other["ur5e"]
    mechanism.robot = corrected
    with pytest.raises(TaskMismatchError, match="is of the arm SN-7, the scene was calibrated for SN-8"):
        held_by(str(tmp_path / "p.json"), mechanism)


def test_the_command_takes_a_result_and_notes_it_for_execution(tmp_path: Path) -> None:
    task, path = tmp_path / "task.mcap", result(tmp_path / "p.json")
    save(wandering(seconds=0.5, size=0.05), task)
    before = task.read_bytes()
    heavy = result(tmp_path / "other.json", robot={"name": "macdac", "mad": "0" * 64})
    refused = CliRunner().invoke(verify_command, [str(task), "--payload", heavy])
    assert isinstance(refused.exception, TaskMismatchError)
    assert task.read_bytes() == before
    done = CliRunner().invoke(verify_command, [str(task), "--payload", path], standalone_mode=False)
    assert done.exception is None, repr(done.exception)
    assert "held: 1.500 kg at 10.0, -20.0, 50.0 mm of frame 7, as the arm SN-7 has measured" in done.output
    noted = settings_in(load(task).verified)
    assert (noted.payload, noted.payload_at, noted.payload_frame) == (1.5, (0.01, -0.02, 0.05), 7)
    assert noted.payload_arm == "SN-7"
