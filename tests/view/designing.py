"""Designs to try things with."""

from __future__ import annotations

import shutil
from pathlib import Path

import robots
import station
from station.view.design.model import Design
from station.view.design.rewriting import with_numbers


def delta_file(folder: Path) -> Path:
    """A copy of the delta robot."""
    copy = folder / "delta.mad"
    shutil.copy(robots.path("delta"), copy)
    copy.chmod(0o640)
    return copy


def design_of(path: Path) -> Design:
    return Design(station.load(path))


def longer(design: Design, part: int = 2, by: float = 0.002, gesture: str | None = None) -> bool:
    """An edit that changes the geometry."""
    name = design.bench.robots[0].name
    link = design.link(name, part)
    assert link is not None
    value = link.parameters.d + by
    return design.edit(lambda source: with_numbers(source, name, part, "parameters", {"d": value}), "d", gesture)
