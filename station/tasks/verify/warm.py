"""Compile everything that checks a task ahead of time: `python -m station.tasks.verify.warm`. Done once."""

from __future__ import annotations

import numpy as np

import robots
from station.bench import load
from station.tasks.task import Segment, Task
from station.tasks.task.joints import driven_joints, driven_names
from station.tasks.verify.checks import make_workbench, verify
from station.tasks.verify.settings import VerifySettings

ROBOTS = ("panda", "delta")  # one without loops, one with


def warm_up() -> None:
    """Check a task that stands still, on a robot of each kind."""
    for name in ROBOTS:
        scene = load(robots.path(name))
        mechanism = scene[scene.robots[0].name]
        q = np.tile(mechanism.q[driven_joints(mechanism)], (5, 1))
        task = Task(
            name="warm-up",
            robot=mechanism.robot.name,
            joints=driven_names(mechanism),
            frame=mechanism.robot.links[-1].id,
            period=1e-3,
            q=q,
            segments=(Segment(0, len(q) - 1),),
        )
        verify(task, make_workbench(scene, mechanism, VerifySettings()))


if __name__ == "__main__":
    warm_up()
