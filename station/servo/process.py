"""The servo as a process of its own: `python -m station.servo`, with a job on its standard input.

What it says is one line of JSON each: notes while it gets ready, then `ready`, or `error`; and `ended`. Between `ready`
and `ended` it says nothing: what it does is in shared state. It ends on SIGTERM, SIGINT, when its time is over, and
when the process that started it dies: setpoints brake, the arm then holds by itself, the force ramps away. A second
signal ends it at once. While its starter gives no sign of life, stopped as by Ctrl-Z, it holds.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import Any

import station
from station.controllers import open_controller
from station.controllers.registry import controller_schemes
from station.devices import open_device, schemes
from station.errors import StationError
from station.kernel import load_now
from station.kernel.build import progress
from station.servo.drives import watchdogs
from station.servo.facts import about_part
from station.servo.job import Job, device_url
from station.servo.pacing import RealTimeSettings, real_time
from station.servo.rig import around, calibrations_of, put_all_together, robots_of
from station.servo.servo import Servo
from station.servo.tick import run_tick

PR_SET_PDEATHSIG = 1  # of prctl
ENDING = (signal.SIGTERM, signal.SIGINT)
EMULATED_ARM = "tcp"  # the scheme by which an emulated arm is reached, as a rule


def say(kind: str, **what: Any) -> None:
    """One line for the process that started this one."""
    sys.stdout.write(json.dumps({"kind": kind, **what}) + "\n")
    sys.stdout.flush()


def _telling() -> AbstractContextManager[None]:
    """What is compiled meanwhile is said."""
    return progress(lambda text: say("note", text=text))


def main() -> int:
    """Read a job and do it; returns the exit code."""
    stopped: list[int] = []
    for number in ENDING:
        signal.signal(number, lambda number, _frame: stopped.append(number))
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    line = sys.stdin.readline()
    if not line:
        return 0  # the one who started it is gone already
    gc.freeze()  # what is loaded stays: no collection need look at it
    try:
        job, scene = Job.from_line(line), None
        if job.follows:
            scene = prepare(job)
            line = sys.stdin.readline()
            if not line:
                return 0
            job = Job.from_line(line)
        do(job, stopped, scene)
    except StationError as error:
        say("error", text=str(error))
        return 2
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)  # it has ended: one that comes now must not look like a failure
    return 0


def prepare(job: Job) -> station.Bench:
    """Load what the job will need, while others get ready for it: scene, solver, drivers; returns the scene."""
    wanted = [schemes().get(url.partition(":")[0]) for url in job.devices.values()]
    for url in job.controllers.values():
        scheme = url.partition(":")[0]
        wanted.append(controller_schemes().get(EMULATED_ARM if scheme == "sim" else scheme))
    with suppress(ImportError, AttributeError):  # told when it is opened
        for entry in wanted:
            if entry is not None:
                entry.load()
    with _telling():
        scene = station.load(job.file)
        for robot in robots_of(scene, job.wanted.robot):
            around(scene, scene.system(robot.name).mechanism)  # made again for the rig; what it has loaded stays
        load_now(run_tick)
    return scene


def do(job: Job, stopped: list[int], scene: station.Bench | None = None) -> None:
    """Open everything, compile everything, say ready, tick until the end; `scene` is that of the job, read before."""
    say("note", text="reading the scene")
    scene = scene or station.load(job.file)
    with ExitStack() as stack:
        compiling = stack.enter_context(ExitStack())
        compiling.enter_context(_telling())
        devices, controllers, silences = {}, {}, watchdogs(robots_of(scene, job.wanted.robot))
        for name in job.devices:
            say("note", text=f"opening {job.devices[name].partition('?')[0]}")
            with job.placed("device", name):
                devices[name] = stack.enter_context(open_device(device_url(job, name)))
        for name, url in job.controllers.items():
            say("note", text=f"connecting to {url}")
            with job.placed("controller", name):
                controller = open_controller(url, wait=job.wait, watchdog=silences.get(name))
                controllers[name] = stack.enter_context(controller)
        say("note", text="loading compiled code")
        rigs = put_all_together(scene, devices, job.wanted, controllers)
        servo = stack.enter_context(Servo(rigs, job.wanted.rate, spin=job.spin, name=job.name or None))
        settings = RealTimeSettings(priority=job.priority, core=None if job.core < 0 else job.core)
        got = stack.enter_context(real_time(settings))
        servo.rehearse()
        compiling.close()
        say(
            "ready",
            state=str(servo.part.writer.path),
            process=os.getpid(),
            real_time=got.scheduled,
            notes=list(dict.fromkeys((*scene.open_loops(), *(note for rig in rigs for note in rig.notes), *got.notes))),
            parts=[about_part(rig) for rig in rigs],
            calibrations=list(dict.fromkeys(one.text for rig in rigs for one in calibrations_of(rig))),
        )
        servo.run(job.seconds, lambda: bool(stopped))
        servo.wind_down(lambda: len(stopped) > 1)
        stack.close()
    say("ended", by=signal.Signals(stopped[0]).name if stopped else "time")
