"""The emulators on USB, by name: made on any clock, and served to other processes on wall time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sim_devices.hand import Hand
from sim_devices.kinds import FALCON_BUTTONS, SPACEMOUSE_BUTTONS, Wishes
from sim_devices.scripts import EmulatorError
from station.clock import WALL, Clock
from station.private import OwnFolder

if TYPE_CHECKING:
    from sim_devices.falcon import FalconEmulator
    from sim_devices.spacemouse import SpaceMouseEmulator
    from station.devices.device import Floats

SERIAL_NUMBER = "SIM-0001"
ASKED_EVERY = 0.0005  # time between two questions to a hand [s]


class GripHand:
    """A person's hand at a Falcon: it pushes the grip and presses the buttons."""

    def __init__(self, hand: Hand, press: Callable[[int], None]) -> None:
        self._hand = hand
        self._press = press
        self._next = float("-inf")  # when it is asked again [s]

    def force(self, position: Floats, velocity: Floats, now: float) -> Floats:
        """Force on the grip [N] at a place [m], a velocity [m/s] and a time [s]."""
        if now >= self._next:  # the body moves in finer steps than a hand can react to
            self._next = now + ASKED_EVERY
            self._press(self._hand.buttons(now))
            self._force = self._hand.force(position, velocity, now)
        return self._force


def _falcon(clock: Clock, wishes: Wishes) -> FalconEmulator:
    """One that has been in use: its firmware runs and it knows where it is, so that it works at once."""
    from sim_devices.falcon import FalconEmulator

    emulator = FalconEmulator(
        clock, wishes.script(), wishes.seed, homed=True, firmware_loaded=True, serial_number=SERIAL_NUMBER
    )
    person = wishes.person("falcon", FALCON_BUTTONS)
    if person is not None:
        emulator.hold(GripHand(person, emulator.press))
    return emulator


def _spacemouse(clock: Clock, wishes: Wishes) -> SpaceMouseEmulator:
    from sim_devices.spacemouse import SpaceMouseEmulator
    from sim_devices.spacemouse.hand import PushingHand
    from sim_devices.usb import Bus

    person = wishes.person("cap", SPACEMOUSE_BUTTONS)
    motion = None if person is None else PushingHand(person)
    return SpaceMouseEmulator(
        Bus(), clock=clock, faults=wishes.script(), motion=motion, seed=wishes.seed, serial=SERIAL_NUMBER
    )


# Emulators on a USB bus of their own, `emulator.bus`.
USB: dict[str, Callable[[Clock, Wishes], FalconEmulator | SpaceMouseEmulator]] = {
    "falcon": _falcon,
    "spacemouse": _spacemouse,
}


@contextlib.contextmanager
def served(kind: str, wishes: Wishes) -> Iterator[tuple[FalconEmulator | SpaceMouseEmulator, str]]:
    """An emulator on wall time whose bus other processes can use, and the address that opens it there.

    It lives as long as somebody calls `emulator.run`.
    """
    if kind not in USB:
        raise EmulatorError(f"there is no emulator {kind!r} on USB; there are: {', '.join(USB)}")
    from sim_devices.usb.remote import BusServer

    with OwnFolder("emulator") as folder:
        socket = folder / "usb.sock"
        emulator = USB[kind](WALL, wishes)
        with contextlib.closing(emulator), BusServer(emulator.bus, socket):
            yield emulator, f"usb:{kind}?bus={socket}"
