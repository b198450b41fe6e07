"""Robot geometry from touches of planes and balls that nobody has measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from calibration import DataError, UnitsError, fit
from calibration.geometry import Surface, TouchMeasurements, TouchModel, calibrate_geometry, tool_poses
from calibration.parameters import nominal_of
from station.mad.scene import Robot
from station.mechanism import Mechanism, Status
from tests.calibration.planted import UR5E, Floats, nominal_model, plant

TABLE, WALL, BALL = Surface("table"), Surface("wall"), Surface("ball", "sphere", 0.15)
PLACES = {"table": (np.array([0.1, -0.05, 1.0]), 0.1), "wall": (np.array([1.0, 0.1, 0.0]), 0.4)}
CENTRE = np.array([-0.45, -0.2, 0.35])
NOISE = 2e-5
BENT = np.array([0.0, -1.2, 1.5, 0.0, 0.0, 0.0])


def on_surface(surface: Surface, points: Floats) -> Floats:
    """The nearest points of a surface."""
    if surface.kind == "sphere":
        away = points - CENTRE
        return np.asarray(CENTRE + surface.radius * away / np.linalg.norm(away, axis=1)[:, None])
    normal, height = PLACES[surface.name]
    normal = normal / np.linalg.norm(normal)
    return np.asarray(points - np.outer(points @ normal - height, normal))


def touches(robot: Robot, zeros: Floats, surface: Surface, count: int, noise: float, seed: int) -> Floats:
    """Encoder values at which a robot, as it is, touches a surface all over."""
    random, arm = np.random.default_rng([11, seed]), Mechanism(robot)
    found: list[Floats] = []
    while len(found) < count:
        spot = CENTRE + random.uniform(-0.25, 0.25, 3)
        target = on_surface(surface, spot[None])[0]
        arm.q = random.uniform(-1.5, 1.5, 6) + BENT
        normal = PLACES[surface.name][0] if surface.kind == "plane" else target - CENTRE
        goal = arm.pose(7)
        goal[:3, 3] = target + noise * random.normal() * normal / np.linalg.norm(normal)
        reached = arm.reach(7, goal, axes="x y z", metres=1e-9)
        if reached.status is Status.OK:
            found.append(reached.q - zeros)
    return np.array(found)


def measured(
    robot: Robot, surfaces: tuple[Surface, ...], count: int, noise: float = 0.0, seed: int = 0
) -> TouchMeasurements:
    joints = [
        touches(robot, np.zeros(6), surface, count, noise, 10 * seed + number)
        for number, surface in enumerate(surfaces)
    ]
    return TouchMeasurements(
        encoders=UR5E.encoders,
        joints=np.concatenate(joints),
        surfaces=surfaces,
        touched=np.repeat(np.arange(len(surfaces)), count),
        noise=NOISE,
    )


@pytest.fixture(scope="module")
def planted_robot() -> Robot:
    return plant(nominal_model(UR5E, UR5E.joints(10)), 21).robot


@pytest.fixture(scope="module")
def data(planted_robot: Robot) -> TouchMeasurements:
    return measured(planted_robot, (TABLE, WALL, BALL), 40, NOISE)


def test_derivatives_are_exact(data: TouchMeasurements) -> None:
    unknown = replace(data, surfaces=(TABLE, WALL, Surface("ball", "sphere")))
    model, which = TouchModel(UR5E.robot(), 7, unknown), np.array([0, 41, 81, 90])
    values = nominal_of(model) + 1e-2 * np.random.default_rng(1).normal(size=len(model.parameters))
    jacobian = model.rows(values, which).jacobian * NOISE
    for place in range(len(values)):
        step = np.zeros(len(values))
        step[place] = 1e-6
        slope = (model.rows(values + step, which).residuals - model.rows(values - step, which).residuals) / 2e-6
        assert jacobian[:, :, place] == pytest.approx(slope * NOISE, abs=1e-6)


def test_touches_of_two_planes_and_a_ball_bring_the_tool_ten_times_nearer(
    planted_robot: Robot, data: TouchMeasurements
) -> None:
    result = calibrate_geometry(UR5E.robot(), 7, data)
    assert result.before.rms > 10.0 * NOISE
    assert result.after.rms < 3.0 * NOISE
    fresh = data.joints[::3] + 0.05  # elsewhere, but not far
    truth = tool_poses(planted_robot, 7, UR5E.encoders, fresh)[:, :3, 3]

    def shape_error(robot: Robot) -> float:
        """Distances between tool places do not depend on where the robot stands."""
        found = tool_poses(robot, 7, UR5E.encoders, fresh)[:, :3, 3]
        first, second = np.triu_indices(len(fresh), 1)
        lengths = [np.linalg.norm(places[first] - places[second], axis=1) for places in (found, truth)]
        return float(np.sqrt(np.mean((lengths[0] - lengths[1]) ** 2)))

    assert shape_error(UR5E.robot()) > 10.0 * shape_error(result.robot)


def test_errors_of_touches_are_what_their_noise_says(planted_robot: Robot) -> None:
    model = TouchModel(UR5E.robot(), 7, measured(planted_robot, (TABLE, BALL), 60, NOISE, seed=3))
    found = fit(model)
    squares, freedom = float(np.sum(found.residuals**2)), len(found.jacobian) - found.jacobian.shape[1]
    assert chi2.ppf(1e-3, freedom) < squares < chi2.ppf(1 - 1e-3, freedom)


def test_without_noise_the_distances_vanish(planted_robot: Robot) -> None:
    exact = replace(measured(planted_robot, (TABLE, BALL), 60), noise=1e-7)
    result = calibrate_geometry(UR5E.robot(), 7, exact, validate=False)
    assert result.before.rms > 1e-4
    assert result.after.rms < 2e-7  # touches themselves were found to 1e-7


def test_planes_alone_cannot_tell_how_large_the_robot_is(planted_robot: Robot) -> None:
    fixed = []
    for surfaces in ((TABLE, WALL), (TABLE, WALL, BALL)):
        found = fit(TouchModel(UR5E.robot(), 7, replace(measured(planted_robot, surfaces, 40), noise=1e-7)))
        fixed.append({one.name for one in found.identified.fixed})
    (size,) = fixed[0] - fixed[1]  # one length more: with it all others are only told in proportion
    assert size.endswith((" d", " r", " x", " y", " z"))


def test_what_makes_no_surface_is_refused(data: TouchMeasurements) -> None:
    robot = UR5E.robot()
    with pytest.raises(DataError, match="3 touches of table; at least 6 are needed"):
        replace(data, joints=data.joints[:3], touched=np.zeros(3, dtype=np.int64), surfaces=(TABLE,))
    with pytest.raises(DataError, match="all touches of ball lie in a plane"):
        TouchModel(robot, 7, replace(data, joints=data.joints[:40], touched=np.zeros(40, int), surfaces=(BALL,)))
    line = np.linspace(data.joints[0], data.joints[0] + 1e-5, 10)
    with pytest.raises(DataError, match="all touches of table lie on a line"):
        TouchModel(robot, 7, replace(data, joints=line, touched=np.zeros(10, int), surfaces=(TABLE,)))
    with pytest.raises(UnitsError, match=r"a radius of 150 m; touches are on a ball of 1.. mm: millimetres for metres"):
        TouchModel(robot, 7, replace(data, surfaces=(TABLE, WALL, BALL._replace(radius=150.0))))
    with pytest.raises(DataError, match="'cone'; allowed: plane, sphere"):
        replace(data, surfaces=(TABLE, WALL, Surface("ball", "cone")))
    with pytest.raises(DataError, match="radius of -1 m"):
        replace(data, surfaces=(TABLE, WALL, BALL._replace(radius=-1.0)))
