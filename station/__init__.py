"""Haptic teleoperation station with hardware in the loop."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from station.interrupts import end_quietly_while_loading

if TYPE_CHECKING:
    from station.bench import Bench, load, loads
    from station.errors import MadError, MadFileError, StationError
    from station.mad import Scene, dumps
    from station.version import __version__

end_quietly_while_loading()  # before all that takes long to load

__all__ = ["Bench", "MadError", "MadFileError", "Scene", "StationError", "__version__", "dumps", "load", "loads"]

_MODULES = {
    "Bench": "bench",
    "load": "bench",
    "loads": "bench",
    "MadError": "errors",
    "MadFileError": "errors",
    "StationError": "errors",
    "Scene": "mad",
    "dumps": "mad",
    "__version__": "version",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for when it is asked for: each process of a run loads this package, and few need all of it."""
    if name in _MODULES.values():
        return import_module(f"station.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'station' has no attribute '{name}'")
    return getattr(import_module(f"station.{_MODULES[name]}"), name)
