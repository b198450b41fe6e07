"""Where running parts of this program leave what others of this user must find: in memory, and for nobody else.

The folder is that of the user's session (`XDG_RUNTIME_DIR`) if it is in memory, else one of our own in `/dev/shm`, else
in the folder for temporary files. In the last two anybody can make folders: ours is used only if it belongs to this
user, is no link, and is closed to others; if somebody else has taken its name, we take another that cannot be guessed,
and whoever looks for us knows ours by their owner.

What a process leaves there it holds a lock on, which the system takes back at its end, however that came. So what the
dead have left is known without guessing, and goes when anything starts the next time.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from station.errors import StationError

IN_MEMORY = Path("/dev/shm")  # noqa: S108 (a folder of our own is made inside it)
MEMORY = {"tmpfs", "ramfs"}  # kinds of file systems
GRACE = 10.0  # for what is being made and not locked yet [s]
_OWN = ".folder"  # how folders of a process end


class PrivateFolderError(StationError, PermissionError):
    """There is no place for files that are this user's alone."""


def runtime_folder() -> Path:
    """The folder of this user, closed to others; made if need be."""
    for base in _bases():
        for folder in (base / _name(), *_others(base)):
            with contextlib.suppress(OSError):
                folder.mkdir(mode=0o700)
            if is_private(folder):
                return folder
        with contextlib.suppress(OSError):
            return Path(tempfile.mkdtemp(prefix=f"{_name()}-", dir=base))
    raise PrivateFolderError(
        "no folder for files of this user alone can be made; set XDG_RUNTIME_DIR to a folder of yours with mode 700"
    )


def runtime_folders() -> list[Path]:
    """All that are there, wherever a part of this program may have found its place."""
    return [folder for base in _bases() for folder in (base / _name(), *_others(base)) if is_private(folder)]


def is_private(folder: Path) -> bool:
    """Whether it is a folder, no link to one, of this user, and closed to all others."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return mine and not stat.S_IMODE(found.st_mode) & 0o077


def _name() -> str:
    return f"haptic-station-{os.geteuid()}"


def _others(base: Path) -> list[Path]:
    """Folders whose name could not be the usual one."""
    return sorted(base.glob(f"{_name()}-*"))


def _bases() -> list[Path]:
    """Folders in which ours may be, the best first: the session's own, and those in memory before others."""
    session = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}")
    found = [session] if session.is_absolute() and is_private(session) else []
    with contextlib.suppress(OSError):
        found += [base for base in (IN_MEMORY, Path(tempfile.gettempdir()).resolve()) if _keeps_apart(base)]
    return sorted(dict.fromkeys(found), key=lambda base: not _in_memory(base))


def _keeps_apart(base: Path) -> bool:
    """Whether what a user makes in there cannot be taken away or exchanged by another."""
    try:
        found = base.stat()
    except OSError:
        return False
    trusted = found.st_uid in (0, os.geteuid())
    return trusted and (bool(found.st_mode & stat.S_ISVTX) or not found.st_mode & 0o022)


def _in_memory(base: Path) -> bool:
    """Whether its file system is one in memory: a servo that shows its state on a disk would wait for it."""
    with contextlib.suppress(OSError):
        device = base.stat().st_dev
        for line in Path("/proc/self/mountinfo").read_text(encoding="utf8", errors="replace").splitlines():
            words = line.split()
            if words[2] == f"{os.major(device)}:{os.minor(device)}":
                return words[words.index("-") + 1] in MEMORY
    return False


class OwnFolder:
    """A folder that this process has to itself, in memory; goes with it.

    Args:
        kind: what it is for; `living` finds it by that.
    """

    def __init__(self, kind: str) -> None:
        place = runtime_folder()
        sweep_folders(place)
        made = Path(tempfile.mkdtemp(prefix=f".{kind}-", suffix=_OWN, dir=place))  # to be swept only when it is old …
        lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.path = made.rename(made.with_name(made.name[1:]))  # … or not held
        self.close = weakref.finalize(self, _remove, self.path, lock, os.getpid())  # may be called twice

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _remove(folder: Path, lock: int, maker: int) -> None:
    """With all that is in it; a child of fork leaves that to its parent."""
    if os.getpid() == maker:
        shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def living(kind: str) -> list[Path]:
    """Folders of some kind whose owners live."""
    found = (folder for place in runtime_folders() for folder in sorted(place.glob(f"{kind}-*{_OWN}")))
    return [folder for folder in found if _held(folder)]


def sweep_folders(place: Path) -> list[Path]:
    """Remove folders that dead processes have left; returns them. Only in a folder of this user alone."""
    if not is_private(place):
        return []
    gone = []
    for folder in [*place.glob(f"[!.]*{_OWN}"), *place.glob(f".*{_OWN}")]:
        with contextlib.suppress(OSError):
            young = folder.name[0] == "." and time.time() - folder.lstat().st_mtime < GRACE
            if is_private(folder) and not young and not _held(folder):
                shutil.rmtree(folder, ignore_errors=True)
                gone.append(folder)
    return gone


def _held(folder: Path) -> bool:
    """Whether its owner lives."""
    with contextlib.suppress(OSError), _opened(folder) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield file
    finally:
        os.close(file)
