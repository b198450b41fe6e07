"""Tables of docs/haptics.md, from the settings: `python -m station.haptics.manual`."""

from __future__ import annotations

from pathlib import Path

from station.devices.mapping.manual import MARKED, table
from station.haptics.guides import AxisGuide, ConeGuide, Guide, LineGuide, PointGuide, Zone
from station.haptics.settings import (
    Body,
    Compensation,
    Contact,
    Coupling,
    Cues,
    HapticSettings,
    Limits,
    Obstacles,
    Singularity,
    Stability,
    Stops,
)

CLASSES = (
    HapticSettings,
    Coupling,
    Stops,
    Singularity,
    Obstacles,
    Contact,
    Compensation,
    Cues,
    Body,
    Stability,
    Limits,
    Guide,
    PointGuide,
    LineGuide,
    AxisGuide,
    ConeGuide,
    Zone,
)


def refreshed(text: str) -> str:
    """The page with all its tables made anew."""
    tables = {settings.__name__: table(settings) for settings in CLASSES}
    return MARKED.sub(lambda found: found[1] + tables[found[2]] + found[3], text)


def main(page: Path) -> None:
    """Refresh the page."""
    page.write_text(refreshed(page.read_text(encoding="utf8")), encoding="utf8")


if __name__ == "__main__":
    main(Path(__file__).parents[2] / "docs" / "haptics.md")
