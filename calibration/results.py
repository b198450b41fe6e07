"""Write and apply: one file per calibrated thing, bound to it, in which earlier results are kept.

The file is JSON. `subject` says what the results belong to: a device by its serial number, or a robot by the content of
its MAD file. The newest result comes first. A file is replaced whole or not at all, by one writer at a time, and
nobody's result is lost.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from calibration.errors import ResultFileError, WrongDeviceError
from calibration.replacing import alone, replace_whole
from station.applied import Applied
from station.json_reader import JsonError, read_json
from station.mad.scene import Calibrated

SCHEMA = 1
KINDS = {"device": "serial number", "mad": "MAD file", "piece": "work-piece file"}  # and what their ids are of


@dataclass(frozen=True)
class Subject:
    """What a result belongs to."""

    kind: str  # one of KINDS
    id: str  # serial number, or SHA-256 of the file's text
    name: str = ""  # for people

    def __str__(self) -> str:
        return f"{self.words} {self.id[:16]}" + (f" ({self.name})" if self.name else "")

    @property
    def words(self) -> str:
        """What its id is."""
        return KINDS.get(self.kind, self.kind)

    @classmethod
    def of(cls, told: Any) -> Subject:
        """As a file tells it; a TypeError if that is no subject."""
        if not isinstance(told, dict) or not all(isinstance(value, str) for value in told.values()):
            raise TypeError
        return cls(**told)

    @classmethod
    def device(cls, serial_number: str, name: str = "") -> Subject:
        """A device; it needs a serial number, else results of others could not be told from its own."""
        if not serial_number.strip():
            raise WrongDeviceError("this device tells no serial number; a result cannot be bound to it")
        return cls("device", serial_number.strip(), name)

    @classmethod
    def mad(cls, text: str, name: str = "") -> Subject:
        """A robot, by the text of its MAD file."""
        return cls("mad", hashlib.sha256(text.encode()).hexdigest(), name)

    @classmethod
    def piece(cls, text: str, name: str = "") -> Subject:
        """A work-piece, by the text of the file that describes it."""
        return cls("piece", hashlib.sha256(text.encode()).hexdigest(), name)


@dataclass(frozen=True, kw_only=True)
class Result:
    """One calibration."""

    method: str  # such as "robot geometry"
    subject: Subject
    values: dict[str, Any]  # what was found, SI units
    data_hash: str  # of the measurements
    date: str = field(default_factory=lambda: datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))

    @property
    def id(self) -> str:
        """Short name of this result, by all that is in it."""
        text = json.dumps(plain(asdict(self)), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def applied(self, part: str, path: str | Path) -> Applied:
        """This result, taken from a file, as one that is in use for a part of the bench."""
        subject = f"{self.subject.words} {self.subject.id}"
        return Applied(part, self.id, self.method, str(path), subject, self.date, self.data_hash)

    def noted(self, path: str | Path, nominal: str | None = None, serial: str | None = None) -> Calibrated:
        """The same for a MAD file into which its numbers are written; `nominal`: hash of what was corrected."""
        return Calibrated(
            result=self.id,
            nominal=nominal,
            serial=serial or None,
            method=self.method,
            file=Path(path).name or None,
            date=self.date,
            data=self.data_hash,
        )


def plain(value: Any) -> Any:
    """As JSON can hold it; numbers that are not finite become text."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def write_result(path: str | Path, result: Result) -> None:
    """Put a result first in its file; a WrongDeviceError if the file belongs to something else."""
    path = Path(path)
    with alone(path):
        _put_first(path, result)


def _put_first(path: Path, result: Result) -> None:
    earlier = () if not path.exists() else _read(path)
    if earlier:
        _check(path, earlier[0].subject, result.subject)
    entries = [{"id": one.id, **plain(asdict(one))} for one in (result, *earlier)]
    text = json.dumps({"schema": SCHEMA, "results": entries}, indent=1, ensure_ascii=False, allow_nan=False)
    replace_whole(path, text)


def load_result(path: str | Path, subject: Subject, method: str | None = None) -> Result:
    """The newest result for a subject; a WrongDeviceError if the file belongs to another one."""
    for result in load_results(path, subject):
        if method is None or result.method == method:
            return result
    raise ResultFileError(f"{path}: holds no result of {method or 'any calibration'}")


def load_results(path: str | Path, subject: Subject) -> tuple[Result, ...]:
    """All results for a subject, newest first."""
    results = _read(Path(path))
    for result in results:
        _check(path, result.subject, subject)
    return results


def read_results(path: str | Path) -> tuple[Result, ...]:
    """All results of a file, newest first, to be looked at: whoever applies one names what it must belong to."""
    return _read(Path(path))


def _check(path: str | Path, found: Subject, wanted: Subject) -> None:
    if (found.kind, found.id) != (wanted.kind, wanted.id):
        raise WrongDeviceError(f"{path}: belongs to {found}, not to {wanted}; it is not applied")


def _read(path: Path) -> tuple[Result, ...]:
    try:
        held = read_json(path)
    except OSError as error:
        raise ResultFileError(f"{path}: cannot be read: {error.strerror or error}") from None
    except JsonError as error:
        raise ResultFileError(f"{error}; not a file of calibration results") from None
    if isinstance(held, dict) and isinstance(held.get("schema"), int) and held["schema"] > SCHEMA:
        raise ResultFileError(f"{path}: schema {held['schema']} is newer than this program, which reads {SCHEMA}")
    try:
        results = tuple(_result(one) for one in held["results"])
        damaged = [one["date"] for one, made in zip(held["results"], results, strict=True) if one["id"] != made.id]
    except (KeyError, TypeError, ValueError):
        raise ResultFileError(f"{path}: not a file of calibration results (entries are missing)") from None
    if damaged:
        raise ResultFileError(f"{path}: the result of {damaged[0]} was changed after it was written; it is not applied")
    return results


def _result(held: dict[str, Any]) -> Result:
    subject = Subject.of(held["subject"])
    if subject.kind not in KINDS or not isinstance(held["values"], dict):
        raise ValueError
    return Result(
        method=str(held["method"]),
        subject=subject,
        values=held["values"],
        data_hash=str(held["data_hash"]),
        date=str(held["date"]),
    )
