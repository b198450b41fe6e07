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
    Tie,
    Tool,
)
from station.mad.units import JointType

SORTS = {"link": Link, "frame": Frame, "tool": Tool, "camera": Camera}


def check_constraints(robot: Robot, devices: set[int], findings: Findings) -> None:
    """Every constraint of a robot."""
    items = {item.id: item for item in robot.placed()}
    _check_led_once(robot, findings)
    for constraint in robot.constraints:
        for nth, target in enumerate(constraint.targets):
            check_target(target, constraint.source.of("targets", nth), items, findings)
        _check_sides(constraint, findings)
        _check_kind(constraint, findings)
        _check_following(constraint, devices | {NULL_DEVICE}, findings)
        _check_priority(constraint, findings)
        _check_bodies_differ(constraint, items, findings)


def check_target(
    target: Target, place: Place, items: dict[int, Link | Frame], findings: Findings, robot: str | None = None
) -> bool:
    """Whether what a constraint names is there and of that sort; `robot` is named where it could be another one."""
    if target.id == BASE_ID:
        return True
    found, inside = items.get(target.id), f" in robot {robot}" if robot else ""
    if found is None:
        known = listed(sorted({BASE_ID, *items}))
        findings.error(place, f"{target.word} {target.id} is not declared{inside}; there are: {known}")
    elif not isinstance(found, SORTS[target.word]):
        findings.error(place, f"{target.id} is a {type(found).__name__.lower()}{inside}, not a {target.word}")
    else:
        return True
    return False


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


def check_axes(constraint: Constraint | Tie, findings: Findings) -> None:
    """Which axes a constraint holds is said once, and each of them once."""
    entries = constraint.source.entries
    if "axes" in entries and not constraint.axes:
        findings.error(constraint.source.of("axes"), "'axes' needs at least one of x, y, z, rx, ry, rz")
    if len(set(constraint.axes)) < len(constraint.axes):
        findings.error(constraint.source.of("axes"), "'axes' names an axis twice")
    if constraint.axes and constraint.kind is not ClosureKind.WELD:
        findings.error(constraint.source.of("axes"), "'axes' replaces the type of a constraint; keep one")


def _check_kind(constraint: Constraint, findings: Findings) -> None:
    check_axes(constraint, findings)
    if not constraint.closes_loop and constraint.kind is not ClosureKind.WELD:
        findings.error(constraint.source.of("kind"), "a type is for loops; say which axes follow: axes ( x y z )")
    if not constraint.closes_loop and constraint.off:
        findings.error(constraint.source.of("off"), "'off' is for loops; what follows no device says device ( 0 )")


def _check_following(constraint: Constraint, devices: set[int], findings: Findings) -> None:
    place = constraint.source.of("devices")
    for device in constraint.devices:
        if device not in devices:
            findings.error(
                place, f"sensor {device} is not declared; declared are: {listed(sorted(devices))} (0 is 'none')"
            )
    twice = [device for nth, device in enumerate(constraint.devices) if device in constraint.devices[:nth]]
    for device in dict.fromkeys(twice):
        findings.error(place, f"device {device} is listed twice; list each once")


def _check_led_once(robot: Robot, findings: Findings) -> None:
    """Two constraints that let different devices lead one frame need a rule: other axes, or another priority."""
    led: dict[int, list[Constraint]] = {}
    for constraint in robot.constraints:
        if constraint.closes_loop or not any(constraint.devices) or not constraint.targets:
            continue
        target = constraint.targets[0]
        others = led.setdefault(target.id, [])
        before = next((other for other in others if _led_alike(other, constraint)), None)
        others.append(constraint)
        if before is not None:
            numbers = sorted({number for one in (before, constraint) for number in one.devices})
            both = f"device ( {' '.join(map(str, numbers))} )"
            text = (
                f"{target.word} {target.id} follows a device already, by line {before.source.place.line}: list "
                f"all in one constraint, {both}, and one leads at a time; or give each its 'axes' or 'priority'"
            )
            findings.error(constraint.source.place, text)


def _led_alike(one: Constraint, other: Constraint) -> bool:
    """Whether two constraints of one frame ask for the same axes with the same priority."""
    apart = one.axes and other.axes and not set(one.axes) & set(other.axes)
    return not apart and one.rank == other.rank


def _check_priority(constraint: Constraint, findings: Findings) -> None:
    if not constraint.priority:
        return
    if constraint.closes_loop:
        findings.error(
            constraint.source.of("priority"), "a loop is always kept; 'priority' is for what follows devices"
        )
    numbers = sum(isinstance(part, int) for part in constraint.priority)
    if max(numbers, len(constraint.priority) - numbers) > 1:
        place = constraint.source.of("priority", len(constraint.priority) - 1)
        findings.error(place, "'priority' has one number and one of place, orientation at most")
    first = constraint.first
    if (
        first is not None
        and constraint.axes
        and not {axis.name for axis in constraint.axes} & set(first.value.upper().split())
    ):
        findings.error(
            constraint.source.of("priority"), f"'axes' has none of {first.value}, which 'priority' puts first"
        )


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
