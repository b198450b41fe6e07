"""The arm as it was really built: dimensions a little off those of the scene, encoder zeros a little off the joints.

For calibration: what the station knows is the scene, what the physics moves is this, and a test can compare.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from sim_devices.arm.machine import Floats
from sim_devices.arm.settings import ArmSettings
from station.mad.scene import Angles, Frame, Link, Robot, Vector
from station.mad.units import JointType

AnyFrame = TypeVar("AnyFrame", bound=Frame)
PARALLEL = 1e-3  # sine of the angle between axes that should be parallel


@dataclass(frozen=True)
class TrueParameters:
    """What is true of an emulated arm; nobody on the station's side may look."""

    robot: Robot  # with its true dimensions
    zeros: Floats  # what each driven joint's encoder tells too much [rad | m]
    ratios: Floats  # how far each driven joint moves per unit that its encoder tells


def truth_of(robot: Robot, driven: int, settings: ArmSettings, seed: int, tied: Collection[int] = ()) -> TrueParameters:
    """The robot with normally distributed errors of its dimensions; none are made if all spreads are 0.

    The joint variable of a row is not touched: its error is the encoder's zero. Frames that close loops stay as they
    are, so that loops can still be closed; and so do those that are `tied` to other robots. An axis that should be
    parallel to the one before is tilted sideways too, by a frame that the scene does not have: no row can say that.
    """
    random = np.random.default_rng([seed, 2])
    zeros = random.normal(size=driven) * settings.wrong_zero
    ratios = 1.0 + np.random.default_rng([seed, 3]).normal(size=driven) * settings.wrong_ratio
    if settings.wrong_length == 0.0 and settings.wrong_angle == 0.0:
        return TrueParameters(robot, zeros, ratios)
    ends = {target.id for constraint in robot.constraints if constraint.holds for target in constraint.targets}
    ends |= set(tied)
    links = tuple(_wrong_link(link, settings, random) for link in robot.links)
    frames = tuple(frame if frame.id in ends else _wrong_frame(frame, settings, random) for frame in robot.frames)
    tools = tuple(tool if tool.id in ends else _wrong_frame(tool, settings, random) for tool in robot.tools)
    true = replace(robot, links=links, frames=frames, tools=tools)
    return TrueParameters(true if ends else _tilted(robot, true, settings.wrong_angle, seed), zeros, ratios)


def _tilted(nominal: Robot, true: Robot, wrong_angle: float, seed: int) -> Robot:
    """The robot with a sideways tilt before every axis that should be parallel to the one that carries it."""
    random = np.random.default_rng([seed, 4])
    joints = {link.id for link in nominal.links if link.joint is not JointType.FIXED}
    unused = max(item.id for item in nominal.placed()) + 1
    links, tilts = [], []
    for link, told in zip(true.links, nominal.links, strict=True):
        if link.id in joints and link.pred in joints and abs(math.sin(told.parameters.alpha)) < PARALLEL:
            tilts.append(Frame(id=unused, ori=Angles(0.0, float(random.normal()) * wrong_angle, 0.0), pred=link.pred))
            links.append(replace(link, pred=unused))
            unused += 1
        else:
            links.append(link)
    return replace(true, links=tuple(links), frames=true.frames + tuple(tilts))


def _wrong_link(link: Link, settings: ArmSettings, random: np.random.Generator) -> Link:
    length, angle = random.normal(size=3) * settings.wrong_length, random.normal(size=3) * settings.wrong_angle
    old = link.parameters
    new = old._replace(
        theta=old.theta + (0.0 if link.joint is JointType.REVOLUTE else angle[0]),
        r=old.r + (0.0 if link.joint is JointType.PRISMATIC else length[0]),
        alpha=old.alpha + angle[1],
        d=old.d + length[1],
    )
    return replace(link, parameters=new)


def _wrong_frame(frame: AnyFrame, settings: ArmSettings, random: np.random.Generator) -> AnyFrame:
    pos = np.array(frame.pos) + random.normal(size=3) * settings.wrong_length
    ori = np.array(frame.ori) + random.normal(size=3) * settings.wrong_angle
    return replace(frame, pos=Vector(*pos.tolist()), ori=Angles(*ori.tolist()))
