"""One-off kinematics for the command line: `station fk` and `station ik`. Angles in °, lengths in mm, as in a file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from station.bench import System, load
from station.errors import StationError
from station.kernel import Floats
from station.mad.joined import Joined, groups
from station.mad.placement import angles_of, from_position
from station.mad.scene import Angles, Vector
from station.mad.units import JointType
from station.mechanism import Mechanism, MechanismError, Status
from station.mechanism.mechanism import ALL_AXES, SAME, pose_distance
from station.mechanism.results import Joint, open_note


class Answer(NamedTuple):
    """For programs and for people."""

    data: dict[str, Any]
    text: str
    reached: bool = True


class InputError(StationError, ValueError):
    """Something on the command line that is not what it should be."""


def forward(path: Path, robot: str | None, frame: str | None, joints: str | None) -> Answer:
    """Poses of one or all links and frames."""
    chosen = _choose(path, robot)
    arm = chosen.arm
    moved = _put(chosen, joints) if joints is not None else []
    poses: dict[int | str, Floats]
    if frame is not None:
        poses = {_plain(frame): arm.pose(chosen.frame(frame))}
    else:
        poses = {chosen.label(number): arm.pose(number) for number in chosen.frames}
    data = {
        "robot": arm.robot.name,
        "q": arm.q.tolist(),
        "moved": [chosen.label(joint.id) for joint, _ in moved],
        "units": "m, rad",
        "poses": {str(name): pose.tolist() for name, pose in poses.items()},
        "open_loops": [loop._asdict() for loop in arm.open_loops],
    }
    lines = [f"{'frame':>10}  {'x':>9} {'y':>9} {'z':>9} mm   {'a':>9} {'b':>9} {'c':>9} °"]
    for name, pose in poses.items():
        place, turn = 1000.0 * pose[:3, 3], np.degrees(angles_of(pose))
        x, y, z, a, b, c = (f"{round(float(value), 3) + 0.0:9.3f}" for value in (*place, *turn))  # no -0.000
        lines.append(f"{name!s:>10}  {x} {y} {z}      {a} {b} {c}")
    if moved:
        text = ", ".join(
            f"link {chosen.label(joint.id)} {_shown(arm, joint)} instead of {asked}" for joint, asked in moved
        )
        most = f"{arm.mobility} of its {len(arm.joints)} joints can be chosen"
        lines.append(f"the loops are closed with other joint values than asked for: {text}; {most}")
    lines += _open_lines(arm)
    return Answer(data, "\n".join(lines))


def inverse(path: Path, robot: str | None, frame: str, target: str, joints: str | None, method: str) -> Answer:
    """Joint values for a pose or a position."""
    chosen = _choose(path, robot)
    arm, led = chosen.arm, chosen.frame(frame)
    if joints is not None:
        _put(chosen, joints)
    numbers = _numbers(target, "--to")
    if len(numbers) not in (3, 6):
        raise InputError(f"--to takes x,y,z or x,y,z,a,b,c, not {len(numbers)} numbers")
    place = Vector(*(0.001 * value for value in numbers[:3]))
    turn = Angles(*(math.radians(value) for value in (numbers[3:] or (0.0, 0.0, 0.0))))
    pose, axes = from_position(place, turn), ALL_AXES if len(numbers) == 6 else "x y z"
    reached, said = _by_station(arm, led, pose, axes) if method == "station" else _by_book(arm, led, pose, axes, method)
    turned = len(numbers) == 6  # else no orientation was asked for, and none is told
    along, about = pose_distance(arm.pose(led), pose, 63 if turned else 7)
    away = f"{1000 * along:.6f} mm" + (f" and {math.degrees(about):.6f}°" if turned else "")
    data = {
        "robot": arm.robot.name,
        "reached": reached,
        "q": arm.q.tolist(),
        "joints": [chosen.label(joint.id) for joint in arm.joints],
        "units": "m, rad",
        "position_error": along,
        "rotation_error": about if turned else None,
        "method": method,
        "open_loops": [loop._asdict() for loop in arm.open_loops],
    }
    return Answer(data, "\n".join([*_joint_lines(chosen), f"{said}: {away} away", *_open_lines(arm)]), reached)


def _by_station(arm: Mechanism, frame: int, pose: Floats, axes: str) -> tuple[bool, str]:
    found = arm.reach(frame, pose, axes=axes)
    reached = found.status is Status.OK
    return reached, "reached" if reached else "out of reach, this is the nearest found"


def _by_book(arm: Mechanism, target: int, pose: Floats, axes: str, method: str) -> tuple[bool, str]:
    from station.mechanism.classic import Chain, solve

    chain = Chain.to(arm.robot, target)
    start = [arm.q[arm.joint_number(link)] for link in chain.joints]
    found = solve(arm.robot, target, pose, method, q0=start, position_only=axes != ALL_AXES)
    values = arm.q
    for link, value in zip(chain.joints, found.q, strict=True):
        values[arm.joint_number(link)] = value
    arm.q = values
    return found.status == "solved", f"{method}: {found.status.value} after {found.iterations} iterations"


class Chosen(NamedTuple):
    """A robot of a scene, or several that move as one; those have the name of their robot before ids: `left.7`."""

    system: System
    robot: str | None  # the one that was asked for; None: all that move together

    @property
    def arm(self) -> Mechanism:
        """What moves."""
        return self.system.mechanism

    def frame(self, name: str) -> int:
        """The id of a link or frame, given by id or name, or as `left.7` or `left.flange`."""
        if not self.system.is_joined:
            return self.arm.frame_id(_plain(name))
        for robot in sorted(self.system.robots, key=len, reverse=True):  # a name may be the beginning of another
            if name.startswith(f"{robot}."):
                return self.system.frame_id(robot, _plain(name[len(robot) + 1 :]))
        if self.robot is None:
            one = self.system.robots[0]
            raise InputError(
                f"'{name}' may be of any robot; write --frame {one}.{name}, or --robot with one of: "
                + ", ".join(self.system.robots)
            )
        return self.system.frame_id(self.robot, _plain(name))

    def has(self, number: int) -> bool:
        """Whether a link or frame is of the robot that was asked for."""
        return self.robot is None or not self.system.is_joined or self.system.owner(number) == self.robot

    def label(self, number: int) -> int | str:
        """An id as people and programs know it."""
        robot = self.arm.robot
        if not isinstance(robot, Joined):
            return number
        member = robot.member_of(number)
        return f"{member.robot.name}.{number - member.offset}"

    @property
    def frames(self) -> list[int]:
        """All links and frames in the order of the file; those of several robots one robot after the other."""
        found = [item.id for item in self.arm.robot.placed() if self.has(item.id)]
        return sorted(found) if self.system.is_joined else found

    @property
    def joints(self) -> list[Joint]:
        """Those that joint values are given for."""
        return [joint for joint in self.arm.joints if self.has(joint.id)]


def _choose(path: Path, robot: str | None) -> Chosen:
    scene = load(path)
    names, together = [known.name for known in scene.robots], groups(scene)
    if robot is None and len(together) != 1:
        raise InputError(f"{path} has {len(names)} robots; choose one with --robot: {', '.join(names)}")
    if robot is not None and robot not in names:
        raise InputError(f"no robot '{robot}' in {path}; there are: {', '.join(names)}")
    return Chosen(scene.system(robot or names[0]), robot)


def _plain(name: str) -> int | str:
    return int(name) if name.isdecimal() else name


def _numbers(text: str, option: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{option} takes numbers with commas between them, not '{text}'") from None
    if not all(map(math.isfinite, numbers)):
        raise InputError(f"{option} takes finite numbers, not '{text}'")
    return numbers


def _put(chosen: Chosen, text: str) -> list[tuple[Joint, str]]:
    """Put a robot at joint values: of all joints or, where it has loops, of those that are driven.

    Of several that move as one, the robot that was asked for is put there; loops take the others along.

    Returned are the joints that the loops did not let be there, each with what was asked for.
    """
    arm, own = chosen.arm, chosen.joints
    numbers, driven = _numbers(text, "--joints"), [joint for joint in own if joint.active]
    some = bool(arm.report.closure_rows) and len(numbers) == len(driven) < len(arm.joints)
    if not some and len(numbers) != len(own):
        loops = arm.report.closure_rows and len(driven) < len(own)
        or_driven = f", or {len(driven)} for its driven ones" if loops else ""
        name = chosen.robot or arm.robot.name
        raise InputError(f"--joints takes {len(own)} values for {name}{or_driven}, not {len(numbers)}")
    joints = driven if some else own
    asked: dict[int | str, float] = {
        joint.id: number * _unit(joint.type) for joint, number in zip(joints, numbers, strict=True)
    }
    for joint, number in zip(joints, numbers, strict=True):
        _check_stops(chosen.label(joint.id), joint, asked[joint.id], number)
    if some:
        arm.set_joints(asked)
    else:
        arm.put(np.array([asked.get(joint.id, here) for joint, here in zip(arm.joints, arm.q, strict=True)]))
    here = dict(zip((joint.id for joint in arm.joints), arm.q.tolist(), strict=True))
    off = [
        (joint, number)
        for joint, number in zip(joints, numbers, strict=True)
        if abs(here[joint.id] - asked[joint.id]) > SAME
    ]
    return [(joint, f"{number:g}") for joint, number in off]


def _check_stops(label: int | str, joint: Joint, value: float, number: float) -> None:
    if joint.limits is not None and not joint.limits[0] - 1e-9 <= value <= joint.limits[1] + 1e-9:
        lo, hi = (stop / _unit(joint.type) for stop in joint.limits)
        raise MechanismError(f"link {label}: {number:g} is outside its stops {lo:g} … {hi:g}")


def _shown(arm: Mechanism, joint: Joint) -> str:
    return f"{arm.q[arm.joint_number(joint.id)] / _unit(joint.type):.6g}"


def _joint_lines(chosen: Chosen) -> list[str]:
    arm, lines = chosen.arm, []
    for joint, value in zip(arm.joints, arm.q, strict=True):
        unit = "mm" if joint.type is JointType.PRISMATIC else "°"
        name = f"  {joint.name}" if joint.name else ""
        lines.append(f"link {chosen.label(joint.id)!s:>3}  {value / _unit(joint.type):12.6f} {unit}{name}")
    return lines


def _open_lines(arm: Mechanism) -> list[str]:
    """What stays open of loops whose parts do not quite fit, in a line, if anything does."""
    note = open_note(arm.robot.name, arm.open_loops)
    return [note] if note else []


def _unit(joint: JointType) -> float:
    return 0.001 if joint is JointType.PRISMATIC else math.pi / 180.0
