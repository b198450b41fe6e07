"""How honest the timing of links is, on wall time: `python -m benchmarks.link_timing --runs 12 --out timed.json`.

Each run starts an emulated arm whose clock gains 300 ppm as a process of its own, times its link as `station calibrate
timing` does, and compares the drift that was found with the one that was planted. Runs that end early, because this
machine held up a process for too long, and runs whose data are refused are counted, not repeated.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration.errors import CalibrationError
from calibration.leading import SensorLostError
from calibration.opening import opened
from calibration.timing import link_timing, time_link
from station.errors import StationError

LINKS = ("tcp", "serial", "modbus")
PATIENT = "watchdog=0.5"  # an arm that waits for setpoints longer than usual: the machine is shared [s]


class Run(NamedTuple):
    """One estimate, or why there is none."""

    link: str
    ended: str  # "timed", "lost" or "refused"
    drift: float = float("nan")  # [ppm]
    stated: float = float("nan")  # standard deviation [ppm]
    total: float = float("nan")  # setpoint to measurement [ms]
    total_stated: float = float("nan")  # standard deviation [ms]
    why: str = ""


def timed(link: str, ppm: float, seconds: float) -> Run:
    """Time one link once."""
    try:
        with opened("ur5e", f"sim:arm?link={link}&settings={PATIENT}&faults=clock-drift ppm={ppm:g}") as arm:
            led = time_link(arm.leader, seconds)
        found = link_timing(led)
    except (SensorLostError, CalibrationError) as error:
        return Run(link, "lost" if isinstance(error, SensorLostError) else "refused", why=str(error))
    except StationError as error:
        return Run(link, "lost", why=str(error))
    clock = found.clock
    drift, stated = 1e6 * clock.drift, 1e6 * clock.drift_deviation
    return Run(link, "timed", drift, stated, 1e3 * found.total, 1e3 * found.deviation)


def table(runs: list[Run], ppm: float) -> list[dict[str, Any]]:
    """Coverage by links."""
    rows = []
    for link in dict.fromkeys(one.link for one in runs):
        here = [one for one in runs if one.link == link]
        good = [one for one in here if one.ended == "timed"]
        off = np.array([one.drift - ppm for one in good])
        ratio = np.abs(off) / np.array([one.stated for one in good])
        rows.append(
            {
                "link": link,
                "runs": len(here),
                "lost": sum(one.ended == "lost" for one in here),
                "refused": sum(one.ended == "refused" for one in here),
                "error rms [ppm]": float(np.sqrt(np.mean(off**2))),
                "stated, median [ppm]": float(np.median([one.stated for one in good])),
                "within 1": int((ratio < 1.0).sum()),
                "within 2": int((ratio < 2.0).sum()),
                "ratio rms": float(np.sqrt(np.mean(ratio**2))),
            }
        )
    return rows


def main() -> None:
    """Run and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=12, help="of each link")
    parser.add_argument("--links", default=",".join(LINKS))
    parser.add_argument("--ppm", type=float, default=300.0)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--out", type=Path, help="file for all runs, as JSON; runs that are there already count too")
    options = parser.parse_args()
    runs = [Run(**one) for one in json.loads(options.out.read_text())] if options.out and options.out.exists() else []
    for link in options.links.split(","):
        for _ in range(options.runs):
            runs.append(timed(link, options.ppm, options.seconds))
            print(runs[-1], flush=True)
            if options.out:
                options.out.write_text(json.dumps([one._asdict() for one in runs], indent=1))
    for row in table(runs, options.ppm):
        print(row)


if __name__ == "__main__":
    main()
