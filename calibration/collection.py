"""Collect: observations go to disk one by one, so that an interrupted collection goes on where it stopped.

A collection is a text file: a first line that says what it is of, how it is measured and which poses may be asked for,
then one line per observation. A last line that was cut off by a crash is left out; everything before it counts.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from calibration.errors import DataError, PoseError, ResultFileError, WrongDeviceError
from calibration.results import Subject, plain
from station.errors import StationError
from station.json_reader import JsonError, parse_json

Tell = Callable[[str], object]
MOST_IN_A_ROW = 20  # poses left out, before it must be something else than the poses
SHORT = 40  # letters of a fact that people are shown


class Observation(NamedTuple):
    """One observation: the number of its pose in the plan, and what was measured."""

    pose: int
    values: dict[str, Any]


class Collection:
    """A file of observations that grows."""

    def __init__(
        self, path: str | Path, subject: Subject, plan: list[list[float]], facts: dict[str, Any] | None = None
    ) -> None:
        """Begin a collection, or go on with one that is there.

        Args:
            path: the file.
            subject: what is measured.
            plan: joint values of each pose [rad | m]; a collection that is there must have the same.
            facts: how it is measured, by which arm and instrument; a collection that is there must have the same.
        """
        self.path, self.plan = Path(path), plan
        self.observations: list[Observation] = []
        head = {"collection": 1, "subject": asdict(subject)}
        self._head = plain({**head, **({"facts": facts} if facts else {}), "plan": plan})
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
        head, observations, whole = _read(self.path)
        found = Subject.of(head["subject"])
        if (found.kind, found.id) != (subject.kind, subject.id):
            raise WrongDeviceError(f"{self.path}: was begun with {found}, not with {subject}; give another name")
        if not _same(head["plan"], self._head["plan"]):
            raise ResultFileError(f"{self.path}: was begun with another plan of poses; give another name")
        then, now = head["facts"], self._head.get("facts", {})
        for name in sorted({*then, *now}):
            if then.get(name) != now.get(name):
                told = f"{name} {_shown(then.get(name))}, not with {_shown(now.get(name))}"
                raise WrongDeviceError(f"{self.path}: was begun with {told}; give another name")
        if whole < self.path.stat().st_size:
            with self.path.open("r+b") as file:
                file.truncate(whole)
        self.observations = observations


class Held(NamedTuple):
    """What a collection on disk holds."""

    subject: Subject
    facts: dict[str, Any]
    observations: list[Observation]


def read_collection(path: str | Path) -> Held:
    """A collection, whatever it is of."""
    try:
        head, observations, _ = _read(Path(path))
        return Held(Subject.of(head["subject"]), head["facts"], observations)
    except OSError as error:
        if isinstance(error, ResultFileError):
            raise
        raise ResultFileError(f"{path}: cannot be read: {error.strerror or error}") from None


def _read(path: Path) -> tuple[dict[str, Any], list[Observation], int]:
    """First line, observations, and how many bytes hold whole lines."""
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    try:
        lines = [parse_json(line, str(path), line=number) for number, line in enumerate(whole.splitlines(), 1)]
        head = {"facts": {}, **lines[0]}
        Subject.of(head["subject"])
        if not isinstance(head["plan"], list) or not isinstance(head["facts"], dict):
            raise TypeError
        observations = [Observation(int(line["pose"]), dict(line["values"])) for line in lines[1:]]
    except JsonError as error:
        raise ResultFileError(f"{error}; not a collection, or damaged; give another name") from None
    except (ValueError, KeyError, TypeError, IndexError):
        raise ResultFileError(f"{path}: not a collection, or damaged; give another name") from None
    return head, observations, len(whole)


def _shown(fact: Any) -> str:
    """A fact for a person: long ones are cut, those that are not there are said to be missing."""
    text = "none" if fact is None else repr(fact)
    return text if len(text) <= SHORT else f"{text[: SHORT - 2]} …"


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return isinstance(a, int | float) and isinstance(b, int | float) and math.isclose(a, b, rel_tol=0.0, abs_tol=1e-12)


def collect(
    collection: Collection,
    measure: Callable[[int, list[float]], dict[str, Any]],
    tell: Tell,
    *,
    wanted: int | None = None,
    choose: Callable[[Collection, set[int]], int | None] | None = None,
) -> None:
    """Measure poses that are missing; whatever `measure` raises ends it, and what was measured stays.

    Args:
        collection: where observations go.
        measure: gets the number of a pose and its joint values; a `PoseError` leaves that pose out and goes on.
        tell: progress.
        wanted: how many observations; all poses of the plan if None.
        choose: which pose is next, given what was measured and which ones were left out; in order of the plan if None.
    """
    count = len(collection.plan) if wanted is None else wanted
    try:
        _measure_missing(collection, measure, tell, count, choose or next_missing)
    except (StationError, KeyboardInterrupt):  # wherever it comes: choosing the next pose takes time, too
        tell(f"{len(collection.observations)} of {count} are in {collection.path}; the same command goes on")
        raise


def _measure_missing(
    collection: Collection,
    measure: Callable[[int, list[float]], dict[str, Any]],
    tell: Tell,
    count: int,
    choose: Callable[[Collection, set[int]], int | None],
) -> None:
    left_out: set[int] = set()
    in_a_row = 0
    while len(collection.observations) < count:
        pose = choose(collection, left_out)
        if pose is None:
            tell(f"no pose is left; {len(collection.observations)} of {count} were measured")
            return
        tell(f"pose {len(collection.observations) + 1} of {count}")
        try:
            values = measure(pose, collection.plan[pose])
        except PoseError as error:
            left_out.add(pose)
            in_a_row += 1
            tell(f"left out: {error}")
            if in_a_row == MOST_IN_A_ROW:
                raise DataError(f"{in_a_row} poses in a row could not be measured, the last: {error}") from None
            continue
        in_a_row = 0
        collection.add(pose, values)


def next_missing(collection: Collection, left_out: set[int]) -> int | None:
    """The first pose of the plan that was neither measured nor left out."""
    return next((pose for pose in collection.missing if pose not in left_out), None)
