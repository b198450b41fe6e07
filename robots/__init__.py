"""The robots that come with the station, one MAD file each, and scenes of several."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
SCENES = ("arm_on_gantry", "two_arms_bar")  # of several robots


def names() -> list[str]:
    """Names of all shipped robots, as `station check NAME` takes them."""
    return sorted(path.stem for path in FOLDER.glob("*.mad") if path.stem not in SCENES)


def scenes() -> list[str]:
    """Names of all shipped scenes of several robots, which are taken like those of robots."""
    return list(SCENES)


def path(name: str) -> Path:
    """The MAD file of a shipped robot or scene; it exists only for a name out of `names()` or `scenes()`."""
    return FOLDER / f"{name}.mad"
