"""`station calibrate force`: a tool sensor, collected with an arm or read from a collection, then estimated.

Observations hold `turn` (3×3), `wrench` and its `deviation` (6 each [N, N·m]), and `load`: the known weight that hung
on the tool as [kg, x, y, z] in its frame [m], or null.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from calibration.collection import Held, Observation
from calibration.errors import DataError, WrongDeviceError
from calibration.force.asked import collecting, controller, held_of, meant_by, tool_frame, within
from calibration.force.readings import NO_LOAD, ForceReadings, Load
from calibration.options import finite_numbers, robot_name, speed_share
from calibration.results import Result
from calibration.saying import as_json, column, observed, out, progress, tell
from calibration.units import MM
from calibration.writing import finish

QUIETEST = 1e-12  # standard deviation that is believed [N | N·m]


@click.command("force")
@click.argument("file")
@observed
@out
@controller
@robot_name
@tool_frame
@within
@speed_share
@click.option("--count", default=15, type=click.IntRange(4, 500), help="Orientations, with each load.")
@click.option("--load", metavar="KG,X,Y,Z", help="The known weight that hangs there now, and its place [mm].")
@click.option("--told", metavar="KG,X,Y,Z", help="The tool whose weight the controller takes away already [mm].")
@click.option("--gains", default="none", type=click.Choice(["none", "diagonal", "full"]), help="Estimate them too.")
@as_json
def force(file: str, observations: Path, out: Path, as_json: bool, **options: Any) -> None:
    """Bias and gains of a force sensor, mass and centre of its tool; FILE is the scene of the arm that turns it."""
    from calibration.force import Gains, calibrate_force

    load, told = _load("--load", options["load"]), _load("--told", options["told"])
    if options["controller"] is not None:
        _collect(file, observations, load, told, options)
    elif load is not None:
        raise click.UsageError("--load says what hangs there while --controller collects; a collection knows its own")
    meant = meant_by(file, observations, options)
    held = held_of(observations, meant)
    data = _readings(observations, held, _told(observations, held, told))
    found = calibrate_force(data, Gains(options["gains"]))
    result = Result(
        method="force sensor", subject=held.subject, values={**found.data(), **meant.data}, data_hash=data.hash()
    )

    def say() -> None:
        tell(found.judgement)
        mass, (x, y, z) = found.correction.tool
        where = f" at {1e3 * x:.2f}, {1e3 * y:.2f}, {1e3 * z:.2f} mm" if mass else ", none that the sensor tells"
        click.echo(f"tool: {mass:.4f} ± {found.mass_deviation:.4f} kg{where}")
        click.echo(f"force: {found.before.rms:.3g} N off before, {found.after.rms:.3g} N held back after (rms)")

    finish(out, result, as_json, say)


def _readings(path: Path, held: Held, told: Load) -> ForceReadings:
    deviation = np.maximum(column(path, held.observations, "deviation"), QUIETEST)
    noise = np.sqrt(np.mean(deviation**2, axis=0))
    hung = [_hung(path, one) for one in held.observations]
    loads = tuple(dict.fromkeys(load for load in hung if load is not None))
    return ForceReadings(
        turns=column(path, held.observations, "turn"),
        wrenches=column(path, held.observations, "wrench"),
        loads=loads,
        load_of=np.array([-1 if load is None else loads.index(load) for load in hung]) if loads else None,
        told=told,
        force_noise=float(noise[:3].max()),
        torque_noise=float(noise[3:].max()),
    )


def _hung(path: Path, one: Observation) -> Load | None:
    """The known weight of an observation."""
    load = one.values.get("load")
    if load is None or load == -1:
        return None
    try:
        mass, x, y, z = (float(value) for value in load)
    except (TypeError, ValueError):
        raise DataError(
            f"{path}: pose {one.pose} does not say which load hung there; allowed: [kg, x, y, z] [m], or null"
        ) from None
    return Load(mass, (x, y, z))


def _told(path: Path, held: Held, told: Load | None) -> Load:
    """What the controller takes away: as the collection says or, where it does not, as was said now."""
    known = held.facts.get("told")
    if known is None:
        return told or NO_LOAD
    mass, x, y, z = (float(value) for value in known)
    if told is not None and _numbers(told) != [mass, x, y, z]:
        raise WrongDeviceError(f"{path}: was collected with --told {mass:g},{x / MM:g},{y / MM:g},{z / MM:g}")
    return Load(mass, (x, y, z))


def _collect(file: str, path: Path, load: Load | None, told: Load | None, options: dict[str, Any]) -> None:
    from calibration.force.collecting import collect_force

    facts = {} if told is None else {"told": _numbers(told)}
    with collecting(file, path, path, options, **facts) as (bench, collection):
        done = sum(_hung(path, one) == load for one in collection.observations)
        wanted = len(collection.observations) + options["count"] - done
        collect_force(bench, collection, wanted, load, progress)


def _numbers(load: Load) -> list[float]:
    return [load.mass, *load.place]


def _load(option: str, text: str | None) -> Load | None:
    if text is None:
        return None
    says = f"{option} {text}: give mass and place by commas, such as 1.0,0,0,50 [kg, mm]"
    mass, x, y, z = finite_numbers(text, 4, says)
    if mass <= 0.0:
        raise DataError(says)
    return Load(mass, (MM * x, MM * y, MM * z))


COMMANDS = (force,)
