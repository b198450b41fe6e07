"""One-off kinematics for the command line: `station fk` and `station ik`. Angles in °, lengths in mm, as in a file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from station.bench import load
from station.errors import StationError
from station.mad.placement import from_position
from station.mad.scene import Angles, Vector
from station.mad.units import JointType
from station.mechanism import Mechanism, MechanismError, Status
from station.mechanism.kernels.memory import Floats
from station.mechanism.mechanism import ALL_AXES, pose_distance
from station.mechanism.results import Joint

SAME = 1e-6  # joint values that differ by less are those that were asked for [rad | m]


class Answer(NamedTuple):
    """For programs and for people."""

    data: dict[str, Any]
    text: str
    reached: bool = True


class InputError(StationError, ValueError):
    """Something on the command line that is not what it should be."""


def forward(path: Path, robot: str | None, frame: str | None, joints: str | None) -> Answer:
    """Poses of one or all links and frames."""
    arm = _arm(path, robot)
    moved = _put(arm, joints) if joints is not None else []
    names: list[int | str] = [_frame(frame)] if frame is not None else [item.id for item in arm.robot.placed()]
    poses = {name: arm.pose(name) for name in names}
    data = {
        "robot": arm.robot.name,
        "q": arm.q.tolist(),
        "moved": [joint.id for joint, _ in moved],
        "units": "m, rad",
        "poses": {str(name): pose.tolist() for name, pose in poses.items()},
    }
    lines = [f"{'frame':>10}  {'x':>9} {'y':>9} {'z':>9} mm   {'a':>9} {'b':>9} {'c':>9} °"]
    for name, pose in poses.items():
        place, turn = 1000.0 * pose[:3, 3], np.degrees(angles_of(pose))
        x, y, z, a, b, c = (f"{round(float(value), 3) + 0.0:9.3f}" for value in (*place, *turn))  # no -0.000
        lines.append(f"{name!s:>10}  {x} {y} {z}      {a} {b} {c}")
    if moved:
        text = ", ".join(f"link {joint.id} {_shown(arm, joint)} instead of {asked}" for joint, asked in moved)
        lines.append(f"the loops are closed with other joint values than asked for: {text}")
    return Answer(data, "\n".join(lines))


def inverse(path: Path, robot: str | None, frame: str, target: str, joints: str | None, method: str) -> Answer:
    """Joint values for a pose or a position."""
    arm = _arm(path, robot)
    if joints is not None:
        _put(arm, joints)
    numbers = _numbers(target, "--to")
    if len(numbers) not in (3, 6):
        raise InputError(f"--to takes x,y,z or x,y,z,a,b,c, not {len(numbers)} numbers")
    place = Vector(*(0.001 * value for value in numbers[:3]))
    turn = Angles(*(math.radians(value) for value in (numbers[3:] or (0.0, 0.0, 0.0))))
    pose, axes = from_position(place, turn), ALL_AXES if len(numbers) == 6 else "x y z"
    reached, said = (
        _by_station(arm, frame, pose, axes) if method == "station" else _by_book(arm, frame, pose, axes, method)
    )
    turned = len(numbers) == 6  # else no orientation was asked for, and none is told
    along, about = pose_distance(arm.pose(_frame(frame)), pose, 63 if turned else 7)
    away = f"{1000 * along:.6f} mm" + (f" and {math.degrees(about):.6f}°" if turned else "")
    data = {
        "robot": arm.robot.name,
        "reached": reached,
        "q": arm.q.tolist(),
        "joints": [joint.id for joint in arm.joints],
        "units": "m, rad",
        "position_error": along,
        "rotation_error": about if turned else None,
        "method": method,
    }
    return Answer(data, "\n".join([*_joint_lines(arm), f"{said}: {away} away"]), reached)


def _by_station(arm: Mechanism, frame: str, pose: Floats, axes: str) -> tuple[bool, str]:
    found = arm.reach(_frame(frame), pose, axes=axes)
    reached = found.status is Status.OK
    return reached, "reached" if reached else "out of reach, this is the nearest found"


def _by_book(arm: Mechanism, frame: str, pose: Floats, axes: str, method: str) -> tuple[bool, str]:
    from station.mechanism.classic import Chain, solve

    target = arm.frame_id(_frame(frame))
    chain = Chain.to(arm.robot, target)
    start = [arm.q[arm.joint_number(link)] for link in chain.joints]
    found = solve(arm.robot, target, pose, method, q0=start, position_only=axes != ALL_AXES)
    values = arm.q
    for link, value in zip(chain.joints, found.q, strict=True):
        values[arm.joint_number(link)] = value
    arm.q = values
    return found.status == "solved", f"{method}: {found.status.value} after {found.iterations} iterations"


def _arm(path: Path, robot: str | None) -> Mechanism:
    scene = load(path)
    names = [known.name for known in scene.robots]
    if robot is None and len(names) != 1:
        raise InputError(f"{path} has {len(names)} robots; choose one with --robot: {', '.join(names)}")
    if robot is not None and robot not in names:
        raise InputError(f"no robot '{robot}' in {path}; there are: {', '.join(names)}")
    return scene[robot or names[0]]


def _frame(name: str) -> int | str:
    return int(name) if name.isdecimal() else name


def _numbers(text: str, option: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{option} takes numbers with commas between them, not '{text}'") from None
    if not all(map(math.isfinite, numbers)):
        raise InputError(f"{option} takes finite numbers, not '{text}'")
    return numbers


def _put(arm: Mechanism, text: str) -> list[tuple[Joint, str]]:
    """Put a robot at joint values: of all joints or, where it has loops, of those that are driven.

    Returned are the joints that the loops did not let be there, each with what was asked for.
    """
    numbers, driven = _numbers(text, "--joints"), [joint for joint in arm.joints if joint.active]
    some = bool(arm.report.closure_rows) and len(numbers) == len(driven) < len(arm.joints)
    if not some and len(numbers) != len(arm.joints):
        loops = arm.report.closure_rows and len(driven) < len(arm.joints)
        or_driven = f", or {len(driven)} for its driven ones" if loops else ""
        raise InputError(f"--joints takes {len(arm.joints)} values for {arm.robot.name}{or_driven}, not {len(numbers)}")
    joints = driven if some else list(arm.joints)
    asked: dict[int | str, float] = {
        joint.id: number * _unit(joint.type) for joint, number in zip(joints, numbers, strict=True)
    }
    for joint, number in zip(joints, numbers, strict=True):
        _check_stops(joint, asked[joint.id], number)
    if some:
        arm.set_joints(asked)
    else:
        arm.q = np.array(list(asked.values()))
    here = dict(zip((joint.id for joint in arm.joints), arm.q.tolist(), strict=True))
    off = [
        (joint, number)
        for joint, number in zip(joints, numbers, strict=True)
        if abs(here[joint.id] - asked[joint.id]) > SAME
    ]
    return [(joint, f"{number:g}") for joint, number in off]


def _check_stops(joint: Joint, value: float, number: float) -> None:
    if joint.limits is not None and not joint.limits[0] - 1e-9 <= value <= joint.limits[1] + 1e-9:
        lo, hi = (stop / _unit(joint.type) for stop in joint.limits)
        raise MechanismError(f"link {joint.id}: {number:g} is outside its stops {lo:g} … {hi:g}")


def _shown(arm: Mechanism, joint: Joint) -> str:
    return f"{arm.q[arm.joint_number(joint.id)] / _unit(joint.type):.6g}"


def _joint_lines(arm: Mechanism) -> list[str]:
    lines = []
    for joint, value in zip(arm.joints, arm.q, strict=True):
        unit = "mm" if joint.type is JointType.PRISMATIC else "°"
        name = f"  {joint.name}" if joint.name else ""
        lines.append(f"link {joint.id:>3}  {value / _unit(joint.type):12.6f} {unit}{name}")
    return lines


def _unit(joint: JointType) -> float:
    return 0.001 if joint is JointType.PRISMATIC else math.pi / 180.0


def angles_of(pose: Floats) -> tuple[float, float, float]:
    """The angles a, b, c of a pose [rad]: rotation Rz(c)·Ry(b)·Rx(a)."""
    across = math.hypot(pose[0, 0], pose[1, 0])
    if across > 1e-9:
        return math.atan2(pose[2, 1], pose[2, 2]), math.atan2(-pose[2, 0], across), math.atan2(pose[1, 0], pose[0, 0])
    return math.atan2(-pose[1, 2], pose[1, 1]), math.atan2(-pose[2, 0], across), 0.0
