"""`tcp://` addresses: an arm over ZeroMQ, as `tcp://127.0.0.1:5555` or `tcp://arm:5555?server=arm.key&role=observe`.

Four sockets, so that nothing waits behind something else: answers and requests (reliable), setpoints, measurements, and
the emergency stop alone. Sockets keep setpoints and measurements up to a bound; whoever looks uses the newest, and can
tell what was lost on the way from what it merely passed over.
"""

from __future__ import annotations

import contextlib
import socket as system_socket
import sys

import zmq
from zmq.backend import Socket as BareSocket
from zmq.backend import zmq_poll

from firmware_bridge.arm.curve import ClientKeys, Endpoint, client_keys, parse_endpoint, secure_client
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.link import ArmLink
from firmware_bridge.arm.messages import Welcome
from firmware_bridge.arm.protocol import Role
from station.clock import Clock
from station.controllers.errors import ControllerDeniedError, ControllerError, ControllerNotFoundError
from station.devices.address import Address

# The compiled methods below those of `zmq.Socket`: a microsecond less each.
bare_send, bare_recv, bare_get = BareSocket.send, BareSocket.recv, BareSocket.get
NOW = int(zmq.NOBLOCK)  # plain numbers: enums are slow in a tick
READABLE = int(zmq.POLLIN)
BACKLOG = 512  # setpoints or measurements that may wait in a process (half of it always), besides the system's
MOST_AT_ONCE = 2 * BACKLOG  # messages of one look
LARGEST = 65536  # bytes; a peer that sends more is cut off
LINGER = 200  # for the last words, in the background [ms]
DENIED = zmq.Event.HANDSHAKE_FAILED_AUTH | zmq.Event.HANDSHAKE_FAILED_PROTOCOL | zmq.Event.HANDSHAKE_FAILED_NO_DETAIL


def configure(socket: zmq.Socket[bytes], keys: ClientKeys | None, base: Endpoint | str) -> None:
    """What all sockets of a station have in common."""
    socket.ipv6 = isinstance(base, Endpoint) and base.host.startswith("[")
    socket.linger = LINGER
    socket.immediate = True  # nothing is kept for a peer that is not there
    socket.maxmsgsize = LARGEST
    socket.reconnect_ivl = 50  # [ms]
    socket.heartbeat_ivl, socket.heartbeat_timeout = 250, 1000  # of the connection, to notice a dead one [ms]
    secure_client(socket, keys)


def next_event(monitor: zmq.Socket[bytes]) -> zmq.Event:
    """What a monitor of a socket tells next: a number of 16 bits, a value, and then the place it is about.

    As `zmq.utils.monitor` has it, which loads asyncio and OpenSSL: 50 ms and 6 MB.
    """
    return zmq.Event(int.from_bytes(monitor.recv_multipart()[0][:2], sys.byteorder))


class ZeroMqLink(ArmLink):
    """The station's four sockets."""

    lossless = True

    def __init__(self, url: str, base: Endpoint | str, keys: ClientKeys | None = None) -> None:
        self._url = url
        self._base = base  # an endpoint of tcp, or the beginning of names within this process
        self._keys = keys
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        self._reliable: zmq.Socket[bytes] | None = None
        self._monitor: zmq.Socket[bytes] | None = None
        self._others: tuple[zmq.Socket[bytes], zmq.Socket[bytes], zmq.Socket[bytes]] | None = None
        self._places: tuple[str, str, str] | None = None
        self._seen: set[zmq.Event] = set()

    def connect(self) -> None:
        """Open the reliable socket; the others follow when their ports are known."""
        self._reliable = self._context.socket(zmq.DEALER)
        configure(self._reliable, self._keys, self._base)
        self._monitor = self._reliable.get_monitor_socket()
        try:
            self._reliable.connect(str(self._base))
        except zmq.ZMQError as error:
            self.disconnect()
            raise ControllerNotFoundError(f"{self._url}: {error.strerror.lower()}") from None

    def disconnect(self) -> None:
        """Close all sockets; what was sent last still goes out."""
        if self._reliable is not None:
            self._stop_monitor()
            self._reliable.close()
            self._reliable = None
        self._close_others()

    def _stop_monitor(self) -> None:
        if self._reliable is not None and self._monitor is not None:
            with contextlib.suppress(zmq.ZMQError):
                self._reliable.disable_monitor()
            self._monitor.close(0)
            self._monitor = None

    def _close_others(self) -> None:
        for socket in self._others or ():
            socket.close()
        self._others = self._places = None

    def welcomed(self, welcome: Welcome) -> None:
        """Open the other three, unless they are there already."""
        self._stop_monitor()
        base = self._base
        names = ("-setpoints", "-measurements", "-stop")
        places = [
            base.at(port) if isinstance(base, Endpoint) else base + name
            for port, name in zip(welcome.ports, names, strict=True)
        ]
        if self._places == tuple(places):
            return
        self._close_others()
        setpoints, measurements, stop = (self._context.socket(kind) for kind in (zmq.PUSH, zmq.SUB, zmq.DEALER))
        for socket in (setpoints, measurements, stop):
            configure(socket, self._keys, base)
        setpoints.sndhwm = measurements.rcvhwm = BACKLOG
        measurements.subscribe(b"")
        for socket, place in zip((setpoints, measurements, stop), places, strict=True):
            socket.connect(place)
        self._others, self._places = (setpoints, measurements, stop), (places[0], places[1], places[2])

    def sockets(self) -> tuple[int, int] | None:
        """Of measurements and setpoints, while they are open."""
        return None if self._others is None else (self._others[1].underlying, self._others[0].underlying)

    def send_setpoint(self, data: bytes) -> bool:
        """At once or not at all: nothing replaces it on its way, and the arm uses the newest that it finds."""
        if self._others is None:
            return False
        try:
            bare_send(self._others[0], data, NOW)
        except zmq.ZMQError:  # nobody is connected
            return False
        return True

    def send_reliable(self, data: bytes) -> bool:
        """On the socket of requests."""
        return sent_at_once(self._reliable, data)

    def send_stop(self, data: bytes) -> bool:
        """On the socket that has nothing else to do; on that of requests while it is not there."""
        others = self._others
        sent = others is not None and sent_at_once(others[2], data)
        return sent or sent_at_once(self._reliable, data)

    def measurements(self) -> list[bytes]:
        """All that came in."""
        return [] if self._others is None else drained(self._others[1])

    def reliable(self) -> list[bytes]:
        """All that came in."""
        found = [] if self._reliable is None else drained(self._reliable)
        if self._others is not None:
            found += drained(self._others[2])
        return found

    def why_silent(self) -> ControllerError | None:
        """Whether anybody was there at all, and whether our key was refused."""
        with contextlib.suppress(zmq.ZMQError):
            while self._monitor is not None and self._monitor.poll(0):
                self._seen.add(next_event(self._monitor))
        if any(event & DENIED for event in self._seen):
            return ControllerDeniedError(
                f"{self._url}: the arm refused the keys; is ?server= its public key, and is yours in its allow-list?"
            )
        if isinstance(self._base, Endpoint) and zmq.Event.CONNECTED not in self._seen:
            return ControllerNotFoundError(
                f"{self._url}: nobody listens there; is the arm switched on and on the network?"
            )
        return None


def sent_at_once(socket: zmq.Socket[bytes] | None, data: bytes) -> bool:
    """Whether a message went out; one for nobody does not."""
    try:
        if socket is not None:
            bare_send(socket, data, NOW)
    except zmq.ZMQError:
        return False
    return socket is not None


def is_readable(socket: zmq.Socket[bytes]) -> bool:
    """Whether a message is there: to ask is quicker than to fail."""
    return bool(zmq_poll([(socket, READABLE)], 0))


def drained(socket: zmq.Socket[bytes], most: int = MOST_AT_ONCE) -> list[bytes]:
    """Messages that are there, oldest first."""
    found: list[bytes] = []
    door = [(socket, READABLE)]
    try:
        while zmq_poll(door, 0) and len(found) < most:
            found.append(bare_recv(socket, NOW))
    except zmq.ZMQError:  # nothing there after all
        pass
    return found


def one_of(socket: zmq.Socket[bytes]) -> list[bytes]:
    """The oldest message that is there, if any; the quick way where one is most likely there."""
    try:
        return [bare_recv(socket, NOW)]
    except zmq.ZMQError:
        return []


class ZeroMqControllers:
    """The scheme `tcp:`."""

    def listens_at(self, address: Address) -> tuple[str, int]:
        """Host and port of an arm; keys are read, too."""
        endpoint = parse_endpoint(address)
        client_keys(address, endpoint)
        return endpoint.host, endpoint.port

    def open(self, address: Address, clock: Clock) -> ArmController:
        """Open the arm at `tcp://host:port`; options: role, server, key, name."""
        address.allow({"role", "server", "key", "name"})
        endpoint = parse_endpoint(address)
        role = Role[address.choice("role", "command", ("command", "observe")).upper()]
        link = ZeroMqLink(address.url, endpoint, client_keys(address, endpoint))
        name = address.options.get("name", system_socket.gethostname())
        controller = ArmController(address.url, clock, link, role, name)
        controller.wait_until_ready()
        return controller


SCHEME = ZeroMqControllers()
