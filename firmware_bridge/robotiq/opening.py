"""Opening a gripper by its address: `robotiq:/dev/ttyUSB0?model=2f85`."""

from __future__ import annotations

from firmware_bridge.arm.modbus.framing import RtuFraming
from firmware_bridge.arm.modbus.lines import Line
from firmware_bridge.port import open_serial
from firmware_bridge.robotiq import registers
from firmware_bridge.robotiq.driver import RobotiqGripper
from station.clock import WALL, Clock
from station.controllers.errors import ControllerAddressError
from station.controllers.registry import parse_controller_address
from station.devices.address import Address

TIMEOUT = 0.1  # until a request is given up [s]
OPTIONS = ("model", "baud", "unit", "opened", "closed")


def open_gripper(url: str, clock: Clock = WALL) -> RobotiqGripper:
    """Open a gripper; it is looked at, and nothing moves. Raises a ControllerError if that cannot be.

    Options: model (2f85, 2f140, hande), baud, unit, opened, closed.
    `opened` and `closed` are the positions (0 to 255) that it tells at both ends, which differ a little from one to the
    next.
    """
    return SCHEME.open(parse_controller_address(url), clock)


class RobotiqScheme:
    """`robotiq:` among the tools of the station."""

    def open(self, address: Address, clock: Clock = WALL) -> RobotiqGripper:
        """Open the gripper at an address, or raise a ControllerError."""
        return _opened(address, clock)


SCHEME = RobotiqScheme()


def _opened(address: Address, clock: Clock) -> RobotiqGripper:
    url = address.url
    if address.scheme != "robotiq" or not address.place:
        raise ControllerAddressError(f"{url}: write robotiq:PORT, for example robotiq:/dev/ttyUSB0?model=2f85")
    address.allow(OPTIONS)
    model = registers.MODELS[address.choice("model", "2f85", registers.MODELS)]
    baud = round(address.number("baud", registers.BAUD, 1200, 1_000_000))
    unit = round(address.number("unit", registers.UNIT, 1, 247))
    opened = round(address.number("opened", 0, 0, 254))
    closed = round(address.number("closed", registers.LARGEST, 1, 255))
    if closed <= opened:
        raise ControllerAddressError(f"{url}: closed ({closed}) is more than opened ({opened})")
    line = Line(lambda: open_serial(address.place, baud), RtuFraming(unit), unit, TIMEOUT)
    gripper = RobotiqGripper(url, clock, line, model, (opened, closed))
    gripper.wait_until_ready()
    return gripper
