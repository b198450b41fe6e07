"""What was found of an arm's force sensor and tool is taken off every reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import station
from calibration.force.readings import Load
from calibration.force.sensor import Correction
from calibration.results import Result, Subject, write_result
from sim_devices.arm import World
from sim_devices.arm_links.process import ArmWishes
from station.controllers.errors import ControllerMismatchError
from station.controllers.wrench import wrench_correction
from station.devices import open_device
from station.run.places import DEFAULT_BENCH
from station.servo.rig import Wanted, put_together
from tests.servo.arm_benches import arm_bench

WRONG = "wrong_tool_mass=1,wrong_tool_centre=0.05,wrong_gain=0.03,force_noise=0,torque_noise=0"
SERIAL = "SIM-0000"  # of the emulated arm of seed 0


def values(correction: Correction) -> dict[str, Any]:
    tool, told = correction.tool, correction.told
    return {
        "mass": tool.mass,
        "centre": list(tool.place),
        "bias": correction.bias.tolist(),
        "gain": correction.gain.tolist(),
        "told": {"mass": told.mass, "centre": list(told.place)},
    }


def result(method: str, found: dict[str, Any]) -> Result:
    return Result(method=method, subject=Subject.device(SERIAL, "ur5e"), values=found, data_hash="0" * 64)


def written(path: Path, correction: Correction) -> str:
    write_result(path, result("force sensor", values(correction)))
    return str(path)


def some(seed: int) -> Correction:
    random = np.random.default_rng(seed)
    gain = np.eye(6) + 0.05 * random.normal(size=(6, 6))
    return Correction(gain, random.normal(size=6), Load(1.3, (0.01, -0.02, 0.05)), Load(0.4, (0.0, 0.03, 0.02)))


def true_correction() -> Correction:
    """What is true of the emulated arm of these benches."""
    wishes = ArmWishes(str(DEFAULT_BENCH), settings=WRONG)
    world = World(wishes.surroundings(), wishes.arm_settings())
    true, known = world.true_sensor("ur5e"), world.tool_as_known("ur5e")
    assert true.load is not None
    mass = known[0] + true.load.mass
    x, y, z = ((known[0] * known[1:] + true.load.mass * true.load.com) / mass).tolist()
    told = Load(float(known[0]), (float(known[1]), float(known[2]), float(known[3])))
    return Correction(true.gain, true.bias, Load(float(mass), (x, y, z)), told)


def test_it_is_what_the_calibration_means(tmp_path: Path) -> None:
    correction = some(1)
    found = wrench_correction(written(tmp_path / "force.json", correction), SERIAL)
    random = np.random.default_rng(2)
    for _ in range(20):
        turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
        pose, wrench = np.eye(4), 20.0 * random.normal(size=6)
        pose[:3, :3] = turn
        expected = correction.external(wrench, turn)
        found.correct(wrench, pose)
        assert wrench == pytest.approx(expected, abs=1e-12)


def test_an_unknown_tool_weighs_nothing_once_it_was_calibrated(tmp_path: Path) -> None:
    for number, sensor in enumerate((None, written(tmp_path / "force.json", true_correction()))):
        folder = tmp_path / str(number)
        folder.mkdir()
        with arm_bench(folder, settings=WRONG, wanted=Wanted(sensor=sensor)) as bench:
            bench.until(0.5)
            force = float(np.linalg.norm(bench.shared.measured_wrench[:3]))
        assert force > 5.0 if sensor is None else force < 0.05


def test_what_does_not_belong_to_this_arm_is_refused(tmp_path: Path) -> None:
    mine = written(tmp_path / "force.json", some(1))
    with pytest.raises(ControllerMismatchError, match="belongs to"):
        wrench_correction(mine, "SIM-panda")
    with pytest.raises(ControllerMismatchError, match="cannot be read"):
        wrench_correction(str(tmp_path / "nothing.json"), SERIAL)
    other = tmp_path / "geometry.json"
    write_result(other, result("robot geometry", {}))
    with pytest.raises(ControllerMismatchError, match="holds no result of: station calibrate force"):
        wrench_correction(str(other), SERIAL)
    broken = tmp_path / "broken.json"
    write_result(broken, result("force sensor", {"gain": [[1.0]]}))
    with pytest.raises(ControllerMismatchError, match="damaged"):
        wrench_correction(str(broken), SERIAL)


def test_without_an_arm_there_is_nothing_to_correct(tmp_path: Path) -> None:
    wanted = Wanted(sensor=written(tmp_path / "f.json", some(1)))
    refused = pytest.raises(ControllerMismatchError, match="no arm that has one")
    with open_device("sim:syntaxer?hand=none") as device, refused:
        put_together(station.load(DEFAULT_BENCH), device, wanted)
