"""The file behind a design: read, watched for changes by others, and written whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from station.atomic import whole_file
from station.mad.files import loads, read_text
from station.view.design.errors import DesignError

MARK = b"\xef\xbb\xbf"  # which some editors put before UTF-8


class Signature(NamedTuple):
    """What tells one state of a file from another."""

    time: int  # of the last change [ns]
    size: int  # [bytes]
    inode: int


class SourceFile:
    """A MAD file that is read, watched and written.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._marked = False
        self._seen: Signature | None = None

    def read(self) -> str:
        """Its text, line ends as they are; raises MadError for what is no text."""
        self._seen = self.signature()
        text = read_text(self.path)
        with self.path.open("rb") as file:
            self._marked = file.read(len(MARK)) == MARK
        return text

    def signature(self) -> Signature | None:
        """Of the file as it is on the disk; None: it is not there."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return Signature(found.st_mtime_ns, found.st_size, found.st_ino)

    @property
    def changed(self) -> bool:
        """Whether somebody else has changed it since it was read or written; an absent one has not."""
        now = self.signature()
        return now is not None and now != self._seen

    def write(self, text: str, *, over_changes: bool = False) -> None:
        """Write it, after reading back and parsing what is to replace it.

        Raises:
            DesignError: if somebody else has changed it meanwhile, or it cannot be written.
            MadError: if the text is no scene; the file is left as it is.
        """
        if self.changed and not over_changes:
            raise DesignError(f"{self.path} was changed by another program; reload it, or save under another name")
        target = self.path.resolve()  # a link stays a link
        loads(text, str(target))
        try:
            self._replace(target, text)
        except OSError as error:
            raise DesignError(f"{self.path} cannot be written: {error.strerror or error}") from None
        self._seen = self.signature()

    def _replace(self, target: Path, text: str) -> None:
        data = (MARK if self._marked else b"") + text.encode("utf8")
        with whole_file(target) as file:
            file.write(data)
            file.flush()
            file.seek(0)
            if file.read() != data:
                raise DesignError(f"{self.path}: what was written does not read back; the old file is kept")
            loads(read_text(Path(file.name)), str(target))
