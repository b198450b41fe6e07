"""From the bytes of messages to tables."""

from __future__ import annotations

import math
from typing import IO, Any

import numpy as np

from station.json_reader import parse_json
from station.tasks.recording.chunk import HEAD, HEAD_SIZE, index_entries
from station.tasks.recording.parsing import HEAD_SIZE as RECORD_HEAD
from station.tasks.recording.parsing import WrongBytesError, head_at, read_at
from station.tasks.recording.schema import CDR_HEADER, Field, Kind, Schema, Table


def decoded(file: IO[bytes], place: int, chunk: bytes, schema: Schema, channel: int) -> Table:
    """Messages of one channel in a chunk, by the index that is at `place` of the file."""
    end = head_at(read_at(file, place, RECORD_HEAD), place).end
    starts = index_entries(read_at(file, place, end - place))["offset"].astype(np.int64)
    least = HEAD_SIZE + (schema.payload.itemsize if schema.fixed else 0)  # bytes of a message
    if starts.size and (starts.min() < 0 or starts.max() > len(chunk) - least):
        raise WrongBytesError("an index that points nowhere")
    if (np.diff(np.sort(starts)) < least).any():
        raise WrongBytesError("an index with a message twice")
    return _fixed_table(chunk, starts, schema, channel) if schema.fixed else loose_table(chunk, starts, schema, channel)


def _fixed_table(chunk: bytes, starts: np.ndarray[Any, np.dtype[np.int64]], schema: Schema, channel: int) -> Table:
    layout = np.dtype([*HEAD, ("payload", schema.payload)])
    size = layout.itemsize
    table = np.zeros(len(starts), schema.dtype)
    if not len(starts):
        return table
    if (np.diff(starts) == size).all():  # as this program writes them
        whole = np.frombuffer(chunk, layout, len(starts), int(starts[0]))
    else:
        places = starts[:, None] + np.arange(size)
        whole = np.ascontiguousarray(np.frombuffer(chunk, np.uint8)[places]).view(layout)[:, 0]
    payload = whole["payload"]
    if (whole["channel"] != channel).any() or (payload["cdr"] != CDR_HEADER).any():
        raise WrongBytesError("a message that is not of its channel")
    if (whole["length"] != size - RECORD_HEAD).any():
        raise WrongBytesError("a message of another length")
    table["log_time"] = whole["log_time"]
    for field in schema.fields:
        table[field.name] = payload[field.name]
    return table


def loose_table(chunk: bytes, starts: np.ndarray[Any, np.dtype[np.int64]], schema: Schema, channel: int) -> Table:
    """Messages of JSON."""
    table = np.zeros(len(starts), schema.dtype)
    layout = np.dtype(HEAD)
    read = 0  # bytes
    for row, start in enumerate(starts.tolist()):
        head = np.frombuffer(chunk, layout, 1, start)[0]
        end = start + RECORD_HEAD + int(head["length"])
        read += end - start
        if head["channel"] != channel or end > len(chunk) or read > len(chunk):
            raise WrongBytesError("a message that is not of its channel")
        told = parse_json(chunk[start + HEAD_SIZE : end], "a message")
        table[row] = (int(head["log_time"]), *(_value(field, told[field.name]) for field in schema.fields))
    return table


def _value(field: Field, told: Any) -> Any:
    if field.shape is None:
        return [_plain(field, item) for item in told]
    if field.shape:
        return np.array([_plain(field, item) for item in told]).reshape(field.shape)
    return _plain(field, told)


def _plain(field: Field, told: Any) -> float | int | str:
    if field.kind is Kind.TEXT:
        return str(told)
    if field.kind is Kind.WHOLE:
        return int(told)
    return math.nan if told is None else float(told)
