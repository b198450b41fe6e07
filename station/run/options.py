"""From the options of the command line to a job; mistakes are told before anything is started."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

from station.bench import load
from station.bilateral import Architecture, BilateralMethod
from station.devices.parameter import SettingsError
from station.haptics import Method
from station.run.places import BENCH_HAND, BENCH_WORLD, DEFAULT_BENCH
from station.servo.job import Job
from station.servo.rig import Wanted, device_of, robot_of

DEFAULT_DEVICE = "sim:syntaxer"
# A soft probe, on an arm that bears more than most before it stops for a contact: what it touches is to be felt.
BENCH_ARM = f"sim:arm?world={BENCH_WORLD}&settings=tip_time=0.1,contact_force=400"
BENCH_DEVICE = f"{DEFAULT_DEVICE}?hand=@{BENCH_HAND}"
NO_CONTROLLER = "none"
WITHOUT_TERMINAL = 10.0  # [s]
MICRO = 1e-6


def job_of(file: str, options: Mapping[str, Any]) -> Job:
    """The job; raises a StationError with one line for what is not allowed."""
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
    of_bench = file == str(DEFAULT_BENCH)
    of_file = BENCH_DEVICE if of_bench else device_of(scene, robot_of(scene, wanted.robot)).address
    controller = options["controller"] or (BENCH_ARM if of_bench else NO_CONTROLLER)
    return Job(
        file=file,
        device=options["device"] or of_file or DEFAULT_DEVICE,
        controller="" if controller == NO_CONTROLLER else controller,
        wait=options["wait"],
        wanted=wanted,
        spin=options["spin"] * MICRO,
        priority=options["priority"],
        core=options["core"],
    )


def seconds_of(asked: float | None) -> float | None:
    """How long to run [s]; None: until somebody ends it."""
    if asked is None:
        return None if sys.stdout.isatty() else WITHOUT_TERMINAL
    if not (math.isfinite(asked) and asked > 0.0):
        raise SettingsError(f"seconds is {asked:g} [s]; allowed: more than 0")
    return asked
