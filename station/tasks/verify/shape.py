"""Loops that stay closed, and a tool that stays away from singularities."""

from __future__ import annotations

import math

import numpy as np

from station.tasks.task.model import Floats
from station.tasks.verify.joints import Outcome, finding_at
from station.tasks.verify.kernels.gains import path_gains
from station.tasks.verify.motion import Motion
from station.tasks.verify.results import Check, Margin
from station.tasks.verify.settings import VerifySettings


def check_closure(motion: Motion, settings: VerifySettings) -> Outcome:
    """Gaps of loops and couplings, with the driven joints where the task has them."""
    if not len(motion.mechanism._mem.residual):
        return Outcome([], Margin(Check.CLOSURE, math.inf, "m", "", None, "the robot has no loops"))
    findings = []
    for first, last in motion.intervals(~(motion.gaps <= settings.closure)):
        worst = first + int(np.argmax(np.nan_to_num(motion.gaps[first : last + 1], nan=math.inf)))
        value = float(motion.gaps[worst])
        text = f"the loops do not close: {1000.0 * value:.3g} mm are open, {motion.at_text(first)}"
        findings.append(finding_at(Check.CLOSURE, text, motion, (first, last, worst), value, settings.closure))
    worst = int(np.argmax(motion.gaps))
    room = settings.closure - float(motion.gaps[worst])
    return Outcome(findings, Margin(Check.CLOSURE, room, "m", "", motion.where(worst)))


def gains_along(motion: Motion, limit: float) -> Floats:
    """Least over largest gain of the tool at every sample that matters; NaN at others."""
    mechanism, frame = motion.mechanism, motion.task.frame
    gains = np.full(len(motion.whole), math.nan)
    path_gains(
        mechanism.block,
        mechanism.frame_number(frame),
        mechanism.rank(frame),
        motion.free,
        motion.carried,
        motion.whole,
        limit,
        gains,
    )
    mechanism._refresh()
    return gains


def check_singularity(motion: Motion, settings: VerifySettings) -> Outcome:
    """How far the tool stays from a singularity; the margin is the gain ratio beyond the limit."""
    limit = settings.singularity
    gains = gains_along(motion, limit)
    findings = []
    with np.errstate(invalid="ignore"):
        bad = gains < limit
    for first, last in motion.intervals(bad):
        worst = first + int(np.nanargmin(gains[first : last + 1]))
        value = float(gains[worst])
        text = (
            f"near a singularity: the least gain of the tool is {value:.3g} of the largest, {limit:.3g} is allowed, "
            f"{motion.at_text(worst)}"
        )
        findings.append(finding_at(Check.SINGULARITY, text, motion, (first, last, worst), value, limit))
    worst = int(np.nanargmin(gains))
    room = float(gains[worst]) - limit
    return Outcome(findings, Margin(Check.SINGULARITY, room, "gain ratio", "", motion.where(worst)))
