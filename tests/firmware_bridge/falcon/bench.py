"""An emulated Falcon and its driver on a virtual clock, with a hand that keeps moving, so that an old place shows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from firmware_bridge.falcon import Falcon, open_falcon
from sim_devices.falcon import Body, FalconEmulator
from sim_devices.faults import FaultScript
from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import DeviceStatus, Floats, Sample

TICK = 0.001  # [s]
NOTHING = np.zeros(6)
FLOATING = Body(weight=0.0, coulomb=0.0)


class CirclingHand:
    """Leads the grip round a circle of 20 mm twice a second: some 0.25 m/s."""

    def force(self, position: Floats, velocity: Floats, now: float) -> Floats:
        turn = 4.0 * math.pi * now
        target = np.array([0.01 * math.sin(2 * turn), 0.02 * math.cos(turn), 0.02 * math.sin(turn)])
        return np.asarray(600.0 * (target - position) - 12.0 * velocity)


class Bench:
    """Emulator, clock and (once opened) driver; `samples` and `states` are all that the driver ever said."""

    def __init__(self, *, moving: bool = True, **options: Any) -> None:
        self.clock = VirtualClock()
        self.faults = FaultScript()
        options = {"homed": True, "firmware_loaded": True, "body": FLOATING, **options}
        self.emulator = FalconEmulator(self.clock, self.faults, 1, **options)
        if moving:
            self.emulator.hold(CirclingHand())
        self.path: list[tuple[float, Floats]] = []
        self.clock.attach(lambda now: self.path.append((now, self.emulator.position)))
        self.samples: list[Sample] = []
        self.states: list[tuple[float, DeviceStatus]] = []
        self.reports: list[str] = []
        self.device: Falcon

    def open(self, url: str = "usb:falcon") -> Falcon:
        self.device = open_falcon(parse_address(url), self.clock, self.emulator.backend, self.reports.append)
        return self.device

    def is_(self, status: DeviceStatus) -> bool:
        """Whether the device is in this status now."""
        return self.device.status is status

    def fault(self, text: str) -> None:
        """Add a fault that begins now."""
        self.faults.add(text)

    def run(self, seconds: float, wrench: Floats = NOTHING, *, commanding: bool = True) -> list[Sample]:
        """Tick like the servo does; returns the samples of this time."""
        begin = len(self.samples)
        for _ in range(round(seconds / TICK)):
            sample = self.device.newest()
            if sample is not None:
                self.samples.append(sample)
            self.states.append((self.clock.now(), self.device.status))
            if commanding:
                self.device.command(wrench)
            self.clock.sleep_until(self.clock.now() + TICK)
        return self.samples[begin:]

    def lost_after(self, begin: float) -> float:
        """How long after `begin` [s] the device was first told not to be READY [s]."""
        return next(
            (time - begin for time, status in self.states if time >= begin and status is not DeviceStatus.READY),
            float("inf"),
        )

    def dishonesty(self, samples: list[Sample]) -> float:
        """Largest distance [m] of a sample from every place the grip had between question and arrival."""
        known = np.array([time for time, _ in self.path])
        places = np.array([place for _, place in self.path])
        times = np.linspace(known[0], known[-1], 8 * len(known))  # a fast hand goes far within a tick
        path = np.stack([np.interp(times, known, places[:, axis]) for axis in range(3)], axis=1)
        worst = 0.0
        for sample in samples:
            first, last = np.searchsorted(times, [sample.device_time - TICK / 2, sample.arrival + TICK / 2])
            distance = np.linalg.norm(path[first:last] - sample.pose[:3, 3], axis=1).min()
            worst = max(worst, float(distance))
        return worst


def force_on(bench: Bench, wrench: Floats) -> Floats:
    """Enable force, push for 50 ms, and tell what the motors do."""
    bench.run(0.02)
    assert bench.device.enable_force()
    bench.run(0.05, wrench)
    return bench.emulator.motor_force


def image_file(folder: Path, size: int = 1000) -> tuple[Path, bytes]:
    """A firmware image that is none of Novint's."""
    image = np.random.default_rng(7).bytes(size)
    path = folder / "firmware.bin"
    path.write_bytes(image)
    return path, image
