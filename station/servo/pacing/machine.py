"""Is this machine fit for a servo? For `station doctor`: one function for each thing that matters.

`root` is where the files of the system are; another place in tests.
"""

from __future__ import annotations

import os
import re
import resource
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from station.servo.pacing.libc import IPC_LOCK, ROOT, SYS_NICE, capable
from station.servo.pacing.realtime import AWAKE_ADVICE, LATENCY, PRIORITY, rtprio_advice

COARSE = 10_000  # timer resolution above which a tick cannot be met [ns]
ENOUGH_MEMORY = 1 << 30  # lockable; a servo with its compiler has 200 MB, but 1 GB of addresses [bytes]
SLOW_USB = 1  # latency timer of a serial port above which a 1 kHz device cannot be served [ms]
MOST_STEAL, POOR_STEAL = 0.005, 0.05  # parts of the time
STEAL_SECONDS = 0.5  # for how long to look at it
NO_THROTTLE = -1  # of real-time processes


class Verdict(StrEnum):
    """Whether something is fit for a servo."""

    GOOD = "good"
    FAIR = "fair"  # works, with more lateness than need be
    POOR = "poor"  # expect missed ticks
    UNKNOWN = "unknown"  # the system does not tell


class Fact(NamedTuple):
    """One finding about the machine."""

    name: str
    value: str
    verdict: Verdict
    advice: str = ""  # what to change; empty if nothing

    def __str__(self) -> str:
        return f"{self.name}: {self.value} ({self.verdict.value})" + (f"; {self.advice}" if self.advice else "")


def unknown(name: str, why: str = "the system does not tell") -> Fact:
    """Nothing could be found out."""
    return Fact(name, why, Verdict.UNKNOWN)


def text_of(path: Path) -> str | None:
    """What a small file of the system says, without blanks around; None if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def number_of(path: Path) -> int | None:
    """The whole number in a file of the system; None if there is none."""
    text = text_of(path)
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


class ProcessorTimes(NamedTuple):
    """Counters of the kernel since the start of the machine, all processors together [ticks of the kernel]."""

    steal: int
    total: int

    @classmethod
    def read(cls, root: Path = ROOT) -> ProcessorTimes:
        """The counters now; raises OSError or ValueError where there are none."""
        words = (root / "proc/stat").read_text(encoding="ascii").partition("\n")[0].split()
        if words[:1] != ["cpu"] or len(words) < 9:
            raise ValueError("no times of processors in /proc/stat")
        numbers = [int(word) for word in words[1:9]]  # guests come after these and are contained in them
        return cls(numbers[7], sum(numbers))


class StealMeter:
    """Part of the processors' time that the hypervisor gave to other machines since this was made."""

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root
        self._before = self._read()

    def share(self) -> float:
        """From 0 to 1; 0 where the kernel does not tell."""
        now = self._read()
        return (now.steal - self._before.steal) / max(now.total - self._before.total, 1)

    def _read(self) -> ProcessorTimes:
        try:
            return ProcessorTimes.read(self._root)
        except (OSError, ValueError):
            return ProcessorTimes(0, 0)


def scheduler(root: Path = ROOT, rtprio: int | None = None) -> Fact:
    """Whether SCHED_FIFO may be had; `rtprio` is the limit on priorities, that of this process if not given."""
    limit = resource.getrlimit(resource.RLIMIT_RTPRIO)[1] if rtprio is None else rtprio
    if capable(SYS_NICE, root):
        return Fact("real-time scheduling", "allowed, by CAP_SYS_NICE", Verdict.GOOD)
    if limit == resource.RLIM_INFINITY or limit >= PRIORITY:
        return Fact("real-time scheduling", f"allowed, priorities up to {limit}", Verdict.GOOD)
    if limit > 0:
        return Fact("real-time scheduling", f"only up to {limit}", Verdict.FAIR, rtprio_advice(PRIORITY))
    return Fact("real-time scheduling", "forbidden", Verdict.POOR, rtprio_advice(PRIORITY))


def throttling(root: Path = ROOT) -> Fact:
    """How much of a second real-time processes may have."""
    name = "real-time share"
    runtime = number_of(root / "proc/sys/kernel/sched_rt_runtime_us")
    period = number_of(root / "proc/sys/kernel/sched_rt_period_us")
    if runtime is None or not period:
        return unknown(name)
    if runtime == NO_THROTTLE:
        return Fact(name, "not limited", Verdict.GOOD)
    share = runtime / period
    if share >= 0.9:
        return Fact(name, f"{100.0 * share:.0f} %", Verdict.GOOD)
    return Fact(name, f"{100.0 * share:.0f} %", Verdict.POOR, "sysctl kernel.sched_rt_runtime_us=950000")


def lockable_memory(root: Path = ROOT, memlock: int | None = None) -> Fact:
    """How much memory may be locked; `memlock` [bytes] is the limit, that of this process if not given."""
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1] if memlock is None else memlock
    if limit == resource.RLIM_INFINITY or capable(IPC_LOCK, root):
        return Fact("lockable memory", "not limited", Verdict.GOOD)
    value = f"{limit / 2**20:.0f} MiB"
    if limit >= ENOUGH_MEMORY:
        return Fact("lockable memory", value, Verdict.GOOD)
    advice = "'@realtime - memlock unlimited' in /etc/security/limits.conf and join the group 'realtime'"
    return Fact("lockable memory", value, Verdict.FAIR, advice)


def governor(root: Path = ROOT) -> Fact:
    """Whether the processors run at full speed or have to speed up first."""
    files = sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor"))
    names = sorted({text for text in map(text_of, files) if text})
    if not names:
        return unknown("CPU governor", "none: fixed speed, or a virtual machine")
    if names == ["performance"]:
        return Fact("CPU governor", "performance", Verdict.GOOD)
    return Fact("CPU governor", ", ".join(names), Verdict.FAIR, "cpupower frequency-set -g performance")


def sleep(root: Path = ROOT) -> Fact:
    """Whether processors can be kept from deep sleep while a servo runs."""
    place = root / LATENCY.lstrip("/")
    if not place.exists():
        return unknown("deep sleep", "the kernel has none to forbid")
    if os.access(place, os.W_OK):
        return Fact("deep sleep", "forbidden to processors while a servo runs", Verdict.GOOD)
    return Fact("deep sleep", "processors may sleep and wake up late", Verdict.FAIR, AWAKE_ADVICE)


def isolated_cores(root: Path = ROOT) -> Fact:
    """Processors that are kept free of other work."""
    text = text_of(root / "sys/devices/system/cpu/isolated")
    if text is None:
        return unknown("isolated cores")
    if text:
        return Fact("isolated cores", text, Verdict.GOOD)
    return Fact(
        "isolated cores", "none", Verdict.FAIR, "isolcpus=N nohz_full=N on the kernel's command line, --core N here"
    )


def timer_resolution(seconds: float | None = None) -> Fact:
    """Of the monotonic clock [s]; asked of the system if not given."""
    resolution = time.clock_getres(time.CLOCK_MONOTONIC) if seconds is None else seconds
    value = f"{resolution * 1e9:.0f} ns"
    if resolution * 1e9 <= COARSE:
        return Fact("timer resolution", value, Verdict.GOOD)
    return Fact("timer resolution", value, Verdict.POOR, "a kernel with CONFIG_HIGH_RES_TIMERS, not highres=off")


def preemption(root: Path = ROOT) -> Fact:
    """Whether the kernel lets go of a processor at once when a servo wants it."""
    name, advice = "kernel preemption", "a kernel with PREEMPT_RT, or preempt=full on its command line"
    if text_of(root / "sys/kernel/realtime") == "1":
        return Fact(name, "real-time (PREEMPT_RT)", Verdict.GOOD)
    chosen = re.search(r"\((\w+)\)", text_of(root / "sys/kernel/debug/sched/preempt") or "")
    build = text_of(root / "proc/sys/kernel/version") or ""
    if chosen:
        full = chosen[1] == "full"
        return Fact(name, chosen[1], Verdict.GOOD if full else Verdict.FAIR, "" if full else advice)
    if "PREEMPT_RT" in build:
        return Fact(name, "real-time (PREEMPT_RT)", Verdict.GOOD)
    if "PREEMPT_DYNAMIC" in build:
        return Fact(name, "dynamic, chosen at boot", Verdict.FAIR, advice)
    if "PREEMPT" in build:
        return Fact(name, "full", Verdict.GOOD)
    return Fact(name, "voluntary or none", Verdict.FAIR, advice) if build else unknown(name)


def usb_latency(root: Path = ROOT) -> list[Fact]:
    """For how long each USB serial port may keep bytes back; empty if there is no such port."""
    facts = []
    for file in sorted((root / "sys/bus/usb-serial/devices").glob("*/latency_timer")):
        port, delay = file.parent.name, number_of(file)
        if delay is None:
            facts.append(unknown(f"USB latency of {port}"))
        elif delay <= SLOW_USB:
            facts.append(Fact(f"USB latency of {port}", f"{delay} ms", Verdict.GOOD))
        else:
            advice = f"echo 1 > /sys/bus/usb-serial/devices/{port}/latency_timer, or a udev rule that does so"
            facts.append(Fact(f"USB latency of {port}", f"{delay} ms", Verdict.POOR, advice))
    return facts


def steal(root: Path = ROOT, wait: Callable[[], object] = lambda: time.sleep(STEAL_SECONDS)) -> Fact:
    """How much time a hypervisor takes away while `wait` lasts."""
    meter = StealMeter(root)
    wait()
    share = meter.share()
    value = f"{100.0 * share:.1f} % of the time"
    if share <= MOST_STEAL:
        return Fact("taken by the hypervisor", value, Verdict.GOOD)
    verdict = Verdict.FAIR if share <= POOR_STEAL else Verdict.POOR
    return Fact("taken by the hypervisor", value, verdict, "a machine of its own, or processors pinned to this guest")


def facts(root: Path = ROOT) -> list[Fact]:
    """All of them; takes half a second."""
    found = [
        scheduler(root),
        throttling(root),
        lockable_memory(root),
        governor(root),
        sleep(root),
        isolated_cores(root),
    ]
    return [*found, timer_resolution(), preemption(root), *usb_latency(root), steal(root)]
