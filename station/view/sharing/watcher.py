"""`WatchedStation`: a station somewhere else, as it is published. A source like one of this machine, but read-only."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import zmq

from firmware_bridge.arm.curve import secure_client
from firmware_bridge.arm.zeromq import DENIED, next_event
from station.servo.shared import Snapshot
from station.servo.shared.memory import layout_of
from station.view.moment import Link, Moment, no_records
from station.view.panels.links_health import Health, milliseconds
from station.view.sharing.access import place_to_watch
from station.view.sharing.errors import PublicationError, SharingError
from station.view.sharing.wire import LARGEST, Greeting, Header, Kind, State, read_greeting, read_header, read_state

SILENT_AFTER = 1.0  # without a state for so long, one is told [s]
BACKLOG = 2048  # messages that may wait to be looked at: two seconds of sixteen parts
LOOK = 0.02  # between two looks for the first greeting [s]


@dataclass
class Heard:
    """What came of one part of a station."""

    greeting: Greeting
    joints: int
    epoch: int
    state: State | None = None  # newest
    since: list[State] = field(default_factory=list)  # since the last look
    shown: int = -1  # number of the state in the last look

    def moment(self, silence: float) -> Moment:
        """What came since the last look; nothing has for so long [s]."""
        states, self.since, state = self.since, [], self.state
        text = self.greeting.text
        if state is None:
            return Moment(link=Link.WAITING, text=text, joints=self.joints, epoch=self.epoch)
        snapshot = Snapshot(layout_of(self.joints), state.snapshot.copy(), state.number)
        fresh, self.shown = state.number != self.shown, state.number
        link = Link.FOLLOWING if state.alive else Link.ENDED
        if silence > SILENT_AFTER:
            link = Link.ENDED if not state.alive else Link.SILENT
        rows = np.concatenate([item.rows for item in states]) if states else no_records()
        lost = sum(item.lost for item in states)
        return Moment(snapshot, rows, state.silence + silence, link, text, fresh, lost, self.joints, self.epoch)


class WatchedPart:
    """A further part of a station somewhere else; it is heard with the first.

    Args:
        station: the first.
        heard: what came of this one.
    """

    commands: Path | None = None

    def __init__(self, station: WatchedStation, heard: Heard) -> None:
        self._station, self._heard = station, heard

    @property
    def trouble(self) -> str:
        """Of the whole publication."""
        return self._station.trouble

    def look(self) -> Moment:
        """What came since the last look."""
        return self._heard.moment(self._station.silence)

    def further(self) -> Sequence[WatchedPart]:
        """The first knows them all."""
        return ()

    def health(self) -> Health:
        """Of the whole publication."""
        return self._station.health()

    def close(self) -> None:
        """The connection is the first's."""


class WatchedStation:
    """Connects at once, and again whenever it must; what comes is checked.

    Args:
        url: `tcp://host:port`, beyond this machine with `?server=FILE&key=FILE`.
    """

    commands: Path | None = None  # it may only be watched

    def __init__(self, url: str) -> None:
        endpoint, keys = place_to_watch(url)
        self.url = url.partition("?")[0]
        self.refused = self.received = self.missing = 0  # messages: not usable, taken, that never came
        self._parts: dict[int, Heard] = {}  # by number
        self._number = -1
        self._came = time.monotonic()  # when the last state did [s]
        self._denied = False
        self._why = ""  # why a message was refused, until a good state comes
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket: zmq.Socket[bytes] = self._context.socket(zmq.SUB)
        self._socket.linger = 0
        self._socket.rcvhwm = BACKLOG
        self._socket.maxmsgsize = LARGEST
        self._socket.reconnect_ivl, self._socket.reconnect_ivl_max = 100, 1000  # [ms]
        self._socket.heartbeat_ivl, self._socket.heartbeat_timeout = 500, 2000  # to notice a dead one [ms]
        self._socket.ipv6 = endpoint.host.startswith("[")
        secure_client(self._socket, keys)
        self._monitor = self._socket.get_monitor_socket()
        self._socket.subscribe(b"")
        self._socket.connect(str(endpoint))

    @property
    def greeting(self) -> Greeting | None:
        """Of the first part; None: nobody has said who it is."""
        first = self._parts.get(0)
        return None if first is None else first.greeting

    @property
    def _heard_states(self) -> bool:
        first = self._parts.get(0)
        return first is not None and first.state is not None

    @property
    def silence(self) -> float:
        """Since the last state came [s]."""
        return time.monotonic() - self._came

    @property
    def trouble(self) -> str:
        """What is wrong with the publication, in one line."""
        if self._why:
            return f"{self.url}: {self._why} ({self.refused} refused)"
        if self._denied and not self._heard_states:
            return f"{self.url}: the station refused the keys; is ?server= its public key, and is yours in its list?"
        if self.silence > SILENT_AFTER:
            return f"no data for {self.silence:.0f} s from {self.url}; trying again"
        return ""

    def wait(self, patience: float) -> Greeting:
        """Wait until the station has said who it is, `patience` [s] at most.

        Raises:
            SharingError: why it has not.
        """
        end = time.monotonic() + patience
        while self.greeting is None and time.monotonic() < end and not self._denied:
            self._receive()
            self._socket.poll(round(1e3 * LOOK))
        if self.greeting is None:
            nobody = f"{self.url}: nobody publishes a station there"
            raise SharingError(self.trouble if self._why or self._denied else nobody)
        return self.greeting

    def look(self) -> Moment:
        """What came since the last look; what is not usable is counted and told."""
        self._receive()
        first = self._parts.get(0)
        if first is None:
            return Moment(link=Link.WAITING)
        if len(self._parts) < first.greeting.parts:  # who the others are comes with the next greeting
            return Moment(link=Link.WAITING, text=first.greeting.text, joints=first.joints, epoch=first.epoch)
        return first.moment(self.silence)

    def further(self) -> Sequence[WatchedPart]:
        """The other parts, in their order."""
        return [WatchedPart(self, heard) for number, heard in sorted(self._parts.items()) if number]

    def health(self) -> Health:
        """The publication, as the panel of links shows it."""
        lines = (
            ("newest state came", milliseconds(self.silence, " ago")),
            ("messages", f"{self.received} taken"),
            ("lost", f"{self.missing} messages"),
            ("refused", f"{self.refused} messages"),
        )
        good = self.silence <= SILENT_AFTER and self._heard_states
        return Health("Publication", self.url, "watching only" if good else "silent", good, False, lines)

    def close(self) -> None:
        """Forget what was seen; the next look begins anew. The connection stays until this object goes."""
        for part in self._parts.values():
            part.state, part.since = None, []

    def disconnect(self) -> None:
        """Let the connection go; may be called twice."""
        with contextlib.suppress(zmq.ZMQError):
            self._socket.disable_monitor()
        self._monitor.close(0)
        self._socket.close(0)
        self._context.term()

    def _receive(self) -> None:
        """Take all that came in."""
        self._hear_monitor()
        for _ in range(BACKLOG):
            try:
                frames = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.ZMQError:
                break
            try:
                self._take(read_header(frames), frames[1])
            except PublicationError as error:
                self.refused += 1
                self._why = str(error)
                continue
            self.received += 1

    def _take(self, head: Header, data: bytes) -> None:
        if head.kind is Kind.GREETING:
            greeting = read_greeting(data)
            before = self._parts.get(greeting.part)
            if before is None or head.epoch != before.epoch:
                if not greeting.part:  # another station: nothing of the one before is kept
                    self._parts.clear()
                self._parts[greeting.part] = Heard(greeting, head.joints, head.epoch)
            self._count(head)
            return
        part = next((part for part in self._parts.values() if part.epoch == head.epoch), None)
        if part is None:
            return  # it has not said who it is
        part.state = read_state(data, head.joints)
        self._count(head)
        part.since.append(part.state)
        self._came, self._why = time.monotonic(), ""

    def _count(self, head: Header) -> None:
        """Messages that never came; a publisher that was started again counts anew."""
        if 0 <= self._number < head.number:
            self.missing += head.number - self._number - 1
        self._number = head.number

    def _hear_monitor(self) -> None:
        """Whether our key was refused, or taken after all."""
        with contextlib.suppress(zmq.ZMQError):
            while self._monitor.poll(0):
                event = next_event(self._monitor)
                if event & DENIED:
                    self._denied = True
                elif event & zmq.Event.HANDSHAKE_SUCCEEDED:
                    self._denied = False
