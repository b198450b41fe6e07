"""What `station check --json` says of a scene."""

from __future__ import annotations

from typing import Any

from station.errors import Problem
from station.mad.scene import Constraint, Controller, Link, Robot, Scene
from station.mad.units import JointType


def mobility(robot: Robot) -> tuple[int, bool]:
    """Degrees of freedom by counting, and whether the count is exact.

    Exact without loops. With loops it is the least there can be: rows of over-constrained loops count twice.
    """
    joints = sum(link.joint is not JointType.FIXED for link in robot.links) - len(robot.couplings)
    rows = sum(constraint.rows for constraint in robot.constraints if constraint.closes_loop)
    return max(joints - rows, 0), rows == 0


def report(scene: Scene) -> dict[str, Any]:
    """The scene in plain types for JSON; SI units (m, rad, s, kg, N)."""
    return {
        "file": scene.file,
        "scene": scene.name,
        "version": ".".join(map(str, scene.version or (1, 0))),
        "robots": [_robot_data(robot) for robot in scene.robots],
        "devices": [
            {"id": device.id, "type": device.type, "name": device.name, "address": device.address or device.port}
            for device in scene.devices
        ],
        "obstacles": [obstacle.name for obstacle in scene.obstacles],
        "problems": [problem_data(problem) for problem in scene.warnings],
    }


def problem_data(problem: Problem) -> dict[str, Any]:
    """A problem in plain types."""
    return {**problem._asdict(), "severity": problem.severity.value}


def _robot_data(robot: Robot) -> dict[str, Any]:
    count, exact = mobility(robot)
    return {
        "name": robot.name,
        "mobility": count if exact else None,
        "mobility_at_least": count,
        "joints": [_joint_data(link) for link in robot.links if link.joint is not JointType.FIXED],
        "tree": [
            {"id": item.id, "kind": type(item).__name__.lower(), "name": item.name, "pred": item.pred}
            for item in robot.placed()
        ],
        "closures": [_closure_data(constraint) for constraint in robot.constraints if constraint.closes_loop],
        "following": [
            {"target": constraint.targets[0].id, "devices": list(constraint.devices), "rows": constraint.rows}
            for constraint in robot.constraints
            if not constraint.closes_loop
        ],
        "couplings": [
            {"link": coupling.link, "equals": [list(part) for part in coupling.equals], "offset": coupling.offset}
            for coupling in robot.couplings
        ],
        "postures": {posture.name: dict(posture.joints) for posture in robot.postures},
        "controllers": [
            {"address": controller.address, "joints": driven(controller, robot), "rate": controller.rate}
            for controller in robot.controllers
        ],
        "obstacles": [obstacle.name for obstacle in robot.obstacles],
    }


def _joint_data(link: Link) -> dict[str, Any]:
    return {
        "id": link.id,
        "name": link.name,
        "type": link.joint.name.lower(),
        "initial": link.initial,
        "stops": list(link.stops) if link.stops else None,
        "active": not link.passive,
        "speed": link.speed,
        "acceleration": link.acceleration,
        "effort": link.effort,
    }


def _closure_data(constraint: Constraint) -> dict[str, Any]:
    return {
        "between": [target.id for target in constraint.targets],
        "kind": "axes" if constraint.axes else constraint.kind.name.lower(),
        "rows": constraint.rows,
    }


def driven(controller: Controller, robot: Robot) -> list[int]:
    """The links that a controller drives, in its order."""
    active = [link.id for link in robot.links if link.joint is not JointType.FIXED and not link.passive]
    return list(controller.joints) or active
