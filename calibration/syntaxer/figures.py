"""What a calibration gains, on an emulator that is not what it says: `python -m calibration.syntaxer.figures [SVG]`.

Collects, estimates and applies over the real driver, then compares what the driver says with the truth, all over the
workspace. docs/calibration_syntaxer.md shows what it prints and draws.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration.parameters import Floats
from calibration.results import write_result
from calibration.syntaxer.bench import TICK, Bench
from calibration.syntaxer.collecting import Collecting, Table
from calibration.syntaxer.emulated import EmulatedPerson
from calibration.syntaxer.estimating import Found, estimate_folder
from calibration.syntaxer.person import HoldAt
from firmware_bridge.syntaxer.driver import SyntaxerDevice
from sim_devices.scheme import EmulatedDevice
from sim_devices.syntaxer import SyntaxerEmulator
from station.clock import VirtualClock
from station.devices import open_device
from station.devices.syntaxer import SyntaxerModel
from station.devices.syntaxer.state import parts_of
from station.devices.syntaxer.translation import step_per_count, survey

URL = "sim:syntaxer?hand=none&wrong=3"
SETS = ("stops", "places", "motion", "strings", "latency")
PLACES = 40
SHARE = 0.6  # of the full force that is asked for
PUSHED = 60  # ticks until a force stands


class Checked(NamedTuple):
    """Errors of a driver at places all over the workspace, by the truth of the emulator."""

    places: Floats  # where (n, 3) [m]
    positions: Floats  # (n) [m]
    turns: Floats  # (n) [rad]
    forces: Floats  # as a share of the full force (n)
    steps: Floats  # what one count moves the handle by there (n) [m]


def checked(url: str) -> Checked:
    """Hold the handle all over the workspace and compare what the driver says and does with the truth."""
    clock = VirtualClock()
    device = open_device(url, clock)
    assert isinstance(device, EmulatedDevice)
    driver, emulator = device.device, device.emulator
    assert isinstance(driver, SyntaxerDevice)
    assert isinstance(emulator, SyntaxerEmulator)
    bench = Bench(driver, clock)
    person, truth = EmulatedPerson(emulator.table, bench), SyntaxerModel(emulator.truth.geometry)
    full = min(axis.peak for axis in driver.capabilities.axes[:3])
    rows = []
    for number, (place, turn) in enumerate(zip(*_places(PLACES), strict=True)):
        person.do(HoldAt(tuple(place), tuple(turn)))
        state = bench.tick()
        said, real = driver.model.pose(state.counts), emulator.plant.pose
        between = said[:3, :3].T @ real[:3, :3]
        turned = 0.5 * np.linalg.norm(
            [between[2, 1] - between[1, 2], between[0, 2] - between[2, 0], between[1, 0] - between[0, 1]]
        )
        step = float(step_per_count(survey(parts_of(emulator.truth.geometry), real[:3, 3]), truth.parts)[0])
        away = float(np.linalg.norm(said[:3, 3] - real[:3, 3]))
        rows.append((away, turned, _force_error(bench, emulator, truth, full, number), step))
    device.close()
    return Checked(_places(PLACES)[0], *(np.array(column) for column in zip(*rows, strict=True)))


def _force_error(bench: Bench, emulator: SyntaxerEmulator, truth: SyntaxerModel, full: float, number: int) -> float:
    """Force of the currents that flow, by the true device, against what was asked for, over the full force."""
    wanted = np.zeros(6)
    wanted[number % 3] = SHARE * full * (1.0 if number % 2 else -1.0)
    bench.enable()
    for _ in range(PUSHED):
        bench.clock.sleep_until(bench.clock.now() + TICK)
        bench.device.newest()
        bench.device.command(wanted)
    truth.pose(emulator.plant.counts)
    given = truth.wrench_of(emulator.plant.currents)
    bench.disable()
    return float(np.linalg.norm(given[:3] - wanted[:3]) / full)


def _places(count: int) -> tuple[Floats, Floats]:
    """Places [m] and rotation vectors [rad] all over the workspace, other ones than those of the collection."""
    random = np.random.default_rng(12)
    radius, angle = 0.165 * np.sqrt(random.random(count)), 2.0 * np.pi * random.random(count)
    places = np.stack([random.uniform(0.148, 0.292, count), radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return places, random.uniform(-0.15, 0.15, (count, 3))


def calibrated(folder: Path) -> tuple[Path, list[Found], float]:
    """Collect and estimate; the file of results, what was found, and how long it takes at the table [s]."""
    clock = VirtualClock()
    device = open_device(URL, clock)
    assert isinstance(device, EmulatedDevice)
    driver, emulator = device.device, device.emulator
    assert isinstance(driver, SyntaxerDevice)
    assert isinstance(emulator, SyntaxerEmulator)
    bench = Bench(driver, clock)
    begun = clock.now()
    Collecting(bench, EmulatedPerson(emulator.table, bench), folder, lambda _: None, Table()).run(SETS)
    device.close()
    subject, found = estimate_folder(folder)
    file = folder / "syntaxer.json"
    for one in found:
        write_result(file, one.result(subject))
    return file, found, clock.now() - begun


def lines(before: Checked, after: Checked, found: list[Found], seconds: float) -> list[str]:
    """A table of errors before and after."""

    def row(name: str, unit: str, factor: float, a: Floats, b: Floats) -> str:
        values = [factor * float(number) for number in (_rms(a), a.max(), _rms(b), b.max())]
        return f"| {name} [{unit}] | " + " | ".join(f"{value:.3g}" for value in values) + " |"

    table = ["| error | before, rms | before, largest | after, rms | after, largest |", "|---|---|---|---|---|"]
    table += [row("place of the handle", "mm", 1e3, before.positions, after.positions)]
    table += [row("rotation of the handle", "°", 180.0 / np.pi, before.turns, after.turns)]
    table += [row("force, of full force", "%", 100.0, before.forces, after.forces)]
    table += [f"one count moves the handle by {1e6 * after.steps.min():.0f} to {1e6 * after.steps.max():.0f} µm"]
    table += [f"the device was busy for {seconds:.0f} s"]
    for one in found:
        judged = one.judgement
        told = sum(not parameter.fixed for parameter in judged.parameters)
        noise = f"noise {judged.noise:.2f} of the stated" if judged.freedom else "none left to judge the noise by"
        table.append(
            f"{one.method}: {judged.observations} observations, {told} parameters, {noise}, "
            f"condition {judged.condition:.0f}"
        )
    return table


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))


def main() -> None:
    """Print the table and draw the picture."""
    with tempfile.TemporaryDirectory() as name:
        file, found, seconds = calibrated(Path(name))
        before, after = checked(URL), checked(f"{URL}&calibration={file}")
    sys.stdout.write("\n".join(lines(before, after, found, seconds)) + "\n")
    if len(sys.argv) > 1:
        from calibration.syntaxer.drawing import drawing

        Path(sys.argv[1]).write_text(drawing(before, after), encoding="utf8")


if __name__ == "__main__":
    main()
