"""Scripts of a hand."""

from __future__ import annotations

from typing import Literal

from station.errors import StationError


class ScriptError(StationError, ValueError):
    """A move that cannot be understood; says what is allowed."""


def default_script(device: Literal["syntaxer", "falcon"] = "syntaxer") -> str:
    """Hold the dead-man, reach, circle, push, let the dead-man go."""
    del device
    return "hold 0.5"
