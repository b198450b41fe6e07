"""Who sits at the desk of an arm: one that commands, and any number that watch."""

from __future__ import annotations

import secrets
from collections.abc import Hashable
from dataclasses import dataclass, field

from firmware_bridge.arm.protocol import Role

SILENT = 1.0  # after which a commander's seat is free for another [s]
FORGOTTEN = 10.0  # after which a session is [s]
MOST_SESSIONS = 32

Peer = Hashable


@dataclass
class Session:
    """A station that was welcomed."""

    number: int
    peer: Peer
    role: Role
    name: str
    heard: float  # when it last said something [s]
    nonce: int  # of its HELLO …
    welcome: bytes = field(default=b"", repr=False)  # … and what was said to it
    setpoint: int = -1  # sequence of its newest setpoint that was heard …
    oldest: int = -1  # … and of the first and the newest that came, heard or passed over
    newest: int = -1
    beat: int = 0
    request: int = 0  # sequence of its last request …
    answer: bytes = field(default=b"", repr=False)  # … and what was said to it


class Seats:
    """Sessions by number. Bounded, whatever comes in."""

    def __init__(self) -> None:
        self.sessions: dict[int, Session] = {}
        self.commander: Session | None = None

    def known(self, peer: Peer, nonce: int) -> Session | None:
        """The session that a HELLO has led to already."""
        return next((one for one in self.sessions.values() if one.peer == peer and one.nonce == nonce), None)

    def in_the_way(self, resumed: int, now: float) -> Session | None:
        """Who commands at `now` [s] and has not fallen silent; whoever resumes a session is not in its own way."""
        holder = self.commander
        taken = holder is not None and holder.number != resumed and now - holder.heard < SILENT
        return holder if taken else None

    def admit(self, peer: Peer, role: Role, name: str, nonce: int, now: float) -> Session:
        """A new session; the silent ones are forgotten, and the one that has been silent for longest if need be.

        A peer that says hello anew has forgotten its earlier session: whoever says it again and again has one seat.
        """
        self.sessions = {
            number: one
            for number, one in self.sessions.items()
            if (now - one.heard <= FORGOTTEN and one.peer != peer) or one is self.commander
        }
        if len(self.sessions) >= MOST_SESSIONS:
            watching = [one for one in self.sessions.values() if one is not self.commander]
            self.leave(min(watching, key=lambda one: one.heard))
        session = Session(secrets.randbits(63) | 1, peer, role, name, now, nonce)
        self.sessions[session.number] = session
        if role is Role.COMMAND:
            self.commander = session
        return session

    def leave(self, session: Session) -> bool:
        """A session is over; whether it was the one that commands."""
        self.sessions.pop(session.number, None)
        commanded = session is self.commander
        if commanded:
            self.commander = None
        return commanded
