"""The page on recordings is made from what the program writes, and its examples run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from station.tasks.recording.manual import refreshed

PAGE = (Path(__file__).parents[3] / "docs" / "recording.md").read_text(encoding="utf8")


def test_tables_are_fresh() -> None:
    assert refreshed(PAGE) == PAGE, "run: python -m station.tasks.recording.manual docs/recording.md"


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_the_examples_run(
    code: str, run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(run.parent)
    assert os.path.exists("run.mcap")  # noqa: PTH110
    exec(code, {})
    assert capsys.readouterr().out.count("\n") >= 4


def test_schema_lines_of_the_page_are_those_of_the_program() -> None:
    from station.tasks.recording.channels import schemas

    lines = re.findall(r"^    ((?:float64|int64)\S* .*)$", PAGE, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        assert line in schemas(6)["/hand"].text
