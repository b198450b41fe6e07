"""Numbers of the syntaxer's protocol, version 1: types, sizes, status bits, error codes.

The C side has the same ones in `firmware_bridge/firmware/core/messages.h`; docs/protocol_syntaxer.md explains them.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

VERSION = 1
MOTORS = 6
RATES = (250, 4000)  # samples per second that it can be asked for [Hz]
HEADER_SIZE = 8
CRC_SIZE = 2
PAYLOAD_MAX = 364
RAW_MAX = HEADER_SIZE + PAYLOAD_MAX + CRC_SIZE
STUFFED_MAX = RAW_MAX + -(-RAW_MAX // 254)  # after COBS, without the ending zero
WIRE_MAX = STUFFED_MAX + 1
IDENTITY_PREFIX = 35  # bytes of an IDENTITY that mean the same in every version


class MessageType(IntEnum):
    """Second byte of a frame; device → host from 0x80 on."""

    HELLO = 0x01
    START = 0x02
    STOP = 0x03
    COMMAND = 0x04
    CLEAR_FAULT = 0x05
    IDENTITY = 0x81
    STATE = 0x82
    ERROR = 0x83


PAYLOAD_SIZE: dict[int, int] = {
    MessageType.HELLO: 0,
    MessageType.START: 2,
    MessageType.STOP: 0,
    MessageType.COMMAND: 16,
    MessageType.CLEAR_FAULT: 1,
    MessageType.IDENTITY: PAYLOAD_MAX,
    MessageType.STATE: 51,
    MessageType.ERROR: 8,
}


class Status(IntFlag):
    """Bits of `State.status`."""

    ENABLED = 1 << 0  # currents flow as commanded
    LIMITED = 1 << 1  # a current was cut since the last STATE
    PEAK_SPENT = 1 << 2  # a motor has used up its time above the continuous current
    FAULT = 1 << 3  # latched: `State.error` says which
    BRAKE = 1 << 4  # windings are shorted
    EDGE_NEEDED = 1 << 5  # enable is asked for, but currents do not flow: it must be seen off, then on
    OVER_SPEED = 1 << 6  # right now, as are the next three
    OVER_TEMPERATURE = 1 << 7
    UNDER_VOLTAGE = 1 << 8
    OVER_CURRENT = 1 << 9
    REFUSED = 1 << 10  # a frame of the host was refused since the last STATE
    OVERRUN = 1 << 11  # a STATE was left out since the last one


class Watchdog(IntEnum):
    """Values of `State.watchdog`."""

    IDLE = 0  # not enabled: nothing to watch
    ARMED = 1  # enabled: commands must come
    TRIPPED = 2  # they did not; until enable is seen off and on again


class ErrorCode(IntEnum):
    """Values of `Error.code`; those below 16 are faults and also stand in `State.error` until cleared."""

    OK = 0
    OVER_SPEED = 1
    OVER_TEMPERATURE = 2
    UNDER_VOLTAGE = 3
    OVER_CURRENT = 4
    WATCHDOG = 16
    BAD_FRAME = 32
    UNSUPPORTED_VERSION = 33
    UNKNOWN_TYPE = 34
    BAD_LENGTH = 35
    BAD_VALUE = 36
    NOT_STREAMING = 37
    STALE_COMMAND = 38
    NO_SUCH_FAULT = 39
    FAULT_PERSISTS = 40


class Led(IntFlag):
    """Colours of the light in the handle, to be mixed."""

    OFF = 0
    RED = 1
    GREEN = 2
    BLUE = 4
