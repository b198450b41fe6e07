"""docs/calibration.md: its Python runs, its pictures are there, its commands and options exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from calibration.command import calibrate_command

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "calibration.md").read_text(encoding="utf-8")


def test_the_example_runs() -> None:
    (text,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(text, "docs/calibration.md", "exec"), names)
    assert names["found"].after.rms < 1e-9


def test_pictures_are_there() -> None:
    for name in re.findall(r"\]\((pictures/[^)]+)\)", PAGE):
        assert (DOCS / name).is_file(), name


@pytest.mark.parametrize("command", sorted(set(re.findall(r"station calibrate ([a-z-]+)", PAGE))))
def test_commands_exist(command: str) -> None:
    assert command in calibrate_command.commands


def test_options_exist() -> None:
    known = {
        option
        for command in calibrate_command.commands.values()
        for parameter in command.params
        for option in parameter.opts
    }
    told = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", PAGE)) - {"--settings", "--seed", "--tracker", "--picture"}
    assert told <= known
