"""Recordings of a device: MCAP files with one message per sample on `/device/sample`.

The metadata `device` says where the samples came from (`url`) and what the device can do (`capabilities`, JSON).
Messages are neither packed nor in chunks, so that a file which is cut short anywhere (by a power cut, a full disk, a
program that was killed) is good up to its last whole message. Files that others have packed (zstd, lz4) are read too.

Reading raises one line of these:

DeviceNotFoundError   there is no such file
DeviceDeniedError     this user may not read it
DeviceMismatchError   not a recording of a device: empty, damaged, not MCAP, no samples, another version, too long
"""

from __future__ import annotations

import contextlib
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple, Self

from mcap.writer import CompressionType, IndexType, Writer

from station.devices.device import Capabilities, Sample
from station.devices.errors import DeviceDeniedError, DeviceError, DeviceMismatchError, DeviceNotFoundError
from station.devices.replay import message
from station.devices.replay.collecting import METADATA, TOPIC, Collected
from station.devices.replay.description import to_text
from station.devices.replay.mcap_file import MAGIC, CutShortError, DamagedError, read_records

LATEST = 2**63 - 1  # [ns]


class RecordingError(DeviceError, OSError):
    """A recording cannot be written; one line that says why."""


class Recording(NamedTuple):
    """All samples of a file."""

    path: Path
    url: str  # of the device that was recorded
    capabilities: Capabilities  # of that device
    samples: message.Samples
    cut_short: bool  # whether the file ends before its end

    def sample(self, index: int) -> Sample:
        """One of the samples, bit by bit as it was recorded."""
        return message.sample_at(self.samples, index)


class SampleWriter:
    """Writes samples as they come; `close` (or the end of a `with` block) completes the file."""

    def __init__(self, path: Path | str, capabilities: Capabilities, url: str = "") -> None:
        self.path = Path(path)
        try:
            self._file: IO[bytes] = self.path.open("xb")  # an old recording is never written over
        except FileExistsError:
            raise RecordingError(f"{path}: there is a file already; remove it or choose another name") from None
        except OSError as error:
            raise RecordingError(f"{path} cannot be written: {error.strerror}") from None
        self._writer = Writer(
            self._file, compression=CompressionType.NONE, index_types=IndexType.METADATA, use_chunking=False
        )
        try:
            self._writer.start(profile="", library="haptic-station")
            self._writer.add_metadata(METADATA, {"url": url, "capabilities": to_text(capabilities)})
            schema = self._writer.register_schema(message.SCHEMA_NAME, message.SCHEMA_ENCODING, message.SCHEMA)
            self._channel = self._writer.register_channel(TOPIC, message.MESSAGE_ENCODING, schema)
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.close()
            self.path.unlink(missing_ok=True)
            raise self._failed(error) from None

    def write(self, sample: Sample) -> None:
        """Add a sample; raises RecordingError, for example when the disk is full."""
        try:
            self._writer.add_message(
                self._channel,
                log_time=_nanoseconds(sample.arrival),
                publish_time=_nanoseconds(sample.device_time),
                data=message.encode(sample),
                sequence=int(sample.sequence) & 0xFFFFFFFF,
            )
        except (OSError, ValueError, struct.error) as error:  # ValueError: it has been closed, or no sample
            raise self._failed(error) from None

    def flush(self) -> None:
        """Hand all samples to the operating system: they stay when this program is killed."""
        try:
            self._file.flush()
        except (OSError, ValueError) as error:
            raise self._failed(error) from None

    def close(self) -> None:
        """Complete the file; may be called twice."""
        if self._file.closed:
            return
        try:
            self._writer.finish()  # type: ignore[no-untyped-call]
            self._file.flush()  # here a full disk shows, and closing would only try the same again
        except OSError as error:
            raise self._failed(error) from None
        finally:
            with contextlib.suppress(OSError):
                self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _failed(self, error: BaseException) -> RecordingError:
        return RecordingError(f"{self.path} cannot be written: {getattr(error, 'strerror', None) or error}")


def read_samples(path: Path | str) -> Iterator[Sample]:
    """The samples of a recording, bit by bit as they were written."""
    recording = read_recording(path)
    return (recording.sample(index) for index in range(len(recording.samples)))


def read_recording(path: Path | str, part: str = "") -> Recording:
    """Read a whole recording, or raise what the top of this file says.

    `part` is a hand among several of a run: what stands before the names of its channels. The first has nothing there.
    """
    path = Path(path)
    try:
        if not path.is_file():  # a pipe would wait for ever
            raise DeviceNotFoundError(f"{path}: there is no such file")
        with path.open("rb") as file:
            return _read(path, file, part)
    except PermissionError:
        raise DeviceDeniedError(f"{path} may not be read by this user") from None
    except OSError as error:
        if isinstance(error, DeviceError):
            raise
        raise DeviceNotFoundError(f"{path} cannot be read: {error.strerror}") from None


def _read(path: Path, file: IO[bytes], part: str) -> Recording:
    magic = file.read(len(MAGIC))
    if not magic:
        raise DeviceMismatchError(f"{path} is empty")
    if magic != MAGIC:
        raise DeviceMismatchError(f"{path} is not an MCAP file; record one with: station run … --record FILE.mcap")
    file.seek(0)
    collected = Collected(path, part)
    cut_short = False
    try:
        for record in read_records(file, path.stat().st_size, collected.channels):
            collected.take(record)
    except CutShortError:
        cut_short = True
    except DamagedError as error:
        raise collected.damaged(str(error)) from None
    return Recording(path, *collected.checked(cut_short), cut_short)


def _nanoseconds(seconds: float) -> int:
    """As MCAP has times: whole and positive."""
    return min(max(round(seconds * 1e9), 0), LATEST) if math.isfinite(seconds) else 0
