"""Task files: MCAP, one message per sample, sealed; what was changed afterwards is not read.

channel `/task/path`       the driven joints, one message per sample
metadata `task`            the facts (JSON), its content hash, where the scene file was
attachment `scene.mad`     the text of the scene file
metadata `verified`        what the check said, if there was one: hash, settings, margins
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from station.json_reader import JsonError, parse_json
from station.tasks.recording.errors import RecordingError
from station.tasks.recording.reading import Recording
from station.tasks.recording.schema import Field, Kind, Schema
from station.tasks.recording.writing import Writer
from station.tasks.task.errors import TaskError, TaskFileError
from station.tasks.task.hashing import content_hash, facts_of, task_from, text_hash
from station.tasks.task.model import SCHEMA_VERSION, Task

PATH, FACTS, VERIFIED, SCENE = "/task/path", "task", "verified", "scene.mad"
KIND = "task"


class TaskFile(NamedTuple):
    """What was in a file."""

    task: Task
    hash: str  # of the content, as computed now
    verified: Mapping[str, str]  # what the last check noted; empty: none


def save(task: Task, path: str | Path, *, force: bool = False, verified: Mapping[str, str] | None = None) -> str:
    """Write a task; returns its content hash. Raises a TaskFileError."""
    digest = content_hash(task)
    try:
        with Writer(Path(path), force=force, kind=KIND) as file:
            values = {"facts": json.dumps(facts_of(task), ensure_ascii=False), "hash": digest}
            file.metadata(FACTS, {**values, "schema": str(task.schema), "scene_file": task.scene_file})
            if verified is not None:
                file.metadata(VERIFIED, verified)
            file.attachment(SCENE, task.scene_text.encode(), "text/plain")
            channel = file.channel(PATH, path_schema(len(task.joints)))
            rows: Any = np.zeros(len(task.q), [("time", "<f8"), ("q", "<f8", (len(task.joints),))])
            rows["time"], rows["q"] = task.period * np.arange(len(task.q)), task.q
            times = time.time_ns() + np.round(1e9 * rows["time"]).astype(np.int64)
            file.table(channel, times, rows)
    except (RecordingError, OSError) as error:
        raise TaskFileError(str(error)) from None
    return digest


def load(path: str | Path) -> TaskFile:
    """Read a task; raises a TaskFileError for a file that is cut short, changed, of another kind or version."""
    try:
        with Recording(Path(path)) as file:
            facts = file.metadata.get(FACTS)
            if file.kind != KIND or facts is None:
                raise TaskFileError(f"{path}: a recording of kind {file.kind or 'unknown'!r}, not a task")
            if facts.get("schema") != str(SCHEMA_VERSION):
                raise TaskFileError(
                    f"{path}: a task of schema version {facts.get('schema', 'unknown')}; this program knows "
                    f"{SCHEMA_VERSION}"
                )
            told = parse_json(facts["facts"], f"{path}: its facts")
            file.expect(PATH, path_schema(len(told["joints"])))
            rows = file.messages(PATH)
            scene = file.attachments[SCENE].decode()
            task = task_from(told, rows["q"], scene, facts.get("scene_file", ""))
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
