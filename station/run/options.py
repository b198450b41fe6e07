"""From the options of the command line to a job; mistakes are told before anything is started."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from station.address_option import address_in
from station.bench import load
from station.bilateral import Architecture, BilateralMethod
from station.devices.parameter import SettingsError
from station.errors import StationError
from station.haptics import Method
from station.mad.leading import leads_of, name_of
from station.mad.scene import NULL_DEVICE, Robot
from station.run.addresses import DEFAULT_DEVICE, NO_CONTROLLER, Addresses, addresses_of
from station.run.places import BENCH_HAND, BENCH_WORLD, DEFAULT_BENCH
from station.servo.job import Job
from station.servo.rig import Wanted, robots_of

# A soft probe, on an arm that bears more than most before it stops for a contact: what it touches is to be felt.
BENCH_ARM = f"sim:arm?world={BENCH_WORLD}&settings=tip_time=0.1,contact_force=400"
BENCH_DEVICE = f"{DEFAULT_DEVICE}?hand=@{BENCH_HAND}"
WITHOUT_TERMINAL = 10.0  # [s]
MICRO = 1e-6


class RunOptionError(StationError, ValueError):
    """Options that do not fit the file; one line."""


def job_of(file: str, options: Mapping[str, Any], tell: Callable[[str], object] = lambda _line: None) -> Job:
    """The job; raises a StationError with one line for what is not allowed.

    `tell` hears what of the file is used otherwise than it says, or not at all, a line each.
    """
    method, bilateral, architecture = options["method"], options["bilateral"], options["architecture"]
    wanted = Wanted(
        robot=options["robot"],
        frame=options["frame"],
        posture=options["posture"],
        method=Method(method) if method else None,
        bilateral=BilateralMethod(bilateral) if bilateral else None,
        architecture=Architecture(architecture) if architecture else None,
        sensor=options["sensor"],
        rate=options["rate"],
        **({} if options["press"] is None else {"press": options["press"]}),
    )
    scene = load(file)
    robots = robots_of(scene, wanted.robot)
    leads, idle = leads_of(scene, [robot.name for robot in robots])
    hands = [lead for lead in leads if lead.device.id != NULL_DEVICE]
    idle_names = {name_of(device) for device in scene.devices} - {lead.name for lead in hands}
    devices = named(options["device"], [lead.name for lead in hands], {}, "device", file, idle_names)
    controllers = named(options["controller"], *controller_names(robots), "controller", file)
    if file == str(DEFAULT_BENCH):
        (hand,) = hands
        found = Addresses({hand.name: BENCH_DEVICE} | devices, {robots[0].name: BENCH_ARM} | controllers, (), {})
    else:
        found = addresses_of(scene, hands, robots, devices, controllers)
    for line in (*found.lines, *idle):
        tell(line)
    return Job(
        file=file,
        devices=dict(found.devices),
        controllers={name: url for name, url in found.controllers.items() if url != NO_CONTROLLER},
        places=dict(found.places),
        wait=options["wait"],
        wanted=wanted,
        spin=options["spin"] * MICRO,
        priority=options["priority"],
        core=options["core"],
    )


def controller_names(robots: Sequence[Robot]) -> tuple[list[str], dict[str, str]]:
    """Names that controllers are given by: of robots and, where one has several, of each; and shorter ones for these.

    A shorter one is the controller's own name, where there is no other of that name.
    """
    several = {robot.name: list(robot.named_controllers) for robot in robots if len(robot.controllers) > 1}
    names = [name for robot in robots for name in (robot.name, *several.get(robot.name, ()))]
    short = [(name.removeprefix(f"{robot}."), name) for robot, parts in several.items() for name in parts]
    known = [*names, *(own for own, _ in short)]
    return names, {own: name for own, name in short if known.count(own) == 1}


def named(
    asked: Sequence[str],
    names: Sequence[str],
    short: Mapping[str, str],
    what: str,
    file: str,
    idle: Collection[str] = (),
) -> dict[str, str]:
    """Addresses by name, from `NAME=URL` or, for the first name, `URL`; raises a RunOptionError for what cannot be.

    `short` are names that stand for others, `idle` those of devices that lead nothing, to tell them from those that
    are not there.
    """
    found: dict[str, str] = {}
    there = f"in {Path(file).name} there are: {', '.join(names)}" if names else f"in {Path(file).name} none leads"
    for text in asked:
        known = max((name for name in (*names, *short, *idle) if text.startswith(f"{name}=")), key=len, default=None)
        said, url = address_in(text) if known is None else (known, text.removeprefix(f"{known}="))
        name = said if said is not None else next(iter(names), None)
        name = short.get(name or "", name)
        if name is None or name not in names:
            wrong = f"{what} {name} leads nothing" if name in idle else f"no {name or what}"
            raise RunOptionError(f"--{what} {text}: {wrong}; {there}")
        if not url.strip():
            raise RunOptionError(f"--{what} {text}: the address is empty (an unset variable?); write {name}=URL")
        if name in found:
            meant = f"; without a name it is for the first: write NAME={url}, {there}" if said is None else ""
            raise RunOptionError(f"--{what} {text}: {name} has an address already: {found[name]}{meant}")
        found[name] = url
    return found


def seconds_of(asked: float | None) -> float | None:
    """How long to run [s]; None: until somebody ends it."""
    if asked is None:
        return None if sys.stdout.isatty() else WITHOUT_TERMINAL
    if not (math.isfinite(asked) and asked > 0.0):
        raise SettingsError(f"seconds is {asked:g} [s]; allowed: more than 0")
    return asked
