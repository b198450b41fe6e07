"""Driver and device as two processes on a pty, beside a bare C echo: `python -m benchmarks.devices_link`.

A command is answered by the next STATE, so the time from the one to the other is mostly waiting for the device's clock.
STATE tells how long the device has had the command; without that time there remains the way there and back, with what
both programs do on it. `age` is how old the newest sample is at a tick of 1 kHz that drifts through all phases of the
device's clock: half a period on average, and the way here. The clocks are compared by the fastest of all frames, whose
way counts as half a round trip of the echo. The emulator's clock goes in steps of 0.5 ms, which evens out in medians.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

import numpy as np

from benchmarks.devices_far_side import FAR_SIDES, Heard, driven, echo_program, heard, program
from benchmarks.devices_machine import Floats, spread, steady, undisturbed
from benchmarks.peers.score import Figures, Row, Table, flat, quick, show
from firmware_bridge.port import open_serial
from firmware_bridge.syntaxer.driver import SyntaxerDevice
from station.devices.device import NO_WRENCH

RATE = 1000  # [Hz]
PERIOD = 1.0 / RATE  # [s]
DRIFTING = PERIOD * (1.0 + 1.0 / 1009.0)  # so that ticks meet all phases of the device [s]
BYTES = 63  # of a STATE
PATIENCE = 1.0  # [s]
TURNS = 5


def client_in_c(echo: str, name: str, count: int, period: float = PERIOD) -> Floats:
    """Round trips and lateness of wake-ups of the C client [µs], one row each."""
    words = [echo, "client", name, str(count), str(round(period * 1e9)), str(BYTES)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return 1e-3 * np.array(done.stdout.split(), dtype=np.float64).reshape(-1, 2)


def client_in_python(name: str, count: int) -> Floats:
    """Round trips through `Port` with the same pace [µs]."""
    port, data, spent = open_serial(name), bytes([1] * BYTES), np.zeros(count)
    due = time.monotonic()
    with undisturbed():
        for i in range(count):
            due = max(due + PERIOD, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))
            begin, back = time.perf_counter(), 0
            port.write(data)
            while back < BYTES and time.perf_counter() - begin < PATIENCE:
                back += len(port.read())
            spent[i] = time.perf_counter() - begin
    port.close()
    return 1e6 * spent


def echoes(count: int) -> tuple[Floats, Floats]:
    """Round trips to the echo of the clients in C and in Python, which take turns [µs]."""
    in_c, in_python = [], []
    with echo_program() as echo, program([echo, "server"]) as (name, _):
        for _ in range(TURNS):
            in_c.append(client_in_c(echo, name, count // TURNS)[:, 0])
            in_python.append(client_in_python(name, count // TURNS))
    return np.concatenate(in_c), np.concatenate(in_python)


def watching(device: SyntaxerDevice, seconds: float) -> None:
    """Look for samples without pause, command once per period."""
    end = time.monotonic() + seconds
    due = time.monotonic()
    while (now := time.monotonic()) < end:
        device.newest()
        if now >= due:
            device.command(NO_WRENCH)
            due = max(due + DRIFTING, now)


def ticking(device: SyntaxerDevice, seconds: float) -> None:
    """Look for a sample and command once per period."""
    due = time.monotonic()
    end = due + seconds
    while due < end:
        due = max(due + DRIFTING, time.monotonic())
        time.sleep(max(0.0, due - time.monotonic()))
        device.newest()
        device.command(NO_WRENCH)


def both_ways(name: str, seconds: float, fastest_way: float) -> tuple[Floats, Floats]:
    """Round trips while the host looks without pause, and ages at its ticks [µs]; the fastest way counts as given."""
    records: list[Heard] = []
    phases: tuple[Callable[[SyntaxerDevice, float], None], ...] = (watching, ticking)
    with FAR_SIDES[name](RATE) as far_side, driven(far_side, RATE) as (device, tap), undisturbed():
        watching(device, 0.3)  # what is slow the first time
        for phase in phases:
            begin = time.monotonic()
            phase(device, seconds)
            records.append(heard(tap, begin))
            tap.reads.clear()
            tap.writes.clear()
    watched, ticked = records
    trips = watched.round_trip[np.isfinite(watched.round_trip)]
    offset = min(watched.fastest, ticked.fastest)
    ages = (ticked.arrival - ticked.device_time - offset)[ticked.newest > 0.0]
    return 1e6 * trips, 1e6 * ages + fastest_way


def measure() -> list[Table]:
    """Echo, then both devices."""
    seconds = 1.0 if quick() else 10.0
    count = round(seconds / PERIOD)
    in_c, in_python = echoes(count)
    c_median, python_median = float(np.median(in_c)), float(np.median(in_python))

    def row(label: str, times: Floats, note: str) -> Row:
        middle = float(np.median(times))
        return Row(label, {**spread(times), "to C": middle / c_median, "to Port": middle / python_median}, note)

    trips = [
        row("C client, C echo", in_c, f"{BYTES} bytes there and back"),
        row("Port, C echo", in_python, "the same, through firmware_bridge.port"),
    ]
    ages = []
    for far_side in FAR_SIDES:
        there_and_back, age = both_ways(far_side, seconds, 0.5 * c_median)
        trips.append(row(f"driver, {far_side}", there_and_back, "COMMAND there, STATE back, without the time between"))
        ages.append(Row(f"driver, {far_side}", spread(age), "half a millisecond is the phase of the clocks"))
    conditions = f"pty, 1 kHz, {seconds:g} s each, ordinary scheduling, host looks without pause"
    ticking_conditions = f"pty, ticks and samples of 1 kHz, {seconds:g} s each, ordinary scheduling"
    return [Table("round trip", conditions, trips), Table("age of the newest sample", ticking_conditions, ages)]


def run() -> Figures:
    """Figures by name."""
    return flat(steady("link", measure))


if __name__ == "__main__":
    show(steady("link", measure))
