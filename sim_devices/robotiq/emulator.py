"""`RobotiqEmulator`: a gripper at a serial line, unit 9. Requests and answers are pymodbus's own."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence

from pymodbus.constants import ExcCodes
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU, ExceptionResponse, ModbusPDU
from pymodbus.pdu.register_message import (
    ReadHoldingRegistersResponse,
    ReadInputRegistersResponse,
    ReadWriteMultipleRegistersRequest,
    ReadWriteMultipleRegistersResponse,
    WriteMultipleRegistersResponse,
    WriteSingleRegisterResponse,
)

from firmware_bridge.robotiq import registers
from firmware_bridge.robotiq.registers import Fault
from sim_devices.emulator import Emulator
from sim_devices.ends import End
from sim_devices.faults import FaultScript
from sim_devices.robotiq.fingers import Fingers
from station.clock import WALL, Clock

GAP = 0.005  # silence after which what is incomplete is noise [s]
LARGEST = 256  # bytes of a frame
logging.getLogger("pymodbus").setLevel(logging.CRITICAL)  # what a client sends wrong is counted, not logged


class RobotiqEmulator(Emulator):
    """A gripper; `fingers` is what moves."""

    def __init__(
        self, end: End, clock: Clock = WALL, faults: FaultScript | None = None, unit: int = registers.UNIT
    ) -> None:
        super().__init__(clock, faults)
        self.end, self.fingers = end, Fingers()
        self.refused: Counter[str] = Counter()
        self._framer = FramerRTU(DecodePDU(True))
        self._unit = unit
        self._pending, self._heard_at = b"", 0.0
        self._last = 0.0

    @property
    def address(self) -> str:
        """URL to open it by."""
        return f"robotiq:{self.end.name}"

    @property
    def signals(self) -> dict[str, float]:
        """What faults can depend on."""
        return {"t": self.clock.now() - self._start, "position": self.fingers.position}

    def _step(self, now: float) -> None:
        out = self.faults.active("unplug") is not None
        if out and self.end.plugged:
            self.end.unplug()
        elif not out and not self.end.plugged:
            self.end.plug()
        self.fingers.live(max(now - self._last, 0.0))
        self._last = now
        data = self.end.read()
        if data:
            self._pending, self._heard_at = (self._pending + data)[-2 * LARGEST :], now
        elif self._pending and now - self._heard_at > GAP:
            self.refused["noise"] += 1
            self._pending = b""
        if self._pending and not self.faults.active("silence"):
            self._hear()

    def _hear(self) -> None:
        used, unit, _, pdu = self._framer.decode(self._pending)
        if not used:
            return
        self._pending = self._pending[used:]
        if not pdu:
            self.refused["crc"] += 1
        elif unit == self._unit:
            answer = self._respond(pdu)
            answer.dev_id = unit
            self.end.write(self._framer.buildFrame(answer))

    def _respond(self, pdu: bytes) -> ModbusPDU:
        request = self._framer.decoder.decode(pdu)
        code = pdu[0] & 0x7F
        if request is None:
            return self._refuse(code, ExcCodes.ILLEGAL_FUNCTION)
        if code in (3, 4):
            words = self._read(request.address, request.count)
            kind = ReadHoldingRegistersResponse if code == 3 else ReadInputRegistersResponse
            return self._refuse(code, ExcCodes.ILLEGAL_ADDRESS) if words is None else kind(registers=words)
        if code in (6, 16):
            if not self._write(request.address, request.registers):
                return self._refuse(code, ExcCodes.ILLEGAL_ADDRESS)
            if code == 6:
                return WriteSingleRegisterResponse(address=request.address, registers=request.registers)
            return WriteMultipleRegistersResponse(address=request.address, count=len(request.registers))
        if isinstance(request, ReadWriteMultipleRegistersRequest):
            good = self._write(request.write_address, request.write_registers)
            words = self._read(request.read_address, request.read_count) if good else None
            if words is not None:
                return ReadWriteMultipleRegistersResponse(registers=words)
            return self._refuse(code, ExcCodes.ILLEGAL_ADDRESS)
        return self._refuse(code, ExcCodes.ILLEGAL_FUNCTION)

    def _refuse(self, code: int, why: ExcCodes) -> ExceptionResponse:
        self.refused[why.name.lower()] += 1
        return ExceptionResponse(code, why)

    def _read(self, address: int, count: int) -> list[int] | None:
        """Registers of the state, or of the command."""
        for start, data in (
            (registers.STATE_AT, registers.pack_state(self.fingers.state)),
            (registers.COMMAND_AT, self.fingers.command),
        ):
            at = address - start
            if at >= 0 and count > 0 and at + count <= registers.WORDS:
                return [int.from_bytes(data[2 * (at + i) : 2 * (at + i) + 2], "big") for i in range(count)]
        return None

    def _write(self, address: int, words: Sequence[int]) -> bool:
        at = address - registers.COMMAND_AT
        if at < 0 or not words or at + len(words) > registers.WORDS:
            return False
        command = bytearray(self.fingers.command)
        for number, word in enumerate(words):
            command[2 * (at + number) : 2 * (at + number) + 2] = word.to_bytes(2, "big")
        self.fingers.write(bytes(command))
        return True

    def break_down(self, fault: Fault) -> None:
        """Something goes wrong in the gripper, until it is activated anew."""
        self.fingers.broken = fault

    def _release(self) -> None:
        self.end.close()
