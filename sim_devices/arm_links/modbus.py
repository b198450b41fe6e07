"""The arm's end of Modbus: what is answered to whom. Requests and answers are pymodbus's own."""

from __future__ import annotations

import logging
from abc import abstractmethod

from pymodbus.constants import ExcCodes
from pymodbus.framer import FramerBase
from pymodbus.pdu import ExceptionResponse, ModbusPDU
from pymodbus.pdu.bit_message import ReadCoilsResponse, WriteMultipleCoilsResponse, WriteSingleCoilResponse
from pymodbus.pdu.register_message import (
    ReadHoldingRegistersResponse,
    ReadInputRegistersResponse,
    ReadWriteMultipleRegistersRequest,
    ReadWriteMultipleRegistersResponse,
    WriteMultipleRegistersResponse,
)

from firmware_bridge.arm.modbus.registers import MAP_VERSION, STOP_COIL
from firmware_bridge.arm.protocol import Refused
from sim_devices.arm.machine import ArmMachine, ArmState
from sim_devices.arm.network import NetworkSettings
from sim_devices.arm_links.emulator import ArmEmulator
from sim_devices.arm_links.register_map import RegisterMap
from sim_devices.arm_links.seats import Peer
from sim_devices.faults import FaultScript
from station.clock import WALL, Clock

WRITES = (5, 6, 15, 16)  # function codes; 23 sees to itself
logging.getLogger("pymodbus").setLevel(logging.CRITICAL)  # what a client sends wrong is counted, not logged


class ModbusArm(ArmEmulator):
    """What TCP and serial lines have in common."""

    def __init__(
        self,
        machine: ArmMachine,
        framer: FramerBase,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        network: NetworkSettings | None = None,
        *,
        map_version: int = MAP_VERSION,
        combined: bool = True,
    ) -> None:
        super().__init__(machine, clock, faults, network)
        self._options = (map_version, combined)
        self.map = RegisterMap(machine, *self._options)
        self._framer = framer
        self._restarting = False

    @abstractmethod
    def _receive(self, moment: float) -> list[tuple[Peer, bytes]]:
        """Whole frames that came in."""

    @abstractmethod
    def _send(self, peer: Peer, data: bytes) -> None:
        """Send an answer; what cannot be sent is lost."""

    def _step(self, now: float) -> None:
        moment = self._start + now
        self.machine.advance(moment)
        self._restart_if_told()
        if now >= self._next_measurement - 1e-9:
            self._next_measurement = max(self._next_measurement + self.period, now)
            self.map.measure(moment)
        heard = self._receive(moment)
        if not self._is_faulty:
            for peer, frame in heard:
                self._send(peer, self._answer(frame, moment))
            return
        for peer, frame in heard:
            if not self.faults.active("deaf"):
                self._put("in", peer, frame, moment)
        for peer, frame in self._take("in", moment):
            answer = self._answer(frame, moment)
            if answer:
                self._put("out", peer, answer, moment)
        for peer, answer in self._take("out", moment):
            self._send(peer, answer)

    def _restart_if_told(self) -> None:
        told = bool(self.faults) and self.faults.active("restart") is not None
        if told and not self._restarting:
            self.map = RegisterMap(self.machine, *self._options)
        self._restarting = told

    def _answer(self, frame: bytes, moment: float) -> bytes:
        """Bytes that answer a frame; none if it was not a request."""
        moment = max(moment, self.clock.now())  # as it came in, not as the step began: stations compare clocks
        used, unit, number, data = self._framer.decode(frame)
        request = self._framer.decoder.decode(data) if used and data else None
        if request is None:
            self.map.refused[Refused.TYPE] += 1
            if not used or not data:
                return b""
            response: ModbusPDU = ExceptionResponse(data[0] & 0x7F, ExcCodes.ILLEGAL_FUNCTION)
        else:
            response = self._respond(request, moment)
            if request.function_code in WRITES:
                self.map.measure(moment)  # whoever reads next sees what the write has done
        response.dev_id, response.transaction_id = unit, number
        return self._framer.buildFrame(response)

    def _respond(self, request: ModbusPDU, moment: float) -> ModbusPDU:
        code = request.function_code
        if code in (3, 4):
            return self._read(code, request.address, request.count)
        if code in (6, 16):
            data = b"".join(word.to_bytes(2, "big") for word in request.registers)
            refusal = self.map.write(request.address, data, moment)
            if refusal is not None:
                return ExceptionResponse(code, refusal)
            return WriteMultipleRegistersResponse(address=request.address, count=request.count)
        if isinstance(request, ReadWriteMultipleRegistersRequest):
            return self._exchange(request, moment)
        if code in (1, 2, 5, 15) and request.address == STOP_COIL:
            return self._coil(request)
        self.map.refused[Refused.TYPE] += 1
        return ExceptionResponse(code & 0x7F, ExcCodes.ILLEGAL_ADDRESS if code < 24 else ExcCodes.ILLEGAL_FUNCTION)

    def _read(self, code: int, address: int, words: int) -> ModbusPDU:
        data = self.map.read(address, words)
        if isinstance(data, ExcCodes):
            return ExceptionResponse(code, data)
        kind = ReadHoldingRegistersResponse if code == 3 else ReadInputRegistersResponse
        return kind(registers=_words(data))

    def _exchange(self, request: ReadWriteMultipleRegistersRequest, moment: float) -> ModbusPDU:
        data = b"".join(word.to_bytes(2, "big") for word in request.write_registers)
        refusal = self.map.write(request.write_address, data, moment)
        if refusal is None:
            self.map.measure(moment)  # what is read is of after the write
            found = self.map.read(request.read_address, request.read_count)
            if not isinstance(found, ExcCodes):
                return ReadWriteMultipleRegistersResponse(registers=_words(found))
            refusal = found
        return ExceptionResponse(request.function_code, refusal)

    def _coil(self, request: ModbusPDU) -> ModbusPDU:
        code = request.function_code
        if code in (1, 2):
            if request.count != 1:
                return ExceptionResponse(code, ExcCodes.ILLEGAL_ADDRESS)
            return ReadCoilsResponse(bits=[self.machine.reading().state is ArmState.STOPPED])
        if request.bits and request.bits[0]:
            self.map.stop()
        if code == 5:
            return WriteSingleCoilResponse(address=request.address, bits=list(request.bits[:1]))
        return WriteMultipleCoilsResponse(address=request.address, count=request.count)


def _words(data: bytes) -> list[int]:
    return [int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2)]
