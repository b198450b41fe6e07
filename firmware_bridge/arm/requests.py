"""Requests that must arrive: sent again until they are acknowledged, the newest one only."""

from __future__ import annotations

from firmware_bridge.arm.protocol import Request

AGAIN = 0.1  # time until a request is sent once more [s]
GIVE_UP = 5.0  # time after which the arm is taken not to answer [s]; the slowest link we know takes 2


class PendingRequest:
    """At most one request on its way; a newer one takes its place."""

    def __init__(self) -> None:
        self.request: Request | None = None
        self.sequence = 0
        self._next = self._end = 0.0

    def ask(self, request: Request, now: float) -> None:
        """Something new is wanted from `now` [s] on."""
        self.request, self.sequence = request, self.sequence + 1
        self._next, self._end = now, now + GIVE_UP

    def due(self, now: float, again: float = AGAIN) -> bool:
        """Whether it is to be sent now; from then on it is waited for `again` [s]."""
        if self.request is None or now < self._next:
            return False
        self._next = now + again
        return True

    def expired(self, now: float) -> bool:
        """Whether the arm has not answered for too long; then it is forgotten."""
        if self.request is None or now < self._end:
            return False
        self.request = None
        return True

    def answered(self, sequence: int) -> Request | None:
        """The request that an acknowledgement is for, which is then done; None if it is for an older one."""
        if self.request is None or sequence != self.sequence:
            return None
        done, self.request = self.request, None
        return done
