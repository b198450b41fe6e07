"""`ToolSensor`: forces at the tool as the arm tells them, corrected if a calibration of its sensor is there."""

from __future__ import annotations

import numpy as np

from station.controllers import Measurement
from station.controllers.wrench import WrenchCorrection
from station.mechanism import Mechanism
from station.tasks.execute.place import ToolPlace
from station.tasks.task.model import Floats


class ToolSensor:
    """The force sensor of an arm.

    Args:
        mechanism: the arm; where its tool is, tells how its weight pulls.
        frame: of the tool.
        correction: what a calibration has found of the sensor; None: readings count as they are.
    """

    def __init__(self, mechanism: Mechanism, frame: int, correction: WrenchCorrection | None = None) -> None:
        known = None if correction is None else correction.frame
        self._place = ToolPlace(mechanism, frame if known is None else known)
        self.correction = correction
        self.wrench: Floats | None = None  # the newest, in the frame of the tool [N, N·m]; None: not measured

    def read(self, said: Measurement) -> None:
        """Take the reading of a measurement."""
        if said.wrench is None:
            self.wrench = None
            return
        self.wrench = np.array(said.wrench, dtype=np.float64)
        self._place.of(said.q)
        if self.correction is not None:
            self.correction.correct(self.wrench, self._place.pose)

    def in_world(self, wrench: Floats) -> Floats:
        """A wrench in the frame of the tool, where that was at the newest reading, in axes of the world [N, N·m]."""
        turn = self._place.pose[:3, :3]
        return np.concatenate([turn @ wrench[:3], turn @ wrench[3:]])
