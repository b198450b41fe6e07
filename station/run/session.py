"""`run_session`: one run from start to report."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from station.errors import StationError
from station.monitor import Collector, Dashboard, Run, Summary, report
from station.run.emulated import emulated_arm, is_emulated
from station.run.keyboard import HELP, watched
from station.run.launch import ServoProcess
from station.run.places import next_report
from station.servo.job import Job
from station.servo.shared import StateReader


class RunFailedError(StationError, RuntimeError):
    """A run that did not end in order."""


@dataclass(frozen=True, kw_only=True)
class Showing:
    """How a run is shown."""

    as_json: bool = False
    report: Path | None = None  # None: a place of its own
    no_report: bool = False


def run_session(job: Job, seconds: float | None, showing: Showing) -> None:
    """Start the servo, follow it, end it, sum it up. Text goes to the terminal, data to the standard output."""
    told = Console(stderr=True) if showing.as_json else Console()
    lines = Console(stderr=True, quiet=showing.as_json)
    with ExitStack() as stack:
        status = stack.enter_context(lines.status("starting the servo"))
        if is_emulated(job.controller):
            status.update("starting the emulated arm")
            job = replace(job, controller=stack.enter_context(emulated_arm(job)))
        servo = stack.enter_context(ServoProcess(job, status.update))
        status.stop()
        told.print(servo.ready.stiffness, highlight=False, soft_wrap=True)
        for note in servo.ready.notes:
            told.print(f"note: {note}", highlight=False, soft_wrap=True)
        keys = stack.enter_context(watched(servo.ready.state))
        if keys:
            told.print(HELP, highlight=False)
        with StateReader(servo.ready.state) as state:
            followed = Dashboard(Collector(state), Console(quiet=True) if showing.as_json else None)
            run = followed.follow(seconds, lambda: not servo.running)
        servo.close()
        ending = servo.ending
    _sum_up(run, showing, told)
    if ending:
        raise RunFailedError(ending)


def _sum_up(run: Run, showing: Showing, told: Console) -> None:
    summary = Summary.of(run)
    page = None if showing.no_report else report(run, showing.report or next_report(run.bench.title))
    if showing.as_json:
        data: dict[str, Any] = {**summary.data, "report": str(page) if page else None}
        sys.stdout.write(json.dumps(data, indent=2) + "\n")
        return
    told.print(summary.text, markup=False, highlight=False, soft_wrap=True)
    if page:
        told.print(f"report: {page}", markup=False, highlight=False, soft_wrap=True)
