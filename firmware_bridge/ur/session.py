"""RTDE from the first word on: version, recipes, start; then data packages both ways. Nothing here waits."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence

from firmware_bridge.port import Port
from firmware_bridge.ur import rtde
from firmware_bridge.ur.rtde import Kind, Package, PackageReader, Recipe, Value
from station.controllers.errors import (
    ControllerBusyError,
    ControllerError,
    ControllerLostError,
    ControllerMismatchError,
    ControllerNotFoundError,
)
from station.devices.errors import DeviceError, DeviceLostError

FAST, SLOW = 500.0, 125.0  # e-Series, CB3 [Hz]


class RtdeSession:
    """A client's side of RTDE. `error` says why the robot cannot be spoken to."""

    def __init__(self, url: str, connect: Callable[[], Port], outputs: Sequence[str], inputs: Sequence[str]) -> None:
        self._url, self._open = url, connect
        self._names = (tuple(outputs), tuple(inputs))
        self.refused = 0
        self._port: Port | None = None
        self._forget()

    def _forget(self) -> None:
        self._reader = PackageReader()
        self._asked: Kind | None = None
        self._agreed = False  # on the version of the protocol
        self._outputs: Recipe | None = None
        self._inputs: Recipe | None = None
        self.started = False
        self.version: tuple[int, ...] = ()  # of the controller: major, minor, bug fix, build
        self.error: ControllerError | None = None

    @property
    def rate(self) -> float:
        """How often the robot tells [Hz]."""
        return FAST if self.version and self.version[0] >= 5 else SLOW

    def connect(self) -> None:
        """Open it; a ControllerError if that cannot be."""
        self._forget()
        try:
            self._port = self._open()
        except DeviceError as error:
            raise ControllerNotFoundError(f"{self._url}: {error}") from None

    def disconnect(self) -> None:
        """Let it go; may be called twice."""
        if self._port is not None:
            self._port.close()
            self._port = None

    def send(self, values: Mapping[str, Value]) -> bool:
        """Set input values; whether they went out."""
        if self._inputs is None or not self.started:
            return False
        return self._write(self._inputs.pack(values))

    def take(self) -> list[dict[str, Value]]:
        """Data that came in, oldest first; the conversation that leads there goes on by itself."""
        found = []
        for one in self._reader.feed(self._read()):
            if one.kind == Kind.DATA:
                values = None if self._outputs is None else self._outputs.unpack(one.payload)
                if values is None:
                    self.refused += 1
                else:
                    found.append(values)
            elif one.kind == self._asked:
                self._asked = None
                self._heed(one)
            elif one.kind != Kind.TEXT:
                self.refused += 1
        if self._reader.broken:
            raise ControllerLostError(f"{self._url}: what comes from there is not RTDE")
        if self._asked is None and not self.started and self.error is None:
            self._go_on()
        return found

    # The conversation ------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        outputs, inputs = self._names
        if not self.version:
            kind = Kind.CONTROLLER_VERSION if self._agreed else Kind.PROTOCOL_VERSION
            request = rtde.package(kind, b"" if self._agreed else struct.pack(">H", rtde.VERSION))
        elif self._outputs is None:
            kind, request = Kind.OUTPUTS, rtde.outputs_request(self.rate, outputs)
        elif self._inputs is None:
            kind, request = Kind.INPUTS, rtde.inputs_request(inputs)
        else:
            kind, request = Kind.START, rtde.package(Kind.START)
        if self._write(request):
            self._asked = kind

    def _heed(self, said: Package) -> None:
        kind, payload = said
        if kind == Kind.PROTOCOL_VERSION:
            self._agreed = payload == b"\x01"
            if not self._agreed:
                self._refuse("the robot does not speak RTDE version 2; update PolyScope")
        elif kind == Kind.CONTROLLER_VERSION and len(payload) == 16:
            self.version = struct.unpack(">4I", payload)
        elif kind == Kind.OUTPUTS and payload:
            self._outputs = self._recipe(self._names[0], payload)
        elif kind == Kind.INPUTS and payload:
            self._inputs = self._recipe(self._names[1], payload)
        elif kind == Kind.START and payload == b"\x01":
            self.started = True
        else:
            self._refuse(f"it has answered {chr(kind)!r} with {payload[:20].hex(' ')}")

    def _recipe(self, names: tuple[str, ...], payload: bytes) -> Recipe | None:
        types = payload[1:].decode("ascii", "replace").split(",")
        odd = [name for name, kind in zip(names, types, strict=False) if kind not in rtde.TYPES]
        if rtde.IN_USE in types:
            self.error = ControllerBusyError(
                f"{self._url}: another program writes {odd[0]}; end it, or switch off the field bus that does"
            )
        elif len(types) != len(names) or odd:
            self._refuse(f"the robot knows no {odd[0] if odd else 'such recipe'}; update PolyScope")
        else:
            return Recipe(names, types, payload[0])
        return None

    def _refuse(self, what: str) -> None:
        self.error = ControllerMismatchError(f"{self._url}: {what}")

    def _read(self) -> bytes:
        if self._port is None:
            return b""
        try:
            return self._port.read()
        except DeviceLostError as error:
            raise ControllerLostError(f"{self._url}: {error}") from None

    def _write(self, data: bytes) -> bool:
        if self._port is None:
            return False
        try:
            return self._port.write(data)
        except DeviceLostError as error:
            raise ControllerLostError(f"{self._url}: {error}") from None
