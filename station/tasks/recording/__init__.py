"""Recordings: MCAP files that describe themselves, written so that no crash takes more than half a second of them.

schema.py     `Schema`: what a channel holds, with units
writing.py    `Writer`; output.py, chunk.py, summary.py and sealing.py are its parts
reading.py    `Recording`; opening.py, parsing.py and decoding.py are its parts
recovery.py   `recover`: makes a file whole whose writer was killed
channels.py   which field of the servo goes to which channel
tape.py       `Tape`: records of a servo into a file; events.py, samples.py (for `replay:`), frames.py (for Foxglove)
recorder.py   `Recorder`: from the ring to the disk
process.py    the recorder as a process; order.py and launch.py start it, facts.py tells where a run comes from
manual.py     tables of docs/recording.md
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
