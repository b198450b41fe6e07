"""Force sensors and loads: planted biases, gains, tools and payloads are found, within their standard deviations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

import robots
import station
from calibration import DataError, NotExplainedError, UnitsError
from calibration.force import (
    ForceReadings,
    Gains,
    Load,
    PayloadModel,
    PayloadReadings,
    calibrate_force,
    calibrate_payload,
)
from calibration.force.payload import weighing
from calibration.force.readings import weights
from calibration.parameters import nominal_of
from station.kernel.so3 import rotation
from station.mechanism import Mechanism
from tests.calibration.arms import GRIPPER
from tests.calibration.planted import Floats

MASS, PLACE = 1.3, np.array([0.01, -0.02, 0.08])
BIAS = np.array([0.5, -0.3, 1.0, 0.02, 0.03, -0.01])
GAIN = np.eye(6) + np.random.default_rng(5).normal(size=(6, 6)) * 0.02
LOADS = (Load(1.0, (0.0, 0.0, 0.1)), Load(1.0, (0.1, 0.0, 0.1)), Load(1.0, (0.0, 0.1, 0.1)))


def readings(
    count: int, noise: float = 0.0, seed: int = 0, gain: Floats | None = None, loads: tuple[Load, ...] = ()
) -> ForceReadings:
    """What a sensor tells in some orientations."""
    turns = rotation(1.5 * np.random.default_rng(1).normal(size=(count, 3)))
    load_of = np.arange(count) % (len(loads) + 1) - 1 if loads else None
    blank = ForceReadings(turns=turns, wrenches=np.zeros((count, 6)), loads=loads, load_of=load_of)
    masses, moments = blank.known()
    true = weights(blank.down, masses + MASS, moments + MASS * PLACE)
    told = true @ (np.eye(6) if gain is None else gain).T + BIAS
    shaken = noise * blank.noise * np.random.default_rng([2, seed]).normal(size=(count, 6))
    return replace(blank, wrenches=told + shaken)


def test_without_noise_bias_and_tool_are_found_to_a_billionth() -> None:
    found = calibrate_force(readings(10))
    assert found.correction.tool.mass == pytest.approx(MASS, abs=1e-9)
    assert found.correction.tool.place == pytest.approx(PLACE, abs=1e-9)
    assert found.correction.bias == pytest.approx(BIAS, abs=1e-9)
    assert found.before.rms > 5.0
    assert found.after.largest < 1e-9


def test_known_loads_tell_all_gains() -> None:
    found = calibrate_force(readings(40, gain=GAIN, loads=LOADS), Gains.FULL)
    assert found.correction.gain == pytest.approx(GAIN, abs=1e-9)
    assert found.correction.tool.mass == pytest.approx(MASS, abs=1e-9)
    assert found.judgement.fixed == ()


def test_what_was_before_does_not_depend_on_what_is_estimated() -> None:
    """A search for gains begins with the tool that gains of 1 would show; it is told from the tool that is said."""
    found = [calibrate_force(readings(40, loads=LOADS), gains) for gains in Gains]
    assert found[0].before.rms > 5.0
    assert all(one.before == found[0].before for one in found)
    assert all(one.judgement.parameters[0].nominal == 0.0 for one in found)


def test_without_known_loads_gains_that_cannot_be_told_are_named_not_invented() -> None:
    found = calibrate_force(readings(20), Gains.DIAGONAL)
    fixed = {one.name: one.like for one in found.judgement.fixed}
    assert "tool mass" in fixed["gain Fz"]
    assert all(one.value == 1.0 for one in found.judgement.parameters if one.fixed)


def test_a_correction_leaves_what_acts_from_outside() -> None:
    data = readings(10, gain=None)
    found = calibrate_force(data)
    push = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
    for turn, told in zip(data.turns, data.wrenches, strict=True):
        assert found.correction.external(told, turn) == pytest.approx(np.zeros(6), abs=1e-9)
        assert found.correction.external(told + push, turn) == pytest.approx(push, abs=1e-9)


@pytest.mark.parametrize(("gains", "loads"), [(Gains.NONE, ()), (Gains.FULL, LOADS)])
def test_with_noise_errors_are_within_their_standard_deviations_a_hundred_times(
    gains: Gains, loads: tuple[Load, ...]
) -> None:
    squares, freedom, chi_squares, numbers = 0.0, 0, 0.0, 0
    full = gains is Gains.FULL
    for seed in range(100):
        found = calibrate_force(readings(24, 1.0, seed, GAIN if full else None, loads), gains).fit
        true = np.array([MASS, *(MASS * PLACE), *BIAS, *(GAIN.ravel() if full else ())])
        error = found.values - true
        squares += float(error @ np.linalg.solve(found.covariance, error))
        numbers += len(error)
        chi_squares += float(np.sum(found.residuals[found.used] ** 2))
        freedom += found.jacobian.shape[0] - len(error)
    assert chi2.ppf(1e-4, numbers) < squares < chi2.ppf(1 - 1e-4, numbers)
    assert chi2.ppf(1e-4, freedom) < chi_squares < chi2.ppf(1 - 1e-4, freedom)


def test_a_knock_against_the_table_is_named() -> None:
    data = readings(20, 1.0)
    data.wrenches[7] += [3.0, 0.0, 0.0, 0.0, 0.1, 0.0]
    assert calibrate_force(data).judgement.outliers == (7,)


def test_bad_readings_are_refused_in_one_line() -> None:
    data = readings(10)
    with pytest.raises(DataError, match="3 orientations; at least 4"):
        replace(data, turns=data.turns[:3], wrenches=data.wrenches[:3])
    about_one = rotation(np.linspace(0.0, 2.0, 10)[:, None] * np.array([0.0, 0.0, 1.0]))
    with pytest.raises(DataError, match="hardly turned against gravity"):
        replace(data, turns=about_one)
    millimetres = data.wrenches * np.repeat([1.0, 1000.0], 3)
    with pytest.raises(UnitsError, match="newton-millimetres for newton-metres"):
        calibrate_force(replace(data, wrenches=millimetres))
    loaded = readings(40, gain=GAIN, loads=LOADS)
    grams = tuple(Load(1000.0 * load.mass, load.place) for load in LOADS)
    with pytest.raises(UnitsError, match="grams given for kilograms"):
        calibrate_force(replace(loaded, loads=grams), Gains.FULL)
    with pytest.raises(NotExplainedError):
        calibrate_force(replace(data, wrenches=np.random.default_rng(1).normal(size=(10, 6))))


@pytest.fixture(scope="module")
def arm() -> Mechanism:
    return station.load(GRIPPER)["ur5e"]


def passes(arm: Mechanism, noise: float = 0.0, seed: int = 0) -> PayloadReadings:
    """Efforts of an arm that holds something, upwards and downwards through 12 poses."""
    random = np.random.default_rng(3)
    joints = np.repeat(np.radians([0, -90, 90, -90, -90, 0]) + random.uniform(-1.0, 1.0, (12, 6)), 2, axis=0)
    directions = np.tile([[1.0], [-1.0]], (12, 6))
    weighed = weighing(arm, "gripper", joints)
    friction = np.array([3.0, 3.0, 3.0, 0.6, 0.6, 0.6])
    sigma = np.array([0.2, 0.2, 0.2, 0.05, 0.05, 0.05])
    efforts = weighed.arm + weighed.load @ [MASS, *(MASS * PLACE)] + friction * directions
    efforts = efforts + noise * sigma * np.random.default_rng([4, seed]).normal(size=efforts.shape)
    return PayloadReadings(joints=joints, directions=directions, efforts=efforts, noise=sigma)


def test_weights_of_an_arm_are_slopes_of_its_potential_energy(arm: Mechanism) -> None:
    joints = np.array([[0.3, -1.2, 1.0, -0.7, -1.0, 0.4]])
    energy = []
    for joint in range(6):
        for step in (1e-5, -1e-5):
            moved = joints.copy()
            moved[0, joint] += step
            arm.q = moved[0]
            heights = [
                item.mass * (arm.pose(item.id)[:3, :3] @ (item.com or np.zeros(3)) + arm.pose(item.id)[:3, 3])[2]
                for item in arm.robot.placed()
                if item.mass and item.id != 0
            ]
            energy.append(9.80665 * sum(heights))
    slopes = np.array(energy).reshape(6, 2) @ [1.0, -1.0] / 2e-5
    assert weighing(arm, "gripper", joints).arm[0] == pytest.approx(slopes, abs=1e-5)


def test_a_payload_without_noise_is_found_to_a_billionth(arm: Mechanism) -> None:
    found = calibrate_payload(arm, "gripper", passes(arm))
    assert found.mass == pytest.approx(MASS, abs=1e-9)
    assert found.centre == pytest.approx(PLACE, abs=1e-9)


def test_a_payload_is_within_its_standard_deviations_a_hundred_times(arm: Mechanism) -> None:
    first = passes(arm)
    model = PayloadModel(arm, "gripper", first)
    true = np.array([MASS, *(MASS * PLACE), 3.0, 3.0, 3.0, 0.6, 0.6, 0.6])
    # The model is linear: one least-squares solution for all repetitions, compared once with the solver's own.
    rows = model.rows(nominal_of(model), np.arange(model.observations))
    flat = rows.jacobian.reshape(-1, 10)
    squares = 0.0
    for seed in range(100):
        noise = np.random.default_rng([4, seed]).normal(size=first.efforts.shape)
        error = np.linalg.lstsq(flat, noise.ravel(), rcond=None)[0]
        squares += float(error @ (flat.T @ flat) @ error)
    assert chi2.ppf(1e-4, 1000) < squares < chi2.ppf(1 - 1e-4, 1000)
    found = calibrate_payload(arm, "gripper", passes(arm, 1.0, 99)).fit
    assert found.values - true == pytest.approx(error, abs=1e-9)
    assert found.covariance == pytest.approx(np.linalg.inv(flat.T @ flat), rel=1e-6)


def test_what_tells_no_payload_is_refused(arm: Mechanism) -> None:
    data = passes(arm)
    bare = weighing(arm, "gripper", data.joints).arm + data.directions * 0.3
    with pytest.raises(DataError, match="holds nothing that its efforts tell"):
        calibrate_payload(arm, "gripper", replace(data, efforts=bare))
    with pytest.raises(UnitsError, match="newton-millimetres given"):
        calibrate_payload(arm, "gripper", replace(data, efforts=1000.0 * data.efforts))
    one = replace(data, joints=np.tile(data.joints[:2], (12, 1)), efforts=np.tile(data.efforts[:2], (12, 1)))
    with pytest.raises(DataError, match="do not tell all: load"):
        calibrate_payload(arm, "gripper", one)
    wild = data.efforts + np.random.default_rng(1).normal(size=data.efforts.shape) * 20.0
    with pytest.raises(NotExplainedError):
        calibrate_payload(arm, "gripper", replace(data, efforts=wild))
    loops = station.load(robots.path("delta"))["delta"]
    with pytest.raises(DataError, match="has loops"):
        calibrate_payload(loops, 1, data)
