"""`run_session`: one run from start to report."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from station.emulated import emulated_arm, emulated_gripper, is_emulated
from station.errors import StationError
from station.monitor import Collector, Dashboard, MonitorError, Run, Summary, check_place, report
from station.run.beside import Company
from station.run.episodes import Buttons, Wishes, buttons_of, episodes_led
from station.run.gripping import Gripper, button_of
from station.run.keyboard import watched
from station.run.launch import ServoProcess
from station.run.places import next_report
from station.run.taping import order_of
from station.servo.job import Job
from station.servo.shared import StateReader
from station.tasks.recording.launch import Outcome, recorder_for
from station.view.sharing.access import place_to_publish


class RunFailedError(StationError, RuntimeError):
    """A run that did not end in order."""


@dataclass(frozen=True, kw_only=True)
class Showing:
    """How a run is shown."""

    as_json: bool = False
    report: Path | None = None  # None: a place of its own
    no_report: bool = False
    record: Path | None = None  # None: no recording
    force: bool = False  # write over an old one
    headless: bool = False  # no window; none either with as_json
    share: str | None = None  # where to publish it; None: nowhere
    gripper: Gripper | None = None  # that the hand leads
    episodes: Wishes = Wishes()  # of the recording


def run_session(job: Job, seconds: float | None, showing: Showing) -> None:
    """Start the servo, follow it, end it, sum it up. Text goes to the terminal, data to the standard output."""
    told = Console(stderr=True) if showing.as_json else Console()
    lines = Console(stderr=True, quiet=showing.as_json)
    asked = job
    _check(showing)
    with ExitStack() as stack:
        tape = stack.enter_context(recorder_for(showing.record, showing.force))
        status = stack.enter_context(lines.status("starting the servo"))
        if is_emulated(job.controller):
            status.update("starting the emulated arm")
            job = replace(job, controller=stack.enter_context(emulated_arm(job.controller, job.file, job.wanted.robot)))
        gripper = showing.gripper
        if gripper is not None and is_emulated(gripper.url):
            name, url = f"{gripper.url} (emulated)", stack.enter_context(emulated_gripper(gripper.url))
            gripper = gripper._replace(url=url, name=name)
        servo = stack.enter_context(ServoProcess(job, status.update))
        buttons = _episode_buttons(servo.ready.state, showing.episodes, gripper)
        if tape is not None and showing.record is not None:
            tape.begin(order_of(showing.record, showing.force, asked, servo.ready, showing.episodes.task))
        status.stop()
        for line in servo.ready.lines:
            told.print(line, markup=False, highlight=False, soft_wrap=True)
        keys = stack.enter_context(watched(servo.ready.state, episodes=tape is not None))
        for line in keys.help:
            told.print(line, highlight=False)
        pressed = stack.enter_context(episodes_led(servo.ready.state, showing.episodes, buttons))
        company = stack.enter_context(
            Company(job, servo.ready.state, showing.headless or showing.as_json, showing.share, gripper)
        )
        for line in company.greetings:
            told.print(line, markup=False, highlight=False, soft_wrap=True)
        with StateReader(servo.ready.state) as state:
            followed = Dashboard(Collector(state), Console(quiet=True) if showing.as_json else None)
            run = followed.follow(
                seconds,
                lambda: (
                    keys.look(followed.say) or pressed.look(followed.say) or company.look(followed) or not servo.running
                ),
            )
        servo.close()
        ending = servo.ending
        outcome = tape.close() if tape is not None else None
    for line in company.told if followed.console.is_terminal else ():
        told.print(line, markup=False, highlight=False, soft_wrap=True)
    _sum_up(replace(run, failure=ending), showing, told, outcome)
    if ending:
        raise RunFailedError(ending)


def _check(showing: Showing) -> None:
    """Mistakes are told before anything is started."""
    if showing.share is not None:
        place_to_publish(showing.share)
    if showing.report is not None:
        check_place(showing.report)


def _episode_buttons(state: Path, wishes: Wishes, gripper: Gripper | None) -> Buttons:
    """Mistakes are told before anything is recorded or led."""
    if not (wishes.button or wishes.discard):
        return Buttons()
    with StateReader(state) as reader:
        about = reader.text
    grip = button_of(about) if gripper is not None else -1
    return buttons_of(wishes, about, {grip: "for the gripper"} if grip >= 0 else {})


def _sum_up(run: Run, showing: Showing, told: Console, outcome: Outcome | None) -> None:
    """The summary is told whatever becomes of the report: a run cannot be repeated."""
    summary = Summary.of(run)
    page, trouble = _report(run, showing)
    if showing.as_json:
        data: dict[str, Any] = {**summary.data, "report": str(page) if page else None}
        data["recording"] = outcome.data if outcome else None
        sys.stdout.write(json.dumps(data, indent=2) + "\n")
        sys.stdout.flush()
    else:
        told.print(summary.text, markup=False, highlight=False, soft_wrap=True)
    if page and not showing.as_json:
        told.print(f"report: {page}", markup=False, highlight=False, soft_wrap=True)
    if outcome and not showing.as_json:
        told.print(f"recording: {outcome.text}", markup=False, highlight=False, soft_wrap=True)
    if trouble is not None and showing.report is not None:
        raise trouble
    if trouble is not None:
        told.print(f"no report: {trouble}", markup=False, highlight=False, soft_wrap=True)


def _report(run: Run, showing: Showing) -> tuple[Path | None, MonitorError | None]:
    """Where the report is, or why there is none."""
    if showing.no_report:
        return None, None
    try:
        return report(run, showing.report or next_report(run.bench.title)), None
    except MonitorError as error:
        return None, error
