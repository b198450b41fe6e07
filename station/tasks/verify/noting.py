"""What a check leaves in the task's file, and what execution reads there."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from pathlib import Path

from station.devices.parameter import SettingsError
from station.json_reader import parse_json
from station.tasks.task import TaskFile, TaskFileError, save
from station.tasks.verify.results import Verdict
from station.tasks.verify.settings import VerifySettings


def note_of(verdict: Verdict, settings: VerifySettings) -> dict[str, str]:
    """For the file."""
    return {
        "hash": verdict.hash,
        "passed": "yes" if verdict.passed else "no",
        "settings": json.dumps(dataclasses.asdict(settings)),
        "margins": json.dumps([margin.data for margin in verdict.margins], ensure_ascii=False),
    }


def write_note(path: str | Path, file: TaskFile, verdict: Verdict, settings: VerifySettings) -> None:
    """Put the outcome of a check into the file of the task: written anew beside it, then put in its place."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        save(file.task, beside, force=True, verified=note_of(verdict, settings))
        beside.replace(target)
    except OSError as error:
        raise TaskFileError(f"{target}: the outcome cannot be noted: {error}") from None
    finally:
        beside.unlink(missing_ok=True)


def settings_in(note: Mapping[str, str]) -> VerifySettings:
    """With what a task was verified; raises a TaskFileError."""
    try:
        return VerifySettings(**parse_json(note["settings"], "a note"))
    except (KeyError, TypeError, ValueError, SettingsError):
        raise TaskFileError("the note of the check makes no sense; verify the task again") from None
