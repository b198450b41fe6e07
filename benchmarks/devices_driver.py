"""What one tick of the syntaxer's driver costs, without the device: `python -m benchmarks.devices_driver`.

The device is emulated on a virtual clock, and only the calls of the driver are timed. Between two of them the emulator
runs, as other parts of a servo would, so code and data have left the nearest caches; beside it the same bytes from
memory, one tick right after the other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from benchmarks.devices_far_side import Tap
from benchmarks.devices_machine import Floats, spread, steady, undisturbed
from benchmarks.peers.score import Figures, Row, Table, flat, quick, show
from firmware_bridge.port import Port
from firmware_bridge.serial_devices import open_syntaxer
from firmware_bridge.syntaxer.driver import SyntaxerDevice
from sim_devices.ends import SocketEnd
from sim_devices.kinds import SERIAL, Wishes
from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import NO_WRENCH

PERIOD = 0.001  # [s]
ADDRESS = "serial:emulated"


class Memory(Port):
    """Bytes that were read before, read again; what is written goes nowhere."""

    def __init__(self, reads: list[bytes]) -> None:
        self.name = "memory"
        self._reads = iter(reads)

    def read(self) -> bytes:
        """What was read at this place the first time."""
        return next(self._reads, b"")

    def write(self, data: bytes | memoryview) -> bool:
        """Nothing."""
        return bool(data)

    def close(self) -> None:
        """Nothing."""


def ticks(device: SyntaxerDevice, clock: VirtualClock, count: int) -> Floats:
    """Times of `newest` and `command` [µs], one row per tick; zero rows where there was no sample."""
    spent = np.zeros((count, 2))
    device.enable_force()
    now = time.perf_counter_ns
    with undisturbed():
        for i in range(count):
            clock.sleep_until(clock.now() + PERIOD)
            begin = now()
            sample = device.newest()
            between = now()
            device.command(NO_WRENCH)
            end = now()
            if sample is not None:
                spent[i] = between - begin, end - between
    return spent * 1e-3


def emulated(count: int) -> tuple[Floats, bool]:
    """Times with the emulator in between, and whether the force was on to the end."""
    with emulator() as (clock, end), open_syntaxer(parse_address(ADDRESS), clock, end.connect) as device:
        return ticks(device, clock, count), device.force_enabled


def read_bytes(count: int) -> list[bytes]:
    """What a driver reads in as many ticks."""
    with emulator() as (clock, end):
        taps: list[Tap] = []

        def connect() -> Port:
            taps.append(Tap(end.connect()))
            return taps[-1]

        with open_syntaxer(parse_address(ADDRESS), clock, connect) as device:
            ticks(device, clock, count)
            return [data for _, data in taps[-1].reads]


@contextmanager
def emulator() -> Iterator[tuple[VirtualClock, SocketEnd]]:
    """One on a virtual clock, at the end of a socket pair."""
    clock, end = VirtualClock(), SocketEnd("emulated")
    made = SERIAL["syntaxer"](end, clock, Wishes(hand="none"))
    try:
        yield clock, end
    finally:
        made.close()


def from_memory(reads: list[bytes], count: int) -> Floats:
    """Times with nothing in between and no system calls."""
    clock = VirtualClock()
    with open_syntaxer(parse_address(ADDRESS), clock, lambda: Memory(reads)) as device:
        return ticks(device, clock, count)


def measure() -> list[Table]:
    """Run both."""
    count = 1000 if quick() else 20_000
    cold, force = emulated(count)
    warm = from_memory(read_bytes(count), count)
    rows = []
    for label, spent, note in (
        ("in between the emulator", cold, "a socket pair, force " + ("on" if force else "off")),
        ("one after the other", warm, "the same bytes from memory: no system calls, warm caches"),
    ):
        good = spent[spent[:, 0] > 0.0]
        for what, times in (("newest", good[:, 0]), ("command", good[:, 1]), ("both", good.sum(axis=1))):
            rows.append(Row(f"{what}, {label}", {**spread(times), "ticks": float(len(good))}, note))
    return [Table("driver", f"one STATE per tick, {count} ticks", rows)]


def run() -> Figures:
    """Figures by name."""
    return flat(steady("driver", measure))


if __name__ == "__main__":
    show(steady("driver", measure))
