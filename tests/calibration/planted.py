"""Robots with planted errors, and measurements of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import robots
import station
from calibration import fit
from calibration.geometry import GeometryModel, GeometrySettings, ToolMeasurements, corrected_robot, tool_poses
from calibration.parameters import nominal_of
from station.mad.scene import Robot

Floats = NDArray[np.float64]
LENGTH, ANGLE = 1e-3, np.radians(0.2)  # planted errors
NOISE = 5e-5  # [m]


class Case(NamedTuple):
    """A robot, its measured frame and joints, and where they may be."""

    name: str
    frame: int
    encoders: tuple[int, ...]
    around: tuple[float, ...] | None = None  # joint values to stay near; None: all between the stops
    spread: float = 0.0

    def robot(self) -> Robot:
        return station.load(robots.path(self.name)).robot(self.name)

    def joints(self, count: int, seed: int = 0) -> Floats:
        random = np.random.default_rng([7, seed])
        if self.around is not None:
            return np.asarray(random.uniform(-self.spread, self.spread, (count, len(self.encoders))) + self.around)
        links = {link.id: link for link in self.robot().links}
        stops = [links[name].stops or (-np.pi, np.pi) for name in self.encoders]
        low, high = np.array(stops).T
        return np.asarray(random.uniform(np.maximum(low, -3.0), np.minimum(high, 3.0), (count, len(self.encoders))))


MACDAC = Case("macdac", 6, (1, 2, 3, 4, 5))
UR5E = Case("ur5e", 7, (1, 2, 3, 4, 5, 6))
CROSS_DELTA = Case("cross-delta", 5, (1, 6, 11), (-1.78565, -0.99443, -0.99443), 0.3)


class Planted(NamedTuple):
    """A robot that is not as its file says."""

    model: GeometryModel  # of the nominal robot, with nominal positions
    values: Floats  # true ones
    poses: Floats  # of the tool, true, in the robot's world
    robot: Robot  # as it is; encoder zeros included


def nominal_model(case: Case, joints: Floats, settings: GeometrySettings | None = None) -> GeometryModel:
    robot = case.robot()
    positions = tool_poses(robot, case.frame, case.encoders, joints)[:, :3, 3]
    data = ToolMeasurements(encoders=case.encoders, joints=joints, positions=positions, position_noise=NOISE)
    return GeometryModel(robot, case.frame, data, settings or GeometrySettings(stand=False))


def plant(model: GeometryModel, seed: int, only: Floats | None = None) -> Planted:
    """Plant 1 mm and 0.2° (standard deviations) in all parameters, or in some."""
    random = np.random.default_rng([8, seed])
    sizes = np.array([{"m": LENGTH, "rad": ANGLE, "": 1e-3}[one.unit] for one in model.parameters])
    errors = sizes * random.normal(size=len(sizes))
    values = nominal_of(model) + (errors if only is None else errors * only)
    poses = model.poses(values, np.arange(model.observations))
    return Planted(model, values, poses, corrected_robot(model.tree, model.split(values)[0]))


def plant_what_can_be_told(model: GeometryModel, seed: int) -> Planted:
    """Plant errors in those parameters alone that these poses tell, for the nominal robot and for the planted one."""
    free = fit(model).identified.free
    while True:
        planted = plant(model, seed, free.astype(float))
        data = measured(model, planted.poses[:, :3, 3], noise=model.data.position_noise)
        found = fit(GeometryModel(model.robot, model.frame, data, model.settings)).identified.free
        if not (free & ~found).any():
            return planted
        free = free & found


def measured(model: GeometryModel, positions: Floats, noise: float = NOISE, **more: Floats | float) -> ToolMeasurements:
    data = model.data
    return ToolMeasurements(
        encoders=data.encoders,
        joints=data.joints,
        positions=positions,
        position_noise=noise,
        **more,  # type: ignore[arg-type]
    )
