"""The servo as a process of its own: `python -m station.servo`, with a job on its standard input.

What it says is one line of JSON each: notes while it gets ready, then `ready`, or `error`; and `ended`. Between `ready`
and `ended` it says nothing: what it does is in shared state. It ends on SIGTERM, SIGINT, when its time is over, and
when the process that started it dies: setpoints brake, the arm then holds by itself, the force ramps away. A second
signal ends it at once. While its starter gives no sign of life, stopped as by Ctrl-Z, it holds.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import Any

import station
from station.compiled import compiling_told
from station.controllers import open_controller
from station.controllers.registry import controller_schemes
from station.devices import open_device, schemes
from station.errors import StationError
from station.servo.facts import dead_man_of
from station.servo.job import Job, device_url
from station.servo.pacing import RealTimeSettings, real_time
from station.servo.rig import calibrations_of, put_together, robot_of
from station.servo.servo import Servo

PR_SET_PDEATHSIG = 1  # of prctl
ENDING = (signal.SIGTERM, signal.SIGINT)
EMULATED_ARM = "tcp"  # the scheme by which an emulated arm is reached, as a rule
FUNCTIONS, COMPILING = 760, 180.0  # that are compiled on a new machine; how long that takes [s]


def say(kind: str, **what: Any) -> None:
    """One line for the process that started this one."""
    sys.stdout.write(json.dumps({"kind": kind, **what}) + "\n")
    sys.stdout.flush()


def _telling() -> AbstractContextManager[None]:
    """What is compiled meanwhile is said."""
    return compiling_told(lambda text: say("note", text=text), FUNCTIONS, COMPILING)


def main() -> int:
    """Read a job and do it; returns the exit code."""
    stopped: list[int] = []
    for number in ENDING:
        signal.signal(number, lambda number, _frame: stopped.append(number))
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    line = sys.stdin.readline()
    if not line:
        return 0  # the one who started it is gone already
    try:
        job = Job.from_line(line)
        if job.follows:
            prepare(job)
            line = sys.stdin.readline()
            if not line:
                return 0
            job = Job.from_line(line)
        do(job, stopped)
    except StationError as error:
        say("error", text=str(error))
        return 2
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)  # it has ended: one that comes now must not look like a failure
    return 0


def prepare(job: Job) -> None:
    """Load what the job will need, while others get ready for it: the compiler, the solver, the drivers."""
    device, controller = (url.partition(":")[0] for url in (job.device, job.controller))
    wanted = schemes().get(device), controller_schemes().get(EMULATED_ARM if controller == "sim" else controller)
    with suppress(ImportError, AttributeError):  # told when it is opened
        for entry in wanted:
            if entry is not None:
                entry.load()
    with _telling():
        scene = station.load(job.file)
        scene[robot_of(scene, job.wanted.robot).name]  # a robot is made, and thrown away: its code stays loaded


def do(job: Job, stopped: list[int]) -> None:
    """Open everything, compile everything, say ready, tick until the end."""
    say("note", text="reading the scene")
    scene = station.load(job.file)
    with ExitStack() as stack:
        compiling = stack.enter_context(ExitStack())
        compiling.enter_context(_telling())
        say("note", text=f"opening {job.device.partition('?')[0]}")
        device = stack.enter_context(open_device(device_url(job)))
        controller = None
        if job.controller:
            say("note", text=f"connecting to {job.controller}")
            controller = stack.enter_context(open_controller(job.controller, wait=job.wait))
        say("note", text="loading compiled code")
        rig = put_together(scene, device, job.wanted, controller)
        servo = stack.enter_context(Servo(rig, job.wanted.rate, spin=job.spin, name=job.name or None))
        settings = RealTimeSettings(priority=job.priority, core=None if job.core < 0 else job.core)
        got = stack.enter_context(real_time(settings))
        servo.rehearse()
        compiling.close()
        say(
            "ready",
            state=str(servo.shared.path),
            process=os.getpid(),
            real_time=got.scheduled,
            notes=[str(note) for note in got.notes],
            dead_man=dead_man_of(rig),
            led=rig.followed.told,
            stiffness=rig.gains.text,
            calibrations=[one.text for one in calibrations_of(rig)],
        )
        servo.run(job.seconds, lambda: bool(stopped))
        servo.wind_down(lambda: len(stopped) > 1)
        stack.close()
    say("ended", by=signal.Signals(stopped[0]).name if stopped else "time")
