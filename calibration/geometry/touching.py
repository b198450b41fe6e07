"""Robot geometry from touches as a model to fit: the tool must lie on planes and balls that nobody has measured.

Where the robot stands cannot be told this way: surfaces take its place. Planes, and balls whose radius is not known,
cannot tell the size of the robot either; a ball of known radius can.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.geometry.measured import ToolMeasurements
from calibration.geometry.model import GeometryModel, tool_poses
from calibration.geometry.settings import GeometrySettings
from calibration.geometry.surfaces import Guess
from calibration.geometry.touched import TouchMeasurements
from calibration.parameters import Floats, Ints, Parameter, Rows, nominal_of
from station.mad.scene import Robot


class TouchModel:
    """A robot and what it touched."""

    def __init__(
        self, robot: Robot, frame: int | str, data: TouchMeasurements, settings: GeometrySettings | None = None
    ) -> None:
        self.robot, self.data = robot, data
        self.settings = replace(settings or GeometrySettings(), stand=False)
        positions = tool_poses(robot, frame, data.encoders, data.joints)[:, :3, 3]
        nominal = ToolMeasurements(encoders=data.encoders, joints=data.joints, positions=positions)
        self.kinematics = GeometryModel(robot, frame, nominal, self.settings)
        self.tree = self.kinematics.tree
        self.guesses = tuple(
            Guess(surface, positions[data.touched == number]) for number, surface in enumerate(data.surfaces)
        )
        self._robot_numbers = len(self.kinematics.parameters)
        self._parameters = (
            *self.kinematics.parameters,
            *(one for guess in self.guesses for one in guess.parameters),
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the robot, then those of each surface."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Touches."""
        return len(self.data.joints)

    def split(self, values: Floats) -> tuple[Floats, dict[int, float]]:
        """Dimensions in the order of the tree's motions, and gear ratios by link."""
        return self.kinematics.split(values[: self._robot_numbers])

    def zeros(self, values: Floats) -> dict[int, float]:
        """What to add to each encoder, by link [rad | m]."""
        return self.kinematics.zeros(values[: self._robot_numbers])

    def stand_pose(self, _: Floats) -> Floats:
        """The robot's own world: nobody measured from elsewhere."""
        return np.eye(4)

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Distances from the surfaces over the noise, and their derivatives."""
        poses, columns = self.kinematics.moved(values[: self._robot_numbers], which)
        points, touched = poses[:, :3, 3], self.data.touched[which]
        distance = np.zeros(len(which))
        jacobian = np.zeros((len(which), len(values)))
        begin = self._robot_numbers
        for number, guess in enumerate(self.guesses):
            end, here = begin + len(guess.parameters), touched == number
            found = guess.rows(values[begin:end], points[here])
            distance[here] = found.distance
            jacobian[here, : self._robot_numbers] = np.einsum("ni,nij->nj", found.normal, columns[here][:, :3])
            jacobian[here, begin:end] = found.slopes
            begin = end
        return Rows(distance[:, None] / self.data.noise, jacobian[:, None, :] / self.data.noise)

    def errors(self, values: Floats, which: Ints) -> Floats:
        """Distances from the surfaces (n,) [m]."""
        return np.abs(self.rows(values, which).residuals[:, 0]) * self.data.noise

    def nominal_errors(self, which: Ints) -> Floats:
        """Distances of the nominal robot's tool from the surfaces that fit it best (n,) [m]."""
        values = nominal_of(self)
        place = slice(self._robot_numbers, None)
        for _ in range(5):  # only the surfaces move
            rows = self.rows(values, which)
            step = np.linalg.lstsq(rows.jacobian[:, 0, place], -rows.residuals[:, 0], rcond=None)[0]
            values[place] += step
        return self.errors(values, which)
