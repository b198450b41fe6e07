"""What instructions do to servos on a bus, and what they answer. No packet can upset it: what is wrong is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.packets import BROADCAST, Instruction, Packet, PacketError, fast_status, status
from sim_devices.dynamixel.servo import EmulatedServo

ToOne = Callable[[EmulatedServo, bytes, float], tuple[int, bytes]]
ToAll = Callable[[bytes, float], list["Reply"]]
NOTHING: tuple[int, bytes] = (0, b"")


class Reply(NamedTuple):
    """Bytes that go out so long after the question [s]."""

    delay: float
    data: bytes


class Instructions:
    """All servos of a bus, as a master meets them. `fast_reads`: whether the firmware knows them."""

    def __init__(self, servos: Sequence[EmulatedServo], fast_reads: bool = True) -> None:
        self.servos = tuple(servos)
        self.refused: Counter[str] = Counter()
        self._to_one: dict[int, ToOne] = {
            Instruction.PING: lambda servo, _, __: (0, _identity(servo)),
            Instruction.READ: _read,
            Instruction.WRITE: _write,
            Instruction.REG_WRITE: _register,
            Instruction.ACTION: lambda servo, _, __: (servo.act(), b""),
            Instruction.REBOOT: _reboot,
        }
        self._to_all: dict[int, ToAll] = {
            Instruction.PING: self._roll_call,
            Instruction.SYNC_READ: self._sync_read,
            Instruction.SYNC_WRITE: self._sync_write,
            Instruction.BULK_READ: self._bulk_read,
            Instruction.BULK_WRITE: self._bulk_write,
        }
        if fast_reads:
            self._to_all[Instruction.FAST_SYNC_READ] = self._fast_sync_read

    def answer(self, heard: Packet, now: float) -> list[Reply]:
        """What is said to a packet that came in at `now` [s]."""
        ident, instruction, body = heard
        if instruction == Instruction.STATUS:
            self.refused["status"] += 1
            return []
        meant = [servo for servo in self.servos if ident in (BROADCAST, servo.ident)]
        for servo in meant:
            servo.hear(now)
        if ident != BROADCAST:
            return [reply for servo in meant if servo.answers_at(now) for reply in self._one(servo, heard, now)]
        if instruction in self._to_all:
            return self._to_all[instruction](body, now)
        if instruction in self._to_one and instruction != Instruction.READ:  # nobody answers what was said to all
            for servo in meant:
                self._count(self._to_one[instruction](servo, body, now)[0])
        else:
            self.refused["instruction"] += 1
        return []

    def _one(self, servo: EmulatedServo, heard: Packet, now: float) -> list[Reply]:
        does = self._to_one.get(heard.instruction)
        error, data = (int(PacketError.INSTRUCTION), b"") if does is None else does(servo, heard.body, now)
        self._count(error)
        level = servo.get(table.STATUS_RETURN)
        least = {Instruction.PING: 0, Instruction.READ: 1}.get(Instruction(heard.instruction), 2) if does else 2
        return [_reply(servo, error, data)] if level >= least else []

    def _count(self, error: int) -> None:
        if error:
            self.refused[PacketError(error).name.lower()] += 1

    def _find(self, ident: int, now: float) -> EmulatedServo | None:
        """A servo that answers questions at `now` [s]."""
        for servo in self.servos:
            if servo.ident == ident and servo.answers_at(now) and servo.get(table.STATUS_RETURN):
                return servo
        return None

    def _roll_call(self, body: bytes, now: float) -> list[Reply]:
        del body
        return [_reply(servo, 0, _identity(servo)) for servo in self.servos if servo.answers_at(now)]

    # Several at once: each waits for the one before it, so a silent one silences the rest --------------------

    def _asked(self, questions: Sequence[tuple[int, bytes]], now: float) -> list[tuple[EmulatedServo, int, bytes]]:
        found = []
        for ident, span in questions:
            servo = self._find(ident, now)
            if servo is None:
                break
            error, data = _read(servo, span, now)
            self._count(error)
            found.append((servo, error, data))
        return found

    def _sync_read(self, body: bytes, now: float) -> list[Reply]:
        asked = self._asked([(ident, body[:4]) for ident in body[4:]], now)
        return [_reply(servo, error, data) for servo, error, data in asked]

    def _bulk_read(self, body: bytes, now: float) -> list[Reply]:
        asked = self._asked([(body[at], body[at + 1 : at + 5]) for at in range(0, len(body), 5)], now)
        return [_reply(servo, error, data) for servo, error, data in asked]

    def _fast_sync_read(self, body: bytes, now: float) -> list[Reply]:
        size = int.from_bytes(body[2:4], "little")
        asked = self._asked([(ident, body[:4]) for ident in body[4:]], now)
        if not asked or any(len(data) != size for _, _, data in asked):
            return []
        shares = [(servo.ident, error | servo.error, data) for servo, error, data in asked]
        return [Reply(_delay(asked[0][0]), fast_status(shares, size, len(body) - 4))]

    def _sync_write(self, body: bytes, now: float) -> list[Reply]:
        address, size, shares = int.from_bytes(body[:2], "little"), int.from_bytes(body[2:4], "little"), body[4:]
        if size == 0 or len(shares) % (size + 1):
            self.refused["length"] += 1
            return []
        for at in range(0, len(shares), size + 1):
            self._quietly(shares[at], address, shares[at + 1 : at + 1 + size], now)
        return []

    def _bulk_write(self, body: bytes, now: float) -> list[Reply]:
        while len(body) >= 5:
            size = int.from_bytes(body[3:5], "little")
            self._quietly(body[0], int.from_bytes(body[1:3], "little"), body[5 : 5 + size], now)
            body = body[5 + size :]
        self.refused["length"] += bool(body)
        return []

    def _quietly(self, ident: int, address: int, data: bytes, now: float) -> None:
        """A write to one of several: nobody answers."""
        for servo in self.servos:
            if servo.ident == ident and servo.is_up(now):
                self._count(servo.write(address, data))


def _delay(servo: EmulatedServo) -> float:
    return servo.get(table.RETURN_DELAY) * table.RETURN_DELAY_UNIT


def _reply(servo: EmulatedServo, error: int, data: bytes) -> Reply:
    return Reply(_delay(servo), status(servo.ident, error | servo.error, data))


def _identity(servo: EmulatedServo) -> bytes:
    return table.MODEL.pack(servo.get(table.MODEL)) + table.FIRMWARE.pack(servo.get(table.FIRMWARE))


def _read(servo: EmulatedServo, body: bytes, now: float) -> tuple[int, bytes]:
    del now
    if len(body) != 4:
        return PacketError.LENGTH, b""
    return servo.read(int.from_bytes(body[:2], "little"), int.from_bytes(body[2:], "little"))


def _write(servo: EmulatedServo, body: bytes, now: float) -> tuple[int, bytes]:
    del now
    if len(body) < 3:
        return PacketError.LENGTH, b""
    return servo.write(int.from_bytes(body[:2], "little"), body[2:]), b""


def _register(servo: EmulatedServo, body: bytes, now: float) -> tuple[int, bytes]:
    del now
    if len(body) < 3:
        return PacketError.LENGTH, b""
    servo.register(int.from_bytes(body[:2], "little"), body[2:])
    return NOTHING


def _reboot(servo: EmulatedServo, body: bytes, now: float) -> tuple[int, bytes]:
    del body
    servo.reboot(now)
    return NOTHING
