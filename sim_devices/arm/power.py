"""What holds an arm."""

from __future__ import annotations

from enum import IntEnum


class Power(IntEnum):
    """Who holds the joints."""

    RELEASED = 0  # nobody: the arm sinks
    BRAKES = 1
    DRIVES = 2
