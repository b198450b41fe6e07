"""Table of docs/bilateral.md, from the settings: `python -m station.bilateral.manual`."""

from __future__ import annotations

from pathlib import Path

from station.bilateral.settings import BilateralSettings
from station.devices.mapping.manual import MARKED, table


def refreshed(text: str) -> str:
    """The page with its table made anew."""
    return MARKED.sub(lambda found: found[1] + table(BilateralSettings) + found[3], text)


def main(page: Path) -> None:
    """Refresh the page."""
    page.write_text(refreshed(page.read_text(encoding="utf8")), encoding="utf8")


if __name__ == "__main__":
    main(Path(__file__).parents[2] / "docs" / "bilateral.md")
