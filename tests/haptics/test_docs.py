from __future__ import annotations

from pathlib import Path

from station.haptics.manual import CLASSES, refreshed

PAGE = Path(__file__).parents[2] / "docs" / "haptics.md"


def test_the_tables_of_the_page_are_those_of_the_settings() -> None:
    text = PAGE.read_text(encoding="utf8")
    assert refreshed(text) == text
    for settings in CLASSES:
        assert f"<!-- table {settings.__name__} -->" in text
