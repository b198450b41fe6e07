"""Constraints: two things that exist and differ, or one thing and devices that exist."""

from __future__ import annotations

from station.mad.checks.names import listed
from station.mad.reader import Findings
from station.mad.scene import (
    BASE_ID,
    NULL_DEVICE,
    Camera,
    ClosureKind,
    Constraint,
    Frame,
    Link,
    Place,
    Robot,
    Target,
    Tool,
)
from station.mad.units import JointType

SORTS = {"link": Link, "frame": Frame, "tool": Tool, "camera": Camera}


def check_constraints(robot: Robot, devices: set[int], findings: Findings) -> None:
    """Every constraint of a robot."""
    items = {item.id: item for item in robot.placed()}
    for constraint in robot.constraints:
        for nth, target in enumerate(constraint.targets):
            _check_target(target, constraint.source.of("targets", nth), items, findings)
        _check_sides(constraint, findings)
        _check_kind(constraint, findings)
        _check_following(constraint, devices | {NULL_DEVICE}, findings)
        _check_bodies_differ(constraint, items, findings)


def _check_target(target: Target, place: Place, items: dict[int, Link | Frame], findings: Findings) -> None:
    if target.id == BASE_ID:
        return
    found = items.get(target.id)
    if found is None:
        findings.error(
            place, f"{target.word} {target.id} is not declared; there are: {listed(sorted({BASE_ID, *items}))}"
        )
    elif not isinstance(found, SORTS[target.word]):
        findings.error(place, f"{target.id} is a {type(found).__name__.lower()}, not a {target.word}")


def _check_sides(constraint: Constraint, findings: Findings) -> None:
    """Two targets, or one target and a list of devices."""
    follows = bool(constraint.devices) or "devices" in constraint.source.entries
    place = constraint.source.place
    if len(constraint.targets) != (1 if follows else 2):
        said = "link 5 frame 16 (closes a loop) or link 5 sensor ( 0 1 ) (follows devices)"
        findings.error(place, f"a constraint has two targets, or one and a list of devices: {said}")
    elif not follows and constraint.targets[0].id == constraint.targets[1].id:
        word, name = constraint.targets[0]
        findings.error(place, f"a constraint between {word} {name} and itself; name two different things")


def _check_kind(constraint: Constraint, findings: Findings) -> None:
    entries = constraint.source.entries
    if "axes" in entries and not constraint.axes:
        findings.error(constraint.source.of("axes"), "'axes' needs at least one of x, y, z, rx, ry, rz")
    if len(set(constraint.axes)) < len(constraint.axes):
        findings.error(constraint.source.of("axes"), "'axes' names an axis twice")
    if constraint.axes and constraint.kind is not ClosureKind.WELD:
        findings.error(constraint.source.of("axes"), "'axes' replaces the type of a constraint; keep one")
    if not constraint.closes_loop and constraint.kind is not ClosureKind.WELD:
        findings.error(constraint.source.of("kind"), "a type is for loops; say which axes follow: axes ( x y z )")


def _check_following(constraint: Constraint, devices: set[int], findings: Findings) -> None:
    place = constraint.source.of("devices")
    for device in constraint.devices:
        if device not in devices:
            findings.error(
                place, f"sensor {device} is not declared; declared are: {listed(sorted(devices))} (0 is 'none')"
            )
    if len(set(constraint.devices)) < len(constraint.devices):
        findings.error(place, "a device is listed twice")


def _check_bodies_differ(constraint: Constraint, items: dict[int, Link | Frame], findings: Findings) -> None:
    ids = {target.id for target in constraint.targets}
    if len(ids) == 2 and len({_carrier(name, items) for name in ids}) == 1:
        ends = " and ".join(f"{target.word} {target.id}" for target in constraint.targets)
        findings.warning(constraint.source.place, f"{ends} are on the same rigid body; this loop holds no joint")


def _carrier(name: int, items: dict[int, Link | Frame]) -> int:
    """The id of the moving body that a link or frame belongs to."""
    seen = set()
    while name in items and name not in seen:
        item = items[name]
        if isinstance(item, Link) and item.joint is not JointType.FIXED:
            return name
        seen.add(name)
        name = item.pred
    return name
