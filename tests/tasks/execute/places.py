"""An emulated arm over real bytes on a virtual clock, with a verified task for it, and what its own log must show."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import numpy as np

import station
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.zeromq import ZeroMqLink
from firmware_bridge.robotiq.driver import RobotiqGripper
from sim_devices.arm import EmulatedArm, emulated_arm
from sim_devices.arm.machine import ArmState
from sim_devices.arm.settings import ArmSettings
from sim_devices.arm_links.zeromq import ZeroMqArm
from sim_devices.ends import SocketEnd
from sim_devices.robotiq.emulator import RobotiqEmulator
from station.clock import VirtualClock
from station.controllers import in_order_of, scene_joints
from station.tasks.execute import ExecuteSettings, HandLead, Player, accepted, player_for
from station.tasks.execute.gripper import Gripper
from station.tasks.task import Task, TaskFile, content_hash
from station.tasks.task.joints import tool_path, whole_path
from station.tasks.task.model import Floats
from station.tasks.verify import VerifySettings, make_workbench, verify
from station.tasks.verify.noting import note_of
from tests.robotiq.benches import driver
from tests.tasks.making import HOME, robot_file, through

_names = (f"inproc://execute-{number}" for number in itertools.count())
ACTIVE = float(list(ArmState).index(ArmState.ACTIVE))
START = HOME + np.array([0.03, 0.0, 0.0, 0.0, 0.0, 0.0])


def there_and_back() -> Task:
    """Three moves beside the wall, each a segment, at half of the limits."""
    away = HOME + np.array([0.5, 0.1, -0.2, 0.1, 0.2, 0.5])
    return through([START, away, HOME + np.array([0.6, 0.0, 0.1, 0.0, 0.0, -0.4]), START])


class Place:
    """A bench with its arm."""

    def __init__(
        self,
        name: str = "bench",
        world: str = "",
        log_time: float = 60.0,
        seed: int = 0,
        start: Floats | None = None,
        **settings: Any,
    ) -> None:
        self.clock, self.scene = VirtualClock(), station.load(robot_file(name))
        self.mechanism = self.scene[self.scene.robots[0].name]
        surroundings = station.loads(world) if world else None
        scene: Any = self.scene
        if surroundings is not None:
            from dataclasses import replace

            scene = replace(self.scene, obstacles=(*self.scene.obstacles, *surroundings.obstacles))
        self.arm: EmulatedArm = emulated_arm(
            scene, settings=ArmSettings(log_time=log_time, **settings), seed=seed, start=start
        )
        link = next(_names)
        self.server = ZeroMqArm(self.arm, link, self.clock)
        self.driver = ArmController(link, self.clock, ZeroMqLink(link, link))
        self.driver.wait_until_ready()
        self.controller = in_order_of(self.driver, scene_joints(self.mechanism.joints))

    def file(self, task: Task, **settings: Any) -> TaskFile:
        """As if it had been verified and read again."""
        held_to = VerifySettings(**settings)
        verdict = verify(task, make_workbench(self.scene, self.mechanism, held_to))
        assert verdict.passed, [finding.text for finding in verdict.findings]
        return TaskFile(task, content_hash(task), note_of(verdict, held_to))

    def player(
        self,
        task: Task,
        tool: Any = None,
        hand: HandLead | None = None,
        verified: Any = None,
        sensor: str | None = None,
        **settings: Any,
    ) -> Player:
        prepared = accepted(self.file(task, **(verified or {})))
        return player_for(prepared, self.controller, ExecuteSettings(**settings), self.clock, tool, hand, sensor)[0]

    def close(self) -> None:
        self.driver.close()
        self.server.close()


@contextmanager
def place(*arguments: Any, **more: Any) -> Iterator[Place]:
    made = Place(*arguments, **more)
    try:
        yield made
    finally:
        made.close()


class Gripping(NamedTuple):
    """A gripper of 85 mm over real bytes: as a task sees it, its driver, and what moves."""

    tool: Gripper
    driver: RobotiqGripper
    emulator: RobotiqEmulator

    @property
    def width(self) -> float:
        """Between the fingers, as it was told last [m]."""
        assert self.tool.last is not None
        return self.tool.last.width


@contextmanager
def gripper_at(clock: VirtualClock) -> Iterator[Gripping]:
    """It has just got its power: it must find its range before it grips."""
    end = SocketEnd("gripper")
    with closing(RobotiqEmulator(end, clock)) as emulator, driver(end, clock) as gripper:
        yield Gripping(Gripper(gripper, clock), gripper, emulator)


def assert_nothing_beyond_limits(made: Place, least: int = 200, spoilt: int = 0) -> None:
    """From the arm's own log: what it was told while it followed, and how fast it was told to go.

    A fault of the arm itself may spoil some ticks of its own reference.
    """
    log, joints = made.arm.log.ticks, made.arm.capabilities.joints
    active = log["state"] == ACTIVE
    follows = active[1:] & active[:-1]
    assert follows.sum() > least
    speed = np.abs(np.diff(log["reference"], axis=0))[follows] / np.diff(log["time"])[follows, None]
    assert (speed <= np.array([joint.speed for joint in joints])).all()
    three = active[2:] & active[1:-1] & active[:-2] & (np.diff(log["echo"])[1:] > 0) & (np.diff(log["echo"])[:-1] > 0)
    bend = np.abs(np.diff(log["reference"], 2, axis=0))[three] / 0.001**2
    if all(joint.acceleration for joint in joints):
        beyond = (bend > 1.001 * np.array([joint.acceleration for joint in joints])).any(axis=1)
        assert beyond.sum() <= spoilt
    low, high = np.array([(joint.low, joint.high) for joint in joints]).T
    assert (log["reference"][active] >= low - 1e-9).all()
    assert (log["reference"][active] <= high + 1e-9).all()


def off_the_path(made: Place, task: Task, begin: float = 0.0) -> float:
    """Largest distance of the true tool from the rehearsed path, from the arm's log [m]."""
    log = made.arm.log.ticks
    active = (log["state"] == ACTIVE) & (log["time"] >= begin)
    path = tool_path(made.mechanism, task.frame, whole_path(made.mechanism, task.q).q)[:, :3, 3]
    true = tool_path(made.mechanism, task.frame, whole_path(made.mechanism, np.array(log["true"][active])).q)[:, :3, 3]
    return max(distance_from(path, point) for point in true[::10])


def distance_from(path: Floats, point: Floats) -> float:
    along = np.diff(path, axis=0)
    share = np.einsum("ij,ij->i", point - path[:-1], along) / np.maximum(np.einsum("ij,ij->i", along, along), 1e-30)
    nearest = path[:-1] + np.clip(share, 0.0, 1.0)[:, None] * along
    return float(np.linalg.norm(nearest - point, axis=1).min())


def still(made: Place, last: float = 0.1) -> bool:
    """Whether the arm has stood for so long [s], by its log."""
    log = made.arm.log.ticks
    recent = log["true"][log["time"] > log["time"][-1] - last]
    return bool(np.ptp(recent, axis=0).max() < 2e-3)
