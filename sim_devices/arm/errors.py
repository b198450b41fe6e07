"""What can go wrong when an emulated arm is made. Once it lives, it reports by its state and never raises."""

from __future__ import annotations

from station.errors import StationError


class ArmError(StationError, ValueError):
    """An arm, a network or a load that cannot be made as asked; one line that says what is allowed."""
