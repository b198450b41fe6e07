"""Haptic teleoperation station with hardware in the loop."""

from station.errors import MadError, MadFileError, StationError
from station.mad import Scene, dumps, load, loads
from station.version import __version__

__all__ = ["MadError", "MadFileError", "Scene", "StationError", "__version__", "dumps", "load", "loads"]
