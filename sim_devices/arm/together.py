"""Robots that are held together, by constraints between them or since one stands on another: where all begin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sim_devices.arm.closing import free_axes
from sim_devices.arm.errors import ArmError
from sim_devices.arm.machine import Floats
from station.bench import System, bench_of
from station.mad.joined import groups
from station.mad.placement import Pose
from station.mad.scene import BASE_ID, Axis, Robot, Scene, Tie


class Assembled(NamedTuple):
    """A robot where it begins, all loops closed."""

    q: Floats  # of its joints in the order of the file [rad | m]
    poses: dict[int, Pose]  # in the world, of everything with an id [m]


def those_of(scene: Scene, names: Sequence[str], true: Mapping[str, Robot]) -> tuple[Scene, tuple[str, ...]]:
    """A scene with some of its robots, as they really are, and a line for what holds them to others that are not there.

    What stands on a robot that is not there stands in the world at the same place.
    """
    known, notes, robots = bench_of(scene), [], []
    for robot in (scene.robot(name) for name in names):
        built = true.get(robot.name, robot)
        part = robot.base.on.part if robot.base.on is not None else None
        if part is not None and part.robot not in names:
            built = replace(built, base=known[robot.name].robot.base)
            notes.append(f"{robot.name}: {part.robot}, which carries it, is not there")
        robots.append(built)
    ties = []
    for tie in scene.ties:
        missing = [part.robot for part in tie.parts if part.robot not in names]
        if not missing:
            ties.append(tie)
        elif len(missing) == 1:
            (held,) = (part.robot for part in tie.parts if part.robot in names)
            notes.append(f"{held}: {missing[0]}, to which it is tied, is not there")
    return replace(known, robots=tuple(robots), ties=tuple(ties), mechanisms={}, joined={}), tuple(notes)


def assembled(scene: Scene, start: Mapping[str, Floats]) -> tuple[dict[str, Assembled], list[bool]]:
    """Where every robot begins, by name, and for each tie whether it holds more than joints can move.

    `start` are joint values that are wanted, in the order of the file [rad | m]. What is tied to a robot that is put
    elsewhere goes along as far as the loops between them ask.
    """
    there, systems = {}, bench_of(scene).systems()
    for system in systems:
        _put(system, start)
        for name in system.robots:
            items = (BASE_ID, *(item.id for item in scene.robot(name).placed()))
            poses = {item: system.mechanism.pose(system.frame_id(name, item)) for item in items}
            there[name] = Assembled(system.q_of(name), poses)
    owners = {name: system for system in systems for name in system.robots}
    return there, [_holds_too_much(owners[tie.parts[0].robot], tie) for tie in scene.ties]


def _put(system: System, start: Mapping[str, Floats]) -> None:
    """Put the robots of a system where they are wanted."""
    wanted = [name for name in system.robots if name in start]
    if not system.is_joined and wanted:
        system.mechanism.q = start[wanted[0]]
    elif wanted:
        values = system.mechanism.q
        for name in wanted:
            joints = system.joints_of(name)
            if np.shape(start[name]) != (len(joints),):
                raise ArmError(f"robot {name} takes {len(joints)} finite joint values to begin with")
            values[joints.start : joints.stop] = start[name]
        system.mechanism.q = values


def _holds_too_much(system: System, tie: Tie) -> bool:
    """Whether a constraint holds directions in which no joint could move its parts against each other.

    Forces in such a direction are anything: a rigid body cannot tell them.
    """
    mechanism = system.mechanism
    first, second = (system.frame_id(part.robot, part.target.id) for part in tie.parts)
    turn = mechanism.pose(first)[:3, :3]
    moved = (mechanism.jacobian(first) - mechanism.jacobian(second)).reshape(2, 3, -1)
    rows = np.concatenate([turn.T @ straight for straight in moved])
    held = [axis.value for axis in Axis if axis not in free_axes(tie)]
    return int(np.linalg.matrix_rank(rows[held], tol=1e-6)) < len(held)


def tied_groups(scene: Scene) -> tuple[tuple[str, ...], ...]:
    """Names of robots between which there are constraints, in the order of the file; most are alone.

    Unlike `station.mad.joined.groups`: what only stands on another is free to move.
    """
    standing = tuple(replace(robot, base=replace(robot.base, on=None)) for robot in scene.robots)
    return groups(replace(scene, robots=standing))
