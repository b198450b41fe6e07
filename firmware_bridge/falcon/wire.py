"""Numbers on the wire below the frames: the Falcon's USB serial chip (FTDI) and its boot loader."""

from __future__ import annotations

VENDOR, PRODUCT = 0x0403, 0xCB48
INTERFACE = 0
OUT, IN = 0x02, 0x81  # endpoints
PACKET, STATUS = 64, 2  # bytes of a packet, of which status comes first
PAYLOAD = PACKET - STATUS

TO_CHIP = 0x40  # type of all control requests
RESET, MODEM_CONTROL, FLOW_CONTROL, BAUD, LINE_FORMAT, LATENCY = 0, 1, 2, 3, 4, 9
PURGE_RECEIVED, PURGE_TO_SEND = 1, 2
DTR_LOW, DTR_HIGH, RTS_LOW = 0x0100, 0x0101, 0x0200
EIGHT_BITS = 8  # no parity, one stop bit

BAUD_9600, BAUD_UPLOAD, BAUD_FRAMES = 0x4138, 0x0015, 0x0002  # divisors of 3 MHz
BITS_PER_BYTE = 10
FRACTIONS = (0.0, 0.5, 0.25, 0.125)  # by the two upper bits of a divisor


HELLO = b"\x0a\x43\x0d"  # to the boot loader, at 9600 baud …
WELCOMES = (b"\x0a\x44\x2c\x0d", b"\x00\x0a\x44\x2c\x0d")  # … which answers with one of these
START = b"\x41"  # then this, echoed, at the rate of the upload; then the firmware, echoed


def baud_of(divisor: int) -> float:
    """Bits per second for a divisor as the chip has it."""
    whole = divisor & 0x3FFF
    return 3e6 / (whole + FRACTIONS[divisor >> 14 & 0x3]) if whole > 1 else {0: 3e6, 1: 2e6}[whole]


def payload(data: bytes) -> bytes:
    """What a transfer holds besides the status bytes that begin each of its packets."""
    return b"".join(data[start + STATUS : start + PACKET] for start in range(0, len(data), PACKET))
