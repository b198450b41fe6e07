"""What `station check --json` says of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from station.errors import Problem
from station.mad.assumed import Assumed, assumed_limits
from station.mad.joined import Joined, groups, join
from station.mad.scene import Constraint, Controller, Coupling, Link, Robot, Scene
from station.mad.units import JointType

if TYPE_CHECKING:
    from station.mechanism import Report


def compile_reports(scene: Scene) -> dict[str, Report]:
    """What compiling and assembling found out, for every robot with loops; raises AssemblyError.

    Robots without loops need no compiler: their joints are their freedom. Robots that move as one are looked at alone
    and together.
    """
    looped = [robot for robot in (*scene.robots, *together(scene)) if _loops(robot)]
    if not looped:
        return {}
    from station.mechanism import Mechanism  # slow to load, so only where it is needed

    return {robot.name: Mechanism(robot).report for robot in looped}


def together(scene: Scene) -> list[Joined]:
    """Robots that move as one, each group as one robot."""
    return [join(scene, names) for names in groups(scene) if len(names) > 1]


def _loops(robot: Robot) -> int:
    return sum(constraint.holds for constraint in robot.constraints)


def mobility(robot: Robot, reports: dict[str, Report]) -> int:
    """Degrees of freedom."""
    if robot.name in reports:
        return reports[robot.name].mobility
    return sum(link.joint is not JointType.FIXED for link in robot.links) - len(robot.couplings)


def report(scene: Scene, reports: dict[str, Report]) -> dict[str, Any]:
    """The scene in plain types for JSON; SI units (m, rad, s, kg, N)."""
    return {
        "file": scene.file,
        "scene": scene.name,
        "version": ".".join(map(str, scene.version or (1, 0))),
        "robots": [_robot_data(robot, reports) for robot in scene.robots],
        "together": [_joined_data(joined, scene, reports) for joined in together(scene)],
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


def _joined_data(joined: Joined, scene: Scene, reports: dict[str, Report]) -> dict[str, Any]:
    names = [member.robot.name for member in joined.members]
    return {
        "robots": names,
        "mobility": mobility(joined, reports),
        "assembly": _assembly_data(reports[joined.name]) if joined.name in reports else None,
        "closures": [
            {
                "between": [[part.robot, part.target.id] for part in tie.parts],
                "kind": "axes" if tie.axes else tie.kind.name.lower(),
                "rows": tie.rows,
                "off": tie.off,
            }
            for tie in scene.ties
            if tie.parts[0].robot in names
        ],
    }


def _robot_data(robot: Robot, reports: dict[str, Report]) -> dict[str, Any]:
    carrier = robot.base.on.part if robot.base.on is not None else None
    assumed = assumed_limits(robot)
    return {
        "name": robot.name,
        "mobility": mobility(robot, reports),
        "on": [carrier.robot, carrier.target.id] if carrier is not None else None,
        "calibration": robot.calibrated.result if robot.calibrated else None,
        "assembly": _assembly_data(reports[robot.name]) if robot.name in reports else None,
        "joints": [
            _joint_data(link, assumed.get(link.id)) for link in robot.links if link.joint is not JointType.FIXED
        ],
        "tree": [
            {"id": item.id, "kind": type(item).__name__.lower(), "name": item.name, "pred": item.pred}
            for item in robot.placed()
        ],
        "closures": [_closure_data(constraint) for constraint in robot.constraints if constraint.closes_loop],
        "following": [
            {
                "target": constraint.targets[0].id,
                "devices": list(constraint.devices),
                "rows": constraint.rows,
                "first": None if constraint.first is None else constraint.first.name.lower(),
                "rank": constraint.rank,
            }
            for constraint in robot.constraints
            if not constraint.closes_loop
        ],
        "couplings": [_coupling_data(coupling) for coupling in robot.couplings],
        "postures": {posture.name: dict(posture.joints) for posture in robot.postures},
        "controllers": [
            {"address": controller.address, "joints": driven(controller, robot), "rate": controller.rate}
            for controller in robot.controllers
        ],
        "obstacles": [obstacle.name for obstacle in robot.obstacles],
    }


def _coupling_data(coupling: Coupling) -> dict[str, Any]:
    return {
        "link": coupling.link,
        "equals": [list(part) for part in coupling.equals],
        "offset": coupling.offset,
        "leader": coupling.leader,
        "cam": [list(point) for point in coupling.cam],
        "periodic": coupling.periodic,
        "polynomial": list(coupling.polynomial),
    }


def _assembly_data(report: Report) -> dict[str, Any]:
    return {**report._asdict(), "open_loops": [loop._asdict() for loop in report.open_loops], "note": report.note}


def _joint_data(link: Link, assumed: Assumed | None) -> dict[str, Any]:
    return {
        "id": link.id,
        "name": link.name,
        "type": link.joint.name.lower(),
        "initial": link.initial,
        "stops": list(link.stops) if link.stops else None,
        "active": not link.passive,
        "speed": link.speed,
        "assumed_speed": None if assumed is None else assumed.speed,
        "acceleration": link.acceleration,
        "assumed_acceleration": None if assumed is None else assumed.acceleration,
        "effort": link.effort,
        "gear": link.gear,
    }


def _closure_data(constraint: Constraint) -> dict[str, Any]:
    return {
        "between": [target.id for target in constraint.targets],
        "kind": "axes" if constraint.axes else constraint.kind.name.lower(),
        "rows": constraint.rows,
        "off": constraint.off,
    }


def driven(controller: Controller, robot: Robot) -> list[int]:
    """The links that a controller drives, in its order."""
    active = [link.id for link in robot.links if link.joint is not JointType.FIXED and not link.passive]
    return list(controller.joints) or active
