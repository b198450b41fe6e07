"""Haptic teleoperation station with hardware in the loop."""

from station.bench import Bench, load, loads
from station.errors import MadError, MadFileError, StationError
from station.mad import Scene, dumps
from station.version import __version__

__all__ = ["Bench", "MadError", "MadFileError", "Scene", "StationError", "__version__", "dumps", "load", "loads"]
