"""The USB serial chip in the Falcon, as far as a host can tell."""

from __future__ import annotations

from collections import deque

from firmware_bridge.falcon import wire

STATUS = b"\x01\x60"  # what the chip puts before the bytes of every packet: ready, nothing wrong
BUFFER = 384  # bytes it holds for the host; more are lost
ROUNDING = 1e-6  # so that a period of 1 ms is over after 1 ms of added-up time steps [s]


class FtdiChip:
    """Bytes of the host reach the board after their time on the line; bytes of the board wait for a packet.

    A packet goes to the host when it is full or when the latency timer has run out; the timer starts anew with every
    packet, so a host that keeps reading gets at least the status bytes once per period.
    """

    def __init__(self) -> None:
        self.divisor = wire.BAUD_9600
        self.latency = 0.016  # [s]
        self.dtr = False
        self._to_board: deque[tuple[float, bytes, int]] = deque()
        self._to_host = bytearray()
        self._line_free = 0.0  # when the last byte to the board will have gone [s]
        self._packet_time = 0.0  # of the last packet [s]

    def control(self, request: int, value: int) -> bool:
        """Take a control request; returns whether the chip knows it."""
        if request == wire.RESET:
            if value in (0, wire.PURGE_RECEIVED):
                self._to_host.clear()
            if value in (0, wire.PURGE_TO_SEND):
                self._to_board.clear()
        elif request == wire.MODEM_CONTROL:
            if value & 0x0100:
                self.dtr = bool(value & 0x0001)
        elif request == wire.BAUD:
            self.divisor = value
        elif request == wire.LATENCY:
            self.latency = max(value & 0xFF, 1) / 1000.0
        else:
            return request in (wire.FLOW_CONTROL, wire.LINE_FORMAT)
        return True

    def time_for(self, count: int) -> float:
        """How long bytes are on the line [s]."""
        return count * wire.BITS_PER_BYTE / wire.baud_of(self.divisor)

    def from_host(self, data: bytes, now: float) -> None:
        """The host has written."""
        self._line_free = max(self._line_free, now) + self.time_for(len(data))
        self._to_board.append((self._line_free, data, self.divisor))

    def for_board(self, now: float) -> tuple[float, bytes, int] | None:
        """The next bytes that have reached the board by `now` [s]: when, what, and with which divisor."""
        return self._to_board.popleft() if self._to_board and self._to_board[0][0] <= now else None

    def from_board(self, data: bytes) -> None:
        """The board has sent; what the chip cannot hold is lost."""
        self._to_host += data[: max(BUFFER - len(self._to_host), 0)]

    def packet(self, now: float) -> bytes | None:
        """The packet that goes to the host now, if one does."""
        full = len(self._to_host) >= wire.PAYLOAD
        if not full and now < self._packet_time + self.latency - ROUNDING:
            return None
        self._packet_time = now
        data = bytes(self._to_host[: wire.PAYLOAD])
        del self._to_host[: wire.PAYLOAD]
        return STATUS + data

    def forget(self) -> None:
        """Power is gone."""
        self._to_board.clear()
        self._to_host.clear()
        self._line_free = self._packet_time = 0.0
        self.dtr = False
