"""Apply: a scene of its own, refused for another robot and for another arm; the nominal file stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import robots
import station
from calibration import Result, ResultFileError, WrongDeviceError, write_result
from calibration.geometry import GeometryResult, calibrate_geometry, robot_subject
from calibration.geometry.applying import applied, result_for
from station.controllers import check_calibrated
from station.controllers.errors import ControllerMismatchError
from station.mad.scene import Parameters
from tests.calibration.planted import CROSS_DELTA, MACDAC, UR5E, Case, Planted, measured, nominal_model, plant
from tests.controllers.benches import zeromq

ALL = pytest.mark.parametrize("case", [MACDAC, UR5E, CROSS_DELTA], ids=lambda case: case.name)


def calibrated(case: Case, seed: int = 9) -> tuple[Planted, GeometryResult]:
    planted = plant(nominal_model(case, case.joints(20 if case is CROSS_DELTA else 40)), seed)
    data = measured(planted.model, planted.poses[:, :3, 3], noise=1e-7)
    return planted, calibrate_geometry(planted.model.robot, case.frame, data, validate=False)


def result_of(case: Case, found: GeometryResult, serial: str = "SN-7") -> Result:
    values = {**found.data(), "serial_number": serial}
    return Result(method="robot geometry", subject=robot_subject(case.robot()), values=values, data_hash="x")


@ALL
def test_the_applied_scene_is_the_calibrated_robot_and_keeps_everything_else(case: Case, tmp_path: Path) -> None:
    planted, found = calibrated(case)
    file = tmp_path / "result.json"
    write_result(file, result_of(case, found))
    nominal = station.load(robots.path(case.name))
    made = station.loads(station.dumps(applied(nominal, case.name, result_for(str(file), case.robot()))))
    robot = made.robot(case.name)
    assert robot.calibrated is not None
    assert robot.calibrated.serial == "SN-7"
    assert robot.calibrated.nominal == robot_subject(case.robot()).id
    assert [link.limits for link in robot.links] == [link.limits for link in nominal.robots[0].links]
    assert robot.postures == nominal.robots[0].postures
    arm = made[case.name]
    for row, pose in zip(planted.model.data.joints[:1], planted.poses[:1], strict=True):
        wanted = dict(zip(case.encoders, row.tolist(), strict=True))
        for _ in range(300):
            arm.step({}, 0.05, joints=wanted)
        assert (found.stand @ arm.pose(case.frame))[:3, 3] == pytest.approx(pose[:3, 3], abs=1e-5)


def test_a_result_of_another_geometry_is_refused(tmp_path: Path) -> None:
    write_result(tmp_path / "r.json", result_of(UR5E, calibrated(UR5E)[1]))
    with pytest.raises(WrongDeviceError, match=r"belongs to MAD file .* \(ur5e\), not to MAD file .* \(macdac\)"):
        result_for(str(tmp_path / "r.json"), MACDAC.robot())
    robot = UR5E.robot()
    longer = robot.links[2].parameters._asdict() | {"d": -0.426}
    other = replace(
        robot, links=(*robot.links[:2], replace(robot.links[2], parameters=Parameters(**longer)), *robot.links[3:])
    )
    with pytest.raises(WrongDeviceError):
        result_for(str(tmp_path / "r.json"), other)
    same = replace(robot, postures=(), path="elsewhere", links=tuple(replace(one, speed=1.0) for one in robot.links))
    assert result_for(str(tmp_path / "r.json"), same).method == "robot geometry"


def test_an_earlier_result_can_be_applied_again(tmp_path: Path) -> None:
    found = calibrated(UR5E)[1]
    first, second = (replace(result_of(UR5E, found), date=date) for date in ("2026-01-01", "2026-02-01"))
    for one in (first, second):
        write_result(tmp_path / "r.json", one)
    assert result_for(str(tmp_path / "r.json"), UR5E.robot()).id == second.id
    assert result_for(str(tmp_path / "r.json"), UR5E.robot(), first.id).date == "2026-01-01"
    with pytest.raises(ResultFileError, match=f"holds no geometry 123; there are: {second.id}, {first.id}"):
        result_for(str(tmp_path / "r.json"), UR5E.robot(), "123")


def test_of_two_arms_in_one_file_the_one_that_is_meant_must_be_said(tmp_path: Path) -> None:
    file, robot = str(tmp_path / "r.json"), UR5E.robot()
    first, second = (result_of(UR5E, RESULT, serial) for serial in ("SN-7", "SN-8"))
    for one in (first, second):
        write_result(file, one)
    with pytest.raises(WrongDeviceError, match="of several arms: SN-7, SN-8; say which with --serial, or --id"):
        result_for(file, robot)
    assert result_for(file, robot, serial="SN-7").id == first.id
    assert result_for(file, robot, second.id).id == second.id
    with pytest.raises(WrongDeviceError, match="no such geometry of the arm SN-7; there is: SN-8"):
        result_for(file, robot, second.id, "SN-7")
    with pytest.raises(WrongDeviceError, match="no such geometry of the arm SN-9; there is: SN-7, SN-8"):
        result_for(file, robot, serial="SN-9")


def test_a_result_without_a_robot_is_refused() -> None:
    empty = Result(method="robot geometry", subject=robot_subject(UR5E.robot()), values={}, data_hash="x")
    with pytest.raises(ResultFileError, match="holds no robot ur5e"):
        applied(station.load(robots.path("ur5e")), "ur5e", empty)


@pytest.mark.parametrize(
    ("serial", "emulated", "meant", "fine"),
    [
        ("SN-7", False, "SN-7", True),
        ("SN-8", False, "SN-7", False),
        ("", False, "SN-7", False),
        ("SN-8", False, "", True),
        ("SIM-0001", True, "SN-7", True),
        ("SIM-0001", True, "SIM-0002", False),
        ("SN-7", False, "SIM-0002", False),
    ],
)
def test_another_arm_is_refused(serial: str, emulated: bool, meant: str, fine: bool) -> None:
    scene = applied(station.load(robots.path("ur5e")), "ur5e", result_of(UR5E, RESULT, meant))
    bench = zeromq()
    with bench.connect() as controller:
        controller.capabilities = replace(controller.capabilities, serial_number=serial, emulated=emulated)
        if fine:
            check_calibrated(scene.robots[0], controller)
        else:
            with pytest.raises(ControllerMismatchError, match=f"was calibrated for the arm with serial number {meant}"):
                check_calibrated(scene.robots[0], controller)
    bench.server.close()


RESULT = calibrated(UR5E)[1]


def test_joint_values_stay_those_of_the_encoders() -> None:
    made = applied(station.load(robots.path("ur5e")), "ur5e", result_of(UR5E, RESULT))
    assert np.array([link.initial for link in made.robots[0].links]) == pytest.approx(
        np.array([link.initial for link in UR5E.robot().links])
    )
