"""What can be wrong with a script."""

from __future__ import annotations

from station.errors import StationError


class ScriptError(StationError, ValueError):
    """A move that cannot be understood or done; says what is allowed."""
