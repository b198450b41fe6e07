"""Magellan and SpaceMouse on a serial line: 9600 baud, 8 data bits, 2 stop bits, RTS/CTS.

A deflected cap streams a record every 60 ms (the device cannot do better), then one with zeros, then nothing. So every
100 ms the buttons are asked for, which shows that the device is there, and a deflected cap that has missed its turn is
asked for its place. Never more than five bytes are on the way to the device: its buffer holds no more.
"""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.port import Port, open_serial
from firmware_bridge.spacemouse.axes import MAGELLAN, NativeAxes
from firmware_bridge.spacemouse.cap import NEVER, Patience
from firmware_bridge.spacemouse.magellan_records import BUTTONS, Kind, MagellanParser, Record, keys_of, model_of
from firmware_bridge.spacemouse.serial_cap import Greeting, SerialCap, Step
from station.clock import Clock
from station.devices.address import Address
from station.devices.device import Capabilities, Device
from station.devices.errors import AddressError
from station.devices.software.deflection import cap_capabilities

BAUD = 9600
PERIOD = 0.060  # between two records of a deflected cap [s]
ASK_KEYS = 0.100  # between two questions for the buttons [s]
ASK_MOTION = 0.070  # a deflected cap that is silent for so long is asked … [s]
ASK_AGAIN = 0.030  # … and again after so long: it does not answer within 60 ms of its last record [s]
PATIENCE = Patience(deflected=0.150, silent=0.250, buttons=0.350)
OPENING = 3.0  # the line powers the device: it may have to start first [s]
OPTIONS = ("device", "full", "full_turn", "handshake")

GREETING = (
    (Step(b"vQ\r", patience=0.25), Kind.VERSION),  # who are you
    (Step(b"m3\r"), Kind.MODE),  # translation and rotation
    (Step(b"c3B\r", needed=False), Kind.COMPRESS),  # with the keys + and -; older ones do not know this
    (Step(b"q00\r", needed=False), Kind.SENSITIVITY),  # whatever its last user has set
    (Step(b"nH\r", needed=False), Kind.NULL_RADIUS),
    (Step(b"pBB\r", needed=False), Kind.PERIOD),  # a record every 60 ms
    (Step(b"kQ\r"), Kind.KEYS),
)


def _capabilities(model: str) -> Capabilities:
    return cap_capabilities(model, BUTTONS[model], 1.0 / PERIOD, dead_man=0)


class Magellan(SerialCap):
    """A Magellan at a port."""

    def __init__(self, url: str, clock: Clock, connect: Callable[[], Port], axes: NativeAxes = MAGELLAN) -> None:
        self._parser = MagellanParser()
        self._asked_keys = self._asked_motion = NEVER  # [s]
        model = "Magellan SpaceMouse"
        super().__init__(url, clock, connect, _capabilities(model), axes, PATIENCE)

    def _greet(self, begin: int) -> Greeting:
        self._parser = MagellanParser()
        return Greeting([step for step, _ in GREETING], begin)

    def _take(self, data: bytes, now: float) -> None:
        if not self._greeting.done and b"@1" in self._heard_bytes:
            raise self._mismatch("a Spaceball answers; write ?device=spaceball")
        for record in self._parser.feed(data):
            self._take_record(record, now)

    def _take_record(self, record: Record, now: float) -> None:
        awaited = next((kind for step, kind in GREETING if step.question == self._greeting.asked), None)
        if record.kind is Kind.VERSION:
            self._identify(record.text)
        elif record.kind is Kind.KEYS:
            self._note_buttons(keys_of(record), now)
        elif record.kind is Kind.MOTION and self._greeting.done:
            self._note_motion(record.values, now)
        elif record.kind is not Kind.ERROR:
            self._note_life(now)
        if record.kind is awaited:
            self._greeting.answered()

    def _identify(self, text: str) -> None:
        if text == "Q":
            raise self._mismatch(
                "it sends back what it gets (a modem, or a plug that joins both wires), not a Magellan"
            )
        model = model_of(text)
        if not model:
            raise self._mismatch(f"it calls itself {text[:40]!r}, which is not a Magellan")
        self.capabilities = _capabilities(model)

    def _ask(self, now: float) -> bytes:
        if self._motion_age(now) > ASK_MOTION and now - self._asked_motion > ASK_AGAIN:
            self._asked_motion = now
            return b"dQ\r"
        if now - self._asked_keys >= ASK_KEYS:
            self._asked_keys = now
            return b"kQ\r"
        return b""


def axes_of(address: Address, axes: NativeAxes) -> NativeAxes:
    """How the device counts, with what the address says about full deflection [counts]."""
    full = address.number("full", axes.full, 10.0, 32767.0)
    return axes.scaled(full, address.number("full_turn", axes.full_turn, 10.0, 32767.0))


def open_magellan(address: Address, clock: Clock, connect: Callable[[], Port] | None = None) -> Device:
    """Open `serial:/dev/ttyS0?device=magellan`; `connect` stands in for the port of the address."""
    address.allow(OPTIONS)
    if not address.place and connect is None:
        raise AddressError(f"{address.url}: which port? write serial:/dev/ttyS0?device=magellan")
    handshake = address.choice("handshake", "on", ("on", "off")) == "on"

    def port() -> Port:
        return open_serial(address.place, BAUD, two_stop_bits=True, handshake=handshake)

    device = Magellan(address.url, clock, connect or port, axes_of(address, MAGELLAN))
    device.wait_until_ready(OPENING)
    return device
