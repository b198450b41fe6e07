"""Tasks to try things with: smooth motions of the default bench, and of robots with loops."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import numpy as np

import robots
import station
from station.bench import Bench
from station.run.places import DEFAULT_BENCH
from station.tasks.task import Kind, Segment, Task, joint_limits
from station.tasks.task.clips import bridge, glued
from station.tasks.task.hashing import scene_text, text_hash
from station.tasks.task.joints import closed_path, driven_joints, driven_names
from station.tasks.task.model import Floats

HOME = np.radians([0.0, -90.0, 90.0, -90.0, -90.0, 0.0])
ROBOTS = Path(robots.__file__).parent


def robot_file(name: str) -> Path:
    return DEFAULT_BENCH if name == "bench" else ROBOTS / f"{name}.mad"


@cache
def scene_of(name: str = "bench") -> Bench:
    return station.load(robot_file(name))


def frame_of(name: str) -> int:
    robot = scene_of(name).robots[0]
    if robot.tools:
        return robot.tools[-1].id
    return robot.frames[-1].id if robot.frames and name != "cross-delta" else robot.links[4].id


def task_of(q: Floats, name: str = "bench", **fields: object) -> Task:
    """A free motion through these samples."""
    file = robot_file(name)
    mechanism = scene_of(name)[scene_of(name).robots[0].name]
    text = scene_text(file)
    values: dict[str, object] = {
        "name": "try",
        "robot": mechanism.robot.name,
        "joints": driven_names(mechanism),
        "frame": frame_of(name),
        "period": 0.001,
        "q": np.array(q, dtype=float),
        "segments": (Segment(0, len(q) - 1, Kind.FREE),),
        "scene_hash": text_hash(text),
        "scene_file": str(file),
        "scene_text": text,
    }
    return Task(**{**values, **fields})  # type: ignore[arg-type]


def start_of(name: str = "bench") -> Floats:
    """Driven joints where the scene begins."""
    if name == "bench":
        return HOME.copy()
    mechanism = station.load(robot_file(name))[scene_of(name).robots[0].name]
    return mechanism.q[driven_joints(mechanism)]


def through(places: list[Floats], name: str = "bench", share: float = 0.5, **fields: object) -> Task:
    """A task that goes straight in joint space from place to place, at rest in each; one segment per move."""
    mechanism = scene_of(name)[scene_of(name).robots[0].name]
    limits = joint_limits(mechanism, share=share)
    clips = [bridge(a, b, limits, 0.001, f"move {k}") for k, (a, b) in enumerate(itertools.pairwise(places))]
    return glued(task_of(clips[0].q, name, **fields), clips)


def wandering(name: str = "bench", seconds: float = 3.0, size: float = 0.1, seed: int = 1) -> Task:
    """A smooth motion of all driven joints that begins and ends at rest in one place."""
    start, t = start_of(name), np.arange(0.0, seconds + 5e-4, 0.001)
    draw = np.random.default_rng(seed)
    ease = np.sin(np.pi * t / t[-1]) ** 4
    waves = np.stack([np.sin(2.0 * np.pi * draw.uniform(0.2, 0.5) * t + draw.uniform(0, 6)) for _ in start], axis=1)
    q = start + size * ease[:, None] * waves
    mechanism = station.load(robot_file(name))[scene_of(name).robots[0].name]
    return task_of(closed_path(mechanism, q), name)
