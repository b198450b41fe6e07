"""Scripts as they are given on a command line or in an address: the text itself, or `@FILE` with it."""

from __future__ import annotations

from pathlib import Path

from station.errors import StationError


class EmulatorError(StationError, ValueError):
    """An emulator that cannot be made as asked; one line that says what is allowed."""


def script_text(value: str) -> str:
    """The value itself, or the contents of the file after an @."""
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise EmulatorError(f"{value[1:]} cannot be read: {reason}; write @FILE, or the script itself") from None
