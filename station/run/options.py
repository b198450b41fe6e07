"""From the options of the command line to a job; mistakes are told before anything is started."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

from station.bench import load
from station.devices.parameter import SettingsError
from station.haptics import Method
from station.servo.job import Job
from station.servo.rig import Wanted, device_of, robot_of

DEFAULT_DEVICE = "sim:syntaxer"
NO_CONTROLLER = "none"
WITHOUT_TERMINAL = 10.0  # [s]
MICRO = 1e-6


def job_of(file: str, options: Mapping[str, Any]) -> Job:
    """The job; raises a StationError with one line for what is not allowed."""
    method = options["method"]
    wanted = Wanted(
        robot=options["robot"],
        frame=options["frame"],
        posture=options["posture"],
        method=Method(method) if method else None,
        rate=options["rate"],
    )
    scene = load(file)
    device = options["device"] or device_of(scene, robot_of(scene, wanted.robot)).address or DEFAULT_DEVICE
    return Job(
        file=file,
        device=device,
        controller=options["controller"] if options["controller"] != NO_CONTROLLER else "",
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
