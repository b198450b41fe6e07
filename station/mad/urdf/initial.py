"""Where joints start: at 0, or in the middle of their stops if 0 is beyond them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from station.mad.units import FARTHEST
from station.mad.urdf import tidy
from station.mad.urdf.bounds import Kind
from station.mad.urdf.joints import UrdfJoint


def initial_values(joints: Iterable[UrdfJoint]) -> dict[str, float]:
    """Initial joint value of every joint that moves [rad | m]; a mimic starts where its leader puts it."""
    movable = {joint.name: joint for joint in joints if joint.moves}
    values: dict[str, float] = {}
    for joint in movable.values():
        chain: dict[str, UrdfJoint] = {}  # from this joint to a leader whose value is known
        at = joint
        while at.name not in values and at.name not in chain:
            chain[at.name] = at
            at = movable[at.mimic.leader] if at.mimic is not None else at
        for follower in reversed(chain.values()):
            values[follower.name] = _initial(follower, values)
    return values


def _initial(joint: UrdfJoint, known: Mapping[str, float]) -> float:
    mimic = joint.mimic
    if mimic is not None and mimic.leader in known:  # it is not in a circle of mimics, which is refused later
        led = mimic.multiplier * known[mimic.leader] + mimic.offset
        if abs(led) <= FARTHEST and _inside(joint, led):
            return led + 0.0
    if _inside(joint, 0.0) or joint.bounds.limits is None:
        return 0.0
    lo, hi = joint.bounds.limits
    middle = lo / 2 + hi / 2
    middle = tidy.length(middle) if joint.kind is Kind.PRISMATIC else tidy.angle(middle)
    return min(max(middle, lo), hi)


def _inside(joint: UrdfJoint, value: float) -> bool:
    limits = joint.bounds.limits
    return limits is None or limits.lo <= value <= limits.hi
