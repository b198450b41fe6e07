"""docs/collision.md says what is."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

from station.collision import CollisionSettings, Condition

ROOT = Path(__file__).parents[2]
MANUAL = (ROOT / "docs" / "collision.md").read_text(encoding="utf-8")


def test_the_example_runs(monkeypatch: Any) -> None:
    monkeypatch.chdir(ROOT)
    (example,) = re.findall(r"```python\n(.*?)```", MANUAL, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(example, "docs/collision.md", "exec"), names)
    assert names["free"].clear
    assert names["told"].condition == Condition.FINE


def test_the_table_of_settings_is_that_of_the_program() -> None:
    table = MANUAL.split("<!-- table CollisionSettings -->")[1].split("<!-- end -->")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()[2:]]
    expected = [
        [
            f"`{item.name}`",
            f"{item.default:g}",
            item.metadata["unit"],
            f"{item.metadata['lo']:g} to {item.metadata['hi']:g}",
            item.metadata["text"],
        ]
        for item in fields(CollisionSettings)
    ]
    assert rows == expected


def test_every_condition_is_explained() -> None:
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", MANUAL, re.MULTILINE)) == {flag.name for flag in Condition}
