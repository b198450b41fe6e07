"""What a robot's calibration belongs to: its geometry as the MAD file has it, whatever else the file says."""

from __future__ import annotations

from dataclasses import replace

from calibration.results import Subject
from station.mad.scene import Base, Frame, Link, Robot, Scene
from station.mad.writer import dumps


def robot_subject(robot: Robot) -> Subject:
    """The robot by the hash of its geometry: postures, limits, masses and shapes may change."""
    return Subject.mad(geometry_text(robot), robot.name)


def geometry_text(robot: Robot) -> str:
    """Base, rows, gears, frames, loops and couplings of a robot as MAD text, and nothing else."""
    return dumps(Scene(name="geometry", version=(2, 0), robots=(bare(robot),)))


def bare(robot: Robot) -> Robot:
    """The robot without all that is not geometry."""
    frames = (*robot.frames, *robot.tools, *robot.cameras)
    return Robot(
        name=robot.name,
        base=Base(pos=robot.base.pos, ori=robot.base.ori),
        links=tuple(
            Link(id=one.id, parameters=one.parameters, joint=one.joint, pred=one.pred, gear=one.gear)
            for one in robot.links
        ),
        frames=tuple(Frame(id=one.id, pos=one.pos, ori=one.ori, pred=one.pred) for one in frames),
        constraints=tuple(replace(one, devices=()) for one in robot.constraints if one.holds),
        couplings=robot.couplings,
    )
