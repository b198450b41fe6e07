"""Units: metres taken for millimetres, radians for degrees. Nothing is wrong with such a file but its robot."""

from __future__ import annotations

import math

from station.errors import Severity
from station.mad.reader import Findings
from station.mad.scene import BASE_ID, Interval, Link, Robot
from station.mad.units import JointType, LengthUnit

SMALLEST, LARGEST = 0.01, 200.0  # length of the longest chain of a robot that nobody wonders about [m]
LEAST_STOP = math.radians(7.0)  # a bit more than 2π would be, taken for degrees
MOST_STOP = 30.0  # [rad]: five turns; 30° taken for radians


def check_units(robot: Robot, length: LengthUnit, findings: Findings) -> None:
    """Warn of a robot a thousand times too small or too large, and of stops that are all radians, or all degrees.

    Not in a file with errors: what it says is not what was meant anyway.
    """
    if any(problem.severity is Severity.ERROR for problem in findings.problems):
        return
    reach, place = _reach(robot), robot.source.place
    if 0.0 < reach < SMALLEST:
        meant = "write 'unit m' if its lengths are metres" if length is LengthUnit.MM else "are its lengths kilometres?"
        findings.warning(place, f"robot {robot.name} is only {1000.0 * reach:.3g} mm long; {meant}")
    elif reach > LARGEST:
        meant = "are its lengths millimetres?" if length is LengthUnit.M else "are its lengths micrometres?"
        findings.warning(place, f"robot {robot.name} is {reach:.4g} m long; {meant}")
    turning = [link for link in robot.links if link.joint is JointType.REVOLUTE]
    sizes = [max(map(abs, given)) for link in turning if (given := _given(link)) is not None]
    if sizes and max(sizes) < LEAST_STOP:
        largest = math.degrees(max(sizes))
        findings.warning(place, f"robot {robot.name}: no joint turns beyond {largest:.3g}°; are its stops radians?")
    elif sizes and min(sizes) > MOST_STOP:
        findings.warning(place, f"robot {robot.name}: all stops are beyond {MOST_STOP:g} rad; are they degrees?")


def _given(link: Link) -> Interval | None:
    """Stops as they were written."""
    return link.limits if link.limits is not None else link.range


def _reach(robot: Robot) -> float:
    """Length of the longest chain, and of the longest travel [m]; circles of `pred` end where they began."""
    items = {item.id: item for item in robot.placed()}
    reach = {BASE_ID: 0.0}
    for start in items:
        branch: dict[int, None] = {}
        at = start
        while at in items and at not in reach and at not in branch:
            branch[at] = None
            at = items[at].pred
        for name in reversed(branch):
            item = items[name]
            reach[name] = reach.get(item.pred, 0.0) + (_step(item) if isinstance(item, Link) else math.hypot(*item.pos))
    slides = [link for link in robot.links if link.joint is JointType.PRISMATIC]
    travel = [given.hi - given.lo for link in slides if (given := _given(link)) is not None]
    return max(*reach.values(), *travel, 0.0)


def _step(link: Link) -> float:
    """Distance between the origins of a link and of its predecessor [m]; a joint that slides at 0."""
    _theta, r, alpha, d, _gamma, epsil = link.parameters
    r = 0.0 if link.joint is JointType.PRISMATIC else r
    return math.hypot(d, r * math.sin(alpha), epsil + r * math.cos(alpha))
