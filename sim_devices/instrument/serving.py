"""`Beside`: a tracker that stands beside something emulated and answers who asks, in the bytes of an instrument."""

from __future__ import annotations

import contextlib
import socket
from abc import ABC, abstractmethod

import numpy as np

from firmware_bridge.instrument.lines import (
    LONGEST,
    POSE,
    POSITION,
    About,
    Floats,
    Reading,
    about_line,
    line,
    message_of,
    reading_line,
)
from sim_devices.instrument.settings import TrackerSettings
from station.mad.placement import from_position
from station.mad.scene import Angles, Vector

BLUNDER = 0.020  # [m]
MOST_CLIENTS = 4
RESOLUTION = 1e-9  # noise that it states if it has none [m], [rad]


class Beside(ABC):
    """A tracker at a TCP port of this machine. `step` serves whoever is there and never waits."""

    def __init__(self, settings: TrackerSettings | None = None, seed: int = 0, port: int = 0) -> None:
        """Set it up.

        Args:
            settings: what it is like.
            seed: of its noise and of where it stands.
            port: to listen at; 0: any that is free.
        """
        self.settings = settings or TrackerSettings()
        self._random = np.random.default_rng([seed, 5])
        spread = self._random.normal(size=6)
        place = self.settings.away * spread[:3] / np.linalg.norm(spread[:3])
        self.stand: Floats = from_position(Vector(*place.tolist()), Angles(*spread[3:].tolist()))  # world, seen by it
        measures = POSE if self.settings.turns else POSITION
        noise = max(self.settings.noise, RESOLUTION), max(self.settings.turn_noise, RESOLUTION)
        self.about = About("emulated tracker", f"SIM-T{seed:04d}", measures, *noise, emulated=True)
        self._door = socket.create_server(("127.0.0.1", port))
        self._port = self._door.getsockname()[1]
        self._door.setblocking(False)
        self._clients: dict[socket.socket, bytes] = {}

    @property
    def address(self) -> str:
        """URL to open it by."""
        return f"tcp://127.0.0.1:{self._port}"

    @property
    @abstractmethod
    def truth(self) -> Floats:
        """Where its target is in the world (4, 4) [m]; nobody on the station's side may look."""

    def step(self) -> None:
        """Let new ones in, answer questions."""
        with contextlib.suppress(OSError):
            client, _ = self._door.accept()
            client.setblocking(False)
            self._clients[client] = b""
        if len(self._clients) > MOST_CLIENTS:
            self._hang_up(next(iter(self._clients)))
        for client in list(self._clients):
            try:
                data = client.recv(LONGEST)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            heard = self._clients[client] + data
            if not data or len(heard) > LONGEST:
                self._hang_up(client)
                continue
            *questions, self._clients[client] = heard.split(b"\n")
            with contextlib.suppress(OSError):  # who does not read the answer goes without
                client.sendall(b"".join(self._answer(question) for question in questions))

    def _answer(self, question: bytes) -> bytes:
        asked = message_of(question) or {}
        number = asked.get("number")
        if asked.get("ask") == "who":
            return about_line(self.about)
        if asked.get("ask") != "measure" or not isinstance(number, int):
            return line({"trouble": 'ask {"ask": "who"} or {"ask": "measure", "number": 1}'})
        if self._random.random() < self.settings.unseen:
            return line({"number": number, "trouble": "the beam is interrupted"})
        return reading_line(number, self.reading())

    def reading(self) -> Reading:
        """What it measures now."""
        told, random = self.settings, self._random
        seen = self.stand @ self.truth
        position = seen[:3, 3] + told.noise * random.normal(size=3)
        if random.random() < told.blunders:
            position += BLUNDER * random.normal(size=3)
        turn = from_position(Vector(0.0, 0.0, 0.0), Angles(*(told.turn_noise * random.normal(size=3)).tolist()))
        return Reading(position, seen[:3, :3] @ turn[:3, :3] if told.turns else None)

    def _hang_up(self, client: socket.socket) -> None:
        del self._clients[client]
        client.close()

    def unplug(self) -> None:
        """Be gone: everybody is hung up on, and nobody comes in again."""
        for client in list(self._clients):
            self._hang_up(client)
        self._door.close()

    def close(self) -> None:
        """End; may be called twice."""
        self.unplug()
