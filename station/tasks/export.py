"""`export`: a recording as tables for other programs: CSV, one file per channel, or Parquet, the same.

A field that is an array becomes a column for each of its numbers: `hand_pose_0_3`; one with a number for each joint has
the joints' names: `measured_q/shoulder`. `in_episode` is the number of the episode at that time, 0 outside of all; what
became of them is in the table `episodes`. Numbers are written with all their digits. It goes through the recording in
parts, so that hours fit; files appear only when all of them are complete.
"""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from station.servo.shared.state import FIELDS
from station.tasks.recording.episodes import EPISODES, Episode, episodes_of, numbers_at
from station.tasks.recording.errors import RecordingError, RecordingFileError
from station.tasks.recording.reading import Recording
from station.tasks.recording.schema import Schema, Table

CSV, PARQUET = "csv", "parquet"
ABOUT = "about.json"
PART = 10_000_000_000  # of the run that is in memory at a time [ns]

IN_EPISODE = "in_episode"
EPISODE_UNITS = {"begin": "ns", "end": "ns"}  # log times of the first tick, and of the first one after it
OF_JOINTS = {name for name, field in FIELDS.items() if field.shape == ("n",)} | {"q"}

Columns = Mapping[str, NDArray[Any]]
Write = Callable[[Path, Iterator[Columns], Mapping[str, str]], None]


class ExportError(RecordingError):
    """A table that cannot be written."""


def export(
    recording: Recording,
    folder: Path,
    kind: str,
    *,
    overwrite: bool = False,
    tell: Callable[[str], object] = lambda _: None,
) -> list[Path]:
    """Write all channels into a folder; returns the files. Raises a RecordingError with one line.

    Args:
        recording: to export.
        folder: where to; made if need be.
        kind: CSV or PARQUET.
        overwrite: write over what is there.
        tell: called with the name of each channel before it is written.
    """
    write: Write = _parquet_writer() if kind == PARQUET else _write_csv
    if folder.exists() and (not folder.is_dir() or (not overwrite and any(folder.iterdir()))):
        raise RecordingFileError(f"{folder}: there is something already; write over it with --overwrite")
    names = []
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as place:
            for part in [recording.part(name) for name in recording.parts] or [recording]:
                for channel, schema in part.schemas.items():
                    topic = part.topic(channel)
                    tell(topic)
                    names.append(f"{topic.strip('/').replace('/', '_')}.{kind}")
                    write(Path(place) / names[-1], _parts(recording, part, channel), units(schema))
            if EPISODES in recording.channels:
                names.append(f"episodes.{kind}")
                write(Path(place) / names[-1], iter([_outcomes(episodes_of(recording))]), EPISODE_UNITS)
            _write_about(Path(place) / ABOUT, recording)
            folder.mkdir(exist_ok=True)
            for name in (*names, ABOUT):
                shutil.move(Path(place) / name, folder / name)
    except RecordingError:
        raise
    except OSError as error:
        raise RecordingFileError(f"{folder}: cannot be written ({error.strerror})") from None
    return [folder / name for name in names]


def flat(table: Table, schema: Schema, joints: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Columns of single values; those of joints by their names."""
    columns: dict[str, NDArray[Any]] = {"log_time": table["log_time"]}
    for field in schema.fields:
        values: NDArray[Any] = table[field.name]
        if field.shape is None:
            values = np.array([json.dumps(item) for item in values], object)
        if not field.shape:
            columns[field.name] = values
            continue
        rows = values.reshape(len(values), -1)
        if field.name in OF_JOINTS and field.shape == (len(joints),):
            columns |= {f"{field.name}/{joint}": rows[:, number] for number, joint in enumerate(joints)}
            continue
        for number, place in enumerate(product(*map(range, field.shape))):
            columns["_".join([field.name, *map(str, place)])] = rows[:, number]
    return columns


def joint_names(recording: Recording) -> list[str]:
    """What the joints of a recorded run or of a task are called; by their ids if they have no name of their own."""
    try:
        told = json.loads(recording.metadata.get("servo", {}).get("joints", "null"))
        if told is None:
            return list(map(str, json.loads(recording.metadata.get("task", {}).get("facts", "{}")).get("joints", [])))
        names = [str(joint["name"] or joint["id"]) for joint in told]
        return [name if names.count(name) == 1 else str(joint["id"]) for name, joint in zip(names, told, strict=True)]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []  # of another program: columns are numbered


def units(schema: Schema) -> dict[str, str]:
    """Unit of each field."""
    return {"log_time": "ns", **{field.name: field.unit for field in schema.fields}}


def _parts(recording: Recording, part: Recording, channel: str) -> Iterator[Columns]:
    """A channel of one part, some seconds at a time; the first piece is there even if it is empty."""
    start, end = recording.span
    joints = joint_names(part)
    episodes = episodes_of(recording) if EPISODES in recording.channels else None
    for at in range(start, end + 1, PART):
        table = part.messages(channel, at, at + PART - 1)
        if len(table) or at == start:
            columns = flat(table, part.schemas[channel], joints)
            if episodes is not None:
                columns[IN_EPISODE] = numbers_at(episodes, table["log_time"])
            yield columns


def _outcomes(episodes: list[Episode]) -> Columns:
    """What became of each episode."""
    return {
        "episode": np.array([one.number for one in episodes], np.int64),
        "task": np.array([one.task for one in episodes], object),
        "outcome": np.array([one.outcome for one in episodes], object),
        "begin": np.array([one.begin for one in episodes], np.int64),
        "end": np.array([one.end for one in episodes], np.int64),
    }


def _write_csv(path: Path, parts: Iterator[Columns], _units: Mapping[str, str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        for number, columns in enumerate(parts):
            if number == 0:
                out.writerow(columns)
            # Python writes the shortest text that reads back as the same number.
            out.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))


def _parquet_writer() -> Write:
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.parquet as pq  # type: ignore[import-untyped]
    except ImportError:
        raise ExportError(
            "no Parquet without pyarrow; install it with: pip install 'haptic-station[parquet]'"
        ) from None

    def table_of(columns: Columns, units: Mapping[str, str]) -> Any:
        arrays = [
            pa.array(values.tolist(), pa.string()) if values.dtype == object else pa.array(np.ascontiguousarray(values))
            for values in columns.values()
        ]
        return pa.table(arrays, names=list(columns), metadata={b"units": json.dumps(dict(units)).encode()})

    def write(path: Path, parts: Iterator[Columns], units: Mapping[str, str]) -> None:
        first = table_of(next(parts), units)
        with pq.ParquetWriter(path, first.schema) as out:
            out.write_table(first)
            for columns in parts:
                out.write_table(table_of(columns, units))

    return write


def _write_about(path: Path, recording: Recording) -> None:
    told = {
        "recording": recording.path.name,
        "sha256": recording.content_hash,
        "metadata": {name: dict(values) for name, values in recording.metadata.items()},
        "channels": {
            name: {field.name: {"unit": field.unit, "meaning": field.meaning} for field in schema.fields}
            for name, schema in recording.schemas.items()
        },
    }
    path.write_text(json.dumps(told, indent=2, ensure_ascii=False), encoding="utf-8")
