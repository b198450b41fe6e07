"""A driver and an emulated syntaxer on one virtual clock, and what a test does with them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from firmware_bridge.syntaxer.driver import SyntaxerDevice
from sim_devices.fixtures import Emulated
from sim_devices.syntaxer import SyntaxerEmulator
from station.devices import DeviceStatus, Sample
from station.devices.device import Floats

TICK = 0.001  # [s]
CIRCLES = "press deadman; reach 0.22 0 0 in 1.0; circle radius=0.05 period=1 for 60"


class Rig:
    """Ticks like the servo: newest sample, one command."""

    def __init__(self, emulated: Emulated, **options: object) -> None:
        self.clock = emulated.clock
        self.outer = emulated("syntaxer", **options)
        assert isinstance(self.outer.device, SyntaxerDevice)
        assert isinstance(self.outer.emulator, SyntaxerEmulator)
        self.device, self.emulator = self.outer.device, self.outer.emulator
        self.samples: list[Sample] = []
        self.statuses: set[DeviceStatus] = set()
        self.wrench: Floats = np.zeros(6)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / TICK)):
            self.clock.advance(TICK)
            sample = self.device.newest()
            if sample is not None:
                self.samples.append(sample)
            self.statuses.add(self.device.status)
            self.device.command(self.wrench)

    def until(self, condition: Callable[[], bool], longest: float = 3.0) -> float:
        """Time until something is so [s]; fails if it never is."""
        for number in range(round(longest / TICK)):
            if condition():
                return number * TICK
            self.run(TICK)
        raise AssertionError(f"not within {longest} s: {self.device.status} {self.device.reason}")

    def until_status(self, status: DeviceStatus, longest: float = 3.0) -> float:
        return self.until(lambda: self.device.status is status, longest)

    def fail(self, faults: str) -> None:
        self.samples.clear()
        self.statuses.clear()
        self.emulator.faults.add(faults)

    @property
    def currents(self) -> float:
        """Largest current that the firmware lets flow [A]."""
        return float(np.abs(self.emulator.firmware.given).max()) / 1000.0

    def push(self) -> None:
        """Enable force and push the hand a little."""
        self.run(0.05)
        assert self.device.enable_force()
        self.wrench = np.array([0.0, 2.0, 0.0, 0.0, 0.0, 0.0])
        self.run(0.05)
        assert self.device.force_enabled
        assert self.currents > 0.05
