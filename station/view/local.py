"""`LocalStation`: a station of this machine, read through its shared state. It only reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, Self

from station.servo.shared import NoServoError, RecordReader, SharedStateError, StateReader
from station.servo.shared.runtime import COMMANDS, parts_of
from station.view.moment import Link, Moment

MOST = 8192  # records at once: all that the ring holds


class Source(Protocol):
    """Where moments of a station come from, near or far: of its first part, as a rule the only one."""

    @property
    def trouble(self) -> str:
        """Why there is nothing to see, if there could be."""

    @property
    def commands(self) -> Path | None:
        """Where orders go; None: there is no station, or it may only be watched."""

    def look(self) -> Moment:
        """What came since the last look. Never waits; raises a StationError for what cannot be read."""

    def further(self) -> Sequence[Source]:
        """Those of the station's further parts, in their order; to be asked once there is a snapshot."""

    def close(self) -> None:
        """Let it go; the next look begins anew. May be called twice."""


class LocalStation:
    """The station with a certain shared state, or whichever was started last.

    Args:
        path: shared state of the station; that of the one which was started last, if not given.
        folder: where to look for it.
    """

    def __init__(self, path: Path | None = None, folder: Path | None = None) -> None:
        self._path, self._folder = path, folder
        self._reader: StateReader | None = None
        self._records: RecordReader | None = None
        self._text: dict[str, Any] = {}
        self._seen = -1  # publication of the last moment
        self.trouble = ""

    @property
    def commands(self) -> Path | None:
        """The station's mailbox; None while there is no station."""
        return None if self._reader is None else self._reader.path.with_suffix(COMMANDS)

    def look(self) -> Moment:
        """What came since the last look.

        Raises:
            SharedStateError: it ended while it was publishing, or has been stopped there.
        """
        if self._reader is None and not self._open():
            return Moment()
        assert self._reader is not None
        assert self._records is not None
        alive = self._reader.alive
        try:
            snapshot = self._reader.read()
        except NoServoError:
            self.close()
            raise
        batch, number = self._records.read(MOST), -1 if snapshot is None else snapshot.number
        running = Link.WAITING if snapshot is None else Link.FOLLOWING
        moment = Moment(
            snapshot,
            batch.records,
            self._reader.heartbeat_age,
            running if alive else Link.ENDED,
            self._text,
            number != self._seen,
            batch.lost,
            self._reader.layout.joints,
            self._reader.epoch,
        )
        self._seen = number
        if not alive:
            self.close()
        return moment

    def further(self) -> Sequence[Self]:
        """The other parts of the same servo, whose files lie beside its own."""
        paths = [] if self._reader is None else parts_of(self._reader.path)[1:]
        return [type(self)(path) for path in paths]

    def close(self) -> None:
        """Let it go; may be called twice."""
        if self._reader is not None:
            self._reader.close()
        self._reader = self._records = None

    def _open(self) -> bool:
        self.trouble = ""
        try:
            reader = StateReader(self._path, self._folder)
        except NoServoError:
            return False
        except SharedStateError as error:
            self.trouble = str(error)
            return False
        self._reader, self._records, self._text, self._seen = reader, RecordReader(reader), reader.text, -1
        return True
