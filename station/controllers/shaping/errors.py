"""What can go wrong with shaping, outside the tick."""

from __future__ import annotations

from station.errors import StationError


class ShapingError(StationError, ValueError):
    """Limits or a posture that cannot be used; one line that says what is wrong and what is allowed."""
