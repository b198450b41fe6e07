"""The page on links with delay is made from the settings, and its example runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.delayed_wall import Cell, ranges, stable_text, tables
from benchmarks.delayed_wall_plot import draw
from benchmarks.delayed_wall_probe import Probe
from station.bilateral.manual import refreshed

PAGE = (Path(__file__).parents[2] / "docs" / "bilateral.md").read_text(encoding="utf8")


def test_the_table_is_fresh() -> None:
    assert refreshed(PAGE) == PAGE, "run: python -m station.bilateral.manual"


def test_the_example_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    assert getattr(names["hand"], "round_trip") == pytest.approx(0.04)  # noqa: B009 of any object


def test_tables_and_plot_are_made_of_any_cells(tmp_path: Path) -> None:
    good = Probe(1e-4, 2e-4, True, 900.0, 1900.0, 0.1, 0.002, 0.0)
    cells = [Cell("waves, P-F", 0.0, 0.0, good), Cell("waves, P-F", 0.1, 51_200.0, good._replace(generated=1.0))]
    text = "\n".join([*tables(cells), *ranges(cells)])
    assert "| waves, P-F | < 100 | > 51200 |" in text
    assert "| waves, P-F | 45, 95 | – |" in text
    assert "generated 0.10 to 1000.00 mJ" in text
    assert stable_text(640.0) == "640"
    draw(cells, tmp_path / "plot.svg")
    assert "100" in (tmp_path / "plot.svg").read_text(encoding="utf8")
