"""`Schema`: what the messages of a channel hold, with units; as text that travels in the file.

Two ways to write messages, chosen by what they hold:

fixed    only numbers, of fixed shape: CDR, described as a ROS 2 message. Each message is a row of 64-bit numbers after
         four bytes, so thousands are written and read as one array.
loose    text, or lists of any length: JSON, described by a JSON Schema. For what comes rarely.

Foxglove, PlotJuggler and the `mcap` tools read both. Units and meanings are in comments and descriptions.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from enum import StrEnum
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.json_reader import parse_json
from station.tasks.recording.errors import DamagedError

PACKAGE = "haptic_station"
CDR_HEADER = 0x0000_0100  # little-endian CDR, as four bytes 00 01 00 00
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_LINE = re.compile(
    r"(float64|int64)(?:\[(\d+)\])? ([a-z][a-z0-9_]*)"
    r" *# *(?:\((\d+(?: x \d+)*)\) ?)?(?:\[([^\]]*)\] ?)?(.*)"
)

Table = NDArray[np.void]  # one row per message


class Kind(StrEnum):
    """What a field holds."""

    REAL = "float64"
    WHOLE = "int64"
    TEXT = "string"


class Field(NamedTuple):
    """One value, or an array of values."""

    name: str  # small letters, digits and underscores
    kind: Kind
    shape: tuple[int, ...] | None = ()  # None: a list of any length
    unit: str = ""  # empty: a plain number or text
    meaning: str = ""

    @property
    def size(self) -> int:
        """Numbers in it."""
        return prod(self.shape or ())


class Schema(NamedTuple):
    """What the messages of a channel hold."""

    name: str  # such as Hand; in the file it is haptic_station/msg/Hand
    fields: tuple[Field, ...]
    version: int = 1  # grows when something changes its meaning
    meaning: str = ""

    @property
    def fixed(self) -> bool:
        """Whether all messages are of one size."""
        return all(field.kind is not Kind.TEXT and field.shape is not None for field in self.fields)

    @property
    def full_name(self) -> str:
        """As in the file."""
        return f"{PACKAGE}/msg/{self.name}"

    @property
    def encodings(self) -> tuple[str, str]:
        """Of the schema and of messages, as MCAP calls them."""
        return ("ros2msg", "cdr") if self.fixed else ("jsonschema", "json")

    @property
    def dtype(self) -> np.dtype[np.void]:
        """A row of the table of messages: when it was written down [ns], and the fields."""
        return np.dtype([("log_time", "<i8"), *map(_column, self.fields)])

    @property
    def payload(self) -> np.dtype[np.void]:
        """The bytes of a message of a fixed schema."""
        return np.dtype([("cdr", "<u4"), *map(_column, self.fields)])

    @property
    def text(self) -> str:
        """For the file; `schema_of` is its inverse."""
        if not self.fixed:
            return json.dumps(_json_schema(self), ensure_ascii=False)
        lines = [f"# {self.meaning}"] if self.meaning else []
        return "\n".join([*lines, *map(_line, self.fields), ""])

    def check(self) -> None:
        """A ValueError for names that no file can hold."""
        names = [field.name for field in self.fields]
        for name in names:
            if not _NAME.fullmatch(name) or names.count(name) > 1 or name in ("log_time", "cdr"):
                raise ValueError(f"{self.name}: a field cannot be called {name!r} here")


def schema_of(name: str, encoding: str, text: str, version: int) -> Schema:
    """From the text of a file; raises a DamagedError for what this program would not have written."""
    short = name.removeprefix(f"{PACKAGE}/msg/")
    try:
        if encoding == "jsonschema":
            return _from_json(short, parse_json(text, "a schema"), version)
        if encoding == "ros2msg":
            return _from_lines(short, text.splitlines(), version)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DamagedError(f"the schema {name[:60]!r} makes no sense") from None
    raise DamagedError(f"the schema {name[:60]!r} is written in {encoding[:20]!r}, which is not known here")


def _column(field: Field) -> tuple[str, str] | tuple[str, str, tuple[int, ...]]:
    if field.kind is Kind.TEXT or field.shape is None:
        return field.name, "O"
    code = "<f8" if field.kind is Kind.REAL else "<i8"
    return (field.name, code, field.shape) if field.shape else (field.name, code)


def _line(field: Field) -> str:
    kind = f"{field.kind}[{field.size}]" if field.shape else str(field.kind)
    shape = f"({' x '.join(map(str, field.shape))}) " if field.shape and len(field.shape) > 1 else ""
    unit = f"[{field.unit}] " if field.unit else ""
    return f"{kind} {field.name}  # {shape}{unit}{field.meaning}".rstrip()


def _from_lines(name: str, lines: list[str], version: int) -> Schema:
    meaning = lines[0][2:] if lines and lines[0].startswith("# ") else ""
    fields = []
    for line in lines:
        if not line or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise ValueError(line)
        kind, count, field, shape, unit, about = found.groups()
        sizes = tuple(int(size) for size in shape.split(" x ")) if shape else (int(count),) if count else ()
        if prod(sizes) != int(count or 1):
            raise ValueError(line)
        fields.append(Field(field, Kind(kind), sizes, unit or "", about))
    schema = Schema(name, tuple(fields), version, meaning)
    schema.check()
    return schema


_JSON_TYPES = {Kind.REAL: ["number", "null"], Kind.WHOLE: "integer", Kind.TEXT: "string"}


def _json_schema(schema: Schema) -> dict[str, Any]:
    properties = {}
    for field in schema.fields:
        plain: dict[str, Any] = {"type": _JSON_TYPES[field.kind]}
        if field.shape is None:
            plain = {"type": "array", "items": plain}
        elif field.shape:
            plain = {"type": "array", "items": plain, "minItems": field.size, "maxItems": field.size}
        shape = None if field.shape is None else list(field.shape)
        properties[field.name] = {
            **plain,
            "description": field.meaning,
            "x-kind": str(field.kind),
            "x-shape": shape,
            "x-unit": field.unit,
        }
    return {"title": schema.name, "description": schema.meaning, "type": "object", "properties": properties}


def _from_json(name: str, told: Any, version: int) -> Schema:
    fields = []
    for field, about in told["properties"].items():
        shape = None if about["x-shape"] is None else tuple(int(size) for size in about["x-shape"])
        fields.append(Field(field, Kind(about["x-kind"]), shape, str(about["x-unit"]), str(about["description"])))
    schema = Schema(name, tuple(fields), version, str(told["description"]))
    schema.check()
    return schema


def as_json(schema: Schema, fields: Mapping[str, Any]) -> bytes:
    """A message of a loose schema."""
    return json.dumps({field.name: _plain(fields[field.name], field.kind) for field in schema.fields}).encode()


def _plain(value: Any, kind: Kind) -> Any:
    """As JSON has it: a number that is none is null."""
    if isinstance(value, str):
        return value
    listed = np.asarray(value).ravel().tolist() if np.ndim(value) else value
    if isinstance(listed, list):
        return [_plain(item, kind) for item in listed]
    if kind is Kind.REAL:
        return float(listed) if math.isfinite(listed) else None
    return str(listed) if kind is Kind.TEXT else int(listed)
