"""What can go wrong with shared state, as one tree.

SharedStateError (StationError)
├── LayoutError (ValueError)          written by another version, or no shared state at all
├── NoServoError (ConnectionError)    no servo runs, or the one that did has ended
├── BusyError (BlockingIOError)       no room: too many clients, or commands that are not answered
└── CommandError (ValueError)         a command that makes no sense; found before it is sent
"""

from __future__ import annotations

from station.errors import StationError


class SharedStateError(StationError):
    """Anything about shared state."""


class LayoutError(SharedStateError, ValueError):
    """Written by another version, or no shared state at all."""


class NoServoError(SharedStateError, ConnectionError):
    """No servo runs, or the one that did has ended."""


class BusyError(SharedStateError, BlockingIOError):
    """No room: too many clients, or commands that are not answered."""


class CommandError(SharedStateError, ValueError):
    """A command that makes no sense."""
