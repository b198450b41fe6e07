"""The robots that come with the station, one MAD file each."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Names of all shipped robots, as `station check NAME` takes them."""
    return sorted(path.stem for path in FOLDER.glob("*.mad"))


def path(name: str) -> Path:
    """The MAD file of a shipped robot; it exists only for a name out of `names()`."""
    return FOLDER / f"{name}.mad"
