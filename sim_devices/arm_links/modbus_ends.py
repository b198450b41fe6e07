"""Modbus on TCP and on a serial line: how frames come in and go out."""

from __future__ import annotations

import contextlib
import socket

from pymodbus.framer import FramerRTU, FramerSocket
from pymodbus.pdu import DecodePDU

from firmware_bridge.arm.curve import Endpoint
from firmware_bridge.arm.modbus.framing import LARGEST
from firmware_bridge.arm.protocol import Refused
from sim_devices.arm.machine import ArmMachine
from sim_devices.arm_links.modbus import ModbusArm
from sim_devices.arm_links.seats import Peer
from sim_devices.arm_links.serial_line import door_of
from sim_devices.ends import End
from station.clock import WALL, Clock
from station.controllers.errors import ControllerAddressError, ControllerBusyError

MOST_CLIENTS = 8
MOST_AT_ONCE = 4  # frames of one client in one look; the others wait
WRITE_COILS = (5, 15)  # functions: an emergency stop is one
GAP = 0.005  # silence after which what is incomplete on a serial line is noise [s]
ANY_PORT = Endpoint("127.0.0.1", 0)


class ModbusTcpArm(ModbusArm):
    """An arm at `modbus://127.0.0.1:port`; port 0 is any that is free."""

    def __init__(self, machine: ArmMachine, place: Endpoint = ANY_PORT, clock: Clock = WALL, **options: object) -> None:
        super().__init__(machine, FramerSocket(DecodePDU(True)), clock, **options)  # type: ignore[arg-type]
        if not place.is_loopback:
            raise ControllerAddressError(
                f"modbus://{place.host}: Modbus has no keys; an emulator listens on loopback only"
            )
        try:
            self._listener = socket.create_server((place.host.strip("[]"), place.port), backlog=MOST_CLIENTS)
        except OSError as error:
            raise ControllerBusyError(f"modbus://{place.host}:{place.port}: {error.strerror}") from None
        self._listener.setblocking(False)
        self._place = place._replace(port=self._listener.getsockname()[1])
        self._clients: dict[int, socket.socket] = {}
        self._pending: dict[int, bytes] = {}
        self._count = 0

    @property
    def address(self) -> str:
        """URL to open it by."""
        return f"modbus://{self._place.host}:{self._place.port}"

    def _receive(self, moment: float) -> list[tuple[Peer, bytes]]:
        del moment
        with contextlib.suppress(OSError):  # nobody knocks
            while len(self._clients) < MOST_CLIENTS:
                client, _ = self._listener.accept()
                client.setblocking(False)
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._count += 1
                self._clients[self._count], self._pending[self._count] = client, b""
        found: list[tuple[Peer, bytes]] = []
        for number, client in list(self._clients.items()):
            try:
                data = client.recv(4096) if len(self._pending[number]) <= LARGEST else None  # first what is here
            except BlockingIOError:
                data = None
            except OSError:
                data = b""
            if data == b"":
                self._hang_up(number)
            elif data is not None or self._pending[number]:
                found += [(number, frame) for frame in self._split(number, data or b"")]
        if len(found) > 1:
            found.sort(key=_is_no_stop)
        return found

    def _doors(self) -> list[int]:
        return [self._listener.fileno(), *(client.fileno() for client in self._clients.values())]

    def _split(self, number: int, data: bytes) -> list[bytes]:
        pending = self._pending[number] + data
        frames: list[bytes] = []
        while len(pending) >= 7:
            size = int.from_bytes(pending[4:6], "big") + 6
            if pending[2:4] != b"\0\0" or not 8 <= size <= LARGEST:
                self.map.refused[Refused.FOREIGN if pending[2:4] != b"\0\0" else Refused.LENGTH] += 1
                self._hang_up(number)  # the stream is out of step
                return frames
            if len(pending) < size:
                break
            frames.append(pending[:size])
            pending = pending[size:]
        if len(frames) > MOST_AT_ONCE:
            frames.sort(key=lambda frame: _is_no_stop((number, frame)))
            pending = b"".join(frames[MOST_AT_ONCE:]) + pending
        self._pending[number] = pending
        return frames[:MOST_AT_ONCE]

    def _hang_up(self, number: int) -> None:
        self._clients.pop(number).close()
        self._pending.pop(number)

    def _send(self, peer: Peer, data: bytes) -> None:
        client = self._clients.get(peer) if isinstance(peer, int) else None
        if client is not None and data:
            with contextlib.suppress(OSError):
                client.send(data)

    def _release(self) -> None:
        for number in list(self._clients):
            self._hang_up(number)
        self._listener.close()


def _is_no_stop(heard: tuple[Peer, bytes]) -> bool:
    """By which emergency stops come first."""
    return heard[1][7] not in WRITE_COILS


class ModbusSerialArm(ModbusArm):
    """An arm at `modbus+serial:port`, unit 1."""

    def __init__(self, machine: ArmMachine, end: End, clock: Clock = WALL, unit: int = 1, **options: object) -> None:
        super().__init__(machine, FramerRTU(DecodePDU(True)), clock, **options)  # type: ignore[arg-type]
        self.end = end
        self._unit = unit
        self._pending, self._heard_at = b"", 0.0

    @property
    def address(self) -> str:
        """URL to open it by."""
        return f"modbus+serial:{self.end.name}"

    def _receive(self, moment: float) -> list[tuple[Peer, bytes]]:
        if self.faults or not self.end.plugged:
            self._plug_or_unplug()
        data = self.end.read()
        if data:
            self._pending, self._heard_at = (self._pending + data)[-2 * LARGEST :], moment
        used, unit, _, pdu = self._framer.decode(self._pending) if self._pending else (0, 0, 0, b"")
        if used:
            frame, self._pending = self._pending[:used], self._pending[used:]
            if pdu and unit == self._unit:
                return [("line", frame)]
            self.map.refused[Refused.CHECK] += not pdu
        elif self._pending and moment - self._heard_at > GAP:
            self.map.refused[Refused.TORN] += 1
            self._pending = b""
        return []

    def _doors(self) -> list[int]:
        return door_of(self.end)

    def _plug_or_unplug(self) -> None:
        out = self.faults.active("unplug") is not None
        if out and self.end.plugged:
            self.end.unplug()
        elif not out and not self.end.plugged:
            self.end.plug()

    def _send(self, peer: Peer, data: bytes) -> None:
        del peer
        if data:
            self.end.write(data)

    def _release(self) -> None:
        self.end.close()
