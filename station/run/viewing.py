"""`station view` as the program offers it: the command of the view, which can also show tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from station.view.command import command_with

if TYPE_CHECKING:
    from station.view.task import ShownTask


def _read_task(path: Path, scene: Path | None) -> tuple[Path, ShownTask]:
    from station.run.task_view import read_task  # checks take a second to load: only with a task

    return read_task(path, scene)


view_command = command_with(_read_task)
