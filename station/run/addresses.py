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
from station.mad.scene import Controller, Device, Robot, Scene
from station.servo.drives import WiringError, check_driven, told

DEFAULT_DEVICE = "sim:syntaxer"
NO_CONTROLLER = "none"  # the predicted robot alone
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
    controllers: Mapping[str, str]  # by the names of their robots, or their own as `Robot.named_controllers` has them
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
        asked: likewise of controllers, by the same names.

    Raises a SharedAddressError for what two of them would have to share.
    """
    file = scene.file or scene.name
    led: dict[str, Chosen] = {}
    for hand in hands:
        if hand.name not in led:
            taken = [*devices.values(), *(chosen.url for chosen in led.values())]
            led[hand.name] = _device(hand.device, file, devices.get(hand.name), taken)
    lines, urls = [line for chosen in led.values() for line in chosen.lines], dict[str, str]()
    places = {f"device {hand.name}": _said(file, hand.device, "device", hand.name, devices) for hand in hands}
    for robot in robots:
        driven, said = _controllers(robot, file, asked)
        urls |= driven
        lines += said
        blocks = {robot.name: robot.controllers[0] if robot.controllers else robot, **robot.named_controllers}
        for name in driven:
            places[f"controller {name}"] = _said(file, blocks[name], "controller", name, asked)
    _check_apart("device", {name: chosen.url for name, chosen in led.items()}, places)
    _check_apart("controller", {name: url for name, url in urls.items() if url != NO_CONTROLLER}, places)
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
    return Chosen(asked, (told(file, block.source.place, text),) if unused else ())


def _controllers(robot: Robot, file: str, asked: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Addresses by the names of controllers, and lines; one that is asked for the robot drives all of its joints.

    Rate and watchdog of a block hold for whatever is asked for in its place.
    """
    named, whole, lines = robot.named_controllers, asked.get(robot.name), list[str]()
    parts = {name: asked[name] for name in named if name in asked and name != robot.name}
    if whole is not None and parts:
        name, url = next(iter(parts.items()))
        raise WiringError(f"--controller {name}={url}: {whole} was asked for all joints of {robot.name}")
    urls = {robot.name: whole} if whole is not None else {name: block.address for name, block in named.items()} | parts
    for name, block in named.items():
        if urls.get(name) != block.address:
            text = f"controller {block.address} is not used: {urls.get(name, whole)} was asked for"
            lines.append(told(file, block.source.place, text))
    if whole is None:
        nobody = [name for name, url in urls.items() if url == NO_CONTROLLER]
        if 0 < len(nobody) < len(urls):
            text = f"nobody would drive the joints of controller {nobody[0]}; give it an address, or all of them none"
            raise WiringError(told(file, named[nobody[0]].source.place, text))
        check_driven(robot, file)
    return urls, lines


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
        unused = [told(file, at("port"), f'port "{device.port}" is not used: the address is')] if device.port else []
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
        return Chosen(DEFAULT_DEVICE, (told(file, at("type"), text),))
    return Chosen(DEFAULT_DEVICE, (told(file, device.source.place, f"the file says no device: {emulated}"),))


def _at_port(device: Device, kind: str, file: str, is_there: Callable[[str], bool]) -> Chosen:
    """A device on a serial line: at its port if that is here."""
    asked, emulated = device.port, f"sim:{kind}"
    if not asked:
        real = f"--device {_serial('PORT', kind)}"
        text = f"no port is said for the {kind}: an emulated one is used; a real one: 'port' beside it, or {real}"
        return Chosen(emulated, (told(file, device.source.of("type"), text),))
    port, place = local_port(asked), device.source.of("port")
    called = f'port "{asked}"' if port == asked else f'port "{asked}" ({port} here)'
    if not is_there(port):
        return Chosen(emulated, (told(file, place, f"{called} is not here: an emulated {kind} is used"),))
    taken = "" if device.type else "; no type is said, so it is taken for a syntaxer"
    return Chosen(_serial(port, kind), (told(file, place, f"the {kind} at {called} is used{taken}"),))


def _serial(port: str, kind: str) -> str:
    return f"serial:{port}" if kind == "syntaxer" else f"serial:{port}?device={kind}"


def _plugged(device: Device, kind: str, file: str, taken: Container[str]) -> Chosen:
    """A device on USB: the one that is plugged in, the next one if others have the first."""
    scheme: Scheme = schemes()["usb"].load()  # loads what others do not need
    there = [one.url for one in scheme.find() if one.url.partition(":")[2].partition("?")[0] == kind]
    found = [url for url in there if url not in taken]
    unused = (
        [told(file, device.source.of("port"), f'port "{device.port}" is not used: a {kind} is at USB')]
        if device.port
        else []
    )
    if found:
        return Chosen(found[0], (*unused, *_several(device, kind, file, found)))
    text = f"no {'other ' if there else ''}{kind} is plugged in: an emulated one is used"
    return Chosen(f"sim:{kind}", (*unused, told(file, device.source.of("type"), text)))


def _several(device: Device, kind: str, file: str, found: Iterable[str]) -> tuple[str, ...]:
    first, *others = found
    if not others:
        return ()
    text = f"several are plugged in: {first} is used; for {', '.join(others)} write its 'address'"
    return (told(file, device.source.of("type"), f"{kind}: {text}"),)


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
