"""`station calibrate syntaxer`: collect at the device, estimate from what was collected, zeros by the rest jig.

With a `sim:` address the emulator lives on a virtual clock in this program and an emulated person does what a person
would be told: minutes at the table take seconds.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from calibration.errors import DataError
from calibration.options import POSITIVE, Finite
from calibration.results import Result, Subject, plain, write_result
from calibration.saying import as_json, out, tell
from calibration.units import MM, SHOWN
from station.address_option import ADDRESS

if TYPE_CHECKING:
    from calibration.syntaxer.bench import Bench
    from calibration.syntaxer.estimating import Found
    from calibration.syntaxer.person import Person
    from sim_devices.syntaxer import SyntaxerEmulator

SETS = ("stops", "places", "bar", "motion", "strings", "latency")
USUAL = "stops,places,motion,strings,latency"
REST = "220,0,0"
at_device = click.argument("url")
in_folder = click.argument("data", type=click.Path(path_type=Path))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def syntaxer() -> None:
    """Zeros, geometry, torques, rotation stage and latency of a syntaxer; see docs/calibration_syntaxer.md."""


@syntaxer.command()
@at_device
@in_folder
@click.option("--what", default=USUAL, metavar="SET,…", help=f"Of: {', '.join(SETS)}.")
@click.option("--by", default="jig", type=click.Choice(["jig", "tracker"]), help="What measures places.")
@click.option("--places", default=80, type=click.IntRange(8, 1000), help="How many; those that tell most come first.")
@click.option(
    "--instrument",
    metavar="URL",
    type=ADDRESS,
    help="The tracker: tcp://host:port, person, or sim:tracker at an emulator.",
)
@click.option(
    "--noise",
    default=0.01,
    metavar="MM",
    type=POSITIVE,
    help="Standard deviation of jig, bar, or what a person reads off.",
)
@click.option("--turn-noise", default=0.0115, metavar="°", type=POSITIVE, help="The same of rotations.")
@click.option("--bar", default=200.0, metavar="MM", type=POSITIVE, help="Length of the bar.")
@click.option("--swing", default=20.0, metavar="S", type=Finite(2.0, 600.0), help="Time of a swing on it.")
def collect(url: str, data: Path, what: str, instrument: str | None, **options: Any) -> None:
    """Measure at the syntaxer at URL, one instruction at a time, into the folder DATA; again: what is missing."""
    from calibration.syntaxer.collecting import TRACKER, Collecting, Table
    from calibration.syntaxer.tracking import tracker_at

    table = Table(
        by=options["by"],
        places=options["places"],
        noise=options["noise"] * MM,
        turn_noise=float(np.radians(options["turn_noise"])),
        bar=options["bar"] * MM,
        swing=options["swing"],
    )
    wanted = tuple(part.strip() for part in what.split(","))
    with contextlib.ExitStack() as stack:
        at = stack.enter_context(_at_bench(url))
        tracker = None
        if table.by == TRACKER and "places" in wanted:
            address = instrument or ("person" if at.emulator is None else "sim:tracker")
            noise = table.noise, table.turn_noise
            tracker = stack.enter_context(tracker_at(address, at.emulator, at.bench.clock, _answer, noise))
        elif instrument is not None:
            raise DataError(f"--instrument {instrument}: nothing is to be tracked; add --by tracker")
        Collecting(at.bench, at.person, data, _say, table, tracker).run(wanted)
    click.echo(f"{data}: collected {', '.join(wanted)}; next: station calibrate syntaxer estimate {data} --out FILE")


@syntaxer.command()
@in_folder
@out
@click.option("--what", default=",".join(SETS), metavar="SET,…", help="Only these sets.")
@as_json
def estimate(data: Path, out: Path, what: str, as_json: bool) -> None:
    """Estimate everything that the folder DATA tells, and write it to a result file, bound to the serial number."""
    from calibration.syntaxer.estimating import estimate_folder

    subject, found = estimate_folder(data, tuple(part.strip() for part in what.split(",")))
    results = [one.result(subject) for one in found]
    for result in results:
        write_result(out, result)
    if as_json:
        told = [{"id": one.id, "method": one.method, **one.values} for one in results]
        click.echo(json.dumps(plain(told), indent=2))
        return
    for one in found:
        _tell_found(one)
    click.echo(f"{out}: {len(results)} results for {subject}; use it with serial:PORT?calibration={out}")


@syntaxer.command()
@at_device
@out
@click.option("--rest", default=REST, metavar="X,Y,Z", help="Where the rest jig holds the handle, not turned [mm].")
@click.option("--noise", default=0.01, metavar="MM", type=POSITIVE, help="Standard deviation of its socket, per axis.")
@as_json
def zero(url: str, out: Path, rest: str, noise: float, as_json: bool) -> None:
    """Encoder zeros by the rest jig, each time the device was switched on; with what the address says of the rest."""
    from calibration.syntaxer.person import Seat
    from calibration.syntaxer.zeros import zeros_by_jig
    from station.devices.syntaxer.geometry import numbers_of

    place = _place(rest)
    with _at_bench(url) as (bench, person, _):
        person.do(Seat("the rest socket", (float(place[0]), float(place[1]), float(place[2])), (0.0, 0.0, 0.0)))
        counts = bench.still_counts()
        found = zeros_by_jig(bench.model.geometry, counts, place, noise * MM)
        subject = Subject.device(bench.serial_number, "syntaxer")
        measured = {"counts": counts, "place": place, "noise": noise * MM, "nominal": numbers_of(bench.model.geometry)}
    values = {"numbers": found.numbers, "parameters": [one._asdict() for one in found.estimated], "measured": measured}
    result = Result(method="syntaxer zeros by jig", subject=subject, values=plain(values), data_hash=found.data_hash)
    write_result(out, result)
    if as_json:
        click.echo(json.dumps(plain({"id": result.id, **values}), indent=2))
        return
    for one in found.estimated:
        click.echo(f"{one.name:20} {np.degrees(one.value):+10.4f} ± {np.degrees(one.deviation):.4f} °")
    click.echo(f"{out}: result {result.id}")


def _tell_found(found: Found) -> None:
    """What one set says, and what it is worth."""
    click.echo(f"{found.method}: {found.judgement.observations} observations; changes from {found.against}:")
    tell(found.judgement)
    factor, unit = SHOWN.get(found.unit, (1.0, found.unit))
    before, *after = (factor * float(np.sqrt(np.mean(one**2))) for one in (found.before, found.after) if len(one))
    if after:
        click.echo(f"held-back data: {before:.4g} {unit} before, {after[0]:.4g} {unit} after (rms)")
    else:
        click.echo(f"{before:.4g} {unit} before (rms); nothing can be held back: each stop tells one number")
    if "place_deviation" in found.more:
        rms, largest = (1e6 * found.more["place_deviation"][name] for name in ("rms", "largest"))
        click.echo(f"the handle is known to {rms:.0f} µm (rms over the workspace; at worst {largest:.0f} µm)")
    if "repeated_within" in found.more:
        click.echo(f"the same stop again: within {np.degrees(found.more['repeated_within']):.4f}°")
    if "latency" in found.more:
        click.echo(f"latency from end to end: {1e3 * found.more['latency']:.3f} ms")
    click.echo("")


class AtBench(NamedTuple):
    """A syntaxer, whoever stands at it, and its emulator if that lives in this program."""

    bench: Bench
    person: Person
    emulator: SyntaxerEmulator | None


@contextlib.contextmanager
def _at_bench(url: str) -> Iterator[AtBench]:
    """A syntaxer and whoever stands at it: a person, or at an emulator on a virtual clock an emulated one."""
    from calibration.syntaxer.bench import Bench
    from calibration.syntaxer.emulated import EmulatedPerson
    from calibration.syntaxer.person import PersonAtDevice
    from firmware_bridge.syntaxer.driver import SyntaxerDevice
    from sim_devices.scheme import EmulatedDevice
    from sim_devices.syntaxer import SyntaxerEmulator
    from station.clock import WALL, Clock, VirtualClock
    from station.devices import open_device

    clock: Clock = VirtualClock() if url.startswith("sim:") else WALL
    with contextlib.closing(open_device(url, clock)) as device:
        driver = device.device if isinstance(device, EmulatedDevice) else device
        if not isinstance(driver, SyntaxerDevice):
            raise DataError(f"{url}: this is no syntaxer; give sim:syntaxer, or serial:PORT of one")
        bench = Bench(driver, clock)
        if isinstance(device, EmulatedDevice) and isinstance(device.emulator, SyntaxerEmulator):
            _say(f"{url}: an emulated syntaxer; an emulated person does what is asked")
            yield AtBench(bench, EmulatedPerson(device.emulator.table, bench), device.emulator)
            return
        yield AtBench(bench, PersonAtDevice(_say, _answer), None)


def _say(line: str) -> None:
    click.echo(line, err=True)


def _answer(question: str) -> str:
    return str(click.prompt(question, default="", show_default=False, err=True))


def _place(text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        place = MM * np.array([float(part) for part in text.split(",")])
        if place.shape != (3,) or not np.isfinite(place).all():
            raise ValueError
    except ValueError:
        raise DataError(f"--rest {text}: three numbers in millimetres by commas, such as {REST}") from None
    return place


COMMANDS = (syntaxer,)
