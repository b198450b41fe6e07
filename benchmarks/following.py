"""What follows a hand when a robot cannot do all six: robot against target, for hands that move straight or turn.

python -m benchmarks.following                  the table
python -m benchmarks.following docs/solver.md   writes it between the marks of a page
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import robots
import station
from benchmarks import following_robots
from station.kernel import Floats
from station.kernel.se3 import difference
from station.kernel.so3 import rotation
from station.mechanism import Mechanism
from station.mechanism.following import Choice, choose, leading

STRAIGHT, TURN = 0.03, math.radians(10.0)  # of the hand, along and about each axis [m, rad]
SECONDS, AT_REST, DT = 0.5, 0.3, 1e-3
SHIPPED = ("delta", "scara", "five-bar", "3-rpr", "macdac")
MADE = {
    "3-PRS": following_robots.prs(),
    "3-PRS, 35° askew": following_robots.prs(35.0),
    "wrist, tool of 80 mm": following_robots.wrist(),
    "planar, 3 joints": following_robots.planar(),
    "planar, 40° askew": following_robots.planar(tilt=40.0),
    "planar, 2 joints": following_robots.planar(2),
    "arm without wrist": following_robots.elbow(),
}
STARTS = {"macdac": (0.0, 100.0, -90.0, 120.0, 180.0)}  # away from its stops [°]
MARKED = re.compile(r"(<!-- following -->\n).*?(<!-- end -->)", re.DOTALL)


def scenes() -> Iterator[tuple[str, station.Bench]]:
    """Robots that cannot do all six, by name."""
    for name, text in MADE.items():
        yield name, station.loads(text)
    for name in SHIPPED:
        yield name, station.load(robots.path(name))


def led(scene: station.Bench) -> tuple[Mechanism, int]:
    """The first robot of a scene, and the frame that its file ties to a device."""
    robot = scene.robots[0]
    return scene[robot.name], next(one.targets[0].id for one in robot.constraints if not one.closes_loop)


def lead(robot: Mechanism, frame: int, choice: Choice, twist: Floats) -> Floats:
    """Lead a frame by a twist in half a second and wait; returns how the robot has moved [m, rad], and comes back."""
    start, begin = robot.q, robot.pose(frame)
    follow, target, shares = leading(robot, frame, choice), np.eye(4), np.linspace(0.0, 1.0, int(SECONDS / DT))
    for share in (*shares, *([1.0] * int(AT_REST / DT))):
        target[:3, :3] = rotation(share * twist[3:]) @ begin[:3, :3]
        target[:3, 3] = begin[:3, 3] + share * twist[:3]
        follow(target, DT)
    moved = difference(begin, robot.pose(frame))
    robot.q = start
    return moved


def cells(robot: Mechanism, frame: int, choice: Choice) -> Iterator[str]:
    """For hands along and about each axis: how far the robot follows, and what it does besides."""
    for axis in range(6):
        twist = np.zeros(6)
        twist[axis] = STRAIGHT if axis < 3 else TURN
        moved = lead(robot, frame, choice, twist)
        followed, moved[axis] = moved[axis], 0.0
        yield _text(followed, axis >= 3) + _besides(moved)


def _besides(moved: Floats) -> str:
    parts = [_text(float(np.linalg.norm(part)), turns) for turns, part in ((False, moved[:3]), (True, moved[3:]))]
    parts = [part for part in parts if part not in ("0 mm", "0°")]
    return f" (and {', '.join(parts)})" if parts else ""


def _text(value: float, turns: bool) -> str:
    shown = round(math.degrees(value), 1) if turns else round(1000.0 * value, 1)
    return f"{shown + 0.0:g}{'°' if turns else ' mm'}"


def table() -> str:
    """As Markdown."""
    straight = [f"30 mm along {axis}" for axis in "xyz"] + [f"10° about {axis}" for axis in "xyz"]
    lines = [f"| robot | what is said | {' | '.join(straight)} |", "|---" * 8 + "|"]
    for name, scene in scenes():
        robot, frame = led(scene)
        if name in STARTS:
            robot.q = np.radians(STARTS[name])
        choice = choose(robot, frame)
        lines.append(f"| {name} | {choice.said} | {' | '.join(cells(robot, frame, choice))} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        page = Path(sys.argv[1])
        text = page.read_text(encoding="utf8")
        page.write_text(MARKED.sub(lambda match: match[1] + table() + match[2], text), encoding="utf8")
    else:
        print(table(), end="")
