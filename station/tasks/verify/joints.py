"""Joints against their limits at every instant: position, speed, acceleration, jerk and effort.

Between two samples the motion is a smooth curve through them. Differences of samples are means of speed, acceleration
and jerk over one, two and three periods, which is what an arm that is sent these samples can feel.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from station.tasks.task import Limits
from station.tasks.task.model import Floats
from station.tasks.verify.masses import Masses, path_efforts
from station.tasks.verify.motion import Motion
from station.tasks.verify.results import Check, Finding, Margin
from station.tasks.verify.settings import VerifySettings

ROUNDING = 1e-6  # part of a limit by which it may be exceeded: samples are rounded
UNITS = {Check.SPEED: "rad/s | m/s", Check.ACCELERATION: "rad/s² | m/s²", Check.JERK: "rad/s³ | m/s³"}
WORDS = {Check.SPEED: "too fast", Check.ACCELERATION: "accelerates too much", Check.JERK: "jerks"}


class Outcome(NamedTuple):
    """What one check found."""

    findings: list[Finding]
    margin: Margin


def check_position(motion: Motion, limits: Limits) -> Outcome:
    """All joints within their ranges, passive ones too; the margin is the distance from the nearest stop."""
    count = motion.whole.shape[1]
    low, high = np.full(count, -math.inf), np.full(count, math.inf)
    for number, joint in enumerate(motion.mechanism.joints):
        if joint.limits is not None:
            low[number], high[number] = joint.limits
    low[motion.driven], high[motion.driven] = limits.low, limits.high
    room = np.minimum(motion.whole - low, high - motion.whole)
    findings = []
    for at in map(int, np.flatnonzero(room.min(axis=0) < -1e-9)):
        for first, last in motion.intervals(room[:, at] < -1e-9):
            worst = first + int(np.argmin(room[first : last + 1, at]))
            value = float(motion.whole[worst, at])
            limit = float(low[at] if value < low[at] else high[at])
            text = (
                f"{motion.joint_name(at)} goes to {value:.4f}, beyond its stop at {limit:.4f}, {motion.at_text(worst)}"
            )
            findings.append(finding_at(Check.POSITION, text, motion, (first, last, worst), value, limit))
    sample, at = divmod(int(np.argmin(room)), count)
    least = float(room[sample, at])
    what = motion.joint_name(at) if math.isfinite(least) else ""
    return Outcome(findings, Margin(Check.POSITION, least, "rad | m", what, motion.where(sample)))


def check_rates(motion: Motion, limits: Limits) -> list[Outcome]:
    """Speed, acceleration and jerk of driven joints, from rest to rest; margins are shares of the limits."""
    q, period = np.asarray(motion.task.q), motion.task.period
    outcomes = []
    for order, check, limit in (
        (1, Check.SPEED, limits.speed),
        (2, Check.ACCELERATION, limits.acceleration),
        (3, Check.JERK, limits.jerk),
    ):
        padded = np.concatenate([np.tile(q[0], (order, 1)), q, np.tile(q[-1], (order, 1))])
        values = np.abs(np.diff(padded, order, axis=0)) / period**order
        outcomes.append(_judged(motion, check, values, limit, 0.5 * order))
    return outcomes


def _judged(motion: Motion, check: Check, values: Floats, limit: Floats, shift: float) -> Outcome:
    """Values n×driven against limits; row i is of sample i - shift."""
    share, last = values / limit, len(motion.whole) - 1
    findings = []
    for joint in np.flatnonzero(share.max(axis=0) > 1.0 + ROUNDING):
        for first, final in motion.intervals(share[:, joint] > 1.0 + ROUNDING):
            worst = first + int(np.argmax(share[first : final + 1, joint]))
            begin, end, at = (int(np.clip(round(row - shift), 0, last)) for row in (first, final, worst))
            value, allowed = float(values[worst, joint]), float(limit[joint])
            name = motion.joint_name(motion.driven[joint])
            text = f"{name} {WORDS[check]}: {value:.3g} of {allowed:.3g} {UNITS[check]} allowed, {motion.at_text(at)}"
            findings.append(finding_at(check, text, motion, (begin, end, at), value, allowed))
    row, joint = np.unravel_index(int(np.argmax(share)), share.shape)
    name = motion.joint_name(motion.driven[int(joint)])
    return Outcome(
        findings, Margin(check, 1.0 - float(share[row, joint]), "of the limit", name, motion.where(float(row) - shift))
    )


def why_no_effort(limits: Limits, masses: Masses) -> str:
    """Why efforts cannot be compared; empty if they can."""
    if not masses.known:
        return "the file has no masses"
    return "" if np.isfinite(limits.effort).any() else "neither file nor arm says an effort"


def efforts_along(motion: Motion, masses: Masses) -> Floats:
    """Efforts of the driven joints, n×driven, by inverse dynamics [N·m | N]."""
    efforts = np.zeros_like(motion.whole)
    mechanism, period = motion.mechanism, motion.task.period
    path_efforts(mechanism.memory, masses.bodies, motion.free, motion.carried, motion.whole, period, efforts)
    mechanism._refresh()
    found: Floats = efforts[:, motion.driven]
    return found


def check_effort(motion: Motion, limits: Limits, masses: Masses, settings: VerifySettings) -> Outcome:
    """Effort of driven joints by inverse dynamics; what a contact adds is not known here."""
    why = why_no_effort(limits, masses)
    if why:
        return Outcome([], Margin(Check.EFFORT, math.inf, "of the limit", "", None, why))
    values, limit = np.abs(efforts_along(motion, masses)), settings.effort_share * limits.effort
    share = values / limit
    findings = []
    for joint in np.flatnonzero(share.max(axis=0) > 1.0):
        for first, last in motion.intervals(share[:, joint] > 1.0):
            worst = first + int(np.argmax(share[first : last + 1, joint]))
            value, allowed = float(values[worst, joint]), float(limit[joint])
            text = (
                f"{motion.joint_name(motion.driven[joint])} needs {value:.3g} of {allowed:.3g} N·m | N allowed, "
                f"{motion.at_text(worst)}"
            )
            findings.append(finding_at(Check.EFFORT, text, motion, (first, last, worst), value, allowed))
    row, joint = np.unravel_index(int(np.argmax(share)), share.shape)
    name = motion.joint_name(motion.driven[int(joint)])
    margin = Margin(Check.EFFORT, 1.0 - float(share[row, joint]), "of the limit", name, motion.where(float(row)))
    return Outcome(findings, margin)


def finding_at(
    check: Check, text: str, motion: Motion, samples: tuple[int, int, int], value: float, limit: float
) -> Finding:
    """A finding between two samples, with the worst one."""
    first, last, worst = samples
    period = motion.task.period
    return Finding(check, text, first * period, last * period, value, limit, motion.where(worst))
