"""The robot's side of RTDE: versions, recipes, who may write what, and data packages at the frequency asked for."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator

from firmware_bridge.ur import rtde
from firmware_bridge.ur.rtde import Kind, Package, PackageReader, Recipe, Value
from sim_devices.ur.variables import INPUT_TYPES, OUTPUT_TYPES, ZEROS

VERSION = (5, 15, 0, 0)  # of the controller
MOST_RECIPES = 255
OK, NO = b"\x01", b"\x00"


class Client:
    """One that speaks RTDE."""

    def __init__(self) -> None:
        self.reader = PackageReader()
        self.version = 1
        self.output: Recipe | None = None
        self.period = 1.0 / 125.0  # [s]
        self.inputs: dict[int, Recipe] = {}
        self.started = False
        self.due = 0.0  # when the next data package goes out [s]


class RtdeServer:
    """What is said to whom; bytes come and go elsewhere. `written` holds all input values."""

    def __init__(self, fastest: float, version: tuple[int, int, int, int] = VERSION) -> None:
        self._fastest, self._version = fastest, version
        self.clients: dict[int, Client] = {}
        self.written: dict[str, Value] = {name: ZEROS[name] for name in INPUT_TYPES}
        self._owners: dict[str, int] = {}
        self.refused: Counter[str] = Counter()
        self.packages = 0  # of data that were taken
        self._does = {
            Kind.PROTOCOL_VERSION: self._protocol,
            Kind.CONTROLLER_VERSION: lambda *_: struct.pack(">4I", *self._version),
            Kind.OUTPUTS: self._outputs,
            Kind.INPUTS: self._inputs,
            Kind.START: self._start,
            Kind.PAUSE: self._pause,
        }

    def come(self, number: int) -> None:
        """A client has connected."""
        self.clients[number] = Client()

    def go(self, number: int) -> None:
        """A client has gone, and what it wrote is free for another."""
        self.clients.pop(number, None)
        self._owners = {name: owner for name, owner in self._owners.items() if owner != number}

    def hear(self, number: int, data: bytes) -> list[bytes] | None:
        """What is answered; None: the stream makes no sense, hang up."""
        client = self.clients[number]
        answers = []
        for one in client.reader.feed(data):
            answer = self._answer(number, client, one)
            if answer is not None:
                answers.append(answer)
        if client.reader.broken:
            self.refused["out of step"] += 1
            return None
        return answers

    def due(self, now: float, values: dict[str, Value]) -> Iterator[tuple[int, bytes]]:
        """Data packages that go out at `now` [s]."""
        for number, client in self.clients.items():
            if client.started and client.output is not None and now >= client.due - 1e-9:
                client.due = max(client.due + client.period, now)
                yield number, client.output.pack(values)

    @property
    def next_due(self) -> float:
        """When the next package goes out [s]."""
        return min((one.due for one in self.clients.values() if one.started), default=float("inf"))

    def _answer(self, number: int, client: Client, said: Package) -> bytes | None:
        if said.kind == Kind.DATA:
            self._data(number, client, said.payload)
            return None
        does = self._does.get(Kind(said.kind)) if said.kind in Kind.__members__.values() else None
        if does is None:
            self.refused["type"] += 1
            return None
        return rtde.package(said.kind, does(number, client, said.payload))

    def _protocol(self, number: int, client: Client, payload: bytes) -> bytes:
        del number
        good = payload in (b"\0\x01", b"\0\x02")
        if good:
            client.version = payload[1]
        else:
            self.refused["version"] += 1
        return OK if good else NO

    def _outputs(self, number: int, client: Client, payload: bytes) -> bytes:
        del number
        frequency = 125.0
        if client.version >= 2:
            if len(payload) < 8:
                self.refused["length"] += 1
                return NO
            (frequency,) = struct.unpack_from(">d", payload)
            payload = payload[8:]
        names = _names(payload)
        types = [OUTPUT_TYPES.get(name, rtde.NOT_FOUND) for name in names]
        good = rtde.NOT_FOUND not in types and 1.0 <= frequency <= self._fastest
        if good:
            client.output, client.period = Recipe(names, types, 1), 1.0 / frequency
        else:
            self.refused["outputs"] += 1
        return bytes([int(good)]) + ",".join(types).encode()

    def _inputs(self, number: int, client: Client, payload: bytes) -> bytes:
        names = _names(payload)
        types = [INPUT_TYPES.get(name, rtde.NOT_FOUND) for name in names]
        types = [rtde.IN_USE if self._owners.get(name, number) != number else kind for name, kind in zip(names, types)]  # noqa: B905
        good = not {rtde.NOT_FOUND, rtde.IN_USE} & set(types) and len(client.inputs) < MOST_RECIPES
        recipe = 0
        if good:
            recipe = len(client.inputs) + 1
            client.inputs[recipe] = Recipe(names, types, recipe)
            self._owners |= dict.fromkeys(names, number)
        else:
            self.refused["inputs"] += 1
        return bytes([recipe]) + ",".join(types).encode()

    def _start(self, number: int, client: Client, payload: bytes) -> bytes:
        del number, payload
        client.started = client.output is not None or bool(client.inputs)
        client.due = 0.0
        return OK if client.started else NO

    def _pause(self, number: int, client: Client, payload: bytes) -> bytes:
        del number, payload
        client.started = False
        return OK

    def _data(self, number: int, client: Client, payload: bytes) -> None:
        recipe = client.inputs.get(payload[0]) if payload else None
        values = None if recipe is None else recipe.unpack(payload)
        if values is None:
            self.refused["data"] += 1
            return
        self.packages += 1
        del number
        self.written.update(values)


def _names(payload: bytes) -> list[str]:
    text = payload[: rtde.LONGEST_NAMES].decode("ascii", "replace").strip("\0\n ,")
    return [name.strip() for name in text.split(",")] if text else []
