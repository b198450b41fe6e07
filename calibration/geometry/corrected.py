"""A robot with its estimated dimensions, in the words of the MAD language; applying.py puts it into a scene.

A row of the language is Rz(gamma)·Tz(epsil)·Rx(alpha)·Tx(d)·Rz(theta)·Tz(r), and the joint value itself is theta or r.
So alpha, d and r (theta of a slide) are corrected in the row; what a row cannot say, a joint's zero and the extra angle
at parallel axes, goes into a small frame before it, as a turn about a point of the axis. What an encoder tells was
already seen through the `gear` that the file has, so an estimated ratio is multiplied to it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from calibration.geometry.screws import STAND, Tree
from calibration.parameters import Floats
from station.mad.placement import from_parameters
from station.mad.scene import Angles, Frame, Link, Robot, Vector
from station.mad.units import JointType

AnyFrame = TypeVar("AnyFrame", bound=Frame)


def corrected_robot(tree: Tree, dimensions: Floats, ratios: dict[int, float] | None = None) -> Robot:
    """The robot of a tree with other dimensions and gears; where it stands for whoever measured is left out.

    Args:
        tree: the nominal robot.
        dimensions: in the order of the tree's motions [m, rad].
        ratios: by which what an encoder tells is multiplied, by link.
    """
    values: dict[int, dict[str, float]] = {}
    for owner, name, value in zip(tree.motions.owner, tree.motions.name, dimensions, strict=True):
        values.setdefault(owner, {})[name] = float(value)
    values.pop(STAND)
    robot = tree.robot
    unused = max([item.id for item in robot.placed()], default=0) + 1
    links, added = [], []
    for link in robot.links:
        if link.id not in values:
            links.append(link)
            continue
        made, correction = _corrected_link(link, values[link.id])
        made = replace(made, gear=made.gear * (ratios or {}).get(link.id, 1.0))
        if correction is not None:
            added.append(Frame(id=unused, pos=correction[0], ori=correction[1], pred=link.pred))
            made = replace(made, pred=unused)
            unused += 1
        links.append(made)
    return replace(
        robot,
        links=tuple(links),
        frames=tuple(_corrected_frame(one, values) for one in robot.frames) + tuple(added),
        tools=tuple(_corrected_frame(one, values) for one in robot.tools),
        cameras=tuple(_corrected_frame(one, values) for one in robot.cameras),
    )


def _corrected_frame(frame: AnyFrame, values: dict[int, dict[str, float]]) -> AnyFrame:
    if frame.id not in values:
        return frame
    new = values[frame.id]
    return replace(frame, pos=Vector(new["x"], new["y"], new["z"]), ori=Angles(new["a"], new["b"], new["c"]))


def _corrected_link(link: Link, new: dict[str, float]) -> tuple[Link, tuple[Vector, Angles] | None]:
    """The row, and place and turn of a frame before it if it needs one."""
    old = link.parameters
    turns, slides = link.joint is JointType.REVOLUTE, link.joint is JointType.PRISMATIC
    row = old._replace(
        alpha=new["alpha"],
        d=new["d"],
        theta=old.theta if turns else new["theta"],
        r=old.r if slides else new["r"],
    )
    made = replace(link, parameters=row)
    zero = new["theta"] if turns else new["r"] if slides else 0.0
    if zero == 0.0 and new["beta"] == 0.0:
        return made, None
    foot = from_parameters(row._replace(theta=0.0, r=0.0))
    # Behind Ry(beta) come theta, r and the joint; turn and zero commute with those about the same axis.
    extra = _about_y(new["beta"])
    extra = extra @ (_about_z(zero) if turns else _along_z(zero))
    correction = foot @ extra @ np.linalg.inv(foot)
    return made, (Vector(*correction[:3, 3].tolist()), _angles(correction[:3, :3]))


def _about_y(angle: float) -> Floats:
    pose = np.eye(4)
    pose[0, 0], pose[0, 2], pose[2, 0], pose[2, 2] = np.cos(angle), np.sin(angle), -np.sin(angle), np.cos(angle)
    return pose


def _about_z(angle: float) -> Floats:
    pose = np.eye(4)
    pose[0, 0], pose[0, 1], pose[1, 0], pose[1, 1] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
    return pose


def _along_z(length: float) -> Floats:
    pose = np.eye(4)
    pose[2, 3] = length
    return pose


def _angles(turn: Floats) -> Angles:
    """Angles of Rz(c)·Ry(b)·Rx(a); corrections are small, so b is far from a quarter turn."""
    b = float(np.arctan2(-turn[2, 0], np.hypot(turn[0, 0], turn[1, 0])))
    return Angles(float(np.arctan2(turn[2, 1], turn[2, 2])), b, float(np.arctan2(turn[1, 0], turn[0, 0])))
