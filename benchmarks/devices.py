"""Speed of the devices: `python -m benchmarks.devices [--quick] [--normal]`. Figures and words: docs/device_speed.md.

codec        one STATE in, one COMMAND out
kinematics   counts to pose, wrench to currents
driver       what a tick of the whole driver costs
link         driver and device as two processes, beside a bare C echo
sustained    1 kHz for a minute and 4 kHz for 20 s, every frame counted

`--quick` or STATION_BENCH_QUICK=1 is a smoke run whose figures mean nothing; `--normal` does without SCHED_FIFO. A part
during which the hypervisor took more than 0.5 % is measured again, up to three times, and the quietest counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import devices_codec, devices_driver, devices_kinematics, devices_link, devices_sustained
from benchmarks.devices_machine import steady
from benchmarks.peers.score import Figures, Table, flat, show

PARTS = {
    "codec": devices_codec.measure,
    "kinematics": devices_kinematics.measure,
    "driver": devices_driver.measure,
    "link": devices_link.measure,
}


def measured() -> Iterator[Table]:
    """Run every part; tables come as they are ready."""
    for name, part in PARTS.items():
        yield from steady(name, part)
    yield from devices_sustained.tables()


def measure() -> list[Table]:
    """Run every part."""
    return list(measured())


def run() -> Figures:
    """Figures by name."""
    return flat(measure())


if __name__ == "__main__":
    for finished in measured():
        show([finished])
