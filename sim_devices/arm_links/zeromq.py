"""The arm's end of the ZeroMQ link: four sockets, and keys where the address can be reached from other machines.

Sockets keep all setpoints, up to a bound. What the arm finds when it looks is then told apart: the newest is applied,
older ones are passed over, and numbers that are missing were lost on the way.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from pathlib import Path

import zmq
from zmq.backend import zmq_poll

from firmware_bridge.arm.coupled import COUPLED_SETPOINT, TYPE_AT
from firmware_bridge.arm.curve import Endpoint
from firmware_bridge.arm.doorkeeper import Doorkeeper
from firmware_bridge.arm.protocol import Refused, Type
from firmware_bridge.arm.stream import Setpoint
from firmware_bridge.arm.zeromq import (
    BACKLOG,
    LARGEST,
    NOW,
    READABLE,
    bare_get,
    bare_recv,
    drained,
    is_readable,
    one_of,
    sent_at_once,
)
from sim_devices.arm.machine import ArmMachine
from sim_devices.arm.network import NetworkSettings
from sim_devices.arm_links.desk import Desk
from sim_devices.arm_links.emulator import MessageEmulator
from sim_devices.arm_links.seats import Peer, Session
from sim_devices.faults import FaultScript
from station.clock import WALL, Clock
from station.controllers.errors import ControllerAddressError, ControllerBusyError
from station.keys import read_allowed, read_keys

MOST_AT_ONCE = 256  # messages of one look at one socket …
MOST_OF_ONE = 8  # … of which so many of one peer are heard, besides stops: no station says as much in a step
MOST_BETWEEN = 32  # of a look for stops while others are heard
MOST_BYTES = 1 << 16  # that the system keeps of a connection on which little is said
ANY_PORT = Endpoint("127.0.0.1", 0)
SETPOINTS = "setpoints"  # peer of what comes in without a name
MOST_SETPOINTS = 256  # of one look, from all who send any in turn
PLAIN, STOP = int(Type.SETPOINT), bytes([Type.STOP])
MORE = int(zmq.RCVMORE)
Heard = tuple[Peer, bytes]
NAMES = ("", "-setpoints", "-measurements", "-stop")


class ZeroMqArm(MessageEmulator):
    """An arm at `tcp://host:port` (port 0: any that is free), or at a name within this process."""

    def __init__(
        self,
        machine: ArmMachine,
        place: Endpoint | str = ANY_PORT,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        network: NetworkSettings | None = None,
        *,
        key: Path | None = None,
        allowed: Path | None = None,
    ) -> None:
        secret = read_keys(key) if key is not None else None
        if secret is None and isinstance(place, Endpoint) and not place.is_loopback:
            raise ControllerAddressError(
                f"{place}: an arm that other machines can reach needs keys; make them with: station keys"
            )
        if secret is not None and allowed is None:
            raise ControllerAddressError(f"{place}: name the folder with the keys of the stations that may come in")
        guests = read_allowed(allowed) if allowed is not None else frozenset()
        super().__init__(machine, clock, faults, network)
        self._sockets: list[zmq.Socket[bytes]] = []
        # The doorkeeper answers for all sockets of a context, so an arm with keys has one of its own.
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context() if secret else zmq.Context.instance()
        self._doorkeeper = Doorkeeper(self._context, guests) if secret else None
        kinds = (zmq.ROUTER, zmq.PULL, zmq.PUB, zmq.ROUTER)
        try:
            ports = [self._bind(kind, place, number, secret) for number, kind in enumerate(kinds)]
        except zmq.ZMQError as error:
            self._release()
            raise ControllerBusyError(f"{place} cannot be listened at: {error.strerror.lower()}") from None
        self._reliable, self._setpoints, self._measurements, self._stop = self._sockets
        self._place = place._replace(port=ports[0]) if isinstance(place, Endpoint) else place
        self.desk = Desk(machine, (ports[1], ports[2], ports[3]))
        self._file_numbers = [int(socket.fd) for socket in self._sockets]
        self._pressing = [(self._stop, READABLE), (self._setpoints, READABLE)]
        self._incoming = [*self._pressing, (self._reliable, READABLE)]
        self._reliable_door, self._setpoint_door = self._file_numbers[:2]

    def _bind(self, kind: int, place: Endpoint | str, number: int, secret: tuple[bytes, bytes] | None) -> int:
        socket: zmq.Socket[bytes] = self._context.socket(kind)
        self._sockets.append(socket)
        socket.linger = 0
        socket.maxmsgsize = LARGEST
        if kind in (zmq.PULL, zmq.PUB):  # bounded, and never overwritten unseen
            socket.sndhwm = socket.rcvhwm = BACKLOG
        else:  # who says more than is heard waits at the other end, and not here
            socket.rcvhwm, socket.rcvbuf = MOST_AT_ONCE, MOST_BYTES
        if secret is not None:
            socket.curve_server = True
            socket.curve_publickey, socket.curve_secretkey = secret
        if isinstance(place, Endpoint):
            socket.ipv6 = place.host.startswith("[")
            port = place.port + number if place.port else 0
            socket.bind(place.at(port) if port else f"tcp://{place.host}:*")
            return int(str(socket.getsockopt_string(zmq.LAST_ENDPOINT)).rpartition(":")[2])
        socket.bind(place + NAMES[number])
        return 0

    @property
    def address(self) -> str:
        """URL to open it by."""
        return str(self._place)

    @property
    def keys_refused(self) -> int:
        """How many connections were turned away for their key."""
        return 0 if self._doorkeeper is None else self._doorkeeper.refused

    def _urgent(self, each: bool = False) -> list[tuple[Peer, bytes]]:
        stops: list[tuple[Peer, bytes]] = []
        heard: list[bytes] = []
        if self._knocked and self._setpoint_door in self._knocked:  # most likely there: no need to ask
            heard += one_of(self._setpoints)
        if zmq_poll(self._pressing, 0):  # both at once; as usual there is nothing more
            stops, heard = self._from_router(self._stop), heard + drained(self._setpoints, MOST_SETPOINTS)
        return stops + [(SETPOINTS, data) for data in self._without_old(heard, each)] if heard else stops

    def _without_old(self, heard: list[bytes], each: bool) -> list[bytes]:
        """All but setpoints of the commander that another one, as new or newer, makes needless.

        A coupled one is never left out, as both ends of a bilateral link keep book of what passes between them; and
        none if `each` is to act.
        """
        commander = self.desk.seats.commander
        if len(heard) == 1 or commander is None:  # as usual: there is nothing to choose from
            return heard
        kept: list[bytes] = []
        again: list[bytes] = []  # for the desk to refuse, after what they repeat
        newest, plain, plain_sequence = commander.setpoint, -1, -1  # `plain`: place of the newest plain one
        for data in heard:
            sequence = self._sequence_of(data, commander)
            if sequence is None:
                kept.append(data)
            elif sequence <= newest:
                again.append(data)
            else:
                newest = sequence
                if data[TYPE_AT] == PLAIN:
                    if plain >= 0 and not each:
                        kept.pop(plain)
                        self.desk.pass_over(plain_sequence)
                    plain, plain_sequence = len(kept), sequence
                kept.append(data)
        return kept + again

    def _sequence_of(self, data: bytes, commander: Session) -> int | None:
        """Of a sound setpoint of the commander; None: it is none."""
        desk = self.desk
        coupled = desk.coupling is not None and desk.coupled.is_sound(data, COUPLED_SETPOINT)
        said = desk.codec.read_setpoint(data) if coupled or desk.codec.is_setpoint(data) else None
        return said.sequence if isinstance(said, Setpoint) and said.session == commander.number else None

    def _others(self) -> list[tuple[Peer, bytes]]:
        if self._doorkeeper is not None:
            self._doorkeeper.attend()
        if self._knocked is not None and self._reliable_door not in self._knocked:
            return []
        return self._from_router(self._reliable)

    def _from_router(self, socket: zmq.Socket[bytes], most: int = MOST_AT_ONCE) -> list[tuple[Peer, bytes]]:
        """What came in, emergency stops first. Of a peer that says too much the rest is thrown away unread: quickly."""
        if not is_readable(socket):
            return []
        to_stop, stops, others = socket is self._stop, [], []  # type: tuple[bool, list[Heard], list[Heard]]
        said: Counter[bytes] = Counter()
        with contextlib.suppress(zmq.ZMQError):  # nothing there any more
            for _ in range(most):
                name, data = bare_recv(socket, NOW), bare_recv(socket, NOW)
                while bare_get(socket, MORE):  # of another program
                    data = bare_recv(socket, NOW)[:0]
                is_stop = data[TYPE_AT : TYPE_AT + 1] == STOP
                said[name] += not is_stop
                if is_stop or said[name] <= MOST_OF_ONE:
                    (stops if is_stop else others).append(((to_stop, name), data))
        thrown_away = said.total() - len(others)
        if thrown_away:
            self.desk.refused[Refused.FLOOD] += thrown_away
        return stops + others

    def _stops(self) -> list[tuple[Peer, bytes]]:
        return self._from_router(self._stop, MOST_BETWEEN)

    def _send(self, peer: Peer, data: bytes) -> None:
        if isinstance(peer, tuple):
            to_stop, name = peer
            with contextlib.suppress(zmq.ZMQError):  # it has gone
                (self._stop if to_stop else self._reliable).send_multipart([name, data], NOW)

    def _publish(self, data: bytes) -> None:
        sent_at_once(self._measurements, data)

    def _doors(self) -> list[int]:
        return self._file_numbers

    def _has_more(self) -> bool:
        return bool(zmq_poll(self._incoming, 0))

    def _release(self) -> None:
        for socket in self._sockets:
            socket.close(0)
        self._sockets = []
        if self._doorkeeper is not None:
            self._doorkeeper.close()
            self._doorkeeper = None
            self._context.term()
