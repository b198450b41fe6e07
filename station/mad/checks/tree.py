"""The tree of a robot: ids, predecessors, no cycles, and not more of them than a computer can move."""

from __future__ import annotations

from typing import NamedTuple

from station.mad.checks.names import check_unique, listed
from station.mad.reader import Findings
from station.mad.scene import BASE_ID, Robot
from station.mad.units import JointType

MOST_JOINTS = 500  # the memory of a mechanism grows with their square, the time of a step with their cube
MOST_PARTS = 4000  # links and frames
MOST_EQUATIONS = 2000  # of loops and couplings


def check_tree(robot: Robot, findings: Findings) -> None:
    """Ids are unique and every chain of predecessors ends at the base."""
    check_size(robot, size_of(robot), robot.name, findings)
    check_unique([(item.id, item.source.place) for item in robot.placed()], "id", findings)
    names = [(item.name, item.source.of("name")) for item in robot.placed() if item.name]
    check_unique(names, "name", findings)
    ids = {BASE_ID, *(item.id for item in robot.placed())}
    for item in robot.placed():
        if item.id == BASE_ID:
            findings.error(item.source.place, "id 0 is the base's own; use another id")
        if item.pred not in ids and "pred" in item.source.entries:
            place = item.source.of("pred")
            findings.error(
                place, f"pred {item.pred} is not declared in robot {robot.name}; there are: {listed(sorted(ids))}"
            )
    _check_cycles(robot, findings)


class Size(NamedTuple):
    """How much there is of what takes time and memory; what is allowed, and what it is called, are in this order."""

    joints: int
    parts: int
    equations: int


MOST = Size(MOST_JOINTS, MOST_PARTS, MOST_EQUATIONS)
COUNTED = ("joints", "links and frames", "equations of loops and couplings")


def size_of(robot: Robot) -> Size:
    """How large a robot is."""
    joints = sum(link.joint is not JointType.FIXED for link in robot.links)
    loops = sum(constraint.rows for constraint in robot.constraints if constraint.closes_loop)
    return Size(joints, sum(1 for _ in robot.placed()), loops + len(robot.couplings))


def check_size(robot: Robot, size: Size, name: str, findings: Findings) -> None:
    """Note what is too much, at the place of a robot."""
    for count, most, what in zip(size, MOST, COUNTED, strict=True):
        if count > most:
            findings.error(robot.source.place, too_many(name, count, most, what))


def too_many(robot: str, count: int, most: int, what: str) -> str:
    """What is said of a robot that is too large."""
    return f"robot {robot} has {count} {what}; at most {most} are possible"


def _check_cycles(robot: Robot, findings: Findings) -> None:
    items = {item.id: item for item in robot.placed()}
    done = {BASE_ID}
    for start in items:
        walked: dict[int, None] = {}  # in order, so that the cycle can be shown
        at = start
        while at in items and at not in done and at not in walked:
            walked[at] = None
            at = items[at].pred
        if at in walked:
            path = list(walked)
            cycle = [*path[path.index(at) :], at]
            findings.error(
                items[at].source.of("pred"), f"the chain of 'pred' runs in a circle: {' → '.join(map(str, cycle))}"
            )
        done.update(walked)
