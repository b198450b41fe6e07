"""Names of shipped robots where a file is asked for."""

from __future__ import annotations

from pathlib import Path

import robots
from station.errors import MadFileError, Problem


def scene_path(name: str) -> Path:
    """The file of that name or, where there is none, of the shipped robot of that name; raises a MadFileError."""
    path, shipped = Path(name), [*robots.names(), *robots.scenes()]
    if not path.exists() and name in shipped:
        return robots.path(name)
    if not path.exists() and not path.suffix:
        known = ", ".join(shipped)
        raise MadFileError([Problem(name, 0, 0, f"there is no such file, and no shipped robot of that name: {known}")])
    return path
