"""What can go wrong with a recording, as one tree.

RecordingError (StationError, ValueError)   a file that cannot be used
├── RecordingFileError (OSError)            it cannot be read or written at all
├── NotARecordingError                      of another program, or no MCAP file
├── CutShortError                           its writer was killed: `station recover` makes it whole
├── DamagedError                            bytes that are not what was written: changed or worn
├── VersionError                            of another release
└── MissingError (KeyError)                 a channel, field, attachment or table that is not there
"""

from __future__ import annotations

from station.errors import StationError


class RecordingError(StationError, ValueError):
    """A recording that cannot be used; one line that says why and what to do."""


class RecordingFileError(RecordingError, OSError):
    """A file that cannot be read or written."""


class NotARecordingError(RecordingError):
    """A file of another program."""


class CutShortError(RecordingError):
    """A file that ends before its end."""


class DamagedError(RecordingError):
    """A file that is not as it was written."""


class VersionError(RecordingError):
    """A file, or a channel, of another release."""


class MissingError(RecordingError, KeyError):
    """Something that is not in the file."""

    def __str__(self) -> str:  # KeyError would quote it
        return str(self.args[0]) if self.args else ""
