"""The control table of Dynamixel X servos: where each value stands, its range, and who may write it.

Addresses, sizes, ranges and units are those of ROBOTIS's e-Manual (XM430-W350); up to address 63 the table is EEPROM,
which can be written only while the torque is off.
"""

from __future__ import annotations

import math
from enum import IntEnum, IntFlag
from typing import NamedTuple

TURN = 4096  # counts
RADIANS = 2.0 * math.pi / TURN  # of a count [rad]
SPEED = 0.229 * 2.0 * math.pi / 60.0  # of a unit of velocity [rad/s]
ACCELERATION = 214.577 * 2.0 * math.pi / 3600.0  # of a unit of profile acceleration [rad/s²]
CENTRE = 2048  # counts
WATCHDOG_UNIT = 0.02  # [s]
WATCHDOG_TRIPPED = -1
WATCHDOG_RANGE = (1, 127)
RETURN_DELAY_UNIT = 2e-6  # [s]
TICKS = 32768  # at which the clock of a servo begins anew [ms]
EEPROM_END = 64
SIZE = 147  # bytes of the table that we know
EMULATED = 0x4D4953  # "SIM" in the model information: what is emulated says so


class Item(NamedTuple):
    """A value of the table."""

    address: int
    size: int
    initial: int = 0
    writable: bool = True
    low: int = 0
    high: int = 255
    signed: bool = False

    def read(self, data: bytes | bytearray, start: int = 0) -> int:
        """Its value in bytes that were read from address `start` on."""
        at = self.address - start
        return int.from_bytes(data[at : at + self.size], "little", signed=self.signed)

    def pack(self, value: int) -> bytes:
        """Its bytes."""
        return value.to_bytes(self.size, "little", signed=self.signed)


def _told(address: int, size: int, initial: int = 0, signed: bool = False) -> Item:
    return Item(address, size, initial, False, signed=signed)


MODEL = _told(0, 2, 1020)
MODEL_INFORMATION = _told(2, 4)
FIRMWARE = _told(6, 1, 46)
IDENT = Item(7, 1, 1, high=252)
BAUD = Item(8, 1, 6, high=7)
RETURN_DELAY = Item(9, 1, 250, high=254)
DRIVE_MODE = Item(10, 1, 0, high=13)
OPERATING_MODE = Item(11, 1, 3, high=16)
SHADOW_IDENT = Item(12, 1, 255)
PROTOCOL = Item(13, 1, 2, low=1, high=2)
HOMING = Item(20, 4, 0, low=-1_044_479, high=1_044_479, signed=True)
MOVING_THRESHOLD = Item(24, 4, 10, high=1023)
TEMPERATURE_LIMIT = Item(31, 1, 80, high=100)
HIGHEST_VOLTAGE = Item(32, 2, 160, low=95, high=160)
LOWEST_VOLTAGE = Item(34, 2, 95, low=95, high=160)
PWM_LIMIT = Item(36, 2, 885, high=885)
CURRENT_LIMIT = Item(38, 2, 1193, high=1193)
VELOCITY_LIMIT = Item(44, 4, 200, high=1023)
HIGHEST_POSITION = Item(48, 4, 4095, high=4095)
LOWEST_POSITION = Item(52, 4, 0, high=4095)
STARTUP = Item(60, 1, 0, high=3)
SHUTDOWN = Item(63, 1, 52, high=63)
TORQUE = Item(64, 1, 0, high=1)
LED = Item(65, 1, 0, high=1)
STATUS_RETURN = Item(68, 1, 2, high=2)
REGISTERED = _told(69, 1)
HARDWARE_ERROR = _told(70, 1)
GAINS = tuple(Item(address, 2, 0, high=16383) for address in (76, 78, 80, 82, 84, 88, 90))
BUS_WATCHDOG = Item(98, 1, 0, high=127, signed=True)  # −1: it has spoken
GOAL_PWM = Item(100, 2, 885, low=-885, high=885, signed=True)
GOAL_CURRENT = Item(102, 2, 1193, low=-1193, high=1193, signed=True)
GOAL_VELOCITY = Item(104, 4, 0, low=-1023, high=1023, signed=True)
PROFILE_ACCELERATION = Item(108, 4, 0, high=32767)
PROFILE_VELOCITY = Item(112, 4, 0, high=32767)
GOAL_POSITION = Item(116, 4, CENTRE, low=-1_048_575, high=1_048_575, signed=True)
TICK = _told(120, 2)
MOVING = _told(122, 1)
MOVING_STATUS = _told(123, 1)
PRESENT_PWM = _told(124, 2, signed=True)
PRESENT_CURRENT = _told(126, 2, signed=True)
PRESENT_VELOCITY = _told(128, 4, signed=True)
PRESENT_POSITION = _told(132, 4, signed=True)
VELOCITY_TRAJECTORY = _told(136, 4, signed=True)
POSITION_TRAJECTORY = _told(140, 4, signed=True)
VOLTAGE = _told(144, 2, 120)
TEMPERATURE = _told(146, 1, 32)

GOALS = (GOAL_PWM, GOAL_CURRENT, GOAL_VELOCITY, GOAL_POSITION)
ITEMS = tuple(
    sorted([item for item in globals().values() if isinstance(item, Item)] + list(GAINS), key=lambda item: item.address)
)


class Mode(IntEnum):
    """Operating modes."""

    CURRENT = 0
    VELOCITY = 1
    POSITION = 3
    EXTENDED_POSITION = 4
    CURRENT_BASED_POSITION = 5
    PWM = 16


POSITION_MODES = (Mode.POSITION, Mode.EXTENDED_POSITION, Mode.CURRENT_BASED_POSITION)


class DriveMode(IntFlag):
    """Bits of the drive mode."""

    REVERSE = 1
    TIME_PROFILE = 4
    TORQUE_ON_BY_GOAL = 8


class HardwareError(IntFlag):
    """Bits of the hardware error, and of the shutdown that it leads to."""

    INPUT_VOLTAGE = 1
    OVERHEATING = 4
    MOTOR_ENCODER = 8
    ELECTRICAL_SHOCK = 16
    OVERLOAD = 32


def hardware_errors(bits: int) -> str:
    """What a servo complains of, in words."""
    known = [str(error.name).lower().replace("_", " ") for error in HardwareError if bits & error]
    return ", ".join(known) or f"hardware error 0x{bits:02X}"


class Model(NamedTuple):
    """What we know of a model: its name, and the current of a unit [A]; 0: it tells a load instead."""

    name: str
    ampere: float


MODELS = {
    1020: Model("XM430-W350", 2.69e-3),
    1030: Model("XM430-W210", 2.69e-3),
    1060: Model("XL430-W250", 0.0),
    1070: Model("XC430-W150", 0.0),
    1110: Model("XH540-W150", 2.69e-3),
    1120: Model("XM540-W270", 2.69e-3),
    1190: Model("XL330-M077", 1e-3),
    1200: Model("XL330-M288", 1e-3),
    1210: Model("XC330-T181", 1e-3),
    1220: Model("XC330-T288", 1e-3),
}
