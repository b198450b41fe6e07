"""`Output`: a file that only grows, by whole pieces. What does not fit on the disk leaves no trace."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from pathlib import Path

from station.tasks.recording.errors import RecordingFileError


class Mark:
    """A place in an output to which it can go back."""

    def __init__(self, offset: int, digest: hashlib._Hash) -> None:
        self.offset = offset
        self.digest = digest


class Output:
    """A new file, or with `overwrite` in place of an old one. Nothing is held back: it survives this process.

    Args:
        path: where.
        overwrite: whether an old file may be written over.
        at: where to go on in an old file, with all before it hashed; else a new file is made.
    """

    def __init__(self, path: Path, overwrite: bool = False, at: Mark | None = None) -> None:
        self.path = path
        flags = os.O_WRONLY | os.O_CLOEXEC
        try:
            if at is not None:
                self._file = os.open(path, flags)
                self._lock()
                os.ftruncate(self._file, at.offset)
            else:
                if overwrite:
                    path.unlink(missing_ok=True)  # who reads the old one keeps it
                self._file = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
                self._lock()
        except FileExistsError:
            raise RecordingFileError(f"{path}: there is a file already; write over it with --overwrite") from None
        except RecordingFileError:
            raise
        except OSError as error:
            raise self._failed(error) from None
        self.offset = at.offset if at is not None else 0  # bytes so far
        self._digest = at.digest.copy() if at is not None else hashlib.sha256()

    @property
    def digest(self) -> str:
        """SHA-256 of all bytes so far."""
        return self._digest.hexdigest()

    def mark(self) -> Mark:
        """This place."""
        return Mark(self.offset, self._digest.copy())

    def write(self, data: bytes) -> None:
        """Append all of it, or nothing and raise a RecordingFileError."""
        view = memoryview(data)
        done = 0
        try:
            while done < len(view):
                done += os.pwrite(self._file, view[done:], self.offset + done)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self.offset)
            raise self._failed(error) from None
        self.offset += done
        self._digest.update(data)

    def go_back(self, mark: Mark) -> None:
        """Forget all after a mark."""
        try:
            os.ftruncate(self._file, mark.offset)
        except OSError as error:
            raise self._failed(error) from None
        self.offset, self._digest = mark.offset, mark.digest.copy()

    def sync(self) -> None:
        """Wait until the disk has it; a power cut takes only what comes after."""
        with contextlib.suppress(OSError):  # pipes and the like have no disk
            os.fdatasync(self._file)

    def close(self) -> None:
        """May be called twice."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.close(self._file)
            self._file = -1

    def discard(self) -> None:
        """Close it and remove the file: nothing of use is in it yet."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                if os.path.samestat(os.fstat(self._file), self.path.stat()):  # not what others have put there since
                    self.path.unlink()
        self.close()

    def _lock(self) -> None:
        """Nobody else writes to it as long as this process lives."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise RecordingFileError(f"{self.path}: is being written at this moment") from None

    def _failed(self, error: OSError) -> RecordingFileError:
        return RecordingFileError(f"{self.path}: cannot be written ({error.strerror})")
