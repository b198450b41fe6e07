"""The mechanisms of 1998 hold the numbers that are printed for them, digit by digit."""

from __future__ import annotations

import numpy as np
import pytest

import robots
import station
from station.mad.scene import Frame, Link, Robot
from station.mad.units import JointType

R, P = JointType.REVOLUTE, JointType.PRISMATIC
# link: pred, type, theta, r, d, alpha, gamma [mm, degrees], lower and upper stop, and whether stops are relative
Row = tuple[int, JointType, float, float, float, float, float, float, float, bool]

MACDAC: list[Row] = [
    (0, R, 0, 73, 0, 0, 0, -60, 60, False),
    (1, R, 150, 73, 122, 90, 0, -90, 150, False),
    (2, R, -165, -73, 398, 0, 0, -165, 10, False),
    (3, R, 255, 73, 398, 0, 0, 0, 255, False),
    (4, R, 180, 172, 0, 90, 0, 90, 270, False),
]
CROSS_DELTA: list[Row] = [
    (0, P, 0, -1785.65, 0, 180, 0, -2500, -100, False),
    (1, R, 116.3878, 0, 0, 90, 0, 90.5, 160, False),
    (2, R, 0, 0, 20, 90, 0, -70, 70, False),
    (3, R, 0, 0, 1800, 0, 0, -70, 70, False),
    (4, R, -116.3878, 0, 20, -90, 0, -80, 80, True),
    (0, P, 0, -994.43, 0, 90, 0, -2500, 800, False),
    (6, R, 131.81, 0, 0, 90, 0, 90.5, 170, False),
    (7, R, 0, 0, 20, 90, 0, -70, 70, True),
    (8, R, 0, 0, 1200, 0, 0, -70, 70, True),
    (9, R, -131.81, 0, 20, -90, 0, -80, 80, True),
    (0, P, 0, -994.43, 0, -90, 0, -2500, 800, False),
    (11, R, 131.81, 0, 0, 90, 0, 90.5, 170, False),
    (12, R, 0, 0, 20, 90, 0, -70, 70, True),
    (13, R, 0, 0, 1200, 0, 0, -70, 70, True),
    (14, R, -131.81, 0, 20, -90, 0, -80, 80, True),
]
REDUNDANT: list[Row] = [
    (0, R, 90, 0, 0, 0, 0, -160, 160, True),
    (1, R, 60, 0, 0, 90, 0, -110, 110, True),
    (2, R, -30, 0, 2000, 0, 0, -110, 110, True),
    (3, R, -30, 0, 1500, 0, 0, -110, 110, True),
    (4, R, -30, 0, 1000, 0, 0, -110, 110, True),
    (5, R, -30, 0, 800, 0, 0, -110, 110, True),
]
PLANAR_HYBRID: list[Row] = [
    (0, R, 0, 0, 0, 0, 0, -160, 160, True),
    (1, R, 51, 0, 500, 0, 0, -120, 120, True),
    (2, R, -120, 0, 400, 0, 0, -50, 110, True),
    (3, R, 60, 0, 600, 0, 0, -120, 120, True),
    (1, R, -51, 0, 500, 0, -18, -120, 120, True),
    (5, R, 120, 0, 400, 0, 0, -110, 50, True),
    (6, R, -60, 0, 492, 0, 0, -150, 150, True),
]
LINKS = {
    "macdac": MACDAC,
    "cross-delta": CROSS_DELTA,
    "redundant": REDUNDANT,
    "planar-hybrid": PLANAR_HYBRID,
}
FRAMES = {  # id: pred, pos [mm], ori [degrees]
    "macdac": {6: (5, (200, 0, 0), (0, 0, 0))},
    "cross-delta": {
        16: (10, (0, 100, -170), (90, 0, 0)),
        17: (15, (0, 100, 170), (-90, 0, 0)),
        20: (0, (16, 0, 0), (0, 0, 0)),
        21: (0, (0, 0, 1300), (0, 0, 0)),
        22: (0, (0, 0, 0), (-90, 0, 0)),
        23: (22, (0, 0, -1250), (0, 0, 0)),
        24: (0, (0, 0, 0), (90, 0, 0)),
        25: (24, (0, 0, -1250), (0, 0, 0)),
    },
    "redundant": {7: (6, (800, 0, 0), (0, 0, 0))},
    "planar-hybrid": {8: (3, (492, 0, 0), (0, 0, 60)), 9: (4, (200, 0, 0), (0, 0, 0))},
}
LOOPS = {"cross-delta": [(5, 16), (5, 17)], "planar-hybrid": [(7, 8)]}
FOLLOWERS = {
    "macdac": [(6, (0, 1))],
    "cross-delta": [(5, (0, 1))],
    "redundant": [(7, (0, 1)), (4, (0, 2))],
    "planar-hybrid": [(9, (0, 1))],
}


def robot_of(name: str) -> Robot:
    (robot,) = station.load(robots.path(name)).robots
    return robot


def row(link: Link) -> Row:
    """A link as the printed table has it."""
    p, relative = link.parameters, link.range is not None
    stops = link.range or link.limits
    assert stops is not None
    size = np.degrees if link.joint is R else thousand
    assert p.epsil == 0.0
    angles = [np.degrees(angle) for angle in (p.theta, p.alpha, p.gamma)]
    numbers = (angles[0], 1000 * p.r, 1000 * p.d, angles[1], angles[2], size(stops.lo), size(stops.hi))
    theta, r, d, alpha, gamma, lo, hi = (round(float(number), 9) for number in numbers)
    return link.pred, link.joint, theta, r, d, alpha, gamma, lo, hi, relative


def thousand(length: float) -> float:
    return 1000.0 * length


def printed(frame: Frame) -> tuple[int, tuple[float, ...], tuple[float, ...]]:
    pos = tuple(round(1000 * length, 9) for length in frame.pos)
    return frame.pred, pos, tuple(round(float(np.degrees(angle)), 9) for angle in frame.ori)


@pytest.mark.parametrize("name", LINKS)
def test_links_and_frames_are_as_printed(name: str) -> None:
    robot = robot_of(name)
    assert [link.id for link in robot.links] == list(range(1, len(LINKS[name]) + 1))
    assert [row(link) for link in robot.links] == LINKS[name]
    assert {frame.id: printed(frame) for frame in robot.frames} == FRAMES[name]


@pytest.mark.parametrize("name", LINKS)
def test_loops_and_devices_are_as_printed(name: str) -> None:
    constraints = robot_of(name).constraints
    loops = [tuple(target.id for target in each.targets) for each in constraints if each.closes_loop]
    assert loops == LOOPS.get(name, [])
    followers = [(each.targets[0].id, each.devices) for each in constraints if not each.closes_loop]
    assert followers == FOLLOWERS[name]
