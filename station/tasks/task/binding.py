"""What a task belongs to: the scene file, by its content, and a calibration, by its id."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from station.applied import Applied
from station.bench import Bench, load
from station.json_reader import JsonError, read_json
from station.mad.placement import Pose, from_position
from station.mechanism import Mechanism
from station.tasks.task.errors import TaskError, TaskFileError, TaskMismatchError
from station.tasks.task.hashing import scene_text, text_hash
from station.tasks.task.joints import check_joints
from station.tasks.task.model import NOMINAL, Reference, Task

WORLD = "world"


class Calibration(NamedTuple):
    """Where calibrated frames are now."""

    id: str = NOMINAL
    frames: Mapping[str, Pose] = {}  # 4×4 in the world [m]
    applied: tuple[Applied, ...] = ()  # the file, and the result that each frame comes from, where it is told


def read_calibration(path: str | Path) -> Calibration:
    """From a JSON file: {"id": "…", "frames": {"fixture": [[4×4]]}}, metres; raises a TaskFileError.

    `sources`, by the names of frames, may say of which result each is (`station.applied.Applied`).
    """
    try:
        told: Any = read_json(path)
        frames = {str(name): np.array(pose, dtype=np.float64) for name, pose in told.get("frames", {}).items()}
        identity = str(told["id"])
        sources = tuple(Applied.from_told(told["sources"][name]) for name in frames if name in told.get("sources", {}))
    except OSError as error:
        raise TaskFileError(f"{path}: cannot be read: {error}") from None
    except JsonError as error:
        raise TaskFileError(str(error)) from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise TaskFileError(f'{path}: not a calibration; allowed: {{"id": …, "frames": {{name: 4×4}}}}') from None
    for name, pose in frames.items():
        check_pose(f"{path}: frame {name!r}", pose)
    return Calibration(identity, frames, (Applied("frames", identity, file=str(path)), *sources))


def check_pose(what: str, pose: Pose) -> None:
    """Raise a TaskError unless a pose is a rotation and a place."""
    fine = pose.shape == (4, 4) and np.isfinite(pose).all() and np.abs(pose[:3, :3]).max() < 2.0  # before squaring
    if not fine or np.abs(pose[:3, :3] @ pose[:3, :3].T - np.eye(3)).max() > 1e-6 or np.linalg.det(pose[:3, :3]) < 0.0:
        raise TaskError(f"{what} is no pose; allowed: a 4×4 array of a rotation and a place [m]")


class Bound(NamedTuple):
    """A task with the scene that it is for."""

    scene: Bench
    mechanism: Mechanism


def bind(task: Task, scene_file: str | Path | None = None, calibration: Calibration | None = None) -> Bound:
    """The scene that a task was made with; a TaskMismatchError if file, robot or calibration are others."""
    file = Path(scene_file or task.scene_file)
    if not str(scene_file or task.scene_file):
        raise TaskMismatchError(f"task {task.name} does not say where its scene file is; name it with --scene FILE")
    found = text_hash(scene_text(file))
    if found != task.scene_hash:
        raise TaskMismatchError(
            f"task {task.name} was made with another version of {file.name} (content {task.scene_hash[:12]}, "
            f"now {found[:12]}); rehearse it again, or go back to that file"
        )
    _check_calibration(task, calibration)
    scene = load(file)
    if task.robot not in {robot.name for robot in scene.robots}:
        names = ", ".join(robot.name for robot in scene.robots)
        raise TaskMismatchError(f"task {task.name} is for robot {task.robot}; {file.name} has: {names}")
    mechanism = scene[task.robot]
    check_joints(task, mechanism)
    mechanism.frame_id(task.frame)
    return Bound(scene, mechanism)


def how_to_check(path: Path, calibration: Path | None) -> str:
    """The command that checks a task which was just written, with the file of frames that it was made with."""
    return f"station verify {path}" + ("" if calibration is None else f" --calibration {calibration}")


def _check_calibration(task: Task, calibration: Calibration | None) -> None:
    """A TaskMismatchError unless the frame of a task is where it was; others in the same file may have moved."""
    known = NOMINAL if calibration is None else calibration.id
    frame = task.reference
    if known == task.calibration:
        return
    if calibration is None:
        todo = "name the file of its frames with --calibration FILE"
    elif frame is None:
        leave = "leave --calibration out" if task.calibration == NOMINAL else "rehearse it again"
        todo = f"it belongs to no frame: {leave}"
    elif np.array_equal(calibration.frames.get(frame.name, ()), frame.pose):
        return
    else:
        todo = "move it with: station task move"
    raise TaskMismatchError(f"task {task.name} was made with calibration {task.calibration!r}, not {known!r}; {todo}")


def reference_of(scene: Bench, mechanism: Mechanism, name: str, calibration: Calibration | None = None) -> Reference:
    """A frame to which a task belongs: of the calibration, an obstacle, a frame on the base, or the world."""
    calibrated = {} if calibration is None else calibration.frames
    if name in calibrated:
        return Reference(name, np.array(calibrated[name]))
    if name == WORLD:
        return Reference(name, np.eye(4))
    places = {
        obstacle.name: obstacle for obstacle in (*scene.obstacles, *mechanism.robot.obstacles) if obstacle.pred is None
    }
    if name in places:
        return Reference(name, from_position(places[name].pos, places[name].ori))
    for frame in mechanism.robot.frames:
        if frame.name == name and mechanism.memory.frame_body[mechanism.frame_number(frame.id)] < 0:
            return Reference(name, mechanism.pose(frame.id))
    known = ", ".join([WORLD, *calibrated, *places])
    raise TaskError(f"no frame {name!r} that stands still; there are: {known}")
