"""The full default bench at 1 kHz for ten minutes: `make soak`, or `python -m benchmarks.soak --seconds 60`.

Emulated syntaxer, servo, emulated arm: each its own process, as `station run` starts them. With `--pair` (`make soak
ARGS=--pair`) two syntaxers lead two arms that hold one bar; the arms share one process, as they share one physics. It
ends with a table of memory, late ticks by cause, records and states, and with exit code 1 if something is not as it
should be:

- no process grows by more than 0.5 MB after the first minute (after the first third of a short run),
- no record of the servo is lost, and every late tick has a cause,
- the supervisor is in FAULT at no time, and loses device or arm only where the machine itself stood still (stalls.py),
- every hand has led its arm, and the servo ends in order.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np

import robots
from benchmarks.soak_ticks import OddTicks
from benchmarks.stalls import Stalls
from station.monitor import Collector, Summary
from station.run.options import job_of
from station.run.places import DEFAULT_BENCH
from station.run.start import Start
from station.servo.job import Job
from station.servo.shared.parts import opened_parts

SECONDS = 600.0
SETTLING = 60.0  # [s]
MOST_GROWTH = 0.5  # after that [MB]
LOOK = 0.1  # time between two looks at the servo's records [s]
BLAME = 0.01  # that processors stood still before a loss, at least, to be its cause [s]
BEFORE_LOSS = 0.06  # where to look for it: samples are 20 ms old then, measurements 50 [s]
BEFORE_LATE = 0.005  # the same before a late tick [s]
MOST_LOSSES = 8  # of which is told what was before them
THROTTLED = 0.045  # a processor that stands still for so long is kept from real-time programs by the kernel [s]
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
PAIR = "two_arms_bar"
# Both hands take the bar the same way, and look; that they are never quite together is what the bar has to bear.
PAIR_HAND = (
    "watch deadman; tighten 0.5; reach 0.22 0 0 in 1; reach 0.22 0 0 in 1; tremor 0.1mm; press deadman; hold 0.5; "
    "reach 0.22 0 0.03 in 1; circle radius=0.02 period=2 for 4; reach 0.2 0.02 0 in 1.5; hold 1; "
    "reach 0.22 0 0 in 1.5; reach 0.22 0 0 in 1; release deadman; hold 0.4; again"
)


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
    contacts: tuple[float, ...] = ()  # hardest of each turn of the (first) hand [N]

    @property
    def troubles(self) -> list[str]:
        """What is not as it should be, one line each."""
        parts = self.summary.parts
        unexplained = self.summary.late - sum(self.summary.late_by_stage.values())
        found = [f"{one.name} grew by {one.growth:.2f} MB" for one in self.memory if not one.growth < MOST_GROWTH]
        found += [f"{part} was not there from start to end" for part in missing(self.memory, len(parts))]
        for part in parts:
            found += [f"{part.part}: {line}" if len(parts) > 1 else line for line in self._troubles_of(part)]
        found += [f"{unexplained} late ticks have no cause"] if unexplained else []
        return found + ([self.ending] if self.ending else [])

    def _troubles_of(self, part: Summary) -> list[str]:
        """Of one hand and its arm."""
        found = [f"{part.lost} records were lost"] if part.lost else []
        found += ["no record came"] if part.empty else []
        for spell in part.faults:
            if spell.state == "FAULT" or spell.begin not in self.machine.losses:
                found.append(f"{spell.state} at {spell.begin:.1f} s: {spell.cause} ({spell.reason or 'nothing said'})")
        return found + ([] if part.shares.get("ENGAGED", 0.0) > 0.0 else ["the hand never led the arm"])

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
        for part in summary.parts:
            rows += ["", f"| state{f' of {part.part}' if part.part else ''} | time [s] | times |", "|---|---|---|"]
            for state, seconds in part.shares.items():
                rows.append(f"| {state} | {seconds:.1f} | {sum(spell.state == state for spell in part.states)} |")
        held = max(summary.duration, 1e-9)
        rows += ["", f"records {summary.records}, lost {summary.lost}; {summary.ticks / held:.0f} ticks/s"]
        machine = self.machine
        rows += [f"stolen by other machines: {summary.steal:.1%}; load {os.getloadavg()[0]:.1f}"]
        rows += [f"processors stood still for {machine.stood:.1f} s in all, {1e3 * machine.longest:.0f} ms at most;"]
        rows += [f"right after that: {machine.late} late ticks, {len(machine.losses)} losses of device or arm"]
        if machine.longest > THROTTLED:
            text = "real-time programs took 95 % of a processor, and Linux held them up for 50 ms (sched_rt_runtime_us)"
            rows += [f"{text}: this machine has too few processors for this bench, or others use them"]
        if self.contacts:
            least, middle, most = np.percentile(self.contacts, (0, 50, 100))
            turns = len(self.contacts)
            rows += [f"hardest contact in {turns} turns: {least:.0f} to {most:.0f} N, median {middle:.0f}"]
        rows += [f"before the loss at {begin:.3f} s: {line}" for begin, line in machine.told]
        return "\n".join(rows)


def missing(memory: tuple[Memory, ...], hands: int = 1) -> list[str]:
    """Parts of the bench that are not among the processes; each hand has a syntaxer."""
    there = Counter(one.name for one in memory)
    return [name for _, name in PARTS if there[name] < (hands if name == "syntaxer" else 1)]


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


def job_to_soak(pair: bool) -> Job:
    """The default bench, or two hands and two arms on one bar."""
    options: dict[str, Any] = {**dict.fromkeys(OPTIONS), "device": (), "controller": ()}
    if pair:
        hand = urlencode({"hand": PAIR_HAND})
        options["device"] = [f"{name}=sim:syntaxer?{hand}&seed={name}" for name in "12"]
        options["controller"] = ["left=sim:arm", "right=sim:arm"]
    numbers = {"rate": 1000.0, "wait": 0.0, "spin": 0.0, "priority": 80, "core": -1}
    return job_of(str(robots.path(PAIR) if pair else DEFAULT_BENCH), {**options, **numbers})


def soak(seconds: float, pair: bool = False) -> Outcome:
    """Run the default bench, or the pair."""
    job, stalls, ticks = job_to_soak(pair), Stalls(), OddTicks()
    with ExitStack() as stack:
        stack.enter_context(stalls)
        start = stack.enter_context(Start(quiet=True))
        start.launch(job, None)
        servo, _, _ = start.ready(job, None)
        with opened_parts(servo.ready.state) as (state, *further):
            collector, begin = Collector(state, further=further), time.monotonic()
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
    begins = np.array([spell.begin for part in summary.parts for spell in part.faults])
    ends = [ticks.end_of(begin + ticks.first) for begin in begins]  # a tick that itself stood still finds the loss
    stood = [
        stalls.before(np.array([end]), BEFORE_LOSS + end - begin - ticks.first)[0]
        for begin, end in zip(begins, ends, strict=True)
    ]
    losses = begins[np.array(stood) >= BLAME]
    first = np.unique(begins)[:MOST_LOSSES].tolist()  # both of a pair are lost in one tick
    told = tuple((begin, line) for begin in first for line in ticks.before(begin + ticks.first, stalls))
    return Machine(stalls.stood, stalls.longest, int(late.sum()), tuple(losses.tolist()), told)


def main() -> int:
    """Print the tables; 1 if something is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--pair", action="store_true", help="two syntaxers and two arms on one bar")
    asked = parser.parse_args()
    bench = "two hands and two arms on one bar" if asked.pair else "the default bench"
    print(f"{bench} for {asked.seconds:.0f} s …", file=sys.stderr, flush=True)
    outcome = soak(asked.seconds, asked.pair)
    print(outcome.text)
    for trouble in outcome.troubles:
        print(f"not as it should be: {trouble}")
    return 1 if outcome.troubles else 0


if __name__ == "__main__":
    sys.exit(main())
