"""Setpoint → applied → measurement over our links, beside a bare echo: `python -m benchmarks.arm_link`.

Both ends are processes. The arm is one without physics, so that what is measured is the link: codec, checks, sockets,
driver. The echo gets as many bytes as a setpoint has and answers with as many as a measurement has; its client waits
for the answer by the same means, so that a ratio of 1 would be a link that costs nothing. `tick` is the time that a
servo spends on `newest` and `send` together at 1 kHz. `lost` never arrived, there or back; `passed over` did, but
something newer was there too when the other side looked.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import zmq

from benchmarks.devices_machine import Floats, spread, steady, undisturbed
from benchmarks.peers.score import Figures, Row, Table, flat, quick, show
from firmware_bridge.arm.stream import StreamCodec
from firmware_bridge.port import open_serial
from station.controllers import Controller, ControllerStatus, open_controller

JOINTS = 7
PERIOD = 0.001  # [s]
PATIENCE = 1.0  # [s]
TURNS = 5
SUSTAINED = 60_000  # ticks: a minute
SETPOINT = StreamCodec(JOINTS).setpoint_size
MEASUREMENT = StreamCodec(JOINTS).measurement_size


@contextlib.contextmanager
def program(kind: str, last_words: list[int] | None = None) -> Iterator[str]:
    """A far side as a process: its address; the numbers that it says at its end are added to `last_words`."""
    words = [sys.executable, "-m", "benchmarks.arm_link_far_side", kind, str(SETPOINT), str(MEASUREMENT)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            said = process.stdout.read().split()
            process.wait()
        if last_words is not None:
            last_words += map(int, said)


def paced(count: int, ask: Callable[[int], None]) -> Floats:
    """Times of an exchange [µs], one per period."""
    spent, due = np.zeros(count), time.monotonic()
    with undisturbed():
        for number in range(count):
            due = max(due + PERIOD, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))
            begin = time.perf_counter()
            ask(number)
            spent[number] = time.perf_counter() - begin
    return 1e6 * spent


@contextlib.contextmanager
def bare_sockets(address: str) -> Iterator[tuple[zmq.Socket[bytes], zmq.Socket[bytes]]]:
    """A PUSH there and a SUB back, as our link has them, with nothing else."""
    there, back = address.split()
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
    push, sub = context.socket(zmq.PUSH), context.socket(zmq.SUB)
    push.connect(there)
    sub.connect(back)
    sub.subscribe(b"")
    time.sleep(0.2)
    yield push, sub
    push.close(0)
    sub.close(0)


def bare_zeromq(address: str, count: int) -> Floats:
    """Round trips of the bare echo [µs]; the client looks without pause."""
    data = bytes(SETPOINT)
    with bare_sockets(address) as (push, sub):

        def ask(number: int) -> None:
            del number
            push.send(data)
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                with contextlib.suppress(zmq.Again):
                    sub.recv(zmq.NOBLOCK)
                    return

        return paced(count, ask)


def bare_ticks(count: int) -> Row:
    """What a tick costs that only receives and sends."""
    data = bytes(SETPOINT)
    with program("echo-zeromq") as address, bare_sockets(address) as (push, sub):

        def tick(number: int) -> None:
            del number
            with contextlib.suppress(zmq.Again):
                sub.recv(zmq.NOBLOCK)
            push.send(data)

        return Row("bare pyzmq", spread(paced(count, tick)), "recv + send")


def bare_pty(address: str, count: int) -> Floats:
    """The same bytes through a pseudo-terminal."""
    port, data = open_serial(address.removeprefix("serial:")), bytes([1]) * (SETPOINT + 2)

    def ask(number: int) -> None:
        del number
        port.write(data)
        end, came = time.monotonic() + PATIENCE, 0
        while came < MEASUREMENT + 2 and time.monotonic() < end:
            came += len(port.read())

    spent = paced(count, ask)
    port.close()
    return spent


class Driven:
    """Our driver, holding the arm in place."""

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self.hold, self.sequence = np.zeros(JOINTS), 0
        self.returned = 0  # measurements

    def engage(self) -> None:
        """Until it follows."""
        self.controller.activate()
        end = time.monotonic() + 10.0
        while self.controller.status is not ControllerStatus.ACTIVE and time.monotonic() < end:
            self.tick()
            time.sleep(PERIOD)

    def tick(self) -> None:
        """As a servo does."""
        self.returned += self.controller.newest() is not None
        self.sequence += 1
        self.controller.send(self.hold, None, None, self.sequence)

    def ask(self, number: int) -> None:
        """A setpoint, until the measurement that echoes it."""
        del number
        controller = self.controller
        self.sequence += 1
        controller.send(self.hold, None, None, self.sequence)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            said = controller.newest()
            if said is not None and said.echo >= self.sequence:
                return
        self.engage()


def compared(link: str, echo: str, bare: Callable[[str, int], Floats], count: int) -> tuple[list[Row], Row]:
    """Our link and the bare echo, in turns; and what a tick costs."""
    ours, theirs = [], []
    setpoints: list[int] = []  # came, passed over, lost
    with program(link, setpoints) as address, program(echo) as place, open_controller(address) as controller:
        driven = Driven(controller)
        driven.engage()
        for _ in range(TURNS):
            theirs.append(bare(place, count // TURNS))
            driven.engage()
            ours.append(paced(count // TURNS, driven.ask))
        driven.engage()
        before, driven.returned = controller.health, 0
        ticks = paced(count if quick() else SUSTAINED, lambda _: driven.tick())
        after = controller.health
        lost = after.lost - before.lost
        passed_over = after.received - before.received - driven.returned
    ratios = {
        f"to bare {label}": float(
            np.median([np.percentile(a, share) / np.percentile(b, share) for a, b in zip(ours, theirs, strict=True)])
        )
        for label, share in (("p50", 50.0), ("p99", 99.0))
    }
    rows = [
        Row(f"bare {echo}", spread(np.concatenate(theirs)), f"{SETPOINT} bytes there, {MEASUREMENT} back"),
        Row(link, {**spread(np.concatenate(ours)), **ratios}, "setpoint → applied → measurement"),
    ]
    counts = {"lost": lost, "passed over": passed_over}
    if setpoints:
        counts |= {"setpoints lost": setpoints[2], "setpoints passed over": setpoints[1]}
    return rows, Row(link, {**spread(ticks), **{name: float(n) for name, n in counts.items()}}, "newest + send")


def measure() -> list[Table]:
    """All links."""
    count = 500 if quick() else 5000
    trips, ticks = [], [bare_ticks(count)]
    for link, echo, bare in (("zeromq", "echo-zeromq", bare_zeromq), ("serial", "echo-pty", bare_pty)):
        rows, tick = compared(link, echo, bare, count)
        trips += rows
        ticks.append(tick)
    conditions = f"{JOINTS} joints, 1 kHz, {count} times, loopback, ordinary scheduling"
    return [Table("arm link round trip", conditions, trips), Table("arm link tick", conditions, ticks)]


def run() -> Figures:
    """Figures by name."""
    return flat(steady("arm link", measure))


if __name__ == "__main__":
    show(steady("arm link", measure))
