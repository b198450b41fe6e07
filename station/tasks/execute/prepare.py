"""From a task's file and an arm to a player, or a reason why not; nothing moves here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from station.applied import Applied, applied_in
from station.clock import WALL, Clock
from station.controllers import Controller, check_calibrated
from station.controllers.wrench import WrenchCorrection, sensor_of
from station.tasks.execute.hand import HandLead
from station.tasks.execute.player import Player
from station.tasks.execute.settings import ExecuteSettings
from station.tasks.execute.tooling import NoTool, TaskTool
from station.tasks.execute.words import ExecuteError
from station.tasks.task import Bound, Calibration, Task, TaskFile, bind, load, load_together
from station.tasks.verify import Verdict, Workbench, make_workbench, verify
from station.tasks.verify.between import Between, make_between, together_hash, verify_between
from station.tasks.verify.noting import BETWEEN, settings_in


class Prepared(NamedTuple):
    """All that is known of a task before an arm is involved."""

    file: TaskFile
    bound: Bound
    calibration: Calibration | None = None  # of the frames, if the task was made or moved with one


def opened(path: str | Path, scene: str | Path | None = None, calibration: Calibration | None = None) -> Prepared:
    """Read a task and refuse what was not verified, has changed since, or belongs elsewhere."""
    return accepted(load(path), scene, calibration)


def opened_together(
    path: str | Path, scene: str | Path | None = None, calibration: Calibration | None = None
) -> tuple[Prepared, ...]:
    """The same of a task of one or several robots, which were verified together."""
    files = load_together(path)
    together = together_hash([file.hash for file in files])
    for file in files if len(files) > 1 else ():
        if file.verified and file.verified.get("together") != together:
            raise ExecuteError(f"task {file.task.name} was not verified with these robots; run: station verify")
    return tuple(accepted(file, scene, calibration, together) for file in files)


def accepted(
    file: TaskFile,
    scene: str | Path | None = None,
    calibration: Calibration | None = None,
    together: str | None = None,
) -> Prepared:
    """The same for a task that has been read; `together` is the hash of all that is done at the same time."""
    note, name = file.verified, file.task.name
    if not note:
        raise ExecuteError(f"task {name} was not verified; run: station verify")
    if note.get("hash") != file.hash:
        raise ExecuteError(f"task {name} has changed since it was verified; run: station verify")
    if note.get("passed") != "yes":
        raise ExecuteError(f"task {name} did not pass its check; run: station verify, and mend what it finds")
    bound = bind(file.task, scene, calibration)
    if len(bound.scene.robots) > 1 and note.get(BETWEEN) != (together or together_hash([file.hash])):
        raise ExecuteError(f"task {name} was not checked against the other robots of its scene; run: station verify")
    return Prepared(file, bound, calibration)


def bench_for(prepared: Prepared, controller: Controller) -> Workbench:
    """With the settings of the check, and the limits of this arm."""
    bound = prepared.bound
    check_calibrated(bound.mechanism.robot, controller)
    settings = settings_in(prepared.file.verified)
    return make_workbench(bound.scene, bound.mechanism, settings, controller.capabilities, prepared.file.task.frame)


def player_for(
    prepared: Prepared,
    controller: Controller,
    settings: ExecuteSettings | None = None,
    clock: Clock = WALL,
    tool: TaskTool | None = None,
    hand: HandLead | None = None,
    sensor: str | None = None,
    together: bool = False,
) -> tuple[Player, Verdict]:
    """Check the task against this arm, where it is; an ExecuteError if it does not pass.

    `sensor` is a file with a calibration of its force sensor; that of another arm is a ControllerMismatchError.
    `together`: other robots of the scene are not looked at, as all of the task are checked with each other.
    """
    task, bench = prepared.file.task, bench_for(prepared, controller)
    tool = tool or NoTool()
    for segment in task.segments:
        if segment.action is not None and (why := tool.check(segment.action)):
            raise ExecuteError(f"task {task.name} asks for {segment.action.word!r}: {why}")
    correction = None if sensor is None else sensor_of(sensor, controller, bench.mechanism)
    player = Player(task, bench, controller, settings, clock, tool, hand, correction)
    player.calibrations = _calibrations(prepared, hand, correction)
    end = clock.now() + player.settings.start_within
    while not player.arm.listen():
        if clock.now() > end:
            raise ExecuteError(f"{controller.url}: the arm does not answer: {player.arm.reason}")
        player.arm.pause()
    verdict = verify(task, bench, player.arm.measured)
    if not verdict.passed:
        first = verdict.findings[0].text
        raise ExecuteError(f"task {task.name} does not pass with this arm: {first}")
    if not together:
        player.between = between_for([task], bench)
    return player, verdict


def between_for(tasks: Sequence[Task], bench: Workbench) -> Between | None:
    """What is between the robots of the scene, checked; None: there is one. An ExecuteError if tasks do not pass."""
    between = make_between(bench.scene, [task.robot for task in tasks], bench.settings)
    if between is not None:
        verdict = verify_between(tasks, between)
        if not verdict.passed:
            raise ExecuteError(f"task {tasks[0].name} does not pass: {verdict.findings[0].text}")
    return between


def _calibrations(prepared: Prepared, hand: HandLead | None, sensor: WrenchCorrection | None) -> tuple[Applied, ...]:
    """All that are in use."""
    frames = () if prepared.calibration is None else prepared.calibration.applied
    device = () if hand is None else hand.servo.part.device.calibrations
    told = () if sensor is None else (sensor.applied,)
    return (*frames, *device, *applied_in(prepared.bound.mechanism.robot), *told)
