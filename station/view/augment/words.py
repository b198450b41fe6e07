"""The state of a station in words."""

from __future__ import annotations

from collections.abc import Sequence

from station.mad.units import JointType
from station.servo.shared import Acting, Cause, Emulated, Event, ServoState
from station.view.augment.forces import strength_of
from station.view.augment.reading import Reading, joint_name

FELT_AS = {  # limits that are felt, by what makes them felt
    Acting.CONTACT: Cause.OBSTACLES,
    Acting.SINGULARITY: Cause.SINGULARITY,
    Acting.WORKSPACE: Cause.DEVICE,
}


def state_lines(reading: Reading, signs: Sequence[str] = ()) -> list[str]:
    """A line each: state, what is emulated, joints that are held back, other limits, signs, the force on the hand."""
    snapshot = reading.snapshot
    if snapshot is None:
        return []
    lines = [ServoState(int(snapshot.state[0])).name.lower()]
    if int(snapshot.fault[0]):
        lines[0] += f", cause: {_words(Event(int(snapshot.fault[0])).name)}"
    emulated = Emulated(int(snapshot.emulated[0]))
    if emulated:
        lines.append("emulated: " + ", ".join(str(part.name).lower() for part in Emulated if part & emulated))
    lines += _joint_lines(reading)
    lines += _limit_lines(reading)
    lines += signs
    force = strength_of((snapshot.wrench if reading.pushes else snapshot.wrench_wanted)[:3])
    if force:
        lines.append(f"{'on the hand' if reading.pushes else 'would be felt'}: {force:.1f} N")
    if reading.text.get("measures_wrench") is False:
        lines.append("force at the tool: not measured")
    return lines


def _joint_lines(reading: Reading) -> list[str]:
    """`joint 3 at its upper stop, 6.2 N`: which joints are held back, and how much of it the hand feels."""
    assert reading.snapshot is not None
    lines = []
    felt = strength_of(reading.snapshot.wrench_parts[Cause.STOPS, :3])
    for link, how in zip(reading.joints, reading.snapshot.joint_acting, strict=False):
        if int(how) in (-1, 1):
            slides = link.joint is JointType.PRISMATIC
            end = ("inner" if slides else "lower") if int(how) < 0 else ("outer" if slides else "upper")
            lines.append(f"{joint_name(link)} at its {end} stop" + (f", {felt:.1f} N" if felt else ""))
        elif int(how) == 2:
            lines.append(f"{joint_name(link)} at its speed limit")
    return lines


def _limit_lines(reading: Reading) -> list[str]:
    """All other limits that act, in one line; the force that makes one felt in brackets."""
    assert reading.snapshot is not None
    acting = Acting(int(reading.snapshot.acting[0]))
    joints = any(int(how) for how in reading.snapshot.joint_acting)
    names = []
    for part in Acting:
        if not part & acting or (joints and part in (Acting.JOINT_STOP, Acting.JOINT_SPEED)):
            continue  # joints have lines of their own
        cause = FELT_AS.get(part)
        felt = strength_of(reading.snapshot.wrench_parts[cause, :3]) if cause is not None else 0.0
        names.append(_words(str(part.name)) + (f" ({felt:.1f} N)" if felt else ""))
    return ["limits: " + ", ".join(names)] if names else []


def _words(name: str) -> str:
    return name.lower().replace("_", " ")
