"""The whole tick, in its own process with the emulated syntaxer: cost, lateness, hand to force, memory.

    python -m benchmarks.servo                     7-axis arm and cross-delta at 1 kHz, 7-axis arm at 4 kHz
    python -m benchmarks.servo --seconds 600       also says whether memory grows

All effects are on, device frames included. Wake-up lateness is compared with a C loop by `python -m benchmarks.wakeup`.
Times depend on what else runs here: the last column is the load of the machine.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import robots
from station.haptics import Cause
from station.run.launch import ServoProcess
from station.servo.job import Job
from station.servo.pacing import Measure, Stage
from station.servo.rig import Wanted
from station.servo.shared import CommandClient, SetGain, StateReader

CASES = (("panda", 1000.0), ("cross-delta", 1000.0), ("panda", 4000.0))
HAND = (
    "tighten 0.5 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.2; circle radius=30mm period=1 for 6; "
    "release deadman; hold 0.2; again"
)
P50, P99 = 0, 2  # columns of `percentiles`


class Row(NamedTuple):
    """One case."""

    robot: str
    rate: float  # [Hz]
    tick: float  # median of windows of the p50 [µs]
    tick_p99: float  # [µs]
    stages: tuple[float, ...]  # p50 of each [µs]
    wake_up_p99: float  # [µs]
    latency: float  # p50 [periods]
    late: float  # share of ticks
    ticks: int
    grown: float  # memory, from after the first tenth to the end [MB]
    load: float


def measured(robot: str, rate: float, seconds: float) -> Row:
    """Run one case."""
    job = Job(file=str(robots.path(robot)), devices={"": f"sim:syntaxer?hand={HAND}"}, wanted=Wanted(rate=rate))
    with ServoProcess(job) as servo, StateReader(servo.ready.state) as state:
        commands = servo.ready.state.with_name(servo.ready.state.name.replace(".state", ".commands"))
        with CommandClient(commands) as client:
            client.ask(SetGain(Cause.COMPENSATION, 1.0))  # the one effect that is off by default
        time.sleep(min(5.0, 0.2 * seconds))
        first = state.read()
        assert first is not None
        shown, windows = first, []
        before, end = memory_of(servo.ready.process), time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(1.0)
            shown = state.read() or shown
            windows.append(np.array(shown.percentiles))
        table = np.median(windows, axis=0) * 1e6
        ticks, late = int(shown.tick[0] - first.tick[0]), int(shown.late_ticks[0] - first.late_ticks[0])
        return Row(
            robot,
            rate,
            float(table[Measure.TICK, P50]),
            float(table[Measure.TICK, P99]),
            tuple(float(table[stage, P50]) for stage in Stage),
            float(table[Measure.WAKE_UP, P99]),
            float(table[Measure.LATENCY, P50]) * 1e-6 * rate,
            late / max(ticks, 1),
            ticks,
            memory_of(servo.ready.process) - before,
            os.getloadavg()[0],
        )


def memory_of(process: int) -> float:
    """Resident memory of a process [MB]."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def run(seconds: float = 20.0) -> None:
    """Print the table."""
    stages = " / ".join(stage.name.lower().replace("_", " ") for stage in Stage)
    print(f"| robot | rate | tick p50 [µs] | p99 | {stages} p50 [µs] | wake-up p99 [µs] | hand to force [periods] |")
    print("late | ticks | memory [MB] | load |\n" + "|---" * 11 + "|")
    for robot, rate in CASES:
        row = measured(robot, rate, seconds)
        parts = " / ".join(f"{part:.0f}" for part in row.stages)
        print(
            f"| {robot} | {row.rate:.0f} | {row.tick:.0f} | {row.tick_p99:.0f} | {parts} | {row.wake_up_p99:.0f} "
            f"| {row.latency:.2f} | {row.late:.2%} | {row.ticks} | {row.grown:+.2f} | {row.load:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    run(parser.parse_args().seconds)
