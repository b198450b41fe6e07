"""Hashes: what a task is, as one number, so that a change after the check is noticed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from station.tasks.task.errors import TaskFileError
from station.tasks.task.model import Action, Device, Kind, LinkLoss, Mark, Reference, Segment, Task


def text_hash(text: str) -> str:
    """Of a scene file."""
    return hashlib.sha256(text.encode()).hexdigest()


def scene_text(path: str | Path) -> str:
    """The text of a scene file; raises a TaskFileError."""
    try:
        return Path(path).read_text(encoding="utf8")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or no name of a file
        raise TaskFileError(f"{path}: cannot be read: {error}") from None


def facts_of(task: Task) -> dict[str, Any]:
    """Everything about a task but its samples, its scene's text and where that was, as plain data."""
    reference = task.reference
    return {
        "schema": task.schema,
        "name": task.name,
        "robot": task.robot,
        "joints": list(task.joints),
        "frame": task.frame,
        "period": float(task.period),
        "samples": len(task.q),
        "segments": [_segment_facts(segment) for segment in task.segments],
        "marks": [[int(mark.sample), mark.name, mark.comment] for mark in task.marks],
        "scene_hash": task.scene_hash,
        "calibration": task.calibration,
        "reference": None if reference is None else [reference.name, reference.pose.ravel().tolist()],
        "device": [task.device.url, float(task.device.rate), float(task.device.longest_gap)],
    }


def _segment_facts(segment: Segment) -> dict[str, Any]:
    """A segment as plain data; 40 and 40.0 are the same force, and must be the same text."""
    action = segment.action
    return {
        "begin": int(segment.begin),
        "end": int(segment.end),
        "kind": segment.kind.value,
        "name": segment.name,
        "comment": segment.comment,
        "on_link_loss": segment.on_link_loss.value,
        "force": float(segment.force),
        "tube": float(segment.tube),
        "action": None if action is None else [action.word, float(action.value)],
    }


def content_hash(task: Task) -> str:
    """Of all that the task is; where the scene file lies does not matter, what is in it does."""
    digest = hashlib.sha256(json.dumps(facts_of(task), sort_keys=True, ensure_ascii=False).encode())
    digest.update(np.ascontiguousarray(task.q, dtype="<f8").tobytes())
    return digest.hexdigest()


def task_from(facts: dict[str, Any], q: Any, scene_text: str, scene_file: str) -> Task:
    """The task of plain data and samples; raises a LookupError, TypeError or ValueError where they make no sense."""
    reference = facts["reference"]
    return Task(
        name=str(facts["name"]),
        robot=str(facts["robot"]),
        joints=tuple(map(str, facts["joints"])),
        frame=int(facts["frame"]),
        period=float(facts["period"]),
        q=np.array(q, dtype=np.float64),
        segments=tuple(_segment(row) for row in facts["segments"]),
        marks=tuple(Mark(int(sample), str(name), str(comment)) for sample, name, comment in facts["marks"]),
        scene_hash=str(facts["scene_hash"]),
        scene_file=scene_file,
        scene_text=scene_text,
        calibration=str(facts["calibration"]),
        reference=None if reference is None else Reference(str(reference[0]), np.reshape(reference[1], (4, 4))),
        device=Device(str(facts["device"][0]), float(facts["device"][1]), float(facts["device"][2])),
        schema=int(facts["schema"]),
    )


def _segment(row: dict[str, Any]) -> Segment:
    action = row["action"]
    return Segment(
        int(row["begin"]),
        int(row["end"]),
        Kind(row["kind"]),
        str(row["name"]),
        str(row["comment"]),
        LinkLoss(row["on_link_loss"]),
        float(row["force"]),
        float(row["tube"]),
        None if action is None else Action(str(action[0]), float(action[1])),
    )
