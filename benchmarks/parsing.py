"""Parsing must grow linearly: time per link of a long file against a short one, in one run."""

from __future__ import annotations

import subprocess
import sys
import time

import station

LINK = "link {i} {{ parameters {{ theta 0 r 73.5 alpha 90 d 0 }} type 2 pred {p} limits {{ -60 60 }} }}\n"


def chain(links: int) -> str:
    """A file with one long chain."""
    return "RAFF Chain robot chain { base { }\n" + "".join(LINK.format(i=i, p=i - 1) for i in range(1, links + 1)) + "}"


def seconds_per_link(links: int, repeats: int) -> float:
    """Best of several loads [s]."""
    text = chain(links)
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        station.loads(text)
        best = min(best, time.perf_counter() - started)
    return best / links


def seconds_to_check() -> float:
    """`station check macdac` as a person runs it, best of five [s]."""
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        command = [sys.executable, "-c", "from station.cli import main; main()", "check", "macdac"]
        subprocess.run(command, check=True, capture_output=True)
        best = min(best, time.perf_counter() - started)
    return best


def run() -> dict[str, float]:
    """Figures by name."""
    station.loads(chain(1))  # the parser itself is made on first use
    rows = {f"µs per link, {n} links": 1e6 * seconds_per_link(n, r) for n, r in ((100, 30), (1000, 5), (10_000, 3))}
    rows["ratio 10,000 to 100 (at most 1.5)"] = rows["µs per link, 10000 links"] / rows["µs per link, 100 links"]
    rows["s for station check macdac"] = seconds_to_check()
    return rows
