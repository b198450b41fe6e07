"""What a calibration has found of an arm's force sensor and tool, applied to every reading.

    force on the tool = G⁻¹·(told + weight that the controller takes away - bias) - true weight of the tool

Weights are linear in the direction of gravity in the frame of the tool, so a reading costs two small products.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from station.applied import Applied
from station.controllers.controller import Controller, Floats
from station.controllers.errors import ControllerMismatchError
from station.kernel import Floats1, Floats2, entry
from station.mechanism import Mechanism, MechanismError

GRAVITY = 9.80665  # [m/s²]
METHOD = "force sensor"  # of the results that are taken


class WrenchCorrection(NamedTuple):
    """From what a sensor tells to what acts on the tool from outside; in the frame of the tool, about its point."""

    gain: Floats  # (6, 6)
    weight: Floats  # (6, 3), times gravity in the frame of the tool
    offset: Floats  # (6,) [N, N·m]
    frame: int | None  # id of the frame of the tool; None: the result does not say
    applied: Applied  # which result this is

    def correct(self, wrench: Floats, pose: Floats) -> None:
        """A reading of a tool whose frame is at a pose (4, 4), in place [N, N·m]."""
        correct_wrench(self.gain, self.weight, self.offset, pose, wrench.copy(), wrench)


@entry(inline=True)
def correct_wrench(
    gain: Floats2, weight: Floats2, offset: Floats1, pose: Floats2, told: Floats1, wrench: Floats1
) -> None:
    """`WrenchCorrection.correct` of what a sensor has `told`, into `wrench` [N, N·m]."""
    for i in range(6):
        wrench[i] = offset[i]
        for k in range(6):
            wrench[i] += gain[i, k] * told[k]
        for k in range(3):
            wrench[i] -= weight[i, k] * (GRAVITY * pose[2, k])


def sensor_of(path: str, controller: Controller | None, robot: Mechanism) -> WrenchCorrection:
    """What was found of the force sensor of this arm; a ControllerMismatchError if it has none, or is another arm."""
    if controller is None or not controller.capabilities.measures_wrench:
        raise ControllerMismatchError(f"{path}: a calibration of a force sensor, but there is no arm that has one")
    found = wrench_correction(path, controller.capabilities.serial_number)
    try:
        if found.frame is not None:
            robot.frame_id(found.frame)
    except MechanismError as error:
        raise ControllerMismatchError(f"{path}: calibrated with another tool: {error}") from None
    return found


def wrench_correction(path: str, serial_number: str) -> WrenchCorrection:
    """The newest result of `station calibrate force` in a file; a ControllerMismatchError if it is of another arm."""
    # Arms without a calibration do without the solvers that come with this package.
    from calibration.errors import CalibrationError
    from calibration.results import Subject, load_results

    try:
        results = load_results(path, Subject.device(serial_number, "arm"))
    except CalibrationError as error:
        raise ControllerMismatchError(f"force sensor: {error}") from None
    for result in results:
        if result.method == METHOD:
            return _from_values(path, result.values, result.applied(METHOD, path))
    raise ControllerMismatchError(f"{path}: holds no result of: station calibrate force")


def _from_values(path: str, values: dict[str, Any], applied: Applied) -> WrenchCorrection:
    damaged = ControllerMismatchError(f"{path}: the result for the force sensor is damaged; calibrate anew")
    try:
        gain, bias = np.array(values["gain"], dtype=np.float64), np.array(values["bias"], dtype=np.float64)
        told, frame = values["told"], values.get("frame")
        taken, tool = _weight(told["mass"], told["centre"]), _weight(values["mass"], values["centre"])
        inverse = np.asarray(np.linalg.inv(gain), dtype=np.float64)
        frame = None if frame is None else int(frame)
        found = WrenchCorrection(inverse, inverse @ taken - tool, -inverse @ bias, frame, applied)
    except (KeyError, TypeError, ValueError, np.linalg.LinAlgError):
        raise damaged from None
    if found.gain.shape != (6, 6) or not all(np.isfinite(part).all() for part in found[:3]):
        raise damaged
    return found


def _weight(mass: float, centre: list[float]) -> Floats:
    """Wrench of a mass [kg] at a place [m] per gravity in the same frame (6, 3)."""
    x, y, z = (mass * value for value in centre)
    return np.array(
        [[mass, 0.0, 0.0], [0.0, mass, 0.0], [0.0, 0.0, mass], [0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]],
        dtype=np.float64,
    )
