"""The Falcon as a device on the USB bus: transfers in, chip behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_bridge.falcon import wire
from sim_devices.falcon.board import Mode
from sim_devices.usb import Endpoint, Identity, Interface, UsbDevice, stalled, wait_for

if TYPE_CHECKING:
    from sim_devices.falcon.emulator import FalconEmulator


class FalconPlug(UsbDevice):
    """Passes transfers on to the emulator."""

    def __init__(self, emulator: FalconEmulator) -> None:
        self._emulator = emulator
        endpoints = (Endpoint(address=wire.IN, size=wire.PACKET), Endpoint(address=wire.OUT, size=wire.PACKET))
        self.identity = Identity(
            vendor=wire.VENDOR,
            product=wire.PRODUCT,
            version=0x0400,
            manufacturer="FTDI",
            name="FALCON HAPTIC",
            serial_number=emulator.serial_number,
            interfaces=(Interface(endpoints=endpoints),),
        )

    def control_out(self, request_type: int, request: int, value: int, index: int, data: bytes) -> None:
        """A request for the chip; a rising DTR resets the board, and a new baud rate may start what was uploaded."""
        del index, data
        emulator = self._emulator
        with emulator.lock:
            emulator.catch_up()
            was_high = emulator.chip.dtr
            if request_type != wire.TO_CHIP or not emulator.chip.control(request, value):
                raise stalled()
            if emulator.chip.dtr and not was_high and emulator.board.mode is not Mode.OFF:
                emulator.restart()
            rejects = emulator.faults.active("other-version") is not None
            emulator.board.baud_changed(emulator.chip.divisor, rejects=rejects)

    def bulk_write(self, endpoint: int, data: bytes, timeout: float) -> int:
        """Bytes for the board."""
        del timeout
        if endpoint != wire.OUT:
            raise stalled()
        with self._emulator.lock:
            self._emulator.chip.from_host(data, self._emulator.catch_up())
        return len(data)

    def bulk_read(self, endpoint: int, size: int, timeout: float) -> bytes:
        """Packets until one that is not full, or `size` bytes."""
        if endpoint != wire.IN:
            raise stalled()
        packet: bytes | None = wait_for(self._emulator.clock, self._packet, timeout)
        data = packet or b""
        while packet is not None and len(packet) == wire.PACKET and len(data) + wire.PACKET <= size:
            packet = self._packet()
            data += packet or b""
        return data

    def _packet(self) -> bytes | None:
        with self._emulator.lock:
            return self._emulator.chip.packet(self._emulator.catch_up())
