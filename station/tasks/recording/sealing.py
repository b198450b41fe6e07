"""What every file of this program begins and ends with: its format, and a seal over everything."""

from __future__ import annotations

from mcap.records import Metadata, MetadataIndex

from station.tasks.recording.output import Output
from station.tasks.recording.summary import Contents, as_bytes

FORMAT = 1  # of the file as a whole; grows when older readers would misunderstand it
ABOUT, SEAL = "haptic_station", "seal"  # names of metadata


def seal(output: Output, contents: Contents) -> None:
    """Complete a file: the seal, and the summary after it."""
    packed = as_bytes(Metadata(SEAL, {"sha256": output.digest}).write)
    contents.metadata.append(MetadataIndex(output.offset, len(packed), SEAL))
    output.write(packed + contents.end(output.offset + len(packed)))
