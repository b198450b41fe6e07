"""What a check leaves in the task's file, and what execution reads there."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from station.devices.parameter import SettingsError
from station.json_reader import parse_json
from station.tasks.task import TaskFile, TaskFileError, save_together
from station.tasks.verify.between import together_hash
from station.tasks.verify.results import Verdict
from station.tasks.verify.settings import VerifySettings

BETWEEN = "between"  # of a note: for what the robots of the scene were checked with each other


def note_of(verdict: Verdict, settings: VerifySettings) -> dict[str, str]:
    """For the file."""
    return {
        "hash": verdict.hash,
        "passed": "yes" if verdict.passed else "no",
        "settings": json.dumps(dataclasses.asdict(settings)),
        "margins": json.dumps([margin.data for margin in verdict.margins], ensure_ascii=False),
    }


def write_note(
    path: str | Path, file: TaskFile, verdict: Verdict, settings: VerifySettings, between: Verdict | None = None
) -> None:
    """Put the outcome of a check into the file of the task: written anew beside it, then put in its place."""
    write_notes(path, [file], [verdict], [settings], between)


def write_notes(
    path: str | Path,
    files: Sequence[TaskFile],
    verdicts: Sequence[Verdict],
    settings: Sequence[VerifySettings],
    between: Verdict | None = None,
) -> None:
    """The same of a task of several robots: it has passed if all have, and what is `between` them.

    Where a scene has several robots, only what was checked between them is executed.
    """
    notes = [note_of(verdict, one) for verdict, one in zip(verdicts, settings, strict=True)]
    whole = verdicts if between is None else (*verdicts, between)
    passed = "yes" if all(verdict.passed for verdict in whole) else "no"
    notes = [{**note, "passed": passed} for note in notes]
    if len(files) > 1:
        notes = [{**note, "together": together_hash([file.hash for file in files])} for note in notes]
    if between is not None:
        margins = json.dumps([margin.data for margin in between.margins], ensure_ascii=False)
        notes = [{**note, BETWEEN: between.hash, "between margins": margins} for note in notes]
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        save_together([file.task for file in files], beside, overwrite=True, verified=notes)
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
