"""Haptic teleoperation station with hardware in the loop."""

from station.interrupts import end_quietly_while_loading

end_quietly_while_loading()  # before all that takes long to load

from station.bench import Bench, load, loads  # noqa: E402
from station.errors import MadError, MadFileError, StationError  # noqa: E402
from station.mad import Scene, dumps  # noqa: E402
from station.version import __version__  # noqa: E402

__all__ = ["Bench", "MadError", "MadFileError", "Scene", "StationError", "__version__", "dumps", "load", "loads"]
