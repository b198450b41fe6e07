"""Logitech 3D Mouse: an ultrasonic mouse that is held in the air; 19200 baud, 8N1, on a serial line.

A triangle that stands before the operator sends, three microphones in the mouse hear it: place and orientation are
absolute in all six axes. Commands are two bytes. Greeting: `*D` (be silent), `*` 05 (diagnostics: two bytes, a bit set
for each part that works), `*S` (50 records a second). A mouse that does not answer is reset: it takes DTR low, while
RTS is pulsed, as the wish to be a mouse in space and not one on a table; then `*R`.

A record is 16 bytes, of which the first alone has its top bit set: flags; x, y, z with 21 bits each, 1/1000 inch;
pitch, yaw and roll with 14 bits each, 1/40 degree. The maker's axes: x right, y up, z to the operator; the rotation is
yaw about y · pitch about x · roll about z. There is no sum: what is implausible the mapping refuses.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from firmware_bridge.linked import LinkedDevice
from firmware_bridge.port import Port, open_serial
from station.clock import Clock
from station.devices.address import Address
from station.devices.device import Axis, AxisKind, Capabilities, Device, Floats, Sample
from station.devices.errors import AddressError, DeviceLostError, DeviceMismatchError
from station.kernel.so3 import rotation_vector

BAUD = 19200
RATE = 50.0  # records per second [Hz]
LOST_AFTER = 2.5 / RATE  # [s]
OPENING = 5.0  # with a reset [s]
SIZE = 16  # of a record [bytes]
TOP, FRINGE, OUT = 0x80, 0x40, 0x20  # of its first byte: begins a record; at the edge of its reach; beyond it
BUTTONS = ("left", "middle", "right", "suspend")
BITS = (0x04, 0x02, 0x01, 0x08)  # of these buttons
LENGTH = 0.0254 / 1000.0  # of a count [m]
ANGLE = math.radians(1.0 / 40.0)  # of a count [rad]
MIDDLE = 0.45  # from the triangle to the middle of where the mouse is heard well [m]
REACH, SIDEWAYS = 0.30, 0.35  # from that middle, to the triangle and sideways [m]
STATION = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # from the maker's axes: to you, right, up

SILENCE, STREAM, RESET, DIAGNOSTICS = b"*D", b"*S", b"*R", b"*\x05"
WORKS = (0xBF, 0x3F)  # answers of a mouse whose parts all work
BOARD, PARTS = 0x8F, {0x10: "the triangle", 0x20: "the mouse"}  # bits of the first
RTS_LOW, RTS_HIGH = b"rts low", b"rts high"  # steps that are no commands
QUICK = ((SILENCE, 0.1), (DIAGNOSTICS, 0.2))  # each with the time until the next [s]
THOROUGH = ((RTS_LOW, 0.2), (RTS_HIGH, 0.02), (RESET, 1.1), (SILENCE, 0.3), (DIAGNOSTICS, 0.3))


class Record(NamedTuple):
    """What the mouse says at one instant, in the maker's axes."""

    flags: int
    place: tuple[int, int, int]  # [1/1000 inch]
    angles: tuple[int, int, int]  # pitch, yaw, roll [1/40 degree]

    @property
    def buttons(self) -> int:
        """Bit i for button i."""
        return sum(1 << number for number, bit in enumerate(BITS) if self.flags & bit)

    @property
    def pose(self) -> Floats:
        """4×4 in the station's axes, from the middle of the reach [m]."""
        (x, y, z), (a, b, c) = self.place, self.angles
        sp, cp = math.sin(ANGLE * a), math.cos(ANGLE * a)
        sy, cy = math.sin(ANGLE * b), math.cos(ANGLE * b)
        sr, cr = math.sin(ANGLE * c), math.cos(ANGLE * c)
        return np.array(  # number by number: in a tick, products of small arrays would take ten times as long
            [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, LENGTH * z - MIDDLE],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, LENGTH * x],
                [-sp, cp * sr, cp * cr, LENGTH * y],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )


def record_of(pose: Floats, buttons: int, flags: int = 0) -> Record:
    """The record of a pose in the station's axes: what an emulator sends."""
    place = STATION.T @ (pose[:3, 3] + (MIDDLE, 0.0, 0.0)) / LENGTH
    turned = STATION.T @ pose[:3, :3] @ STATION
    pitch = math.asin(max(-1.0, min(1.0, -turned[1, 2])))
    yaw, roll = math.atan2(turned[0, 2], turned[2, 2]), math.atan2(turned[1, 0], turned[1, 1])
    x, y, z = (round(float(value)) for value in place)
    a, b, c = (round(angle % math.tau / ANGLE) for angle in (pitch, yaw, roll))
    return Record(flags | sum(bit for number, bit in enumerate(BITS) if buttons >> number & 1), (x, y, z), (a, b, c))


def encode(record: Record) -> bytes:
    """A record as bytes."""
    data = [TOP | record.flags]
    for count in record.place:
        data += [count >> 14 & 0x7F, count >> 7 & 0x7F, count & 0x7F]
    for count in record.angles:
        data += [count >> 7 & 0x7F, count & 0x7F]
    return bytes(data)


def decode(data: bytes) -> Record:
    """A record from its 16 bytes."""
    places = [data[at] << 14 | data[at + 1] << 7 | data[at + 2] for at in (1, 4, 7)]
    x, y, z = (count - (1 << 21) if count >> 20 else count for count in places)
    a, b, c = (data[at] << 7 | data[at + 1] for at in (10, 12, 14))
    return Record(data[0] & ~TOP, (x, y, z), (a, b, c))


class Parser:
    """Bytes in, records out; holds at most one that has not ended."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[Record]:
        """All records that these bytes complete."""
        records = []
        for byte in data:
            if byte & TOP:
                self._rest.clear()
            elif not self._rest:
                continue  # in the middle of a record whose beginning is lost
            self._rest.append(byte)
            if len(self._rest) == SIZE:
                records.append(decode(bytes(self._rest)))
                self._rest.clear()
        return records


def mouse3d_capabilities() -> Capabilities:
    """Six axes that point, four buttons, no force."""
    to_you = Axis(kind=AxisKind.ABSOLUTE, low=-REACH, high=REACH)
    side = Axis(kind=AxisKind.ABSOLUTE, low=-SIDEWAYS, high=SIDEWAYS)
    turn = Axis(kind=AxisKind.ABSOLUTE, low=-math.pi, high=math.pi)
    return Capabilities(
        model="3D mouse", axes=(to_you, side, side, turn, turn, turn), buttons=BUTTONS, rate=RATE, dead_man=0
    )


class Mouse3d(LinkedDevice):
    """A 3D mouse at a port."""

    lost_after = LOST_AFTER

    def __init__(self, url: str, clock: Clock, connect: Callable[[], Port]) -> None:
        super().__init__(url, clock)
        self.capabilities = mouse3d_capabilities()
        self._open_port = connect
        self._port: Port | None = None
        self._parser, self._heard = Parser(), bytearray()
        self._steps: deque[tuple[bytes, float]] = deque()  # of the greeting that are to come
        self._greets, self._next = False, 0.0  # whether it does, and when the next step is due [s]
        self._reset = False  # whether the mouse is reset in it
        self._spoke = float("-inf")  # when a record came last [s]
        self._last: Sample | None = None
        self._sequence = 0

    def _connect(self) -> None:
        self._port = self._open_port()
        self._port.set_lines(dtr=False)
        self._spoke, self._last = float("-inf"), None
        self._greet(QUICK)

    def _disconnect(self) -> None:
        if self._port is not None:
            self._port.close()
            self._port = None

    def _wake(self) -> None:
        """Greet it anew if it neither speaks nor is being greeted."""
        if not self._greets and self.clock.now() - self._spoke > self.lost_after:
            self._greet(QUICK)

    def _send(self, wrench: Floats) -> None:
        """Nothing: it cannot push."""

    def _greet(self, steps: Iterable[tuple[bytes, float]]) -> None:
        self._parser, self._heard = Parser(), bytearray()
        self._steps, self._greets, self._next = deque(steps), True, self.clock.now()
        self._reset = any(step == RESET for step, _ in self._steps)

    def _receive(self, now: float) -> Sample | None:
        if self._port is None:
            raise DeviceLostError(f"{self.url}: not connected")
        data = self._port.read()
        if self._greets:
            self._go_on(self._port, data, now)
            return None
        records = self._parser.feed(data)
        if not records:
            return None
        self._spoke = now
        if records[-1].flags & OUT:
            self._last = None
            self._lose(f"{self.url}: the mouse is beyond the reach of its triangle; bring it back before it")
            return None
        return self._sample(records[-1], now)

    def _go_on(self, port: Port, data: bytes, now: float) -> None:
        """With the greeting."""
        self._heard += data
        if not self._steps and len(self._heard) >= len(WORKS):  # the last step is the question
            if not self._works(self._heard[-2], self._heard[-1]):
                return
            self._greets = False
            port.write(STREAM)
            self._spoke = now
        elif now >= self._next and not self._steps:
            self._greet(THOROUGH)
        elif now >= self._next:
            command, wait = self._steps.popleft()
            self._next = now + wait
            self._heard.clear()
            if command in (RTS_LOW, RTS_HIGH):
                port.set_lines(rts=command == RTS_HIGH)
            else:
                port.write(command)

    def _works(self, first: int, second: int) -> bool:
        """Whether that is the answer of a mouse; of one that was not reset it may be what was left on the line."""
        if (first & WORKS[0], second & WORKS[1]) == WORKS:
            return True
        was_reset = self._reset
        self._greet(THOROUGH)
        if not was_reset:
            return False
        self._next = self.clock.now() + 1.0  # a stranger is not to be pestered
        if first & BOARD != BOARD:
            raise DeviceMismatchError(f"{self.url}: what answers there is no 3D mouse, or one that is broken")
        broken = [name for bit, name in PARTS.items() if not first & bit]
        what = " and ".join(broken) or "its line or memory"
        raise DeviceMismatchError(f"{self.url}: {what} does not work; is it plugged into the box?")

    def _sample(self, record: Record, now: float) -> Sample:
        pose, velocity, last = record.pose, np.zeros(6), self._last
        if last is not None and now > last.arrival:
            passed = max(now - last.arrival, 0.5 / RATE)  # two that waited together are no leap
            velocity[:3] = (pose[:3, 3] - last.pose[:3, 3]) / passed
            velocity[3:] = rotation_vector(pose[:3, :3] @ last.pose[:3, :3].T) / passed
        self._sequence += 1
        self._last = Sample(pose, velocity, record.buttons, 0.0, now, now, self._sequence)
        return self._last


def open_mouse3d(address: Address, clock: Clock, connect: Callable[[], Port] | None = None) -> Device:
    """Open `serial:/dev/ttyS0?device=mouse3d`; `connect` stands in for the port of the address."""
    address.allow(("device",))
    if not address.place and connect is None:
        raise AddressError(f"{address.url}: which port? write serial:/dev/ttyS0?device=mouse3d")
    device = Mouse3d(address.url, clock, connect or (lambda: open_serial(address.place, BAUD)))
    device.wait_until_ready(OPENING)
    return device
