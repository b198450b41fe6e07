"""Robot geometry over the real link: emulated arms that are not as their files say, and a tracker beside them."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import chi2

import station
from benchmarks.calibration import rms
from benchmarks.calibration_link import CROSS_DELTA, MACDAC, UR5E, Case, over_the_link
from calibration import Result
from calibration.arm import ArmLead
from calibration.collection import read_collection
from calibration.fitting import fit
from calibration.geometry import GeometrySettings, ToolMeasurements, calibrate_geometry, robot_subject, tool_poses
from calibration.geometry.applying import applied
from calibration.geometry.collecting import Wish
from calibration.geometry.model import GeometryModel
from calibration.parameters import Floats
from sim_devices.arm.machine import ArmState
from sim_devices.arm.truth import TrueParameters
from sim_devices.instrument import TrackerSettings
from station.bench import Bench
from station.controllers import in_order_of, scene_joints
from station.kernel.so3 import rotation
from station.mad.scene import Robot
from tests.calibration.benches import EXACT, WRONG, Cell
from tests.calibration.test_collecting import WISH, go_on, start

PERFECT = TrackerSettings(noise=0.0, turn_noise=0.0, turns=True)


def measurements(path: Path, **noise: float) -> ToolMeasurements:
    held = read_collection(path)

    def column(name: str) -> Floats:
        return np.array([one.values[name] for one in held.observations])

    turned = "rotation" in held.observations[0].values
    return ToolMeasurements(
        encoders=tuple(held.facts["encoders"]),
        joints=column("joints"),
        positions=column("position"),
        rotations=column("rotation") if turned else None,
        **noise,
    )


class Collected(NamedTuple):
    """What was collected of an arm without noise, and how the arm truly is."""

    robot: Robot  # nominal
    data: ToolMeasurements
    true: TrueParameters
    stand: Floats


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Collected:
    path, told = tmp_path_factory.mktemp("collected") / "poses.jsonl", list[str]()
    with contextlib.closing(Cell("ur5e", 7, 3, PERFECT, **WRONG, **EXACT)) as cell:
        go_on(cell, start(cell, path), told, lead=cell.lead(still=1e-6))
        true = cell.arm.world.true_parameters("ur5e")
        assert cell.arm.reading().state is ArmState.READY
        assert told[-1] == "pose 12 of 12"
        # The emulated arm creeps by some 1e-5 rad/s while it holds; that is all the noise there is.
        data = measurements(path, position_noise=1e-8, rotation_noise=1e-8)
        return Collected(cell.mechanism.robot, data, true, cell.tracker.stand)


def test_planted_errors_are_found_over_the_real_link(collected: Collected) -> None:
    robot, data, true, stand = collected
    result = calibrate_geometry(robot, 7, data)
    assert result.before.rms > 1e-3
    assert result.after.rms < 1e-7
    fresh = data.joints + 0.1
    truth = stand @ tool_poses(true.robot, 7, data.encoders, fresh - true.zeros)
    found = result.stand @ tool_poses(result.robot, 7, data.encoders, fresh)
    assert found == pytest.approx(truth, abs=1e-6)


def test_noise_on_what_came_over_the_link_is_within_the_standard_deviations_a_hundred_times(
    collected: Collected,
) -> None:
    robot, data = collected.robot, collected.data
    exact = fit(GeometryModel(robot, 7, data)).values  # the planted ones, as far as they can be told: see above
    assert data.rotations is not None
    squares, freedom, noise, turn_noise = 0.0, 0, 5e-5, 2e-4
    for seed in range(100):
        random = np.random.default_rng([11, seed])
        noisy = replace(
            data,
            positions=data.positions + noise * random.normal(size=data.positions.shape),
            rotations=data.rotations @ rotation(turn_noise * random.normal(size=data.positions.shape)),
            position_noise=noise,
            rotation_noise=turn_noise,
        )
        found = fit(GeometryModel(robot, 7, noisy))
        free = found.identified.free
        error = (found.values - exact)[free]
        squares, freedom = squares + float(error @ np.linalg.solve(found.covariance, error)), freedom + int(free.sum())
    assert freedom == 100 * 30  # four for each of six axes and six for the tool: all that a pose can tell
    assert chi2.ppf(1e-4, freedom) < squares < chi2.ppf(1 - 1e-4, freedom)


def test_planted_errors_of_a_parallel_robot_are_found_over_the_real_link(tmp_path: Path) -> None:
    exact = TrackerSettings(noise=0.0)
    with contextlib.closing(Cell("delta", 16, 3, exact, wrong_length=5e-4, wrong_zero=2e-3, encoder_bits=44)) as cell:
        wish = Wish(frame=16, poses=14, candidates=60, within=0.4)
        go_on(cell, start(cell, tmp_path / "poses.jsonl", wish), [], wish, cell.lead(share=0.3, still=1e-5))
        robot = cell.mechanism.robot
    data = measurements(tmp_path / "poses.jsonl", position_noise=1e-6)
    result = calibrate_geometry(robot, 16, data)
    assert result.before.rms > 1e-4  # at its best place
    assert result.after.rms < 5e-6  # the emulated loops are open by that much


@pytest.mark.parametrize(
    ("case", "poses"),
    [(MACDAC, 20), (UR5E, 16), (CROSS_DELTA._replace(along=0.4, noise=1e-5), 22)],  # near by, so that it is quick
    ids=["macdac", "ur5e", "cross-delta-driven"],
)
def test_the_tool_is_twenty_times_nearer_after_a_calibration_over_the_link(case: Case, poses: int) -> None:
    made = over_the_link(case, seed=1, poses=poses, fresh=4)
    assert made.result.judgement.outliers == ()
    assert rms(made.before) > 1e-3
    assert made.factor > 20.0


def led_to(cell: Cell, scene: Bench, stand: Floats, goal: Floats) -> tuple[float, float]:
    """How far the tool is from where a scene means it to be, led to a goal: for the goal, and for what is measured."""
    mechanism = scene["ur5e"]
    arm = in_order_of(cell.driver, scene_joints(mechanism.joints))
    stood = ArmLead(scene, mechanism, arm, 1.0, cell.clock, cell.surroundings).go(goal).joints
    meant = stand @ tool_poses(mechanism.robot, 7, tuple(range(1, 7)), np.array([goal, stood]))
    of_goal, of_stood = np.linalg.norm(meant[:, :3, 3] - cell.instrument.measure().position, axis=1)
    return float(of_goal), float(of_stood)


def test_gear_ratios_are_found_and_applied_over_the_real_link(tmp_path: Path) -> None:
    with contextlib.closing(Cell("ur5e", 7, 4, PERFECT, wrong_ratio=5e-3, encoder_bits=44)) as cell:
        wish = WISH._replace(ratios=True, poses=8)
        go_on(cell, start(cell, tmp_path / "poses.jsonl", wish), [], wish, cell.lead())
        true, nominal = cell.arm.world.true_parameters("ur5e"), cell.scene
        data = measurements(tmp_path / "poses.jsonl", position_noise=1e-6, rotation_noise=1e-6)
        found = calibrate_geometry(
            nominal.robot("ur5e"), 7, data, GeometrySettings(ratios=True, angle_error=1e-5), validate=False
        )
        assert [found.ratios[link] for link in range(1, 7)] == pytest.approx(true.ratios, abs=1e-5)
        subject = robot_subject(nominal.robot("ur5e"))
        made = applied(
            nominal, "ur5e", Result(method="robot geometry", subject=subject, values=found.data(), data_hash="x")
        )
        calibrated = station.loads(station.dumps(made))
        assert [link.gear for link in calibrated.robot("ur5e").links] == pytest.approx(true.ratios, abs=1e-5)
        goal = cell.mechanism.q + np.array([0.4, -0.3, 0.3, 0.4, -0.4, 0.5])
        assert min(led_to(cell, nominal, found.stand, goal)) > 1e-3
        of_goal, of_stood = led_to(cell, calibrated, found.stand, goal)
        assert of_goal < 2e-4  # the arm itself stops within 1e-4 rad
        assert of_stood < 1e-5
