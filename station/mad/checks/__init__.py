"""What must be true of a scene beyond its grammar. All problems are found in one go."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from station.errors import MadError, Severity
from station.mad.checks.bodies import check_bodies, check_obstacle
from station.mad.checks.constraints import check_constraints
from station.mad.checks.devices import check_controllers, check_devices
from station.mad.checks.guides import check_guides
from station.mad.checks.joints import check_joints
from station.mad.checks.names import check_unique
from station.mad.checks.ties import check_ties
from station.mad.checks.tree import check_tree
from station.mad.checks.units import check_units
from station.mad.reader import Findings
from station.mad.scene import Scene


def check(scene: Scene, findings: Findings) -> Scene:
    """The scene with its warnings; raises MadError with all problems if one of them is an error."""
    folder = Path(findings.file).parent if Path(findings.file).is_file() else None
    check_unique([(robot.name, robot.source.place) for robot in scene.robots], "robot", findings)
    check_unique([(obstacle.name, obstacle.source.place) for obstacle in scene.obstacles], "obstacle", findings)
    check_devices(scene, findings)
    check_guides(scene, findings)
    for obstacle in scene.obstacles:
        check_obstacle(obstacle, None, folder, findings)
    for robot in scene.robots:
        check_tree(robot, findings)
        check_joints(robot, scene.unit, findings)
        check_units(robot, scene.unit, findings)
        check_constraints(robot, {device.id for device in scene.devices}, findings)
        check_controllers(robot, findings)
        check_bodies(robot, folder, findings)
    check_ties(scene, findings)
    problems = sorted(findings.problems, key=lambda problem: (problem.line, problem.column))
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise MadError(problems)
    return replace(scene, warnings=tuple(problems), file=str(findings.file) if folder else None)
