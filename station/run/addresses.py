"""From a block of a scene to an address: which device, which controller, and what a person is told of it.

A file names a device by `address`, or as the files of 1998 do by `type` and `port`. The real one is used where its port
or plug is here, else the emulated one of that name, and a line says so: nothing of a file is passed over in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from station.devices import schemes
from station.devices.registry import Scheme
from station.errors import StationError
from station.mad.leading import Lead
from station.mad.scene import Controller, Device, Place, Robot, Scene
from station.mad.units import JointType

DEFAULT_DEVICE = "sim:syntaxer"
SERIAL = ("syntaxer", "magellan", "spaceball", "mouse3d")  # at a port
USB = ("spacemouse", "falcon")  # found by their plugs
HELD = ("panel", "keyboard")  # by a window
KINDS = (*SERIAL, *USB, *HELD)
# Ports as other systems name them, and what their first is called: DOS and Windows, Sun, Silicon Graphics.
PORTS = (
    (re.compile(r"(?:\\\\\.\\)?com(\d{1,3}):?", re.IGNORECASE), "1"),
    (re.compile(r"(?:/dev/)?tty([a-c])"), "a"),
    (re.compile(r"(?:/dev/)?tty[dfm](\d{1,2})"), "1"),
)
NAME = re.compile(r"[\w-]+")
OWN = ("sim", "replay", "none")  # schemes of which each device or arm has one of its own


class SharedAddressError(StationError, ValueError):
    """One address for two devices, or two arms; one line."""


class Chosen(NamedTuple):
    """An address, and what to tell of how it was chosen, a line each."""

    url: str
    lines: tuple[str, ...] = ()


class Addresses(NamedTuple):
    """Those of a run."""

    devices: Mapping[str, str]  # by their names in the file
    controllers: Mapping[str, str]  # by the names of their robots
    lines: tuple[str, ...]
    places: Mapping[str, str]  # where each was said, for messages: by `device 1`, `controller left`


def addresses_of(
    scene: Scene, hands: Sequence[Lead], robots: Sequence[Robot], devices: Mapping[str, str], asked: Mapping[str, str]
) -> Addresses:
    """What leads robots and what drives them: as asked for, else as the file says.

    Args:
        scene: of the run.
        hands: that lead something.
        robots: that are led.
        devices: addresses that were asked for, by the names of devices.
        asked: likewise of controllers, by the names of robots.

    Raises a SharedAddressError for what two of them would have to share.
    """
    file = scene.file or scene.name
    led: dict[str, Chosen] = {}
    for hand in hands:
        if hand.name not in led:
            taken = [*devices.values(), *(chosen.url for chosen in led.values())]
            led[hand.name] = _device(hand.device, file, devices.get(hand.name), taken)
    driven = {robot.name: _controller(robot, file, asked.get(robot.name)) for robot in robots}
    places = {f"device {hand.name}": _said(file, hand.device, "device", hand.name, devices) for hand in hands}
    for robot in robots:
        block = robot.controllers[0] if robot.controllers else robot
        places[f"controller {robot.name}"] = _said(file, block, "controller", robot.name, asked)
    _check_apart("device", {name: chosen.url for name, chosen in led.items()}, places)
    _check_apart("controller", {name: chosen.url for name, chosen in driven.items() if chosen.url}, places)
    lines = [line for chosen in (*led.values(), *driven.values()) for line in chosen.lines]
    urls = {name: chosen.url for name, chosen in driven.items() if chosen.url}
    return Addresses({name: chosen.url for name, chosen in led.items()}, urls, tuple(lines), places)


def _said(file: str, block: Device | Controller | Robot, option: str, name: str, asked: Mapping[str, str]) -> str:
    """Where an address was said: by an option, or at a place of the file."""
    if name in asked:
        return f"--{option} {name}"
    said = [word for word in ("address", "port", "type") if word in block.source.entries]
    place = block.source.of(said[0]) if said else block.source.place
    return f"{file}:{place.line}:{place.column}" if place.line else file


def _check_apart(what: str, urls: Mapping[str, str], places: Mapping[str, str]) -> None:
    """Each has an address of its own."""
    first: dict[str, str] = {}
    for name, url in urls.items():
        scheme = url.partition(":")[0]
        place = url.partition("?")[0] if scheme == "serial" else url  # elsewhere options may tell two apart
        if scheme not in OWN and first.setdefault(place, name) != name:
            one, other = f"{what} {name}", f"{what} {first[place]}"
            text = f"{one} and {other} ({places[other]}) have one address, {place}; each needs its own"
            raise SharedAddressError(f"{places[one]}: {text}")


def _device(block: Device, file: str, asked: str | None, taken: Container[str]) -> Chosen:
    """The one that was asked for; all that its block says of scale, buttons and forces holds for it as well."""
    if asked is None:
        return device_address(block, file, taken=taken)
    unused = [f'{name} "{value}"' for name in ("address", "port") if (value := getattr(block, name))]
    if block.type and block.type.lower() not in asked.lower():
        unused.insert(0, f"type {block.type}")
    text = f"{' and '.join(unused)} of device {block.id} not used: {asked} was asked for"
    return Chosen(asked, (_at(file, block.source.place, text),) if unused else ())


def _controller(robot: Robot, file: str, asked: str | None) -> Chosen:
    url, lines = asked or "", list[str]()
    for number, block in enumerate(robot.controllers):
        if asked is None and not number:
            url, said = controller_address(block, robot, file)
            lines += said
        else:
            why = "one controller drives a robot in a run" if asked is None else f"{asked} was asked for"
            lines.append(_at(file, block.source.place, f"controller {block.address} is not used: {why}"))
    return Chosen(url, tuple(lines))


def device_address(
    device: Device, file: str, is_there: Callable[[str], bool] | None = None, taken: Container[str] = ()
) -> Chosen:
    """The address of a device of a file: its `address`, else by `type` and `port`.

    Args:
        device: as the file has it.
        file: its name, for lines.
        is_there: whether a port of this machine has anything behind it.
        taken: addresses of devices that others have.
    """
    kind, at = (device.type or "").lower(), device.source.of
    if device.address:
        unused = [_at(file, at("port"), f'port "{device.port}" is not used: the address is')] if device.port else []
        return Chosen(device.address, tuple(unused))
    if kind in HELD:
        name = device.port if device.port and NAME.fullmatch(device.port) else ""
        second = not name and f"{kind}:" in taken
        return Chosen(f"{kind}:{device.id if second else name}")
    if kind in USB:
        return _plugged(device, kind, file, taken)
    if kind in SERIAL or (device.port and not kind):
        return _at_port(device, kind or "syntaxer", file, is_there or port_is_there)
    emulated = f"an emulated {DEFAULT_DEVICE.partition(':')[2]} is used"
    if kind:
        known = ", ".join(KINDS)
        text = f"there is no device of type {device.type} here ({known}): {emulated}; or write its 'address'"
        return Chosen(DEFAULT_DEVICE, (_at(file, at("type"), text),))
    return Chosen(DEFAULT_DEVICE, (_at(file, device.source.place, f"the file says no device: {emulated}"),))


def _at_port(device: Device, kind: str, file: str, is_there: Callable[[str], bool]) -> Chosen:
    """A device on a serial line: at its port if that is here."""
    asked, emulated = device.port, f"sim:{kind}"
    if not asked:
        real = f"--device {_serial('PORT', kind)}"
        text = f"no port is said for the {kind}: an emulated one is used; a real one: 'port' beside it, or {real}"
        return Chosen(emulated, (_at(file, device.source.of("type"), text),))
    port, place = local_port(asked), device.source.of("port")
    called = f'port "{asked}"' if port == asked else f'port "{asked}" ({port} here)'
    if not is_there(port):
        return Chosen(emulated, (_at(file, place, f"{called} is not here: an emulated {kind} is used"),))
    taken = "" if device.type else "; no type is said, so it is taken for a syntaxer"
    return Chosen(_serial(port, kind), (_at(file, place, f"the {kind} at {called} is used{taken}"),))


def _serial(port: str, kind: str) -> str:
    return f"serial:{port}" if kind == "syntaxer" else f"serial:{port}?device={kind}"


def _plugged(device: Device, kind: str, file: str, taken: Container[str]) -> Chosen:
    """A device on USB: the one that is plugged in, the next one if others have the first."""
    scheme: Scheme = schemes()["usb"].load()  # loads what others do not need
    there = [one.url for one in scheme.find() if one.url.partition(":")[2].partition("?")[0] == kind]
    found = [url for url in there if url not in taken]
    unused = (
        [_at(file, device.source.of("port"), f'port "{device.port}" is not used: a {kind} is at USB')]
        if device.port
        else []
    )
    if found:
        return Chosen(found[0], (*unused, *_several(device, kind, file, found)))
    text = f"no {'other ' if there else ''}{kind} is plugged in: an emulated one is used"
    return Chosen(f"sim:{kind}", (*unused, _at(file, device.source.of("type"), text)))


def _several(device: Device, kind: str, file: str, found: Iterable[str]) -> tuple[str, ...]:
    first, *others = found
    if not others:
        return ()
    text = f"several are plugged in: {first} is used; for {', '.join(others)} write its 'address'"
    return (_at(file, device.source.of("type"), f"{kind}: {text}"),)


def local_port(port: str) -> str:
    """A port as this system names it; one that is a path stays as it is."""
    for pattern, first in PORTS:
        if (found := pattern.fullmatch(port)) and not Path(port).exists():
            number = int(found[1], 36) - int(first, 36) if first == "a" else int(found[1]) - int(first)
            return f"/dev/ttyS{max(number, 0)}"
    return f"/dev/{port}" if re.fullmatch(r"tty\w+", port) else port


def port_is_there(port: str) -> bool:
    """Whether a port exists and has a chip behind it: Linux has names for some that no machine has."""
    path = Path(port)
    if "?" in port or not path.exists():  # in an address, options would begin there
        return False
    chip = Path("/sys/class/tty") / path.resolve().name / "type"
    try:
        return chip.read_text(encoding="ascii").strip() != "0"
    except (OSError, UnicodeDecodeError):
        return True  # not of the kind that is there without being there: USB, or a socket


def controller_address(controller: Controller, robot: Robot, file: str) -> Chosen:
    """The address of a controller of a file, and a line for each of its wishes that the arm itself decides."""
    active = tuple(link.id for link in robot.links if link.joint is not JointType.FIXED and not link.passive)
    unused = []
    if controller.joints and controller.joints != active:
        unused.append(("joints", "joints is not used: joints are known by their names"))
    if controller.rate is not None:
        unused.append(("rate", f"rate {controller.rate:g} is not used: the arm tells how often it takes setpoints"))
    if controller.watchdog is not None:
        unused.append(("watchdog", f"watchdog {controller.watchdog:g} is not used: the arm tells its own"))
    lines = (_at(file, controller.source.of(name), text) for name, text in unused)
    return Chosen(controller.address, tuple(lines))


def _at(file: str, place: Place, text: str) -> str:
    return f"{file}:{place.line}:{place.column}: {text}" if place.line else f"{file}: {text}"
