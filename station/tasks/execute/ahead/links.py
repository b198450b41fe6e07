"""Links that carry messages, at most once each: what is lost is said again by the ends.

`tcp://127.0.0.1:5600` is plain, and on this machine only. To another machine a link is encrypted, by the rules of the
arm's own link (docs/protocol_arm.md): who calls has `?server=FILE&key=FILE`, who listens `?key=FILE&allowed=FOLDER`.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol

import zmq

from firmware_bridge.arm.curve import Endpoint, client_keys, parse_endpoint, secure_client, secure_server, server_keys
from firmware_bridge.arm.doorkeeper import Doorkeeper
from station.controllers.registry import parse_controller_address
from station.devices.address import Address
from station.tasks.execute.ahead.messages import LARGEST
from station.tasks.execute.words import ExecuteError

MOST_AT_ONCE = 32  # messages that are taken in one go, of all who call in turn: a flood takes no more of a tick
MOST_PEERS = 8  # who are told what the arm does
WAITING = 4096  # messages that may wait


class Link(Protocol):
    """One end of a link; no method waits or raises."""

    def send(self, message: bytes) -> None:
        """Put a message on its way, or lose it."""

    def receive(self) -> list[bytes]:
        """What has arrived since the last call."""


class Caller:
    """At the station: calls who listens beside the arm, and calls again by itself when the link was cut."""

    def __init__(self, url: str) -> None:
        address, endpoint = _place(url, {"server", "key"}, lowest_port=1)
        keys = client_keys(address, endpoint)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = _socket(self._context, zmq.DEALER, endpoint)
        self._socket.immediate = True  # nothing is kept for a peer that is not there
        secure_client(self._socket, keys)
        try:
            self._socket.connect(str(endpoint))
        except zmq.ZMQError as error:
            self.close()
            raise ExecuteError(f"{url}: no link: {error.strerror.lower()}") from None

    def send(self, message: bytes) -> None:
        """Lost if nobody is there."""
        _send(self._socket, [message])

    def receive(self) -> list[bytes]:
        """What has arrived, up to a few dozen."""
        return [parts[-1] for parts in _received(self._socket)]

    def close(self) -> None:
        """May be called twice."""
        self._socket.close()
        self._context.term()


class Listener:
    """Beside the arm: whoever has called lately is told what the arm does."""

    def __init__(self, url: str) -> None:
        address, endpoint = _place(url, {"key", "allowed"}, lowest_port=0)
        keys = server_keys(address, endpoint)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._doorkeeper = None if keys is None else Doorkeeper(self._context, keys.allowed)
        self._socket = _socket(self._context, zmq.ROUTER, endpoint)
        self._peers: OrderedDict[bytes, None] = OrderedDict()  # who was heard last comes last
        secure_server(self._socket, keys)
        try:
            self._socket.bind(str(endpoint) if endpoint.port else f"tcp://{endpoint.host}:*")
        except zmq.ZMQError as error:
            self.close()
            raise ExecuteError(f"{url}: cannot be listened at: {error.strerror.lower()}") from None
        port = int(self._socket.getsockopt_string(zmq.LAST_ENDPOINT).rpartition(":")[2])
        self.address = str(endpoint._replace(port=port))  # where to call

    def send(self, message: bytes) -> None:
        """To all who have called lately; those who are gone are forgotten."""
        for peer in list(self._peers):
            if not _send(self._socket, [peer, message]):
                del self._peers[peer]

    def receive(self) -> list[bytes]:
        """What has arrived, up to a few dozen."""
        if self._doorkeeper is not None:
            self._doorkeeper.attend()
        found = []
        for parts in _received(self._socket):
            self._peers[parts[0]] = None
            self._peers.move_to_end(parts[0])
            found.append(parts[-1])
        while len(self._peers) > MOST_PEERS:
            self._peers.popitem(last=False)
        return found

    def close(self) -> None:
        """May be called twice."""
        if self._doorkeeper is not None:
            self._doorkeeper.close()
        self._socket.close()
        self._context.term()


def _place(url: str, options: set[str], lowest_port: int) -> tuple[Address, Endpoint]:
    address = parse_controller_address(url)
    if address.scheme != "tcp":
        raise ExecuteError(f"{url}: write tcp://host:port, for example tcp://127.0.0.1:5600")
    address.allow(options)
    return address, parse_endpoint(address, lowest_port)


def _socket(context: zmq.Context[zmq.Socket[bytes]], kind: int, endpoint: Endpoint) -> zmq.Socket[bytes]:
    made: zmq.Socket[bytes] = context.socket(kind)
    made.linger = 0
    made.ipv6 = endpoint.host.startswith("[")
    made.maxmsgsize = LARGEST
    made.sndhwm = made.rcvhwm = WAITING
    made.heartbeat_ivl, made.heartbeat_timeout = 500, 5000  # of the connection, to notice a dead one [ms]
    if kind == zmq.ROUTER:
        made.router_mandatory = True  # who is gone is noticed
    return made


def _send(socket: zmq.Socket[bytes], parts: list[bytes]) -> bool:
    try:
        socket.send_multipart(parts, zmq.NOBLOCK)
    except zmq.Again:  # full, or nobody there yet: this message is lost, as on any link
        return True
    except zmq.ZMQError:
        return False
    return True


def _received(socket: zmq.Socket[bytes]) -> list[list[bytes]]:
    found: list[list[bytes]] = []
    while len(found) < MOST_AT_ONCE:
        try:
            found.append(socket.recv_multipart(zmq.NOBLOCK))
        except zmq.ZMQError:
            break
    return found
