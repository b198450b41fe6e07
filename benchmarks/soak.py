"""The full default bench at 1 kHz for ten minutes: `make soak`, or `python -m benchmarks.soak --seconds 60`.

Emulated syntaxer, servo, emulated arm: each its own process, as `station run` starts them. It ends with a table of
memory, late ticks by cause, records and states, and with exit code 1 if something is not as it should be:

- no process grows by more than 0.5 MB after the first minute (after the first third of a short run),
- no record of the servo is lost, and every late tick has a cause,
- the supervisor is in FAULT at no time, and loses device or arm only where the machine itself stood still (stalls.py),
- the hand has led the arm, and the servo ends in order.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.soak_ticks import OddTicks
from benchmarks.stalls import Stalls
from station.emulated import emulated_arm
from station.monitor import Collector, Summary
from station.run.launch import ServoProcess
from station.run.options import job_of
from station.run.places import DEFAULT_BENCH
from station.servo.shared import StateReader

SECONDS = 600.0
SETTLING = 60.0  # [s]
MOST_GROWTH = 0.5  # after that [MB]
LOOK = 0.1  # time between two looks at the servo's records [s]
BLAME = 0.01  # that processors stood still before a loss, at least, to be its cause [s]
BEFORE_LOSS = 0.06  # where to look for it: samples are 20 ms old then, measurements 50 [s]
BEFORE_LATE = 0.005  # the same before a late tick [s]
OPTIONS = (
    "method",
    "bilateral",
    "architecture",
    "robot",
    "frame",
    "posture",
    "controller",
    "device",
    "sensor",
    "press",
)
PARTS = (("station.servo", "servo"), ("sim_devices.arm_links", "arm"), ("sim_devices", "syntaxer"))


class Memory(NamedTuple):
    """Of one process [MB], what it shares with others left out."""

    name: str
    start: float
    settled: float  # after the first minute
    end: float

    @property
    def growth(self) -> float:
        """After the first minute [MB]."""
        return self.end - self.settled


class Machine(NamedTuple):
    """How the machine itself was doing."""

    stood: float  # time that processors stood still, added up [s]
    longest: float  # of these moments [s]
    late: int  # late ticks right after one
    losses: tuple[float, ...]  # begins of losses of device or arm right after some, since the start of the run [s]
    told: tuple[tuple[float, str], ...] = ()  # what was not as usual before each loss


class Outcome(NamedTuple):
    """What a soak came to."""

    summary: Summary
    memory: tuple[Memory, ...]
    ending: str  # of the servo; empty: in order
    machine: Machine
    contacts: tuple[float, ...] = ()  # hardest of each turn of the hand [N]

    @property
    def troubles(self) -> list[str]:
        """What is not as it should be, one line each."""
        summary = self.summary
        unexplained = summary.late - sum(summary.late_by_stage.values())
        found = [f"{one.name} grew by {one.growth:.2f} MB" for one in self.memory if not one.growth < MOST_GROWTH]
        found += [f"{part} was not there from start to end" for part in missing(self.memory)]
        found += [f"{summary.lost} records were lost"] if summary.lost else []
        found += ["no record came"] if summary.empty else []
        found += [f"{unexplained} late ticks have no cause"] if unexplained else []
        for spell in summary.faults:
            if spell.state == "FAULT" or spell.begin not in self.machine.losses:
                found.append(f"{spell.state} at {spell.begin:.1f} s: {spell.cause} ({spell.reason or 'nothing said'})")
        found += [] if summary.shares.get("ENGAGED", 0.0) > 0.0 else ["the hand never led the arm"]
        return found + ([self.ending] if self.ending else [])

    @property
    def text(self) -> str:
        """As tables."""
        summary, ticks = self.summary, max(self.summary.ticks, 1)
        rows = ["| process | start [MB] | after settling | end | growth |", "|---|---|---|---|---|"]
        rows += [f"| {m.name} | {m.start:.2f} | {m.settled:.2f} | {m.end:.2f} | {m.growth:+.2f} |" for m in self.memory]
        rows += ["", f"| late ticks of {summary.ticks} | count | share |", "|---|---|---|"]
        rows += [f"| {name} | {count} | {count / ticks:.2%} |" for name, count in summary.late_by_stage.items()]
        rows += [f"| in all | {summary.late} | {summary.late / ticks:.2%} |"]
        rows += [f"| of these kept waiting for a processor | {summary.late_waiting} | |"]
        rows += [f"| skipped | {summary.skipped} | |"]
        rows += ["", "| state | time [s] | times |", "|---|---|---|"]
        for state, seconds in summary.shares.items():
            rows.append(f"| {state} | {seconds:.1f} | {sum(spell.state == state for spell in summary.states)} |")
        held = max(summary.duration, 1e-9)
        rows += ["", f"records {summary.records}, lost {summary.lost}; {summary.ticks / held:.0f} ticks/s"]
        machine = self.machine
        rows += [f"stolen by other machines: {summary.steal:.1%}; load {os.getloadavg()[0]:.1f}"]
        rows += [f"processors stood still for {machine.stood:.1f} s in all, {1e3 * machine.longest:.0f} ms at most;"]
        rows += [f"right after that: {machine.late} late ticks, {len(machine.losses)} losses of device or arm"]
        if self.contacts:
            least, middle, most = np.percentile(self.contacts, (0, 50, 100))
            turns = len(self.contacts)
            rows += [f"hardest contact in {turns} turns: {least:.0f} to {most:.0f} N, median {middle:.0f}"]
        rows += [f"before the loss at {begin:.3f} s: {line}" for begin, line in machine.told]
        return "\n".join(rows)


def missing(memory: tuple[Memory, ...]) -> list[str]:
    """Parts of the bench that are not among the processes."""
    return [name for _, name in PARTS if name not in {one.name for one in memory}]


def processes() -> dict[int, str]:
    """All parts of the bench by process number: this process and those that it has started, and theirs."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(place.name)] = int((place / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        except OSError:  # it has just ended
            continue
    ours = {os.getpid()}
    for _ in range(len(PARTS) + 1):
        ours |= {process for process, parent in parents.items() if parent in ours}
    return {process: name for process in sorted(ours) if (name := name_of(process))}


def name_of(process: int) -> str:
    """What part of the bench it is; empty: none."""
    if process == os.getpid():
        return "monitor"
    try:
        words = Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8").split("\0")
    except OSError:
        return ""
    return next((name for module, name in PARTS if module in words), "")


def memory_of(process: int) -> float:
    """Memory of a process that is not of a file [MB]; nan if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return float("nan")
    return sum(float(line.split()[1]) for line in lines if line.startswith("RssAnon:")) * 1024 / 1e6


def measured(known: Mapping[int, str]) -> dict[int, float]:
    """Memory of each [MB]."""
    return {process: memory_of(process) for process in known}


def soak(seconds: float) -> Outcome:
    """Run the default bench."""
    options: dict[str, Any] = {**dict.fromkeys(OPTIONS), "device": (), "controller": ()}
    job = job_of(
        str(DEFAULT_BENCH),
        {
            **options,
            "rate": 1000.0,
            "wait": 0.0,
            "spin": 0.0,
            "priority": 80,
            "core": -1,
        },
    )
    stalls, ticks = Stalls(), OddTicks()
    with ExitStack() as stack:
        stack.enter_context(stalls)
        ((robot, url),) = job.controllers.items()
        job = replace(job, controllers={robot: stack.enter_context(emulated_arm(url, job.file, robot))})
        servo = stack.enter_context(ServoProcess(job))
        with StateReader(servo.ready.state) as state:
            collector, begin = Collector(state), time.monotonic()
            ticks.follow(state)
            known = processes()
            first = settled = measured(known)
            settle, end = begin + min(SETTLING, seconds / 3.0), begin + seconds
            while (now := time.monotonic()) < end and servo.running:
                collector.poll()
                ticks.poll()
                if settle <= now:
                    settled, settle = measured(known), end + seconds
                time.sleep(LOOK)
            last = measured(known)
            collector.poll()
            ticks.poll()
            summary = Summary.of(collector.run())
        servo.close()
        ending = servo.ending
    memory = tuple(Memory(name, first[one], settled[one], last[one]) for one, name in known.items())
    return Outcome(summary, memory, ending, blamed(stalls, ticks, summary), tuple(ticks.contacts))


def blamed(stalls: Stalls, ticks: OddTicks, summary: Summary) -> Machine:
    """What the machine is to blame for."""
    late = stalls.before(ticks.late, BEFORE_LATE) > 0.0
    begins = np.array([spell.begin for spell in summary.faults])
    losses = begins[stalls.before(begins + ticks.first, BEFORE_LOSS) >= BLAME]
    told = tuple((begin, line) for begin in begins for line in ticks.before(begin + ticks.first, stalls))
    return Machine(stalls.stood, stalls.longest, int(late.sum()), tuple(losses.tolist()), told)


def main() -> int:
    """Print the tables; 1 if something is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    seconds = parser.parse_args().seconds
    print(f"the default bench for {seconds:.0f} s …", file=sys.stderr, flush=True)
    outcome = soak(seconds)
    print(outcome.text)
    for trouble in outcome.troubles:
        print(f"not as it should be: {trouble}")
    return 1 if outcome.troubles else 0


if __name__ == "__main__":
    sys.exit(main())
