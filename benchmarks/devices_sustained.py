"""Ticks without end: 1 kHz for a minute, 4 kHz for 20 s, every frame counted: `python -m benchmarks.devices_sustained`.

Two processes on a pty, as at work. A gap in the sequence of STATE frames with OVERRUN in the next one means that the
device's process came too late to send it; a gap without that word is a loss on the way, and there must be none. The
emulator makes up for steps that it missed (up to 50 ms), so there lateness shows in `delay`, not in gaps. Both sides
run under SCHED_FIFO if they may (`--normal`: they do not). Beside them wakes a bare C client at the same rate.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.devices_far_side import FAR_SIDES, Tap, driven, echo_program, heard, program
from benchmarks.devices_link import client_in_c
from benchmarks.devices_machine import Floats, may_be_real_time, real_time, spread, steady, undisturbed
from benchmarks.peers.environments import progress
from benchmarks.peers.score import Figures, Row, Table, flat, quick, show
from firmware_bridge.syntaxer.driver import SyntaxerDevice
from station.devices.device import NO_WRENCH

LENGTHS = {1000: 60.0, 4000: 20.0}  # by rate [Hz]: [s]
QUICK = 3.0  # [s]
PEER_SHARE = 6  # the C client takes part for a sixth of the time
WITH_FORCE = ("emulator",)  # the free rotors of the C firmware would run away


def tick_on(device: SyntaxerDevice, rate: int, seconds: float) -> tuple[Floats, int]:
    """Lateness of every tick [s], and how many were left out as the one before had not ended in time."""
    count = round(seconds * rate)
    late, skipped, period = np.zeros(count), 0, 1.0 / rate
    due = time.monotonic()
    for i in range(count):
        due += period
        now = time.monotonic()
        if now > due + period:
            missed = int((now - due) / period)
            skipped += missed
            due += missed * period
        if due > now:
            time.sleep(due - now)
        late[i] = time.monotonic() - due
        device.newest()
        device.command(NO_WRENCH)
    return late, skipped


@contextlib.contextmanager
def both_real_time(process: int, wanted: bool) -> Iterator[None]:
    """SCHED_FIFO for this process and another."""
    with contextlib.ExitStack() as stack:
        if wanted:
            stack.enter_context(real_time(process))
            stack.enter_context(real_time(0))
        yield


def figures(tap: Tap, begin: float, late: Floats, skipped: int, rate: int) -> Figures:
    """What happened since `begin` [s]."""
    record = heard(tap, begin)
    delays = record.arrival - record.device_time
    delays = 1e6 * (delays - delays.min())
    return {
        "frames": float(record.arrival.size),
        "lost on the way": float(record.gaps_on_the_way),
        "left out by device": float(record.gaps_overrun),
        "broken": float(record.bad),
        "begun anew": float(record.sessions - 1),
        **{f"late {name}": value for name, value in spread(1e6 * late).items()},
        "late ticks": float(np.count_nonzero(late > 1.0 / rate)),
        "skipped ticks": float(skipped),
        **{f"delay {name}": value for name, value in spread(delays).items()},
        "delay max ms": 1e-3 * float(delays.max()),
    }


def endure(name: str, rate: int, seconds: float, fast: bool) -> Row:
    """One run against one far side."""
    progress(f"devices: {rate} Hz for {seconds:g} s, {name} …")
    with FAR_SIDES[name](rate) as far_side, driven(far_side, rate) as (device, tap):
        if name in WITH_FORCE:
            device.enable_force()
        with both_real_time(far_side.process, fast), undisturbed():
            tick_on(device, rate, 0.5)  # what is slow the first time
            begin = time.monotonic()
            late, skipped = tick_on(device, rate, seconds)
        note = f"at the end {device.status}, force {'on' if device.force_enabled else 'off'}"
        return Row(f"{name}, {rate} Hz", figures(tap, begin, late, skipped, rate), note)


def peer(rate: int, seconds: float, fast: bool) -> Row:
    """The C client with the bare echo."""
    with echo_program() as echo, program([echo, "server"]) as (name, process), both_real_time(process, fast):
        spent = client_in_c(echo, name, round(seconds * rate), 1.0 / rate)  # inherits our scheduling
    late = {f"late {label}": value for label, value in spread(spent[:, 1]).items()}
    return Row(
        f"C client, C echo, {rate} Hz", {**late, "late ticks": float(np.count_nonzero(spent[:, 1] > 1e6 / rate))}
    )


def measure(rate: int) -> list[Table]:
    """All runs of one rate."""
    fast = may_be_real_time()
    seconds = QUICK if quick() else LENGTHS[rate]
    rows = [peer(rate, seconds / PEER_SHARE, fast), *(endure(name, rate, seconds, fast) for name in FAR_SIDES)]
    scheduling = "both sides SCHED_FIFO" if fast else "ordinary scheduling"
    return [Table(f"sustained {rate} Hz", f"{seconds:g} s each, pty, {scheduling}; delay: beyond the fastest", rows)]


def tables() -> Iterator[Table]:
    """All rates, each repeated by itself if the machine was not ours."""
    for rate in LENGTHS:
        yield from steady(f"sustained, {rate} Hz", partial(measure, rate))


def run() -> Figures:
    """Figures by name."""
    return flat(list(tables()))


if __name__ == "__main__":
    for finished in tables():
        show([finished])
