"""What goes through a constraint between two robots, and how far it is open: the truth, for tests and figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_devices.arm.machine import Floats
from sim_devices.arm.physics import mujoco


class TiedForce:
    """One constraint between robots in the physics of a world."""

    def __init__(self, model: Any, data: Any, name: str) -> None:
        self._data, equality = data, model.equality(name)
        self._id, self._second = int(equality.id), int(model.eq_obj2id[equality.id])
        self._turns = int(model.eq_type[self._id]) == int(mujoco.mjtEq.mjEQ_WELD)
        self._scale = float(model.eq_data[self._id, 10])

    @property
    def wrench(self) -> Floats:
        """Force and torque on the part that the constraint names second, at its origin, in world axes [N, N·m]."""
        wrench, rows = np.zeros(6), self._rows
        force = self._data.efc_force[rows]
        wrench[:3] = -force[:3]
        if self._turns:  # rows of a turn are halves of angles times the scale, in the axes of the second
            wrench[3:] = -0.5 * self._scale * self._data.site_xmat[self._second].reshape(3, 3) @ force[3:6]
        return wrench

    @property
    def gap(self) -> float:
        """Largest error of any row [m; rad times the size of the robots]."""
        return float(np.abs(self._data.efc_pos[self._rows]).max(initial=0.0))

    @property
    def _rows(self) -> Any:
        data = self._data
        return np.flatnonzero(data.efc_id[: data.ne] == self._id)
