"""Task files: MCAP, one message per sample, sealed; what was changed afterwards is not read.

channel `/task/path`       the driven joints, one message per sample
metadata `task`            the facts (JSON), its content hash, where the scene file was
attachment `scene.mad`     the text of the scene file
metadata `verified`        what the check said, if there was one: hash, settings, margins

A task of several robots has the same of each further one under the robot's name (`/right/task/path`, `right/task`,
`right/verified`), and their names in the metadata `parts`. Its schema version is another one, so that older releases
refuse it: they would move the first robot alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from station.json_reader import JsonError, parse_json
from station.tasks.recording.errors import RecordingError
from station.tasks.recording.parts import METADATA as PARTS
from station.tasks.recording.parts import places_of, told
from station.tasks.recording.reading import Recording
from station.tasks.recording.schema import Field, Kind, Schema
from station.tasks.recording.writing import Writer
from station.tasks.task.errors import TaskError, TaskFileError
from station.tasks.task.hashing import content_hash, facts_of, task_from, text_hash
from station.tasks.task.model import SCHEMA_VERSION, Task

PATH, FACTS, VERIFIED, SCENE = "/task/path", "task", "verified", "scene.mad"
KIND = "task"
OF_SEVERAL = "2"  # schema version of the file of a task of several robots


class TaskFile(NamedTuple):
    """What was in a file."""

    task: Task
    hash: str  # of the content, as computed now
    verified: Mapping[str, str]  # what the last check noted; empty: none


def save(task: Task, path: str | Path, *, overwrite: bool = False, verified: Mapping[str, str] | None = None) -> str:
    """Write a task; returns its content hash. Raises a TaskFileError."""
    return save_together([task], path, overwrite=overwrite, verified=None if verified is None else [verified])[0]


def save_together(
    tasks: Sequence[Task],
    path: str | Path,
    *,
    overwrite: bool = False,
    verified: Sequence[Mapping[str, str]] | None = None,
) -> list[str]:
    """Write what several robots do at the same time; returns the content hash of each. Raises a TaskError."""
    check_together(tasks)
    digests, begin = [content_hash(task) for task in tasks], time.time_ns()
    schema = OF_SEVERAL if len(tasks) > 1 else str(tasks[0].schema)
    try:
        with Writer(Path(path), overwrite=overwrite, kind=KIND) as file:
            places = places_of([task.robot for task in tasks])
            if len(places) > 1:
                file.metadata(PARTS, told(places))
            for number, (task, place) in enumerate(zip(tasks, places, strict=True)):
                values = {"facts": json.dumps(facts_of(task), ensure_ascii=False), "hash": digests[number]}
                about = {**values, "schema": schema, "scene_file": task.scene_file}
                file.metadata(place.metadata(FACTS), about)
                if verified is not None:
                    file.metadata(place.metadata(VERIFIED), verified[number])
                if not number:
                    file.attachment(SCENE, task.scene_text.encode(), "text/plain")
                channel = file.channel(place.channel(PATH), path_schema(len(task.joints)))
                rows: Any = np.zeros(len(task.q), [("time", "<f8"), ("q", "<f8", (len(task.joints),))])
                rows["time"], rows["q"] = task.period * np.arange(len(task.q)), task.q
                file.table(channel, begin + np.round(1e9 * rows["time"]).astype(np.int64), rows)
    except (RecordingError, OSError) as error:
        raise TaskFileError(str(error)) from None
    return digests


def load(path: str | Path) -> TaskFile:
    """Read a task; raises a TaskFileError for a file that is cut short, changed, of another kind or version.

    One of several robots is refused, too: who knows of one only would leave the others out.
    """
    files = load_together(path)
    if len(files) > 1:
        names = ", ".join(file.task.robot for file in files)
        raise TaskFileError(
            f"{path}: a task of several robots ({names}); only show, join, verify and execute know several"
        )
    return files[0]


def load_together(path: str | Path) -> tuple[TaskFile, ...]:
    """The same of a task of one or several robots."""
    try:
        with Recording(Path(path)) as file:
            if file.kind != KIND or FACTS not in file.metadata:
                raise TaskFileError(f"{path}: a recording of kind {file.kind or 'unknown'!r}, not a task")
            parts = [file.part(name) for name in file.parts] or [file]
            files = tuple(_loaded(part, path, len(parts) > 1) for part in parts)
    except TaskError as error:
        raise error if isinstance(error, TaskFileError) else TaskFileError(f"{path}: {error}") from None
    except RecordingError as error:
        raise TaskFileError(str(error)) from None
    try:
        check_together([file.task for file in files])
    except TaskError as error:
        raise TaskFileError(f"{path}: {error}") from None
    return files


def _loaded(file: Recording, path: str | Path, several: bool) -> TaskFile:
    """What a file has of one robot."""
    known = OF_SEVERAL if several else str(SCHEMA_VERSION)
    try:
        facts = file.metadata[FACTS]
        if facts.get("schema") != known:
            raise TaskFileError(
                f"{path}: a task of schema version {facts.get('schema', 'unknown')}; this program knows {known}"
            )
        about = parse_json(facts["facts"], f"{path}: its facts")
        file.expect(PATH, path_schema(len(about["joints"])))
        rows = file.messages(PATH)
        task = task_from(about, rows["q"], file.attachments[SCENE].decode(), facts.get("scene_file", ""))
        verified = dict(file.metadata.get(VERIFIED, {}))
        claimed = facts["hash"]
        digest = content_hash(task)
    except TaskError as error:
        raise error if isinstance(error, TaskFileError) else TaskFileError(f"{path}: {error}") from None
    except (RecordingError, JsonError) as error:
        raise TaskFileError(str(error)) from None
    except (LookupError, TypeError, ValueError) as error:
        raise TaskFileError(f"{path}: not a task that makes sense ({type(error).__name__}: {error})") from None
    if digest != claimed or text_hash(task.scene_text) != task.scene_hash:
        raise TaskFileError(f"{path}: changed after it was written: its content does not fit its hash")
    return TaskFile(task, digest, verified)


def check_together(tasks: Sequence[Task]) -> None:
    """Raise a TaskError unless these are tasks of different robots of one scene, with the same samples in time."""
    first = tasks[0]
    robots = [task.robot for task in tasks]
    for task in tasks[1:]:
        if robots.count(task.robot) > 1:
            raise TaskError(f"task {first.name}: robot {task.robot} is in it twice")
        if (task.period, len(task.q)) != (first.period, len(first.q)):
            raise TaskError(
                f"task {first.name}: {task.robot} has {len(task.q)} samples of {task.period:g} s, {first.robot} "
                f"{len(first.q)} of {first.period:g} s; allowed: the same, as they move at the same time"
            )
        if (task.scene_hash, task.calibration) != (first.scene_hash, first.calibration):
            raise TaskError(
                f"task {first.name}: {task.robot} and {first.robot} are of different scenes or calibrations"
            )


def path_schema(joints: int) -> Schema:
    """One sample of a path."""
    return Schema(
        "TaskSample",
        (
            Field("time", Kind.REAL, (), "s", "since the task began"),
            Field("q", Kind.REAL, (joints,), "rad or m", "driven joints, in the order of the task"),
        ),
        SCHEMA_VERSION,
        "a sample of a task's path",
    )
