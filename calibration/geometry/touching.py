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
from calibration.parameters import Floats, Ints, Rows, nominal_of
from station.mad.scene import Robot


class TouchModel(GeometryModel):
    """A robot and what it touched: the parameters of the robot, then those of each surface."""

    def __init__(
        self, robot: Robot, frame: int | str, touches: TouchMeasurements, settings: GeometrySettings | None = None
    ) -> None:
        self.touches = touches
        positions = tool_poses(robot, frame, touches.encoders, touches.joints)[:, :3, 3]
        nominal = ToolMeasurements(encoders=touches.encoders, joints=touches.joints, positions=positions)
        super().__init__(robot, frame, nominal, replace(settings or GeometrySettings(), stand=False))
        self.guesses = tuple(
            Guess(surface, positions[touches.touched == number]) for number, surface in enumerate(touches.surfaces)
        )
        self._robot_numbers = len(self._parameters)
        self._parameters = (*self._parameters, *(one for guess in self.guesses for one in guess.parameters))

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Distances from the surfaces over the noise, and their derivatives."""
        poses, columns = self.moved(values, which)
        points, touched, noise = poses[:, :3, 3], self.touches.touched[which], self.touches.noise
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
        return Rows(distance[:, None] / noise, jacobian[:, None, :] / noise)

    def errors(self, values: Floats, which: Ints) -> Floats:
        """Distances from the surfaces (n,) [m]."""
        return np.abs(self.rows(values, which).residuals[:, 0]) * self.touches.noise

    def nominal_errors(self, which: Ints) -> Floats:
        """Distances of the nominal robot's tool from the surfaces that fit it best (n,) [m]."""
        values = nominal_of(self)
        place = slice(self._robot_numbers, None)
        for _ in range(5):  # only the surfaces move
            rows = self.rows(values, which)
            step = np.linalg.lstsq(rows.jacobian[:, 0, place], -rows.residuals[:, 0], rcond=None)[0]
            values[place] += step
        return self.errors(values, which)
