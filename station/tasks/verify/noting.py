"""What a check leaves in the task's file, and what execution reads there."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from station.devices.parameter import SettingsError
from station.json_reader import parse_json
from station.tasks.task import TaskFile, TaskFileError, save_together
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


def together_hash(files: Sequence[TaskFile]) -> str:
    """Of all that several robots do at the same time."""
    return hashlib.sha256("".join(file.hash for file in files).encode()).hexdigest()


def write_note(path: str | Path, file: TaskFile, verdict: Verdict, settings: VerifySettings) -> None:
    """Put the outcome of a check into the file of the task: written anew beside it, then put in its place."""
    write_notes(path, [file], [verdict], [settings])


def write_notes(
    path: str | Path, files: Sequence[TaskFile], verdicts: Sequence[Verdict], settings: Sequence[VerifySettings]
) -> None:
    """The same of a task of several robots: it has passed if all have."""
    notes = [note_of(verdict, one) for verdict, one in zip(verdicts, settings, strict=True)]
    if len(files) > 1:
        passed = "yes" if all(verdict.passed for verdict in verdicts) else "no"
        notes = [{**note, "passed": passed, "together": together_hash(files)} for note in notes]
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        save_together([file.task for file in files], beside, force=True, verified=notes)
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
