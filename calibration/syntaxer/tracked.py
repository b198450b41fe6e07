"""How many places a tracker has to see, over the driver of emulated devices: `python -m calibration.syntaxer.tracked`.

docs/calibration_syntaxer.md shows what it prints.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration.collection import Held, read_collection
from calibration.parameters import Floats
from calibration.syntaxer.bench import Bench
from calibration.syntaxer.collecting import TRACKER, Collecting, Table
from calibration.syntaxer.delta import COUNT, dimensions_of, places_of, turns_of
from calibration.syntaxer.emulated import EmulatedPerson
from calibration.syntaxer.estimating import Known, from_places
from calibration.syntaxer.plan import places
from calibration.syntaxer.tracking import tracker_at
from calibration.turning import aligned
from firmware_bridge.syntaxer.driver import SyntaxerDevice
from sim_devices.scheme import EmulatedDevice
from sim_devices.syntaxer import SyntaxerEmulator
from station.clock import VirtualClock
from station.devices import open_device
from station.devices.syntaxer import Syntaxer, SyntaxerModel

DEVICES = (3, 4, 5, 6)  # seeds of what they have wrong, and of their trackers
COUNTS = (24, 40, 60, 80)  # of places


class Seen(NamedTuple):
    """A device after some places; errors are those of the handle all over the workspace, rms [m]."""

    absolute: float  # in its own frame, its first chain saying where up is
    laid: float  # with its frame at the best place
    told: float  # standard deviation that is told beforehand
    noise: float  # of the residuals, over the stated
    chance: float


def collected(wrong: int, folder: Path) -> tuple[Held, Syntaxer, Syntaxer]:
    """What a tracker has seen of a device, what the device says of itself, and what it is."""
    clock = VirtualClock()
    with closing(open_device(f"sim:syntaxer?hand=none&wrong={wrong}", clock)) as device:
        assert isinstance(device, EmulatedDevice)
        driver, emulator = device.device, device.emulator
        assert isinstance(driver, SyntaxerDevice)
        assert isinstance(emulator, SyntaxerEmulator)
        bench = Bench(driver, clock)
        table = Table(by=TRACKER, places=max(COUNTS))
        with tracker_at(f"sim:tracker?seed={wrong}", emulator, clock, input) as tracker:
            person = EmulatedPerson(emulator.table, bench)
            Collecting(bench, person, folder, lambda _: None, table, tracker).run(("places",))
        return read_collection(folder / "places.jsonl"), bench.model.geometry, emulator.truth.geometry


def seen(held: Held, said: Syntaxer, truth: Syntaxer, count: int) -> Seen:
    """Estimate from the first places, and compare with the truth."""
    found = from_places(Known(said, said), held._replace(observations=held.observations[:count]))[0]
    values = np.array([one.value for one in found.judgement.parameters[:COUNT]]).reshape(3, -1)
    points, model = np.array(places(said)), SyntaxerModel(truth)
    counts = np.array([model.counts_of(model.joints_at(one[:3], one[3:]).values) for one in points], dtype=np.float64)
    real, shown = points[:, :3], places_of(values, turns_of(said, np.rint(counts))).positions
    lean = float(dimensions_of(truth)[0, 0] - dimensions_of(said)[0, 0])  # what nobody can tell by a tracker
    upright = real @ np.array([[1.0, 0.0, 0.0], [0.0, np.cos(lean), np.sin(lean)], [0.0, -np.sin(lean), np.cos(lean)]])
    frame, _ = aligned(real, shown)
    absolute, laid = _rms(upright - shown), _rms(real @ frame[:3, :3].T + frame[:3, 3] - shown)
    judged = found.judgement
    return Seen(absolute, laid, found.more["place_deviation"]["rms"], judged.noise, judged.chance)


def _rms(errors: Floats) -> float:
    return float(np.sqrt(np.mean(np.sum(errors**2, axis=1))))


def main() -> None:
    """Print a table."""
    rows: dict[int, list[Seen]] = {count: [] for count in COUNTS}
    for wrong in DEVICES:
        with tempfile.TemporaryDirectory() as name:
            held, said, truth = collected(wrong, Path(name))
        for count in COUNTS:
            rows[count].append(seen(held, said, truth, count))
    lines = [
        "| places | absolute [µm] | frame at its best [µm] | told [µm] | noise | chance |",
        "|---|---|---|---|---|---|",
    ]
    for count, found in rows.items():
        columns = [np.array(column) for column in zip(*found, strict=True)]
        cells = [f"{1e6 * one.min():.0f} to {1e6 * one.max():.0f}" for one in columns[:3]]
        cells += [f"{one.min():.2f} to {one.max():.2f}" for one in columns[3:]]
        lines.append(f"| {count} | " + " | ".join(cells) + " |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
