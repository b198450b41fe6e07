"""The syntaxer: mathematics of the haptic device, for its driver, its emulator and its calibration."""

from station.devices.syntaxer.geometry import Chain, Cylinder, GeometryError, Motor, Paramat, Stops, Strut, Syntaxer
from station.devices.syntaxer.model import SyntaxerModel
from station.devices.syntaxer.numbers import geometry_from, numbers_of
from station.devices.syntaxer.results import Currents, Jacobians, Joints, PlaceStatus

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
