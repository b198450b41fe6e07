"""Looking for a lost device in the background: opening USB devices takes milliseconds that a tick does not have."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from station.devices.errors import DeviceError


class Closable(Protocol):
    """Whatever was opened."""

    def close(self) -> None:
        """Let it go."""


Link = TypeVar("Link", bound=Closable)


class Finder(Generic[Link]):
    """Opens a link, once, in a thread of its own; `result` gives it, or raises why there is none."""

    def __init__(self, make: Callable[[], Link]) -> None:
        self._make = make
        self._link: Link | None = None
        self._error: DeviceError | None = None
        self._abandoned = False
        self._lock = threading.Lock()
        self._done = threading.Event()
        threading.Thread(target=self._find, name="finder", daemon=True).start()

    def _find(self) -> None:
        try:
            link = self._make()
        except DeviceError as error:
            self._error = error
        else:
            with self._lock:
                self._link = link
                if self._abandoned:
                    link.close()
        self._done.set()

    @property
    def done(self) -> bool:
        """Whether it has ended its search."""
        return self._done.is_set()

    def result(self) -> Link:
        """What was found; only once it is done."""
        if self._error is not None:
            raise self._error
        if self._link is None:
            raise RuntimeError("asked before it was done")
        return self._link

    def abandon(self) -> None:
        """Nobody wants it any more."""
        with self._lock:
            self._abandoned = True
            if self._link is not None:
                self._link.close()


class Opener(Generic[Link]):
    """Opens a link at once the first time, when somebody waits for it, and in the background ever after."""

    def __init__(self, make: Callable[[], Link], in_background: bool) -> None:
        self._make = make
        self._in_background = in_background
        self._finder: Finder[Link] | None = None
        self._first = True

    def open(self) -> Link | None:
        """The link; None while it is being looked for. Raises a DeviceError if it was not found."""
        if self._first or not self._in_background:
            self._first = False
            return self._make()
        if self._finder is None:
            self._finder = Finder(self._make)
        if not self._finder.done:
            return None
        finder, self._finder = self._finder, None
        return finder.result()

    def close(self) -> None:
        """Look no further."""
        if self._finder is not None:
            self._finder.abandon()
            self._finder = None
