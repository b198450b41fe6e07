"""Robots that are held together: robots and parts that exist, and no robot that stands on itself."""

from __future__ import annotations

from station.mad.checks.constraints import check_axes, check_target
from station.mad.checks.names import listed
from station.mad.checks.tree import Size, check_size, size_of
from station.mad.joined import groups
from station.mad.reader import Findings, nearest
from station.mad.scene import Place, Robot, Scene, Tie
from station.mad.scene.ties import Part


def check_ties(scene: Scene, findings: Findings) -> None:
    """Constraints between robots, bases on other robots, and how large robots become together."""
    robots = {robot.name: robot for robot in scene.robots}
    before = len(findings.problems)
    for tie in scene.ties:
        _check_tie(tie, robots, findings)
    for robot in scene.robots:
        _check_mount(robot, robots, findings)
    _check_circles(scene, findings)
    if len(findings.problems) == before:
        _check_sizes(scene, robots, findings)


def _check_tie(tie: Tie, robots: dict[str, Robot], findings: Findings) -> None:
    check_axes(tie, findings)
    parts = tie.parts
    if len(parts) != 2:
        said = "robot left frame 7 robot right link 6; what follows a device stands inside its robot"
        findings.error(tie.source.place, f"a constraint between robots takes each robot and its part in turn: {said}")
        return
    known = [
        _check_part(part, tie.source.of("ends", 2 * nth), tie.source.of("ends", 2 * nth + 1), robots, findings)
        for nth, part in enumerate(parts)
    ]
    if parts[0].robot == parts[1].robot and all(known):
        name = parts[0].robot
        text = f"a constraint between robot {name} and itself; write it inside robot {name}, or name two robots"
        findings.error(tie.source.of("ends", 2), text)


def _check_mount(robot: Robot, robots: dict[str, Robot], findings: Findings) -> None:
    mount = robot.base.on
    if mount is None:
        return
    if robot.base.mobile is not None:
        findings.error(
            robot.base.source.of("on"), f"the base of robot {robot.name} has wheels and stands on a robot; keep one"
        )
    part = mount.part
    if part is None:
        findings.error(mount.source.place, "'on' takes a robot and one part of it: on { robot left link 6 }")
        return
    robot_at, target_at = mount.source.of("ends", 0), mount.source.of("ends", 1)
    if part.robot == robot.name:
        findings.error(robot_at, f"robot {robot.name} stands on itself; name another robot")
    else:
        _check_part(part, robot_at, target_at, robots, findings)


def _check_part(part: Part, robot_at: Place, target_at: Place, robots: dict[str, Robot], findings: Findings) -> bool:
    robot = robots.get(part.robot)
    if robot is None:
        near = nearest(part.robot, list(robots))
        meant = f"did you mean '{near}'? " if near else ""
        findings.error(robot_at, f"robot {part.robot} is not declared; {meant}there are: {listed(robots)}")
        return False
    return check_target(part.target, target_at, {item.id: item for item in robot.placed()}, findings, part.robot)


def _check_circles(scene: Scene, findings: Findings) -> None:
    """Every base stands, by way of others, in the world; each circle is told once, where it starts in the file."""
    carrier = {
        robot.name: robot.base.on.part.robot
        for robot in scene.robots
        if robot.base.on is not None and robot.base.on.part is not None
    }
    told: set[str] = set()
    for robot in scene.robots:
        way, at = [robot.name], carrier.get(robot.name)
        while at is not None and at not in way:
            way.append(at)
            at = carrier.get(at)
        if at == robot.name and len(way) > 1 and not told & set(way):
            told |= set(way)
            assert robot.base.on is not None
            place = robot.base.on.source.of("ends")
            findings.error(place, f"robots that stand on each other in a circle: {listed(way)}")


def _check_sizes(scene: Scene, robots: dict[str, Robot], findings: Findings) -> None:
    """Robots that are held together are moved as one."""
    for names in groups(scene):
        if len(names) == 1:
            continue
        joints, parts, equations = map(sum, zip(*(size_of(robots[name]) for name in names), strict=True))
        equations += sum(tie.rows for tie in scene.ties if tie.parts[0].robot in names)
        size = Size(joints, parts + len(names), equations)  # every base becomes a frame
        check_size(robots[names[0]], size, " with ".join(names), findings)
