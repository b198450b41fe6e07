"""How long commands and runs take to start, and what their processes hold, with everything on disk.

    python -m benchmarks start            # beside other work: chrt -r 5 python -m benchmarks start (as root)

READY is when `station run` says which frame the hand leads. Page faults are those of the servo's threads in a second of
ticks, three seconds after READY; resident is what a process has in memory then, shared libraries included.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from station.child import python_module

COMMANDS = {
    "station check ur5e": ("check", "ur5e"),
    "station fk ur5e": ("fk", "ur5e"),
    "station ik ur5e": ("ik", "ur5e", "--frame", "6", "--to", "300,200,400"),
}
RUNS = {"run ur5e": ("run", "ur5e"), "default bench": ("run",)}
PROCESSES = {"station.servo": "servo", "sim_devices.arm_links": "emulated arm", "sim_devices": "emulated device"}
SAYS = "the hand leads"
TURNS = 9


def run(turns: int | None = None) -> dict[str, float]:
    """Best and median of several turns [s], memory [MB] and page faults."""
    turns = turns or (1 if "--quick" in sys.argv else TURNS)
    rows: dict[str, float] = {}
    for name, arguments in COMMANDS.items():
        spent = [_command(arguments) for _ in range(turns)]
        rows[f"{name}, best [s]"], rows[f"{name}, median [s]"] = min(spent), float(np.median(spent))
    for name, arguments in RUNS.items():
        found = [_started(arguments) for _ in range(turns)]
        spent = [seconds for seconds, _ in found]
        rows[f"{name} until READY, best [s]"], rows[f"{name} until READY, median [s]"] = min(spent), np.median(spent)
        for label in found[-1][1]:
            rows[f"{name}, {label}"] = float(np.median([told[label] for _, told in found]))
    return rows


def _command(arguments: tuple[str, ...]) -> float:
    begun = time.perf_counter()
    subprocess.run(python_module("station", *arguments), check=True, capture_output=True)
    return time.perf_counter() - begun


def _started(arguments: tuple[str, ...]) -> tuple[float, dict[str, float]]:
    """Time until READY [s], and what its processes hold then."""
    begun = time.perf_counter()
    command = python_module("station", *arguments, "--headless", "--no-report", "--seconds", "10")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        while SAYS not in (process.stdout.readline() or SAYS):
            pass
        spent = time.perf_counter() - begun
        told = _looked_at(process.pid)
        process.send_signal(signal.SIGINT)
        process.stdout.read()
    return spent, told


def _looked_at(process: int) -> dict[str, float]:
    time.sleep(3.0)
    told = {"station, resident [MB]": _resident(process)}
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            module = Path(f"/proc/{child}/cmdline").read_text().split("\0")[3]
            told[f"{PROCESSES.get(module, module)}, resident [MB]"] = _resident(child)
            if module == "station.servo":
                before = _faults(child)
                time.sleep(1.0)
                told["servo, page faults in a second"] = _faults(child) - before
    return told


def _resident(process: int) -> float:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _faults(process: int) -> int:
    words = [path.read_text().rpartition(")")[2].split() for path in Path(f"/proc/{process}/task").glob("*/stat")]
    return sum(int(word[7]) + int(word[9]) for word in words)
