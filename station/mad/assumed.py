"""What a robot is taken for where its file is silent: its size, and how fast its joints may be.

A joint without `speed` is not infinitely fast: near a singularity a predicted robot would leap from one tick to the
next. So it gets a bound from the size of the robot, wide enough not to be met in work. Where a hand leads it, it also
takes its time to get that fast and to stop.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from station.mad.joined import members_of
from station.mad.scene import BASE_ID, Frame, Link, Robot
from station.mad.units import JointType

TIP_SPEED = 10.0  # that one turning joint may give the end of the longest chain [m/s]: that of the fastest machines
MOST_TURNING = 4.0 * math.pi  # speed of a turning joint, however small the robot [rad/s]
MOST_SLIDING = 10.0  # speed of a sliding joint, however large the robot [m/s]
SLIDING_TIME = 0.1  # in which a sliding joint may cross the robot [s]
FASTER = 2.0  # a joint that the file is silent about, beside the fastest of its kind that it speaks of
RISE_TIME = 0.02  # in which a joint gets to its full speed, and to rest again [s]


class Assumed(NamedTuple):
    """Limits of a joint that its file does not give."""

    speed: float  # [rad/s | m/s]
    acceleration: float | None  # where a hand leads; None: the file knows of speeds, or has this [rad/s² | m/s²]


def longest_chain(robot: Robot) -> float:
    """Sum of the distances along the longest branch of a robot [m]."""
    reach: dict[int, float] = {BASE_ID: 0.0}
    items = {item.id: item for item in robot.placed()}
    bases = {member.offset for member in members_of(robot)}
    for start in items:
        branch, at = [], start
        while at not in reach:
            branch.append(at)
            at = items[at].pred
        for name in reversed(branch):
            in_world = name in bases and items[name].pred == BASE_ID  # where a robot stands says nothing of its size
            reach[name] = reach[items[name].pred] + (0.0 if in_world else _distance(items[name]))
    return max(reach.values())


def _distance(item: Link | Frame) -> float:
    """From the origin of the predecessor to that of a link or frame [m]; by hand: who looks at a file has no numpy."""
    if isinstance(item, Frame):
        return math.hypot(*item.pos)
    _, r, alpha, d, _, epsil = item.parameters
    return math.hypot(d, r * math.sin(alpha), r * math.cos(alpha) + epsil)


def typical_length(robot: Robot) -> float:
    """A length that is typical of a robot [m]: a quarter of its longest chain of distances, or of its travel."""
    slides = [link.limits for link in robot.links if link.joint is JointType.PRISMATIC and link.limits is not None]
    travel = max((high - low for low, high in slides), default=0.0)  # a gantry may have no other length
    return max(0.25 * longest_chain(robot), 0.25 * travel, 1e-3)


def assumed_limits(robot: Robot) -> dict[int, Assumed]:
    """Limits of all joints without `speed`, by the id of their links."""
    size = 4.0 * typical_length(robot)
    usual = {
        JointType.REVOLUTE: min(MOST_TURNING, TIP_SPEED / size),
        JointType.PRISMATIC: min(MOST_SLIDING, size / SLIDING_TIME),
    }
    for link in robot.links:
        if link.speed is not None and link.joint in usual:
            usual[link.joint] = max(usual[link.joint], FASTER * link.speed)
    moving = [link for link in robot.links if link.joint is not JointType.FIXED]
    silent = all(link.speed is None for link in moving)
    limits = dict[int, Assumed]()
    for link in moving:
        if link.speed is None:
            speed = usual[link.joint]
            limits[link.id] = Assumed(speed, speed / RISE_TIME if silent and link.acceleration is None else None)
    return limits
