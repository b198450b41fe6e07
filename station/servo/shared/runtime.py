"""Files in memory that belong to a running process: found by name while it lives, swept away when it is dead.

Each is a plain file on a file system in memory, mapped by all sides. (Python's own `shared_memory` removes a block when
any reader ends.) Its maker holds a lock on it, which the system takes back at the maker's end, however that came: so
whether a servo lives is never guessed from a process number that another may have by now.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import struct
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from station.private import GRACE, is_private, runtime_folder, runtime_folders, sweep_folders
from station.servo.shared.errors import BusyError, NoServoError

STATE, COMMANDS = ".state", ".commands"
PART = "+"  # in the names of further parts of a servo, before their number
LIFE = 0  # the byte of a file that its maker locks; the bytes after are for clients


def lock_byte(file: int, place: int) -> bool:
    """Lock one byte for this opening of the file, without waiting; returns whether it could be had."""
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, _request(fcntl.F_WRLCK, place))
    except OSError:
        return False
    return True


def is_locked(file: int, place: int) -> bool:
    """Whether somebody else holds the lock on a byte."""
    answer = fcntl.fcntl(file, fcntl.F_OFD_GETLK, _request(fcntl.F_WRLCK, place))
    return bool(struct.unpack_from("h", answer)[0] != fcntl.F_UNLCK)


def _request(kind: int, place: int) -> bytes:
    """`struct flock`: kind, from where, start, length, process (must be 0)."""
    return struct.pack("hhqqi0q", kind, os.SEEK_SET, place, 1, 0)


class OwnedFile:
    """A file of some size in memory, made by this process and removed with it."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self._hidden = path.with_name(f".{path.name}")  # nobody sees it before it is locked and filled
        self._file = os.open(self._hidden, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        if not lock_byte(self._file, LIFE) or _held(path):
            os.close(self._file)
            raise BusyError(f"{path}: a servo of this name runs already; stop it, or give another name")
        _owned.add(self)
        os.ftruncate(self._file, 0)
        os.posix_fallocate(self._file, 0, size)  # too little memory is an error here, not a crash later
        self.memory = _mapped(self._hidden, writable=True)

    def show(self) -> None:
        """Let others find it."""
        self._hidden.rename(self.path)

    def close(self) -> None:
        """Remove it; readers that have it mapped keep the last state. May be called twice."""
        if self._file >= 0:
            self.path.unlink(missing_ok=True)
            self._hidden.unlink(missing_ok=True)
            self.forget()

    def forget(self) -> None:
        """Give the lock back, but leave the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


_owned: weakref.WeakSet[OwnedFile] = weakref.WeakSet()


def _forget_all() -> None:
    """A child of fork must not keep the lock of a parent that may die."""
    for file in tuple(_owned):
        file.forget()


os.register_at_fork(after_in_child=_forget_all)


class OpenedFile:
    """The file of another process."""

    def __init__(self, path: Path, writable: bool) -> None:
        self.path = path
        try:
            self.file = os.open(path, _flags(writable))
        except OSError as error:
            raise NoServoError(f"{path}: no such servo ({error.strerror}); start it with: station run") from None
        try:
            self.memory = _mapped(path, writable)
        except (OSError, ValueError):
            os.close(self.file)
            raise NoServoError(f"{path}: empty; start the servo again") from None

    def words(self) -> NDArray[np.int64]:
        """All whole words of the file."""
        return np.frombuffer(self.memory, np.int64, len(self.memory) // 8)

    @property
    def alive(self) -> bool:
        """Whether its maker lives."""
        return self.file >= 0 and is_locked(self.file, LIFE)

    def close(self) -> None:
        """Let it go; may be called twice."""
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


def _flags(writable: bool) -> int:
    """How to open a file of another; a link in its place is none of ours."""
    return (os.O_RDWR if writable else os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC


def _mapped(path: Path, writable: bool) -> mmap.mmap:
    """Map a file by an opening of its own: a mapping would keep a lock alive, also in a child of fork."""
    file = os.open(path, _flags(writable))
    try:
        return mmap.mmap(file, 0, access=mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ)
    finally:
        os.close(file)


def swept_folder(folder: Path | None) -> Path:
    """Where a servo leaves its files, that of this user if None; rid of what dead processes have left."""
    if folder is not None:
        sweep(folder)
        return folder
    for place in (own := runtime_folder(), *runtime_folders()):
        sweep(place)
        sweep_folders(place)
    return own


def sweep(folder: Path) -> list[Path]:
    """Remove the files of dead processes; returns them. Only in a folder of this user alone, and files themselves."""
    gone: list[Path] = []
    if not is_private(folder):
        return gone
    for path in sorted([*folder.glob(f"*{STATE}"), *folder.glob(f"*{COMMANDS}")]):
        with contextlib.suppress(OSError):
            if path.is_symlink() or not path.is_file():
                continue
            if not _held(path) and time.time() - path.stat().st_mtime > (GRACE if path.name[0] == "." else 0.0):
                path.unlink()
                gone.append(path)
    return gone


def running(folder: Path | None = None) -> list[Path]:
    """Shared states of servos that live, of their first parts, the newest first."""
    folders = [folder] if folder is not None else runtime_folders()
    paths = [path for place in folders for path in place.glob(f"[!.]*{STATE}") if PART not in path.name]
    return sorted((path for path in paths if _held(path)), key=_made, reverse=True)


def parts_of(state: Path) -> list[Path]:
    """Shared states of all parts of a servo, in their order; the first is that by which it is known."""
    stem = state.name.removesuffix(STATE)
    numbers = [path.name[len(stem) + 1 : -len(STATE)] for path in state.parent.glob(f"{stem}{PART}*{STATE}")]
    further = sorted(int(number) for number in numbers if number.isdigit())
    return [state, *(state.with_name(f"{stem}{PART}{number}{STATE}") for number in further)]


def _made(path: Path) -> float:
    """When it was made; 0 if it has gone meanwhile."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _held(path: Path) -> bool:
    with _opened(path) as file:
        return file is not None and is_locked(file, LIFE)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int | None]:
    try:
        file = os.open(path, _flags(writable=False))
    except OSError:
        yield None
        return
    try:
        yield file
    finally:
        os.close(file)
