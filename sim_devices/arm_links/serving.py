"""`far_side`: the server for a link, by the address at which it is to be found."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

from firmware_bridge.arm.curve import Endpoint, parse_endpoint
from firmware_bridge.ur.place import endpoint_of
from sim_devices.arm.machine import ArmMachine
from sim_devices.arm.network import NetworkSettings
from sim_devices.arm_links.emulator import ArmEmulator, MessageEmulator
from sim_devices.arm_links.serial_line import SerialArm
from sim_devices.arm_links.zeromq import ZeroMqArm
from sim_devices.ends import End, PtyEnd
from sim_devices.faults import FaultScript
from station.clock import WALL, Clock
from station.controllers.errors import ControllerAddressError
from station.controllers.registry import parse_controller_address
from station.devices.address import Address
from station.keys import opened_by

LINKS = ("tcp://host:port", "serial:", "modbus://host:port", "modbus+serial:", "dynamixel:", "ur://host")

USUAL = {  # what a name alone means
    "tcp": "tcp://127.0.0.1:0",
    "serial": "serial:",
    "modbus": "modbus://127.0.0.1:0",
    "dynamixel": "dynamixel:",
    "ur": "ur://127.0.0.1",
}

EVERYWHERE = {"//0.0.0.0:": "//127.0.0.1:", "//*:": "//127.0.0.1:", "//[::]:": "//[::1]:"}  # and how to call it here


def far_side(
    link: str,
    machine: ArmMachine,
    clock: Clock = WALL,
    faults: FaultScript | None = None,
    network: NetworkSettings | None = None,
    *,
    end: End | None = None,
) -> ArmEmulator:
    """The arm's end of a link: `tcp://127.0.0.1:5555`, `serial:`, `modbus://127.0.0.1:1502`, `dynamixel:`, `ur://127.0.0.1`.

    A name alone, such as `ur`, is the link at its usual place on this machine. Port 0 is any that is free; a serial
    line is a pseudo-terminal unless `end` is given. An arm at a tcp address that other machines can reach needs
    `?key=FILE&allowed=FOLDER`: its secret key, and the public keys it lets in. With `?couples=yes` (tcp, serial) it
    runs its end of a bilateral link, see docs/bilateral.md.
    """
    address = parse_controller_address(USUAL.get(link, link))
    if address.scheme == "tcp":
        address.allow({"key", "allowed", "couples"})
        files = {name: Path(address.options[name]) for name in ("key", "allowed") if name in address.options}
        place = parse_endpoint(address, lowest_port=0)
        return _coupled(
            address,
            ZeroMqArm(machine, place, clock, faults, network, key=files.get("key"), allowed=files.get("allowed")),
        )
    if address.scheme == "serial":
        address.allow({"couples"})
        return _coupled(address, SerialArm(machine, end or PtyEnd("arm"), clock, faults, network))
    address.allow(())
    if address.scheme.startswith("modbus"):
        from sim_devices.arm_links.modbus_ends import ModbusSerialArm, ModbusTcpArm  # loads pymodbus, which takes long

    if address.scheme == "modbus":
        return ModbusTcpArm(machine, parse_endpoint(address, lowest_port=0), clock, faults=faults, network=network)
    if address.scheme == "modbus+serial":
        return ModbusSerialArm(machine, end or PtyEnd("arm"), clock, faults=faults, network=network)
    if address.scheme == "dynamixel":
        from sim_devices.dynamixel.bus import DynamixelArm  # likewise for who asks for it

        return DynamixelArm(machine, end or PtyEnd("arm"), clock, faults, network)
    if address.scheme == "ur":
        from sim_devices.ur.arm import URArm

        return URArm(machine, Endpoint(*endpoint_of(address)), clock, faults, network)
    raise ControllerAddressError(f"{link}: an emulated arm speaks {', '.join(LINKS)}")


def station_address(link: str, address: str) -> str:
    """How a station of this user opens an arm that serves `link` and says `address`: with keys, if it wants any."""
    options = parse_controller_address(USUAL.get(link, link)).options
    if "key" not in options or "allowed" not in options:
        return address
    place = address
    for everywhere, here in EVERYWHERE.items():
        place = place.replace(everywhere, here, 1)
    keys = opened_by(Path(options["key"]), Path(options["allowed"]))
    return f"{place}?{urlencode(keys, safe='/')}"


def _coupled(address: Address, arm: MessageEmulator) -> MessageEmulator:
    """The arm with its end of a bilateral link, if the address asks for it."""
    if address.choice("couples", "no", ("no", "yes")) == "yes":
        try:
            arm.couple()
        except ControllerAddressError:
            arm.close()
            raise
    return arm
