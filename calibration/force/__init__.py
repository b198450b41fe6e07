"""Force and torque: a tool sensor (bias, gains), what hangs on it, and what an arm holds, by its joint efforts."""

from calibration.force.payload import PayloadModel, PayloadReadings, PayloadResult, calibrate_payload
from calibration.force.readings import ForceReadings, Load
from calibration.force.sensor import Correction, ForceModel, ForceResult, Gains, calibrate_force

__all__ = [
    "Correction",
    "ForceModel",
    "ForceReadings",
    "ForceResult",
    "Gains",
    "Load",
    "PayloadModel",
    "PayloadReadings",
    "PayloadResult",
    "calibrate_force",
    "calibrate_payload",
]
