"""Draw a planar robot as an SVG: `python docs/draw_planar.py planar-hybrid docs/pictures/planar-hybrid.svg`."""

from __future__ import annotations

import sys
from pathlib import Path

import robots
import station
from station.mad.placement import Pose, world_poses
from station.mad.scene import BASE_ID, Link, Robot

STYLE = """<style>
.body { stroke: #4878a8; stroke-width: 14; stroke-linecap: round }
.axis { fill: #ffffff; stroke: #203040; stroke-width: 5 }
.frame { stroke: #c04020; stroke-width: 5; fill: none }
text { font: 34px sans-serif; fill: #203040 }
</style>"""


def drawing(robot: Robot) -> str:
    """The robot seen from above: bodies as bars, joints as circles with their link, frames as crosses."""
    poses = world_poses(robot)
    bars, marks = [], []
    for item in robot.placed():
        (x0, y0), (x1, y1) = at(poses[item.pred]), at(poses[item.id])
        if item.pred != BASE_ID or isinstance(item, Link):
            bars.append(f'<line class="body" x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"/>')
        if isinstance(item, Link):
            marks.append(f'<circle class="axis" cx="{x1:.1f}" cy="{y1:.1f}" r="18"/>')
            marks.append(f'<text x="{x1 + 26:.1f}" y="{y1 - 26:.1f}">{item.id}</text>')
        else:
            marks.append(f'<path class="frame" d="M {x1 - 20:.1f} {y1:.1f} h 40 m -20 -20 v 40"/>')
            marks.append(f'<text x="{x1 - 30:.1f}" y="{y1 + 36:.1f}" text-anchor="end">frame {item.id}</text>')
    xs, ys = zip(*(at(pose) for pose in poses.values()), strict=True)
    left, top = min(xs) - 100, min(ys) - 100
    width, height = max(xs) - left + 100, max(ys) - top + 100
    paper = f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>'
    box = f"{left:.0f} {top:.0f} {width:.0f} {height:.0f}"
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="760">', STYLE, paper, *bars, *marks, "</svg>"]
    )


def at(pose: Pose) -> tuple[float, float]:
    """A place on the paper [mm], y down."""
    return 1000.0 * float(pose[0, 3]), -1000.0 * float(pose[1, 3])


if __name__ == "__main__":
    scene = station.load(robots.path(sys.argv[1]))
    Path(sys.argv[2]).write_text(drawing(scene.robots[0]) + "\n", encoding="utf8")
