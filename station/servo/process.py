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
from contextlib import ExitStack
from typing import Any

import station
from station.controllers import open_controller
from station.devices import open_device
from station.errors import StationError
from station.servo.facts import dead_man_of
from station.servo.job import Job
from station.servo.pacing import RealTimeSettings, real_time
from station.servo.rig import calibrations_of, put_together
from station.servo.servo import Servo

PR_SET_PDEATHSIG = 1  # of prctl
ENDING = (signal.SIGTERM, signal.SIGINT)


def say(kind: str, **what: Any) -> None:
    """One line for the process that started this one."""
    sys.stdout.write(json.dumps({"kind": kind, **what}) + "\n")
    sys.stdout.flush()


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
        do(Job.from_line(line), stopped)
    except StationError as error:
        say("error", text=str(error))
        return 2
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)  # it has ended: one that comes now must not look like a failure
    return 0


def do(job: Job, stopped: list[int]) -> None:
    """Open everything, compile everything, say ready, tick until the end."""
    say("note", text="reading the scene")
    scene = station.load(job.file)
    with ExitStack() as stack:
        say("note", text=f"opening {job.device}")
        device = stack.enter_context(open_device(device_url(job)))
        controller = None
        if job.controller:
            say("note", text=f"connecting to {job.controller}")
            controller = stack.enter_context(open_controller(job.controller, wait=job.wait))
        say("note", text="compiling")
        rig = put_together(scene, device, job.wanted, controller)
        servo = stack.enter_context(Servo(rig, job.wanted.rate, spin=job.spin, name=job.name or None))
        settings = RealTimeSettings(priority=job.priority, core=None if job.core < 0 else job.core)
        got = stack.enter_context(real_time(settings))
        servo.rehearse()
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


def device_url(job: Job) -> str:
    """The address with the rate asked for, where the device has one to choose; an emulated hand waits until it runs."""
    url = job.device
    if url.startswith("sim:syntaxer") and "patient=" not in url:
        url = _with(url, "patient=1")
    chooses = url.startswith(("serial:", "sim:syntaxer")) and "rate=" not in url
    return _with(url, f"rate={job.wanted.rate:g}") if chooses and "device=" not in url else url


def _with(url: str, option: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}{option}"
