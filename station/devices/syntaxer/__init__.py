"""The syntaxer: mathematics of the haptic device, for its driver, its emulator and its calibration.

geometry.py     every dimension, with unit and source; refused in one line if it cannot be; as named numbers and back
state.py        records that kernels take: the parts of a geometry, and the place where the device is
translation.py  the stage of arms and bars
rotation.py     the stage of strings (PARAMAT)
tick.py         one call per tick each way: counts → pose, wrench → currents
model.py        `SyntaxerModel`, and what the device can do, from the worst place
figures.py      published figures against the model, and a picture of its forces
"""

from station.devices.syntaxer.geometry import (
    Chain,
    Cylinder,
    GeometryError,
    Motor,
    Paramat,
    Stops,
    Strut,
    Syntaxer,
    geometry_from,
    numbers_of,
)
from station.devices.syntaxer.model import Currents, Jacobians, Joints, SyntaxerModel
from station.devices.syntaxer.state import PlaceStatus

__all__ = [
    "Chain",
    "Currents",
    "Cylinder",
    "GeometryError",
    "Jacobians",
    "Joints",
    "Motor",
    "Paramat",
    "PlaceStatus",
    "Stops",
    "Strut",
    "Syntaxer",
    "SyntaxerModel",
    "geometry_from",
    "numbers_of",
]
