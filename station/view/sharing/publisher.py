"""`Publisher`: shows a running station to other machines. It reads shared state as any view does; nobody answers it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

import numpy as np
import zmq

from firmware_bridge.arm.curve import Endpoint
from station.servo.shared import RecordReader, SharedStateError, StateReader
from station.servo.shared.memory import Words
from station.view.sharing.access import Guard, Lock
from station.view.sharing.errors import SharingError
from station.view.sharing.wire import LARGEST, Greeting, Kind, State, header, pack_greeting, pack_state

RATE = 60.0  # states in a second [Hz]
ROWS_RATE = 250.0  # ticks in a second that are published, besides those in which something changes [Hz]
GREET_EVERY = 1.0  # [s]; those who come are greeted at once besides
BACKLOG = 32  # messages of each part that may wait for a slow watcher; later ones pass it by
CHANGES = ("state", "cause", "acting", "device_status", "controller_status")
FAREWELLS = 5  # last states that are sent once the station has ended


class PublishedPart:
    """One part of a station: what is to be said of it.

    Args:
        state: its shared state.
        greeting: what does not change.
    """

    def __init__(self, state: StateReader, greeting: Greeting) -> None:
        self.state, self._records = state, RecordReader(state)
        self.greeting = pack_greeting(greeting)
        self._phase = 0
        self._last: Words | None = None  # row that came before the next
        rate = float(greeting.text.get("rate") or 1000.0)
        self._every = max(1, round(rate / ROWS_RATE))

    def news(self, alive: bool) -> bytes | None:
        """The newest state; None: there is none."""
        try:
            snapshot = self.state.read()
        except SharedStateError:  # it ended, or was stopped, in the middle of publishing
            return None
        if snapshot is None:
            return None
        batch = self._records.read()
        rows = self._thinned(batch.records)
        silence = min(self.state.heartbeat_age, 1e9)
        return pack_state(State(snapshot.numbers, snapshot.number, batch.lost, silence, alive, rows))

    def _thinned(self, rows: Words) -> Words:
        """Every so many ticks, and all in which something begins or ends: an event must not get lost."""
        if not len(rows):
            return rows
        keep = (self._phase + np.arange(len(rows))) % self._every == 0
        self._phase = (self._phase + len(rows)) % self._every
        before = rows[:1] if self._last is None else self._last
        places = [self.state.layout.by_name[name].start for name in CHANGES]
        watched = np.concatenate([before, rows])[:, places]
        keep |= (np.diff(watched, axis=0) != 0).any(axis=1)
        self._last = rows[-1:].copy()
        return np.asarray(rows[keep])


class Publisher:
    """Publishes one station until it ends.

    Args:
        state: its shared state.
        greeting: what does not change.
        place: where to be found; port 0: any that is free.
        lock: keys and allow-list; None: plain, for this machine only.
        further: shared states of its further parts, in their order.
    """

    def __init__(
        self,
        state: StateReader,
        greeting: Greeting,
        place: Endpoint,
        lock: Lock | None = None,
        further: Sequence[StateReader] = (),
    ) -> None:
        if lock is None and not place.is_loopback:
            raise SharingError(f"{place}: without keys a station is published on this machine only")
        greeting = replace(greeting, parts=1 + len(further))
        self._parts = [PublishedPart(state, greeting)]
        for number, reader in enumerate(further, 1):
            self._parts.append(PublishedPart(reader, replace(greeting, text=reader.text, scene="", part=number)))
        self._number = 0
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.guard = None if lock is None else Guard(self._context, lock.allowed)
        self._socket: zmq.Socket[bytes] = self._context.socket(zmq.XPUB)
        self._socket.linger = 200
        self._socket.sndhwm = BACKLOG * len(self._parts)
        self._socket.maxmsgsize = 1024  # of what watchers send: subscriptions
        self._socket.xpub_verbose = True  # everybody who comes is told of
        self._socket.ipv6 = place.host.startswith("[")
        if lock is not None:
            self._socket.curve_server = True
            self._socket.curve_publickey, self._socket.curve_secretkey = lock.own
        try:
            self._socket.bind(place.at(place.port) if place.port else f"tcp://{place.host}:*")
        except zmq.ZMQError as error:
            self.close()
            raise SharingError(f"{place} cannot be published at: {error.strerror.lower()}") from None
        port = int(str(self._socket.getsockopt_string(zmq.LAST_ENDPOINT)).rpartition(":")[2])
        self.address = place._replace(port=port)

    def run(self, stopped: Callable[[], bool]) -> None:
        """Publish until the station ends or somebody says so."""
        due, greet_due, farewells = time.monotonic(), 0.0, 0
        while not stopped() and farewells < FAREWELLS:
            now = time.monotonic()
            if now >= greet_due:
                self.greet()
                greet_due = now + GREET_EVERY
            alive = self._parts[0].state.alive
            self.publish(alive)
            farewells += not alive
            due = max(due + 1.0 / RATE, now)
            self.attend(max(0.0, due - time.monotonic()))

    def attend(self, seconds: float) -> None:
        """See to those who come, for so long [s]."""
        end = time.monotonic() + seconds
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        if self.guard is not None:
            poller.register(self.guard.door, zmq.POLLIN)
        while True:
            poller.poll(max(0, round(1e3 * (end - time.monotonic()))))
            if self.guard is not None:
                self.guard.attend()
            self._welcome()
            if time.monotonic() >= end:
                return

    def greet(self) -> None:
        """Say who this is."""
        for part in self._parts:
            self._send(part, Kind.GREETING, part.greeting)

    def publish(self, alive: bool = True) -> None:
        """Send the newest state of every part."""
        for part in self._parts:
            news = part.news(alive)
            if news is not None:
                self._send(part, Kind.STATE, news)

    def close(self) -> None:
        """Let go; may be called twice."""
        if self.guard is not None:
            self.guard.close()
        self._socket.close()
        self._context.term()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _welcome(self) -> None:
        """Greet those who have just come."""
        came = False
        try:
            for _ in range(BACKLOG):
                came |= self._socket.recv(zmq.NOBLOCK)[:1] == b"\x01"
        except zmq.ZMQError:  # nobody else
            pass
        if came:
            self.greet()

    def _send(self, part: PublishedPart, kind: Kind, data: bytes) -> None:
        self._number += 1
        head = header(kind, part.state.layout.joints, part.state.epoch, self._number)
        if len(data) <= LARGEST:
            self._socket.send_multipart([head, data], zmq.NOBLOCK)
