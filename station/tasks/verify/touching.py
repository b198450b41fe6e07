"""Collisions of a task: with obstacles and with itself, continuous; contacts that are expected are none."""

from __future__ import annotations

import math

from station.bench import Bench
from station.collision import CollisionSettings, Surroundings
from station.collision.results import CollisionError
from station.mad.scene import BASE_ID
from station.mechanism import Mechanism
from station.tasks.task import Kind, Task
from station.tasks.task.model import Floats
from station.tasks.verify.clearance import Pairs, Survey, survey
from station.tasks.verify.joints import Outcome
from station.tasks.verify.motion import Motion
from station.tasks.verify.results import Check, Finding, Margin
from station.tasks.verify.settings import VerifySettings


def surroundings_of(scene: Bench, mechanism: Mechanism) -> Surroundings:
    """All solids; made where the robot is."""
    return Surroundings(scene, mechanism, CollisionSettings(), include_self=True)


def expected_contacts(task: Task) -> list[tuple[float, float]]:
    """Stretches in which the tool may touch: contact segments, and standstills next to them."""
    wanted = [segment.kind is Kind.CONTACT for segment in task.segments]
    for number, segment in enumerate(task.segments):
        if not segment.moves:
            around = task.segments[max(number - 1, 0)], task.segments[min(number + 1, len(task.segments) - 1)]
            wanted[number] = any(other.kind is Kind.CONTACT for other in around)
    stretches: list[tuple[float, float]] = []
    for segment, fine in zip(task.segments, wanted, strict=True):
        if fine and stretches and stretches[-1][1] == segment.begin:
            stretches[-1] = (stretches[-1][0], float(segment.end))
        elif fine:
            stretches.append((float(segment.begin), float(segment.end)))
    return stretches


def tool_frames(mechanism: Mechanism, frame: int) -> set[int]:
    """Frames whose solids count as the tool: all on the body that carries the frame that works."""
    body_of, number = mechanism.memory.frame_body, mechanism.frame_number
    return {item.id for item in mechanism.robot.placed() if body_of[number(item.id)] == body_of[number(frame)]}


def made_up_frames(mechanism: Mechanism) -> frozenset[int]:
    """Links and frames whose shape the file does not say: they are bars, thick enough to be seen."""
    robot = mechanism.robot
    plain = {
        item.id
        for item in robot.placed()
        if not item.collision and not item.visual and not any(isinstance(name, str) for name in item.filename)
    }
    base = robot.base
    shaped = base.collision or base.visual or any(isinstance(name, str) for name in base.filename)
    return frozenset(plain if shaped else plain | {BASE_ID})


def survey_task(task: Task, around: Surroundings, whole: Floats, settings: VerifySettings, with_itself: bool) -> Survey:
    """Distances of all pairs along a path."""
    ignored = frozenset() if settings.made_up else made_up_frames(around.mechanism)
    pairs = Pairs.around(around, whole, with_itself, ignored)
    tools = tool_frames(around.mechanism, task.frame)
    skip = [not name.with_itself and name.frame in tools for name in pairs.names]
    return survey(pairs, whole, settings.clearance, expected_contacts(task), skip)


def check_collisions(motion: Motion, around: Surroundings, settings: VerifySettings) -> list[Outcome]:
    """With obstacles, then with itself."""
    outcomes = []
    for check, with_itself in ((Check.COLLISION, False), (Check.SELF_COLLISION, True)):
        try:
            found = survey_task(motion.task, around, motion.whole, settings, with_itself)
        except CollisionError as error:
            finding = Finding(check, str(error), 0.0, motion.task.duration, math.nan, settings.clearance, None)
            outcomes.append(Outcome([finding], Margin(check, -math.inf, "m", "", None)))
            continue
        outcomes.append(outcome_of(motion, check, found, settings.clearance))
    return outcomes


def outcome_of(motion: Motion, check: Check, found: Survey, clearance: float) -> Outcome:
    """What was found along a path, with its places there."""
    findings, period = [], motion.task.period
    for touch in found.touches:
        how = (
            f"{1000.0 * -touch.distance:.1f} mm inside"
            if touch.distance < 0.0
            else f"{1000.0 * touch.distance:.2f} mm from"
        )
        text = f"{touch.pair.body} is {how} {touch.pair.obstacle}, {motion.at_text(touch.worst)}"
        findings.append(
            Finding(
                check,
                text,
                touch.first * period,
                touch.last * period,
                touch.distance,
                clearance,
                motion.where(touch.worst),
            )
        )
    near = found.nearest
    if near.pair is None:
        note = "nothing to touch" if check is Check.COLLISION else "no two bodies that could touch"
        return Outcome(findings, Margin(check, math.inf, "m", "", None, note))
    what = f"{near.pair.body} and {near.pair.obstacle}"
    return Outcome(findings, Margin(check, near.distance - clearance, "m", what, motion.where(near.sample)))
