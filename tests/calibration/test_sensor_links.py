"""Calibrations of sensors as they are used: an emulated arm with planted errors behind its real server and driver."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robots
from calibration import DataError, WrongDeviceError
from calibration.camera import Board, calibrate_camera, find_board
from calibration.camera.detecting import read_picture
from calibration.collection import Collection, read_collection
from calibration.errors import PoseError
from calibration.force import ForceReadings, PayloadReadings, calibrate_force, calibrate_payload
from calibration.force.collecting import Bench, candidate_poses, collect_force, collect_payload
from calibration.hand_eye.collecting import collect_pictures
from calibration.hand_eye.pictures import calibrate_from_pictures
from calibration.leading import SensorLostError
from calibration.opening import OpenArm
from calibration.origin import origin
from calibration.registration import Feature, Kind, Piece, Touches, register
from calibration.registration.approaching import read_approaches, touch_all
from calibration.registration.touching import ArmProbe, DeviceProbe
from calibration.results import Subject
from sim_devices.arm import ArmSettings, EmulatedArm
from sim_devices.camera import CameraServer, CameraSettings, pictured
from sim_devices.fixtures import Emulated
from station.kernel.so3 import rotation_vector
from station.run.park import ParkError
from tests.calibration.arms import arm_on_a_clock
from tests.calibration.test_camera import poses
from tests.calibration.test_hand_eye import CAMERA

HEAVY = ArmSettings(wrong_tool_mass=1.0, encoder_bits=24)


def begun(arm: OpenArm, path: Path) -> tuple[Bench, Collection]:
    plan = candidate_poses(arm.mechanism, arm.lead.stand().joints, 2.0, 60)
    subject = Subject.device(arm.controller.capabilities.serial_number)
    return Bench(arm.lead, arm.mechanism, arm.frame, arm.clock), Collection(path, subject, plan.tolist())


def test_a_sensor_and_its_tool_are_found_over_the_link(tmp_path: Path) -> None:
    with arm_on_a_clock(HEAVY) as (arm, machine):
        bench, collection = begun(arm, tmp_path / "force.jsonl")
        collect_force(bench, collection, 6, None, lambda _: None)
        truth = machine.world.true_sensor("ur5e")
    held = [one.values for one in collection.observations]
    noise = np.sqrt(np.mean(np.square([one["deviation"] for one in held]), axis=0))
    data = ForceReadings(
        turns=np.array([one["turn"] for one in held]),
        wrenches=np.array([one["wrench"] for one in held]),
        force_noise=float(noise[:3].max()),
        torque_noise=float(noise[3:].max()),
    )
    found = calibrate_force(data)
    assert truth.load is not None
    assert abs(found.correction.tool.mass - truth.load.mass) < 5.0 * found.mass_deviation < 0.005
    assert np.abs(found.correction.tool.place - truth.load.com).max() < 5.0 * found.centre_deviation.max() < 3e-4
    bias = np.array([one.deviation for one in found.judgement.parameters if one.name.startswith("bias")])
    assert (np.abs(found.correction.bias - truth.bias) < 5.0 * bias).all()
    assert found.before.rms > 5.0
    assert found.after.rms < 0.05


def test_a_payload_is_found_by_joint_efforts_over_the_link(tmp_path: Path) -> None:
    with arm_on_a_clock(HEAVY) as (arm, machine):
        bench, collection = begun(arm, tmp_path / "payload.jsonl")
        collect_payload(bench, collection, 4, lambda _: None)
        truth = machine.world.true_sensor("ur5e").load
        mechanism, frame = arm.mechanism, arm.frame
    held = [one.values for one in collection.observations]
    data = PayloadReadings(
        joints=np.repeat([one["joints"] for one in held], 2, axis=0),
        directions=np.tile([[1.0], [-1.0]], (len(held), 6)),
        efforts=np.array([one[way] for one in held for way in ("up", "down")]),
        noise=np.array([0.1, 0.1, 0.1, 0.02, 0.02, 0.02]),
    )
    found = calibrate_payload(mechanism, frame, data)
    assert truth is not None
    assert found.mass == pytest.approx(truth.mass, rel=0.01)
    assert found.centre == pytest.approx(truth.com, abs=2e-3)
    friction = [one.value for one in found.judgement.parameters if one.name.startswith("friction")]
    assert friction == pytest.approx([3.15, 3.15, 3.15, 0.587, 0.587, 0.587], rel=0.05)


def test_a_link_that_falls_silent_ends_a_collection_which_goes_on_with_nothing_lost(tmp_path: Path) -> None:
    file = tmp_path / "force.jsonl"
    with arm_on_a_clock(HEAVY, faults="silence at 7") as (arm, _):
        bench, collection = begun(arm, file)
        with pytest.raises((SensorLostError, ParkError), match="no measurement for") as caught:
            collect_force(bench, collection, 4, None, lambda _: None)
        assert "\n" not in str(caught.value)
    before = read_collection(file).observations
    assert 1 <= len(before) < 4
    with arm_on_a_clock(HEAVY) as (arm, _):
        serial = Subject.device(arm.controller.capabilities.serial_number)
        again = Collection(file, serial, collection.plan)
        collect_force(Bench(arm.lead, arm.mechanism, arm.frame, arm.clock), again, 4, None, lambda _: None)
    held = read_collection(file).observations
    assert held[: len(before)] == before
    assert len({one.pose for one in held}) == len(held) == 4
    with pytest.raises(WrongDeviceError, match="was begun with serial number SIM-0003, not with serial number SIM-9"):
        Collection(file, Subject.device("SIM-9999"), collection.plan)


BLOCK = "obstacle block { pos { -470 -130 100 } ori { 0 0 20 } box { 160 120 80 } }"
SIDES = {
    "top": ((0.0, 0.0, 0.04), (0.0, 0.0, 1.0)),
    "side": ((0.0, 0.06, 0.0), (0.0, 1.0, 0.0)),
    "end": ((0.08, 0.0, 0.0), (1.0, 0.0, 0.0)),
}
PIECE = Piece(
    "block", {n: Feature(name=n, kind=Kind.PLANE, place=place, direction=out) for n, (place, out) in SIDES.items()}
)


def approaches(path: Path) -> Path:
    """Beginnings 3 mm before the sides of the block, as a person who knows it to a millimetre would choose them."""
    c, s = np.cos(np.radians(20.0)), np.sin(np.radians(20.0))
    turn, centre = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([-0.47, -0.13, 0.10])
    points = [("top", (0.05, 0.03)), ("top", (-0.05, 0.03)), ("top", (0.0, -0.04))]
    rows = [[name, (centre + turn @ [x, y, 0.048]).tolist(), [0, 0, -1]] for name, (x, y) in points]
    for name, place in (("side", (0.05, 0.068, 0.025)), ("side", (-0.05, 0.068, 0.025)), ("end", (0.088, 0.0, 0.025))):
        rows.append([name, (centre + turn @ place).tolist(), (-turn @ SIDES[name][1]).tolist()])
    path.write_text(json.dumps(rows))
    return path


def test_a_block_is_found_by_feeling_its_sides_with_the_arm(tmp_path: Path) -> None:
    plan = read_approaches(approaches(tmp_path / "approaches.json"))
    with arm_on_a_clock(ArmSettings(encoder_bits=24), world=BLOCK) as (arm, _):
        collection = Collection(tmp_path / "touches.jsonl", Subject.piece("block"), [one.numbers for one in plan])
        touch_all(arm, collection, plan, 0.006, lambda _: None)
        with pytest.raises(PoseError, match="nothing was felt within 2 mm"):
            ArmProbe(arm.mechanism, arm.frame, arm.leader).touch(np.array([0.0, 0.0, 1.0]), 0.002)
    held = [one.values for one in collection.observations]
    assert len(held) == 6
    touches = Touches(
        points=np.array([one["point"] for one in held]),
        features=tuple(one["feature"] for one in held),
        tip=0.005,
    )
    found = register(PIECE, touches, near(-0.46, -0.12, 0.1))
    assert found.pose[:3, 3] == pytest.approx([-0.47, -0.13, 0.10], abs=1e-4)
    assert np.degrees(np.arctan2(found.pose[1, 0], found.pose[0, 0])) == pytest.approx(20.0, abs=0.1)


def test_a_jolt_of_the_sensor_is_no_touch() -> None:
    with arm_on_a_clock(faults="wrench-offset at 1.0 for 0.03") as (arm, _):
        probe = ArmProbe(arm.mechanism, arm.frame, arm.leader)
        with pytest.raises(PoseError, match="nothing was felt within 6 mm"):
            probe.touch(np.array([0.0, 0.0, 1.0]), 0.006)
        assert arm.clock.now() > 2.5  # it was felt for twice


def near(x: float, y: float, z: float) -> Any:
    pose = np.eye(4)
    pose[:3, 3] = [x, y, z]
    return pose


def test_points_are_touched_with_a_haptic_device_by_its_button(emulated: Emulated) -> None:
    hand = "tighten 0.5; reach 0.20 0 0 in 0.5; hold 0.3; press deadman; hold 0.3; release deadman; hold 5"
    device = emulated("syntaxer", hand=hand)
    probe = DeviceProbe(device, device.capabilities.buttons.index("deadman"), near(1.0, 0.0, 0.0))
    point = probe.touch(5.0, emulated.clock)
    assert point == pytest.approx(np.array([1.20, 0.0, 0.0]), abs=0.01)
    assert device.emulator is not None
    with pytest.raises(DataError, match="has no button 9"):
        DeviceProbe(device, 9)
    with pytest.raises(PoseError, match="no button was pressed within"):
        probe.touch(0.5, emulated.clock)
    gone = emulated("syntaxer", hand=hand, faults="silence at 0.4")
    with pytest.raises(SensorLostError):
        DeviceProbe(gone).touch(2.0, emulated.clock)


SMALL = CameraSettings(width=480, height=384, fx=520.0, fy=516.0, cx=236.0, cy=195.0)
BOARD = Board(columns=7, rows=5, square=0.03, marker=0.017)


def camera_on(machine: EmulatedArm, board_in_world: Any) -> Any:
    """Pictures of a camera in the true hand of an arm."""
    texture, random = BOARD.picture(80), np.random.default_rng(4)

    def picture() -> Any:
        seen = np.linalg.inv(machine.body.tool_pose @ CAMERA) @ board_in_world
        return pictured(texture, BOARD.size, seen, SMALL, random)

    return picture


def test_the_camera_of_robuter_is_found_by_pictures_from_stations_of_its_arm(tmp_path: Path) -> None:
    file = robots.path("robuter-ulm")
    with arm_on_a_clock(scene=file) as (arm, machine):
        arm.lead.go(np.radians([0.0, 60.0, 30.0, 20.0, -15.0, 0.0]))
        middle = np.eye(4)
        middle[:3, 3] = [-BOARD.size[0] / 2.0, -BOARD.size[1] / 2.0, 0.45]
        board = machine.body.tool_pose @ CAMERA @ middle
        with contextlib.closing(CameraServer(camera_on(machine, board), "SIM-C1")) as server:
            path = tmp_path / "stations.jsonl"
            subject = Subject.device("SIM-C1")
            say: list[str] = []
            collect_pictures(arm, path, subject, server.address, BOARD, count=5, within=0.4, tell=say.append)
            with pytest.raises(WrongDeviceError, match="is serial number SIM-C1, not OTHER"):
                collect_pictures(
                    arm, tmp_path / "other.jsonl", Subject.device("OTHER"), server.address, BOARD,
                    count=1, within=0.4, tell=say.append,
                )  # fmt: skip
    held, facts = read_collection(path).observations, read_collection(path).facts
    assert facts["picture"] == server.address
    assert {key: facts[key] for key in ("arm", "robot", "frame")} == origin(arm.robot, arm.frame, "SIM-0003")
    views = [find_board(read_picture(tmp_path / one.values["picture"]), BOARD, one.values["picture"]) for one in held]
    texture, random = BOARD.picture(80), np.random.default_rng(5)
    by_hand = [pictured(texture, BOARD.size, pose, SMALL, random) for pose in poses(6)]
    lens = calibrate_camera([find_board(one, BOARD, f"p{k}") for k, one in enumerate(by_hand)], BOARD).lens
    found = calibrate_from_pictures(np.array([one.values["hand"] for one in held]), views, BOARD, lens)
    error = np.linalg.inv(found.x) @ CAMERA
    assert np.linalg.norm(error[:3, 3]) < 2e-3
    assert np.degrees(np.linalg.norm(rotation_vector(error[:3, :3]))) < 0.5
