"""`HandLine`: what the on-screen device says, sent to a running station again and again."""

from __future__ import annotations

from pathlib import Path

from station.servo.shared import Command, CommandClient
from station.view.follow import Follower


class HandLine:
    """A place of its own in the station's mailbox, taken while the panel is used.

    Args:
        follower: knows the station.
    """

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._client: CommandClient | None = None
        self._path: Path | None = None
        self._last: int | None = None

    def send(self, command: Command) -> bool:
        """Hand over a command; returns whether the last one was done. Raises a StationError if it cannot be."""
        path = self._follower.source.commands
        if path != self._path or (self._client is not None and not self._client.alive):
            self.close()
        if path is None:
            return False
        if self._client is None:
            self._client, self._path = CommandClient(path), path
        answer = self._client.acknowledgement(self._last) if self._last is not None else None
        self._last = self._client.send(command)
        return answer is None or answer.accepted

    def close(self) -> None:
        """Give the place back; may be called twice."""
        if self._client is not None:
            self._client.close()
        self._client = self._path = self._last = None
