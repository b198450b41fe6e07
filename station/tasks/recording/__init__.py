"""Recordings: MCAP files that describe themselves, written so that no crash takes more than half a second of them.

schema.py     `Schema`: what a channel holds, with units
writing.py    `Writer`; output.py, chunk.py and summary.py are its parts
reading.py    `Recording`; parsing.py and decoding.py are its parts
recovery.py   `recover`: makes a file whole whose writer was killed
errors.py     what can go wrong
"""

from station.tasks.recording.errors import (
    CutShortError,
    DamagedError,
    MissingError,
    NotARecordingError,
    RecordingError,
    RecordingFileError,
    VersionError,
)
from station.tasks.recording.reading import Recording
from station.tasks.recording.recovery import Recovered, recover
from station.tasks.recording.schema import Field, Kind, Schema
from station.tasks.recording.writing import Writer

__all__ = [
    "CutShortError",
    "DamagedError",
    "Field",
    "Kind",
    "MissingError",
    "NotARecordingError",
    "Recording",
    "RecordingError",
    "RecordingFileError",
    "Recovered",
    "Schema",
    "VersionError",
    "Writer",
    "recover",
]
