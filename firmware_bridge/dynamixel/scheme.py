"""`dynamixel:` addresses: `dynamixel:/dev/ttyUSB0?baud=4000000&ids=1,2,3&names=base,shoulder,elbow`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.bus import Bus
from firmware_bridge.dynamixel.driver import DynamixelController
from firmware_bridge.dynamixel.packets import HIGHEST_ID
from firmware_bridge.dynamixel.servos import Seat
from firmware_bridge.port import open_serial
from station.clock import Clock
from station.controllers.errors import ControllerAddressError
from station.controllers.order import joint_name
from station.devices.address import Address

BAUD = 4_000_000
BAUDS = (9600, 12_000_000)
WATCHDOG = 0.06  # [s]
OPTIONS = ("baud", "ids", "names", "zero", "reverse", "torque_constant", "watchdog", "read")

Value = TypeVar("Value", int, float)


class DynamixelControllers:
    """The scheme `dynamixel:`."""

    takes_watchdog = True

    def open(self, address: Address, clock: Clock) -> DynamixelController:
        """Open an arm of servos; options in docs/vendor_buses.md."""
        if not address.place:
            raise ControllerAddressError(f"{address.url}: name the port, for example dynamixel:/dev/ttyUSB0?ids=1,2,3")
        address.allow(OPTIONS)
        seats = seats_of(address)
        baud = round(address.number("baud", BAUD, *BAUDS))
        least, most = table.WATCHDOG_RANGE
        unit = table.WATCHDOG_UNIT
        watchdog = round(address.number("watchdog", WATCHDOG, least * unit, most * unit) / unit)
        bus = Bus(lambda: open_serial(address.place, baud), baud)
        controller = DynamixelController(address.url, clock, bus, seats, watchdog)
        controller.fast = address.choice("read", "fast", ("fast", "sync")) == "fast"
        controller.wait_until_ready()
        return controller


def seats_of(address: Address) -> tuple[Seat, ...]:
    """Which servo is which joint, from the options of an address."""
    idents = _list(address, "ids", int, None, (0, HIGHEST_ID))
    if not idents:
        raise ControllerAddressError(
            f"{address.url}: name the servos in the order of the joints, for example ids=1,2,3"
        )
    if len(set(idents)) != len(idents):
        raise ControllerAddressError(f"{address.url}: ids names a servo twice")
    names = [joint_name(ident, None) for ident in idents]
    if "names" in address.options:
        names = [name.strip() for name in address.options["names"].split(",")]
    if len(names) != len(idents) or not all(names) or len(set(names)) != len(names):
        raise ControllerAddressError(f"{address.url}: names are as many as ids, each once: {len(idents)} are needed")
    far = table.GOAL_POSITION.high
    zeros = _list(address, "zero", int, len(idents), (-far, far)) or [table.CENTRE] * len(idents)
    constants: list[float | None] = [*_list(address, "torque_constant", float, len(idents), (0.01, 100.0))]
    constants = constants or [None] * len(idents)
    turned = _list(address, "reverse", int, None, (0, HIGHEST_ID))
    unknown = set(turned) - set(idents)
    if unknown:
        raise ControllerAddressError(f"{address.url}: reverse names servo {min(unknown)}, which is not among ids")
    return tuple(
        Seat(ident=ident, name=name, zero=zero, reverse=ident in turned, torque_constant=constant)
        for ident, name, zero, constant in zip(idents, names, zeros, constants, strict=True)
    )


def _list(
    address: Address, name: str, kind: Callable[[str], Value], count: int | None, limits: tuple[float, float]
) -> list[Value]:
    """Numbers with commas between; one stands for `count` of them."""
    text = address.options.get(name, "")
    if not text:
        return []
    try:
        values = [kind(word) for word in text.split(",")]
    except ValueError:
        values = []
    if not values or not all(math.isfinite(value) and limits[0] <= value <= limits[1] for value in values):
        raise ControllerAddressError(
            f"{address.url}: {name} is numbers from {limits[0]:g} to {limits[1]:g} with commas, not {text!r}"
        )
    if count is not None and len(values) == 1:
        values *= count
    if count is not None and len(values) != count:
        raise ControllerAddressError(f"{address.url}: {name} is one number, or {count} with commas")
    return values


SCHEME = DynamixelControllers()
