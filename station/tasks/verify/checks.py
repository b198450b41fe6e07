"""`verify`: a whole task against everything it must keep."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from station.bench import Bench
from station.collision import Surroundings
from station.controllers.controller import Capabilities
from station.controllers.shaping import JointLimits
from station.mechanism import Mechanism
from station.tasks.task import Limits, Task, TaskError, content_hash, limits_for
from station.tasks.task.clips import move_between
from station.tasks.task.errors import EditError
from station.tasks.task.joints import check_joints
from station.tasks.task.limits import joint_limits
from station.tasks.task.model import Floats, Kind, Segment, changed
from station.tasks.verify.held import check_arm
from station.tasks.verify.joints import Outcome, check_effort, check_position, check_rates
from station.tasks.verify.masses import Masses, masses_of
from station.tasks.verify.motion import Motion
from station.tasks.verify.results import Check, Finding, Margin, Verdict
from station.tasks.verify.settings import VerifySettings
from station.tasks.verify.shape import check_closure, check_singularity
from station.tasks.verify.touching import check_collisions, surroundings_of

EASE_SHARE = 0.25  # of the limits, at which an arm is brought to where a task begins


@dataclass(frozen=True, eq=False)
class Workbench:
    """What tasks of one robot are checked with; made once, used for many."""

    scene: Bench
    mechanism: Mechanism
    around: Surroundings
    masses: Masses
    settings: VerifySettings
    arm: Capabilities | None = None  # in the order of the scene

    @property
    def limits(self) -> Limits:
        """Of the scene and of the arm, whichever are smaller."""
        return limits_for(self.mechanism, None if self.arm is None else self.arm.joints, self.settings.share)


def make_workbench(
    scene: Bench,
    mechanism: Mechanism,
    settings: VerifySettings | None = None,
    arm: Capabilities | None = None,
    frame: int | None = None,
) -> Workbench:
    """Make solids and masses; takes a moment. A TaskMismatchError if the load is that of another arm."""
    settings = settings or VerifySettings()
    if arm is not None:
        check_arm(settings.payload_arm, arm)
    holds = frame if settings.payload_frame is None else settings.payload_frame
    masses = masses_of(mechanism, settings.payload, holds, settings.payload_at)
    return Workbench(scene, mechanism, surroundings_of(scene, mechanism), masses, settings, arm)


def verify(task: Task, bench: Workbench, measured: Floats | None = None) -> Verdict:
    """Check a task; with an arm, also from where it is measured. Raises a TaskError for a task of another robot."""
    began = time.perf_counter()
    check_joints(task, bench.mechanism)
    motion = Motion.of(task, bench.mechanism)
    outcomes = motion_checks(motion, bench)
    outcomes += [check_rate(motion, bench), check_start(task, bench, measured)]
    found = [finding for outcome in outcomes for finding in outcome.findings]
    findings = sorted(found, key=lambda finding: (finding.begin, finding.check))
    return Verdict(
        task.name,
        content_hash(task),
        tuple(findings),
        tuple(outcome.margin for outcome in outcomes),
        task.duration,
        time.perf_counter() - began,
        (*bench.masses.notes, *bench.around.notes),
    )


def motion_checks(motion: Motion, bench: Workbench) -> list[Outcome]:
    """All that has to do with the motion alone; only the first two if joints leave their ranges or loops open."""
    limits, settings = bench.limits, bench.settings
    return [
        check_position(motion, limits),
        check_closure(motion, settings),
        *check_rates(motion, limits),
        check_effort(motion, limits, bench.masses, settings),
        check_singularity(motion, settings),
        *check_collisions(motion, bench.around, settings),
    ]


def check_rate(motion: Motion, bench: Workbench) -> Outcome:
    """Whether the device was heard often enough in rehearsal, and the arm takes setpoints often enough."""
    task, settings, findings = motion.task, bench.settings, []
    gap, room = task.device.longest_gap, math.inf
    if task.device.rate:
        room = 1.0 - gap / settings.device_gap
        if gap > settings.device_gap:
            text = (
                f"the device was silent for {1000.0 * gap:.0f} ms while the hand moved the robot; allowed: "
                f"{1000.0 * settings.device_gap:.0f} ms"
            )
            findings.append(Finding(Check.RATE, text, 0.0, task.duration, gap, settings.device_gap, None))
    if bench.arm is not None:
        period = 1.0 / bench.arm.rate
        corner = np.abs(np.diff(task.q, 2, axis=0)).max(axis=1) / task.period**2 * period**2 / 8.0
        cut, sample = float(corner.max(initial=0.0)), int(np.argmax(corner)) if len(corner) else 0
        room = min(room, 1.0 - cut / settings.rate_error)
        if cut > settings.rate_error:
            text = (
                f"at {bench.arm.rate:g} setpoints per second the path is cut by {cut:.2g} rad | m; allowed: "
                f"{settings.rate_error:g}, {motion.at_text(sample)}"
            )
            where = motion.where(sample)
            findings.append(Finding(Check.RATE, text, where.time, where.time, cut, settings.rate_error, where))
        room = min(room, 1.0 - 2.0 * period / bench.arm.watchdog)
        if 2.0 * period > bench.arm.watchdog:
            text = (
                f"the arm takes a setpoint every {1000.0 * period:.0f} ms but stops after "
                f"{1000.0 * bench.arm.watchdog:.0f} ms without one"
            )
            findings.append(Finding(Check.RATE, text, 0.0, task.duration, period, bench.arm.watchdog, None))
    note = "" if task.device.rate or bench.arm is not None else "neither a device nor an arm is known"
    return Outcome(findings, Margin(Check.RATE, room, "of the limit", "", None, note))


def check_start(task: Task, bench: Workbench, measured: Floats | None) -> Outcome:
    """Whether the arm is where the task begins, or can be brought there along a way that passes the same checks."""
    if measured is None:
        return Outcome([], Margin(Check.START, math.inf, "rad | m", "", None, "no arm is connected"))
    away = np.abs(np.asarray(measured) - task.q[0])
    far, joint = float(away.max()), int(np.argmax(away))
    margin = Margin(Check.START, bench.settings.start - far, "rad | m", task.joints[joint], None)
    if far <= bench.settings.start:
        return Outcome([], margin)
    try:
        way = ease_in(task, bench, measured)
    except TaskError as error:
        return Outcome([Finding(Check.START, str(error), 0.0, 0.0, far, bench.settings.start, None)], margin)
    return Outcome([], margin._replace(room=0.0, note=f"{far:.3f} away; a free way there takes {way.duration:.1f} s"))


def ease_in(task: Task, bench: Workbench, measured: Floats, goal: Floats | None = None) -> Task:
    """A slow move from where the arm is to where a task begins (or another place), checked; raises a TaskError."""
    goal = np.asarray(task.q[0] if goal is None else goal)
    what = how_far(task, measured, goal)
    try:
        start = np.clip(measured, bench.limits.low, bench.limits.high)
        clip = move_between(bench.mechanism, start, goal, ease_limits(bench), task.period, "ease in")
    except EditError as error:
        raise TaskError(f"{what}, and there is no move from there: {error}") from None
    return checked_way(task, bench, clip.q if len(clip.q) > 1 else np.tile(goal, (2, 1)), what)


def ease_limits(bench: Workbench) -> tuple[JointLimits, ...]:
    """Within which an arm is brought to where a task begins."""
    arm = None if bench.arm is None else bench.arm.joints
    return joint_limits(bench.mechanism, arm, EASE_SHARE * bench.settings.share)


def how_far(task: Task, measured: Floats, goal: Floats) -> str:
    """From where the arm is to a place, in words."""
    joint = int(np.argmax(np.abs(measured - goal)))
    return f"the arm is {abs(float(measured[joint] - goal[joint])):.3f} rad | m away ({task.joints[joint]})"


def checked_way(task: Task, bench: Workbench, q: Floats, what: str) -> Task:
    """A way to where a task begins, as a task; raises a TaskError that begins with `what` if it is not free."""
    way = changed(
        task, q=q, segments=(Segment(0, len(q) - 1, Kind.FREE, "ease in"),), marks=(), name=f"{task.name}: ease in"
    )
    wrong = [
        finding
        for outcome in motion_checks(Motion.of(way, bench.mechanism), bench)
        for finding in outcome.findings
        if finding.check is not Check.SINGULARITY  # joints are moved, not the tool
    ]
    if wrong:
        raise TaskError(f"{what}, and the way there is not free: {wrong[0].text}")
    return way
