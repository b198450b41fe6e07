"""The other side of the link as a process, and a tap that remembers all that went over it, with times."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.devices_machine import Floats
from firmware_bridge.firmware.build import WARNINGS, build_process, compiler
from firmware_bridge.port import Port, open_serial
from firmware_bridge.serial_devices import BAUD, open_syntaxer
from firmware_bridge.syntaxer.driver import SyntaxerDevice
from firmware_bridge.syntaxer.frames import Decoder
from firmware_bridge.syntaxer.messages import AGE_UNKNOWN, Command, Identity, State, unpack, unwrap
from firmware_bridge.syntaxer.protocol import Status
from sim_devices.kinds import Wishes
from sim_devices.launch import started
from sim_devices.running import running
from station.clock import WALL
from station.devices.address import parse_address


class FarSide(NamedTuple):
    """A process with a port."""

    address: str  # serial:…
    process: int


@contextlib.contextmanager
def emulator(rate: int) -> Iterator[FarSide]:
    """The emulator that `sim:syntaxer?hand=none` starts for a rate [Hz]."""
    with started("syntaxer", Wishes(hand="none", rate=rate)) as address:
        yield FarSide(address, next(note.process for note in running() if note.address == address))


@contextlib.contextmanager
def firmware(rate: int) -> Iterator[FarSide]:
    """The C firmware alone, with six free rotors for a plant; good for any rate."""
    del rate
    with program([str(build_process())]) as (name, process):
        yield FarSide(f"serial:{name}", process)


@contextlib.contextmanager
def program(words: list[str]) -> Iterator[tuple[str, int]]:
    """A program that prints one line and then lives on: that line, and its process."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.kill()


@contextlib.contextmanager
def echo_program() -> Iterator[str]:
    """The C echo, compiled for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="echo-") as folder:
        product = str(Path(folder) / "echo")
        source = str(Path(__file__).with_name("echo.c"))
        subprocess.run([*compiler(), "-O2", "-std=c11", *WARNINGS, "-o", product, source], check=True)
        yield product


class Tap(Port):
    """A port that remembers what went through it and when [s]."""

    def __init__(self, port: Port) -> None:
        self.name = port.name
        self._port = port
        self.reads: list[tuple[float, bytes]] = []
        self.writes: list[tuple[float, bytes]] = []

    def read(self) -> bytes:
        """What the port has."""
        data = self._port.read()
        if data:
            self.reads.append((time.monotonic(), data))
        return data

    def write(self, data: bytes | memoryview) -> bool:
        """To the port."""
        self.writes.append((time.monotonic(), bytes(data)))
        return self._port.write(data)

    def close(self) -> None:
        """Of the port."""
        self._port.close()


@contextlib.contextmanager
def driven(far_side: FarSide, rate: int) -> Iterator[tuple[SyntaxerDevice, Tap]]:
    """The driver at the other end, and the tap in between."""
    address = parse_address(f"{far_side.address}?rate={rate}")
    taps: list[Tap] = []

    def connect() -> Port:
        taps.append(Tap(open_serial(address.place, BAUD)))
        return taps[-1]

    with open_syntaxer(address, WALL, connect) as device:
        yield device, taps[-1]


class Heard(NamedTuple):
    """What came through a tap: one entry per STATE."""

    arrival: Floats  # [s]
    device_time: Floats  # when it was sampled, by the clock of the device [s]
    newest: Floats  # 1 if it was the last of its read, the one that a tick uses
    round_trip: Floats  # of the command that it echoes first, without the time the device had it [s]; or NaN
    gaps_overrun: int  # STATE frames missing that the device says it left out
    gaps_on_the_way: int  # missing without such a word
    bad: int  # chunks that were no frame
    sessions: int

    @property
    def fastest(self) -> float:
        """Smallest difference between the clocks of host and device [s]: that of the frame with the shortest way."""
        return float(np.min(self.arrival - self.device_time))


def sent(tap: Tap) -> dict[int, float]:
    """When each COMMAND was written [s], by its sequence; the last one with that number."""
    moments, decoder = {}, Decoder()
    for moment, data in tap.writes:
        for frame in decoder.feed(data):
            if isinstance(unpack(frame), Command):
                moments[frame.sequence] = moment
    return moments


def heard(tap: Tap, begin: float = 0.0) -> Heard:
    """Read all that a tap remembers from some moment on [s]. For less than 65,536 commands if round trips matter."""
    commands, decoder = sent(tap), Decoder()
    columns: list[tuple[float, float, float, float]] = []
    overrun = on_the_way = sessions = 0
    last: int | None = None
    echoed = -1
    for arrival, data in tap.reads:
        messages = [unpack(frame) for frame in decoder.feed(data)]
        for place, message in enumerate(messages):
            if isinstance(message, Identity):
                sessions, last = sessions + 1, None
            if not isinstance(message, State):
                continue
            sequence = message.sequence if last is None else unwrap(message.sequence, last, 16)
            if last is not None and arrival >= begin:
                missing = sequence - last - 1
                overrun += missing if message.status & Status.OVERRUN else 0
                on_the_way += 0 if message.status & Status.OVERRUN else missing
            last = sequence
            fresh = message.command_sequence != echoed and message.command_age != AGE_UNKNOWN
            moment = commands.get(message.command_sequence) if fresh else None
            echoed = message.command_sequence
            trip = float("nan") if moment is None else arrival - moment - 1e-6 * message.command_age
            if arrival >= begin:
                columns.append((arrival, 1e-6 * message.time_us, float(place == len(messages) - 1), trip))
    arrivals, times, newest, trips = np.array(columns).reshape(-1, 4).T
    return Heard(arrivals, times, newest, trips, overrun, on_the_way, decoder.counters.bad, sessions)


FAR_SIDES: dict[str, Callable[[int], contextlib.AbstractContextManager[FarSide]]] = {
    "emulator": emulator,
    "C firmware": firmware,
}
