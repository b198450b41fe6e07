"""Every cap on its emulator, on a virtual clock: what the contract test runs on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from firmware_bridge.spacemouse.hid import open_spacemouse
from firmware_bridge.spacemouse.magellan import open_magellan
from firmware_bridge.spacemouse.spaceball import open_spaceball
from firmware_bridge.spacemouse.spacenavd import SCHEME
from sim_devices.emulator import Emulator
from sim_devices.ends import SocketEnd
from sim_devices.spacemouse import (
    MagellanEmulator,
    ScriptedHand,
    SpaceballEmulator,
    SpaceMouseEmulator,
    SpacenavdEmulator,
)
from sim_devices.usb import Bus
from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import Device, DeviceStatus, Sample

AWAY = (-1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
TICK = 0.001  # [s]


@dataclass
class Bench:
    """A device, its emulator, and the hand on it."""

    clock: VirtualClock
    hand: ScriptedHand
    emulator: Emulator
    device: Device
    seen: list[DeviceStatus] = field(default_factory=list)

    def run(self, seconds: float) -> Sample | None:
        """Tick for so long [s]; the last sample that came."""
        newest = None
        for _ in range(round(seconds / TICK)):
            self.clock.advance(TICK)
            sample = self.device.newest()
            newest = sample or newest
            self.seen.append(self.device.status)
        return newest

    def time_until(self, status: DeviceStatus, longest: float = 5.0) -> float:
        """Tick until the device has this status; how long that took [s]."""
        start = self.clock.now()
        while self.device.status is not status:
            assert self.clock.now() - start < longest, f"still {self.device.status}: {self.device.reason}"
            self.run(TICK)
        return self.clock.now() - start

    def close(self) -> None:
        self.device.close()
        self.emulator.close()


def magellan() -> Bench:
    clock, hand, end = VirtualClock(), ScriptedHand(), SocketEnd("line")
    emulator = MagellanEmulator(end=end, clock=clock, motion=hand)
    device = open_magellan(parse_address(emulator.address), clock, end.connect)
    return Bench(clock, hand, emulator, device)


def spaceball(flx: bool = False) -> Bench:
    clock, hand, end = VirtualClock(), ScriptedHand(), SocketEnd("line")
    emulator = SpaceballEmulator(end=end, clock=clock, motion=hand, flx=flx)
    device = open_spaceball(parse_address(emulator.address), clock, end.connect)
    return Bench(clock, hand, emulator, device)


def usb(kind: str) -> Bench:
    clock, hand, bus = VirtualClock(), ScriptedHand(), Bus()
    emulator = SpaceMouseEmulator(bus, kind, clock=clock, motion=hand)
    device = open_spacemouse(parse_address(emulator.address), clock, bus.backend)
    return Bench(clock, hand, emulator, device)


def spacenavd(version: int) -> Bench:
    clock, hand = VirtualClock(), ScriptedHand()
    emulator = SpacenavdEmulator(clock=clock, motion=hand, version=version, repeat=True)
    return Bench(clock, hand, emulator, SCHEME.open(parse_address(emulator.address), clock))


BENCHES: dict[str, Callable[[], Bench]] = {
    "magellan": magellan,
    "spaceball": spaceball,
    "spaceball 4000 flx": lambda: spaceball(flx=True),
    "usb navigator": lambda: usb("navigator"),
    "usb pro": lambda: usb("pro"),
    "usb wireless": lambda: usb("wireless"),
    "spacenavd 0": lambda: spacenavd(0),
    "spacenavd 1": lambda: spacenavd(1),
}
# How long after its stream has stopped a deflected cap may at most count as deflected [s]: what docs/spacemouse.md
# promises, and the time that the last record is on the line.
LET_GO = {"magellan": 0.19, "spaceball": 0.27, "usb": 0.11, "spacenavd": 0.51}
