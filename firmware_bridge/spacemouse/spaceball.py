"""Spaceball 1003, 2003, 3003 and 4000 FLX on a serial line: 9600 baud, 8 data bits, 1 stop bit, XON/XOFF.

A ball that is pushed streams, one that is left alone is silent. So every 100 ms the keys are asked for, which shows
that the device is there. XON and XOFF are obeyed here and not by the port, so that nothing ever waits.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from firmware_bridge.port import Port, open_serial
from firmware_bridge.spacemouse.axes import SPACEBALL, NativeAxes
from firmware_bridge.spacemouse.cap import NEVER, Patience
from firmware_bridge.spacemouse.magellan import axes_of
from firmware_bridge.spacemouse.magellan_records import MagellanParser, model_of
from firmware_bridge.spacemouse.serial_cap import Greeting, SerialCap, Step
from firmware_bridge.spacemouse.spaceball_records import BY_FIRMWARE, FLX, OLDER, Kind, Record, SpaceballParser, keys_of
from station.clock import Clock
from station.devices.address import Address
from station.devices.device import Device
from station.devices.errors import AddressError
from station.devices.software.deflection import cap_capabilities

BAUD = 9600
RATE = 20.0  # records per second of a ball that is pushed [Hz]
ASK_KEYS = 0.100  # between two questions for the keys [s]
PATIENCE = Patience(deflected=0.250, silent=0.250, buttons=0.350)
OPENING = 6.0  # a reset takes up to two seconds [s]
OPTIONS = ("device", "full", "full_turn")

RESET, WHO, SET_UP = 0, 1, 2
GREETING = (
    Step(b"\r@RESET\r", patience=2.0, tries=1, needed=False),
    Step(b"vQ\r", patience=0.3, tries=1),  # no answer to the reset: is it a Magellan?
    Step(b"\rCB\rMSSV\rk\r", patience=0.5),  # binary, stream, and tell your keys
)


class Spaceball(SerialCap):
    """A Spaceball at a port."""

    def __init__(self, url: str, clock: Clock, connect: Callable[[], Port], axes: NativeAxes = SPACEBALL) -> None:
        self._parser = SpaceballParser()
        self._asked_keys = NEVER  # [s]
        super().__init__(url, clock, connect, cap_capabilities(*OLDER, RATE, dead_man=0), axes, PATIENCE)

    def _greet(self, begin: int) -> Greeting:
        self._parser = SpaceballParser()
        return Greeting(GREETING, begin)

    def _start_anew(self, now: float) -> None:
        super()._start_anew(now)
        self._greeting = self._greet(SET_UP)  # if it was only unplugged, it need not be reset

    def _take(self, data: bytes, now: float) -> None:
        records = self._parser.feed(data)
        if self._greeting.asked == GREETING[WHO].question:
            self._look_for_magellan()
        for record in records:
            self._take_record(record, now)

    def _take_record(self, record: Record, now: float) -> None:
        known = self._greeting.done
        if record.kind is Kind.TEXT:
            self._take_text(record.body)
        elif record.kind in (Kind.KEYS, Kind.MORE_KEYS) and (known or self._asked_set_up):
            self._take_keys(record, now)
        elif record.kind is Kind.MOTION and known:
            self._note_motion(record.values, now)
        elif known:
            self._note_life(now)

    @property
    def _asked_set_up(self) -> bool:
        return self._greeting.asked == GREETING[SET_UP].question

    def _take_text(self, body: bytes) -> None:
        """The device has started: after our reset, or because somebody has switched it on."""
        version = re.search(rb"[Ff]irmware version (\d+\.\d+)", body)
        if version:
            model, buttons = BY_FIRMWARE.get(version[1].decode("ascii"), OLDER)
            self.capabilities = cap_capabilities(model, buttons, RATE, dead_man=0)
        elif body.startswith(b"1"):
            self._forget()
            self._greeting = Greeting(GREETING, SET_UP)

    def _take_keys(self, record: Record, now: float) -> None:
        if record.kind is Kind.MORE_KEYS and self.capabilities.model != FLX[0]:
            self.capabilities = cap_capabilities(*FLX, RATE, dead_man=0)
        if record.kind is Kind.MORE_KEYS or self.capabilities.model != FLX[0]:  # a 4000 sends both, the older for show
            self._note_buttons(keys_of(record), now)
        self._note_life(now)
        if not self._greeting.done:
            self._greeting.answered()

    def _look_for_magellan(self) -> None:
        texts = [record.text for record in MagellanParser().feed(bytes(self._heard_bytes)) if record.text]
        if any(map(model_of, texts)):
            raise self._mismatch("a Magellan answers; write ?device=magellan")
        if "Q" in texts:
            raise self._mismatch(
                "it sends back what it gets (a modem, or a plug that joins both wires), not a Spaceball"
            )

    def _ask(self, now: float) -> bytes:
        if self._parser.stopped or now - self._asked_keys < ASK_KEYS:
            return b""
        self._asked_keys = now
        return b"k\r"


def open_spaceball(address: Address, clock: Clock, connect: Callable[[], Port] | None = None) -> Device:
    """Open `serial:/dev/ttyS0?device=spaceball`; `connect` stands in for the port of the address."""
    address.allow(OPTIONS)
    if not address.place and connect is None:
        raise AddressError(f"{address.url}: which port? write serial:/dev/ttyS0?device=spaceball")

    def port() -> Port:
        return open_serial(address.place, BAUD)

    device = Spaceball(address.url, clock, connect or port, axes_of(address, SPACEBALL))
    device.wait_until_ready(OPENING)
    return device
