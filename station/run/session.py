"""`run_session`: one run from start to report."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from station.errors import StationError
from station.interrupts import ENDING, Interrupted
from station.monitor import Collector, Dashboard, Ending, MonitorError, Run, Summary, check_place, report
from station.run.beside import Company, why_no_window
from station.run.episodes import Buttons, Wishes, buttons_of, episodes_led
from station.run.gripping import Gripper, button_of
from station.run.keyboard import watched
from station.run.places import next_report
from station.run.start import Start
from station.run.terminal_hand import SCHEMES
from station.servo.job import Job
from station.servo.shared import ControllerCode, StateReader
from station.servo.shared.parts import opened_parts

if TYPE_CHECKING:
    from station.run.launch import ServoProcess
    from station.tasks.recording.launch import Outcome, RecorderProcess


class RunFailedError(StationError, RuntimeError):
    """A run that did not end in order."""


@dataclass(frozen=True, kw_only=True)
class Showing:
    """How a run is shown."""

    as_json: bool = False
    report: Path | None = None  # None: a place of its own
    no_report: bool = False
    record: Path | None = None  # None: no recording
    overwrite: bool = False  # write over an old one
    headless: bool = False  # no window; none either with as_json
    publish: str | None = None  # where to publish it; None: nowhere
    sound: bool = False  # contact, limits and faults are heard
    gripper: Gripper | None = None  # that the hand leads
    episodes: Wishes = Wishes()  # of the recording
    lines: tuple[str, ...] = ()  # what of the file is used otherwise than it says, or not at all


class Watch:
    """Trouble of what a run depends on, told as it comes; `failure` is what is still so at the end."""

    def __init__(self, dashboard: Dashboard, tape: RecorderProcess | None, beside: Console) -> None:
        self._dashboard, self._tape, self._beside = dashboard, tape, beside
        self._lost: dict[str, str] = {}
        self._told = 0

    def look(self) -> bool:
        """Say what is new; never a reason to end the run: returns False."""
        lost = self._lost_arms()
        for arm in [arm for arm in lost if arm not in self._lost]:
            self._say(f"{arm} is lost; the run goes on", lasts=False)
        for arm in [arm for arm in self._lost if arm not in lost]:
            self._say(f"{arm} is back", lasts=False)
        self._lost = lost
        troubles = self._tape.troubles if self._tape is not None else ()
        for trouble in troubles[self._told :]:
            self._say(f"recording: {trouble}", lasts=True)
        self._told = len(troubles)
        return False

    def _say(self, line: str, lasts: bool) -> None:
        self._dashboard.note(line) if lasts else self._dashboard.say(line)
        if self._dashboard.console.quiet:  # data for programs; people read this
            self._beside.print(line, markup=False, highlight=False, soft_wrap=True)

    @property
    def failure(self) -> str:
        """What is wrong with the arms when the run ends; empty if nothing."""
        return "; ".join(f"{arm} was lost and did not come back{why}" for arm, why in self._lost_arms().items())

    def _lost_arms(self) -> dict[str, str]:
        """The arms that are lost now, for people, and why; one that several hands lead is told once."""
        parts, found = self._dashboard.collector.parts, dict[str, str]()
        for part in parts:
            if part.last is not None and int(part.last.controller_status[0]) == ControllerCode.LOST:
                arm = "the arm" if len(parts) == 1 else f"the arm of {part.bench.title}"
                found.setdefault(arm, f" ({part.last.reason_text})" if part.last.reason_text else "")
        return found


def run_session(job: Job, seconds: float | None, showing: Showing, start: Start | None = None) -> None:
    """Start the servo, follow it, end it, sum it up. Text goes to the terminal, data to the standard output.

    `start` has begun already for this job, and ends here.

    Raises:
        RunFailedError: servo or recorder failed, or the arm was lost for good; all is summed up before.
        Interrupted: SIGTERM or SIGHUP has ended it; likewise.
    """
    if seconds is not None:
        job = replace(job, seconds=seconds)  # kept by the servo itself: this process may be stopped
    told = Console(stderr=True) if showing.as_json else Console()
    tell = partial(told.print, markup=False, highlight=False, soft_wrap=True)
    _check(showing)
    with ExitStack() as stack:
        tape = _recorder(showing, tell, stack)
        if start is None:
            start = Start(quiet=showing.as_json)
            start.launch(job, showing.gripper)
        stack.enter_context(start)
        asked = job
        servo, job, gripper = _ready(start, job, showing, tell)
        buttons = _episode_buttons(servo.ready.state, showing.episodes, gripper)
        if tape is not None and showing.record is not None:
            from station.run.taping import order_of

            tape.begin(order_of(showing.record, showing.overwrite, asked, servo.ready, showing.episodes.task))
        for line in (*showing.lines, *servo.ready.lines):
            tell(line)
        state, *further = stack.enter_context(opened_parts(servo.ready.state))
        engages = servo.ready.parts[0].dead_man is None  # the device has no such button
        headless = showing.headless or showing.as_json
        alone, recorded = headless or bool(why_no_window()), tape is not None
        first = next(iter(job.devices.values()), "")
        keys = stack.enter_context(
            watched(
                servo.ready.state,
                episodes=recorded,
                engages=engages,
                device=first,
                alone=alone,
            )
        )
        for line in (*keys.help, *_nobody_holds(job, alone)):
            tell(line)
        pressed = stack.enter_context(episodes_led(servo.ready.state, showing.episodes, buttons))
        company = stack.enter_context(
            Company(job, servo.ready.state, headless, showing.publish, gripper, showing.record, showing.sound)
        )
        for line in company.greetings:
            tell(line)
        followed = Dashboard(Collector(state, further=further), Console(quiet=True) if showing.as_json else None)
        watch, say = Watch(followed, tape, told), followed.say
        followed.follow(
            stop=lambda: (
                keys.look(say) or pressed.look(say) or company.look(followed) or watch.look() or not servo.running
            ),
            away=keys.away,
        )
        servo.close()
        run = followed.rest()
        outcome = tape.close() if tape is not None else None
    for line in company.told if followed.console.is_terminal else ():
        tell(line)
    failure = "; ".join(filter(None, (servo.ending, watch.failure, "" if outcome is None else outcome.failure)))
    ending = Ending.TIME_OVER if servo.time_over else run.ending
    _sum_up(replace(run, failure=failure, ending=ending), showing, told, outcome)
    if followed.signals.ended_by in ENDING:
        raise Interrupted(followed.signals.ended_by)
    if failure:
        raise RunFailedError(failure)


def _nobody_holds(job: Job, alone: bool) -> list[str]:
    """A line for each device that a window or the keys of a terminal would hold, where there is neither."""
    if not alone or sys.stdin.isatty():
        return []
    held = [name for name, url in job.devices.items() if url.startswith(SCHEMES)]
    why = "is held in a window or by keys of a terminal, and this run has neither: nobody leads it"
    return [f"device {name} ({job.devices[name]}) {why}" for name in held]


def _ready(
    start: Start, job: Job, showing: Showing, tell: Callable[[str], object]
) -> tuple[ServoProcess, Job, Gripper | None]:
    """Wait until all are ready; what of the file is not used may say why they are not."""
    try:
        return start.ready(job, showing.gripper)
    except StationError:
        start.say_no_more()
        for line in showing.lines:
            tell(line)
        raise


def _recorder(showing: Showing, tell: Callable[[str], object], stack: ExitStack) -> RecorderProcess | None:
    """One that gets ready while others do, if it is wanted; mistakes are told before."""
    if showing.record is None:
        return None
    from station.tasks.recording.launch import recorder_for  # loads what few runs need

    return stack.enter_context(recorder_for(showing.record, showing.overwrite, tell))


def _check(showing: Showing) -> None:
    """Mistakes are told before anything is started."""
    if showing.publish is not None:
        from station.view.sharing.access import place_to_publish  # likewise

        place_to_publish(showing.publish)
    if showing.report is not None and not showing.no_report:
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
