"""An emulated spacenavd: its socket, in both versions of the protocol, with a hand behind it."""

from __future__ import annotations

import contextlib
import socket
import struct
from pathlib import Path

from firmware_bridge.spacemouse import axes
from firmware_bridge.spacemouse.spacenavd_events import (
    ADDED,
    REMOVED,
    VERSION_WORD,
    Event,
    Request,
    encode,
    encode_version,
)
from sim_devices.emulator import Emulator
from sim_devices.faults import FaultScript, Wire
from sim_devices.spacemouse.hand import CapHand, Motion, hand_of
from station.clock import WALL, Clock
from station.private import OwnFolder

PERIOD = 0.016  # between two looks at the device [s]
DEVICE_TYPE = 0x103  # Magellan
REQUEST = struct.Struct("=8i")


class Client:
    """A program that is connected."""

    def __init__(self, stream: socket.socket, wire: Wire) -> None:
        self.stream = stream
        self.wire = wire
        self.version = 0
        self.sensitivity = 1.0
        self.heard = b""


class SpacenavdEmulator(Emulator):
    """A daemon that knows versions up to `version`; `repeat` says every motion again, as `repeat-interval` does."""

    def __init__(
        self,
        path: str | None = None,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        motion: Motion | CapHand | None = None,
        seed: int = 0,
        version: int = 1,
        repeat: bool = False,
    ) -> None:
        super().__init__(clock, faults)
        self._folder = OwnFolder("emulator")
        self.path = path or str(self._folder.path / "spnav.sock")
        self.hand = hand_of(motion)
        self.version = version
        self.repeat = repeat
        self.has_device = True
        self._seed = seed
        self._clients: list[Client] = []
        self._listening: socket.socket | None = None
        self._now, self._last = 0.0, float("-inf")  # [s since the start]
        self._told: tuple[int, ...] = (0,) * 6
        self._buttons = 0
        self._listen()

    @property
    def address(self) -> str:
        """URL to open it by."""
        return f"spacenav:{self.path}"

    @property
    def signals(self) -> dict[str, float]:
        """Quantities that faults can depend on: t [s] and the six deflections, -1 to 1."""
        shares = self.hand.deflection(self._now)
        return {"t": self._now, **dict(zip(("x", "y", "z", "rx", "ry", "rz"), shares, strict=True))}

    def plug_device(self, there: bool) -> None:
        """Plug the daemon's device in or out."""
        self.has_device = there
        for client in self._clients:
            if client.version:
                client.wire.put(encode(Event.DEVICE, (ADDED if there else REMOVED, 1, DEVICE_TYPE)), self._now)

    def _listen(self) -> None:
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(self.path)
        self._listening.listen(8)
        self._listening.setblocking(False)

    def _hang_up(self) -> None:
        for client in self._clients:
            client.stream.close()
        self._clients.clear()
        if self._listening is not None:
            self._listening.close()
            self._listening = None
            Path(self.path).unlink(missing_ok=True)

    def _step(self, now: float) -> None:
        self._now = now
        if self.faults.active("unplug") is not None:  # the daemon has ended
            self._hang_up()
            return
        if self._listening is None:
            self._listen()
        self._accept()
        for client in tuple(self._clients):
            self._serve(client)
        if self.has_device:
            self._speak()
        for client in self._clients:
            for record in client.wire.take(now):
                with contextlib.suppress(OSError):
                    client.stream.send(record)

    def _accept(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._listening is not None:
                stream, _ = self._listening.accept()
                stream.setblocking(False)
                self._clients.append(Client(stream, Wire(self.faults, self._seed)))

    def _serve(self, client: Client) -> None:
        try:
            data = client.stream.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            client.stream.close()
            self._clients.remove(client)
            return
        if self.faults.active("deaf") is not None:
            return
        client.heard += data
        while len(client.heard) >= (REQUEST.size if client.version else 4):
            self._obey(client)

    def _obey(self, client: Client) -> None:
        if client.version == 0:
            word, client.heard = client.heard[:4], client.heard[4:]
            asked = int.from_bytes(word, "little")
            if asked & ~0xFF == VERSION_WORD and self.version > 0:
                client.version = min(asked & 0xFF, self.version)
                client.wire.put(encode_version(client.version), self._now)
            else:
                client.sensitivity = struct.unpack("=f", word)[0]
            return
        kind, *data = REQUEST.unpack_from(client.heard)
        client.heard = client.heard[REQUEST.size :]
        answers = {Request.TYPE: DEVICE_TYPE, Request.BUTTONS: 11}
        data[6] = 0 if self.has_device and kind in answers else -1
        data[0] = answers.get(kind, data[0])
        client.wire.put(encode(kind, data), self._now)

    def _speak(self) -> None:
        buttons = self.hand.buttons(self._now)
        for number in range(32):
            if (buttons ^ self._buttons) >> number & 1:
                pressed = buttons >> number & 1
                self._tell(encode(Event.PRESS if pressed else Event.RELEASE, (number, pressed)))
        self._buttons = buttons
        if self._now - self._last < PERIOD - 1e-9:
            return
        counts = axes.SPACENAVD.counts(self.hand.deflection(self._now))
        if counts != self._told or (self.repeat and any(counts)):  # the daemon tells changes only
            self._tell(encode(Event.MOTION, (*counts, round(1000.0 * min(self._now - self._last, 60.0)))))
            self._told, self._last = counts, self._now

    def _tell(self, record: bytes) -> None:
        for client in self._clients:
            client.wire.put(record, self._now)

    def _release(self) -> None:
        self._hang_up()
        self._folder.close()
