"""Collect: observations go to disk one by one, so that an interrupted collection goes on where it stopped.

A collection is a text file: a first line that says what it is of and how many poses are planned, then one line per
observation. A last line that was cut off by a crash is left out; everything before it counts.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from calibration.errors import ResultFileError, WrongDeviceError
from calibration.results import Subject, plain

Tell = Callable[[str], object]


class Observation(NamedTuple):
    """One observation: the number of its pose in the plan, and what was measured."""

    pose: int
    values: dict[str, Any]


class Collection:
    """A file of observations that grows."""

    def __init__(self, path: str | Path, subject: Subject, plan: list[list[float]]) -> None:
        """Begin a collection, or go on with one that is there.

        Args:
            path: the file.
            subject: what is measured.
            plan: joint values of each pose [rad | m]; a collection that is there must have the same.
        """
        self.path, self.plan = Path(path), plan
        self.observations: list[Observation] = []
        head = {"collection": 1, "subject": asdict(subject)}
        self._head = plain({**head, "plan": plan})
        try:
            if self.path.exists():
                self._go_on(subject)
            else:
                self._append(self._head)
        except OSError as error:
            if isinstance(error, ResultFileError):
                raise
            raise ResultFileError(f"{self.path}: cannot be used: {error.strerror or error}") from None

    @property
    def missing(self) -> list[int]:
        """Numbers of the poses that are still to be measured."""
        done = {one.pose for one in self.observations}
        return [number for number in range(len(self.plan)) if number not in done]

    def add(self, pose: int, values: dict[str, Any]) -> None:
        """Write an observation down; it is on the disk when this returns."""
        made = Observation(pose, plain(values))
        self._append({"pose": pose, "values": made.values})
        self.observations.append(made)

    def _append(self, line: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf8") as file:
            file.write(json.dumps(line, allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _go_on(self, subject: Subject) -> None:
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        try:
            lines = [json.loads(line) for line in whole.decode("utf8").splitlines()]
            head = lines[0]
            found = Subject(**head["subject"])
            plan = head["plan"]
            observations = [Observation(int(line["pose"]), dict(line["values"])) for line in lines[1:]]
        except (ValueError, KeyError, TypeError, IndexError):
            raise ResultFileError(f"{self.path}: not a collection, or damaged; give another name") from None
        if (found.kind, found.id) != (subject.kind, subject.id):
            raise WrongDeviceError(f"{self.path}: was begun with {found}, not with {subject}; give another name")
        if not _same(plan, self._head["plan"]):
            raise ResultFileError(f"{self.path}: was begun with another plan of poses; give another name")
        if len(whole) < len(data):
            with self.path.open("r+b") as file:
                file.truncate(len(whole))
        self.observations = observations


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return isinstance(a, int | float) and isinstance(b, int | float) and math.isclose(a, b, rel_tol=0.0, abs_tol=1e-12)


def collect(collection: Collection, measure: Callable[[int, list[float]], dict[str, Any]], tell: Tell) -> None:
    """Measure every pose that is missing; whatever `measure` raises ends it, and what was measured stays."""
    count = len(collection.plan)
    for pose in collection.missing:
        tell(f"pose {count - len(collection.missing) + 1} of {count}")
        collection.add(pose, measure(pose, collection.plan[pose]))
