"""A servo that is made up: plausible numbers for every field, to be watched like a real one.

The hand goes round and round; joint 2 meets its stop now and then, which is felt; half-way the device is lost for a
moment, and the supervisor goes to FAULT and back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from station.servo.pacing import Measure, Stage
from station.servo.shared import (
    Acting,
    Cause,
    ControllerCode,
    DeviceCode,
    Emulated,
    Event,
    ServoState,
    StateWriter,
    Waiting,
)
from station.servo.shared.memory import Layout, Words, layout_of

Floats = NDArray[np.float64]

JOINTS = 7
RATE = 1000.0  # [Hz]
SIZE = 2000  # ticks that are made in one go
BEGAN = 1.7e9  # time of the day [s]
_STOPS = {
    "turret": (-2.9, 2.9),
    "shoulder": (-1.2, 1.2),
    "elbow": (-2.4, 2.4),
    "forearm": (-3.1, 3.1),
    "pitch": (-1.8, 1.8),
    "roll": (None, None),
    "slide": (0.0, 0.3),
}
TEXT: dict[str, Any] = {
    "robot": "macdac",
    "file": "robots/macdac.mad",
    "device": "sim:syntaxer",
    "device_model": "syntaxer",
    "controller": None,
    "method": "observer-controller",
    "joints": [
        {"id": i, "name": name, "type": "prismatic" if name == "slide" else "revolute", "low": low, "high": high}
        for i, (name, (low, high)) in enumerate(_STOPS.items(), 1)
    ],
    "notes": ["real-time scheduling refused: ordinary scheduling is used"],
}
CAUSES = {
    ServoState.READY: Event.ALL_READY,
    ServoState.ENGAGED: Event.ENGAGE,
    ServoState.FAULT: Event.HAPTICS_FAULT,
    ServoState.HOLD: Event.RELEASED,
}


def columns(first: int, count: int, length: float, rate: float = RATE, joints: int = JOINTS) -> dict[str, Any]:
    """Fields of `count` ticks from tick `first` on, of a run of `length` [s]."""
    noise = np.random.default_rng(first)
    tick = first + np.arange(count)
    time = tick / rate
    state = states(time, length)
    engaged, fault = state == ServoState.ENGAGED, state == ServoState.FAULT
    angle = 2.0 * np.pi * 0.25 * time
    q = 1.3 * np.sin(np.outer(angle, 1.0 / (1.0 + np.arange(joints))) + np.arange(joints))
    q[:, 1] = np.clip(q[:, 1], -1.2, 1.2)
    if joints > 6:
        q[:, 6] = 0.15 + 0.1 * np.sin(angle)
    at_stop = np.abs(q[:, 1]) >= 1.2
    place = np.column_stack([0.4 + 0.1 * np.cos(angle), 0.1 * np.sin(angle), 0.3 + 0.05 * np.sin(2.0 * angle)])
    depth = np.where(at_stop, 0.004 * (1.0 + np.sin(7.0 * time)), 0.0)
    parts = wrenches(time, depth, noise) * engaged[:, None, None]
    joint_acting = np.zeros((count, joints), np.int64)
    joint_acting[:, 1] = np.where(at_stop, np.sign(q[:, 1]), 0)
    joint_acting[:, 3] = np.where(np.cos(angle) > 0.98, 2, 0)
    acting = at_stop * int(Acting.JOINT_STOP) + (joint_acting[:, 3] == 2) * int(Acting.JOINT_SPEED)
    acting = acting + (np.linalg.norm(parts.sum(axis=1)[:, :3], axis=1) > 4.0) * int(Acting.FORCE)
    error = np.zeros((count, 3))
    error[:, 0], error[:, 2] = depth + 1e-4 * noise.random(count), 2e-4 * np.sin(40.0 * time)
    rendered = 0.004 * time + 0.003 * np.sin(angle)
    spent = spent_times(count, noise)
    late = tick // 700
    return {
        "tick": tick,
        "time": 100.0 + time,
        "wall_time": BEGAN + time,
        "state": state,
        "cause": np.array([CAUSES[ServoState(code)] for code in state.tolist()], np.int64),
        "waiting": np.where(state == ServoState.READY, Waiting.PRESS, Waiting.NOTHING),
        "device_status": np.where(fault, DeviceCode.LOST, DeviceCode.READY),
        "controller_status": np.full(count, ControllerCode.NONE),
        "engagement": np.where(engaged, 6, 4),
        "acting": acting,
        "emulated": np.full(count, int(Emulated.DEVICE | Emulated.HAND)),
        "dead_man": engaged * 1,
        "force_enabled": engaged * 1,
        "hand_pose": poses(place - [0.4, 0.0, 0.3]),
        "hand_age": 3e-4 + 1e-4 * noise.random(count) + fault * 0.03,
        "hand_sequence": tick,
        "target_pose": poses(place + error, 0.002 * np.sin(3.0 * time)),
        "predicted_q": q,
        "predicted_v": np.gradient(q, 1.0 / rate, axis=0) if count > 1 else 0.0 * q,
        "predicted_pose": poses(place),
        "joint_acting": joint_acting,
        "singularity": 0.3 + 0.2 * np.cos(angle),
        "obstacle_distance": np.full(count, 1e9),
        "slow_down": np.ones(count),
        "wrench": parts.sum(axis=1),
        "wrench_wanted": parts.sum(axis=1),
        "wrench_parts": parts,
        "energy_rendered": rendered,
        "energy_dissipated": 0.006 * time,
        "energy_potential": np.abs(300.0 * depth**2),
        "energy_lowest": np.full(count, -2e-5),
        "energy_parts": energies(rendered),
        "passivity_ratio": np.full(count, 0.98),
        "spent": spent,
        "away": 0.04 * spent[:, Measure.TICK],
        "late_ticks": late,
        "skipped_ticks": late // 2,
    }


def states(time: Floats, length: float) -> NDArray[np.int64]:
    """READY, ENGAGED, lost half-way, READY, ENGAGED again, HOLD."""
    edges = np.array([0.05, 0.5, 0.53, 0.58, 0.9]) * length
    order = np.array(
        [ServoState.READY, ServoState.ENGAGED, ServoState.FAULT, ServoState.READY, ServoState.ENGAGED, ServoState.HOLD]
    )
    return order[np.searchsorted(edges, time, side="right")].astype(np.int64)


def poses(place: Floats, turn: Floats | None = None) -> Floats:
    """4×4 poses [m], turned about z [rad]."""
    made = np.tile(np.eye(4), (len(place), 1, 1))
    made[:, :3, 3] = place
    if turn is not None:
        made[:, 0, 0] = made[:, 1, 1] = np.cos(turn)
        made[:, 1, 0], made[:, 0, 1] = np.sin(turn), -np.sin(turn)
    return made


def wrenches(time: Floats, depth: Floats, noise: np.random.Generator) -> Floats:
    """By cause [N, N·m]."""
    parts = np.zeros((len(time), len(Cause), 6))
    parts[:, Cause.COUPLING, 0] = -600.0 * depth - 0.3 * np.sin(9.0 * time)
    parts[:, Cause.COUPLING, 2] = 0.4 * np.sin(5.0 * time)
    parts[:, Cause.COUPLING, 3:] = 0.01 * np.sin(5.0 * time)[:, None]
    parts[:, Cause.SINGULARITY, 1] = 0.8 * np.maximum(np.sin(0.7 * time), 0.0) ** 4
    parts[:, Cause.COMPENSATION, :3] = 0.1 * noise.standard_normal((len(time), 3))
    parts[:, Cause.PASSIVITY, 0] = 0.1 * 600.0 * depth
    return parts


def energies(rendered: Floats) -> Floats:
    """By cause [J]."""
    parts = np.zeros((len(rendered), len(Cause)))
    for cause, share in ((Cause.COUPLING, 0.7), (Cause.SINGULARITY, 0.35), (Cause.PASSIVITY, 0.05)):
        parts[:, cause] = share * rendered
    parts[:, Cause.COMPENSATION] = -0.1 * rendered
    return parts


def spent_times(count: int, noise: np.random.Generator) -> Floats:
    """By measure [s]."""
    spent = np.zeros((count, len(Measure)))
    for stage, usual in zip(Stage, (40e-6, 9e-6, 22e-6, 11e-6, 5e-6, 1e-6), strict=True):
        spent[:, stage] = usual * noise.lognormal(0.0, 0.3, count)
    spent[:, Measure.TICK] = spent[:, Stage.DEVICE : Measure.TICK].sum(axis=1)
    spent[:, Measure.LATENCY] = 1.02e-3 + 2e-4 * noise.random(count)
    return spent


def rows(layout: Layout, first: int, count: int, length: float, rate: float = RATE) -> Words:
    """The same as records of the ring."""
    made = np.zeros((count, layout.record), np.int64)
    for name, values in columns(first, count, length, rate, layout.joints).items():
        place = layout.by_name[name]
        part = np.asarray(values, np.int64 if place.field.whole else np.float64).reshape(count, -1)
        made[:, place.start : place.end] = part.view(np.int64) if not place.field.whole else part
    return made


def whole(length: float) -> dict[str, Any]:
    """Fields of the run that `chunks` gives."""
    ticks = round(length * RATE)
    parts = [columns(first + 1, min(SIZE, ticks - first), length) for first in range(0, ticks, SIZE)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def chunks(length: float, rate: float = RATE, joints: int = JOINTS, size: int = SIZE) -> Iterator[Words]:
    """A whole run of `length` [s], in parts."""
    ticks = round(length * rate)
    for first in range(0, ticks, size):
        yield rows(layout_of(joints), first + 1, min(size, ticks - first), length, rate)


def fill_rest(writer: StateWriter, rate: float = RATE) -> None:
    """The fields that are not recorded."""
    writer.shared.period = 1.0 / rate
    writer.shared.scale = writer.shared.gains[:] = 1.0
    usual = np.array([40e-6, 9e-6, 22e-6, 11e-6, 5e-6, 1e-6, 48e-6, 1.1e-3])
    writer.shared.percentiles[:] = np.outer(usual, [1.0, 1.4, 1.9, 2.6, 4.0])


def publish(writer: StateWriter, records: Words, rate: float = RATE) -> None:
    """Show records one after the other, as a servo does."""
    fill_rest(writer, rate)
    shared = writer.shared
    for row in records:
        writer.take(row)
        shared.late_by_stage[:2] = shared.late_ticks - shared.late_ticks // 3, shared.late_ticks // 3
        shared.late_waiting = shared.late_ticks // 2
        writer.publish()


PAIR = (
    {**TEXT, "part": "left", "robot": "macdac"},
    {**TEXT, "part": "right", "robot": "other", "controller": "tcp://there", "joints": TEXT["joints"][:6]},
)


@contextmanager
def pair(folder: Path, **more: Any) -> Iterator[tuple[StateWriter, StateWriter]]:
    """Two parts of one servo; the second has another robot, with fewer joints."""
    left, right = ({**text, **more} for text in PAIR)
    with StateWriter(7, left, "servo-1", folder) as first, StateWriter(6, right, "servo-1+1", folder) as second:
        yield first, second


def together(parts: Sequence[StateWriter], length: float) -> Iterator[int]:
    """Show a run of several parts tick by tick. Further ones are never engaged."""
    made = [np.concatenate(list(chunks(length, joints=part.layout.joints))) for part in parts]
    for number, (part, records) in enumerate(zip(parts, made, strict=True)):
        fill_rest(part)
        if not number:
            continue
        by_name = part.layout.by_name
        records[:, by_name["state"].start] = ServoState.READY
        day = records[:, by_name["wall_time"].start : by_name["wall_time"].end].copy().view(np.float64)
        records[:, by_name["wall_time"].start : by_name["wall_time"].end] = (day + 3e-6).view(np.int64)
    for tick in range(len(made[0])):
        for part, records in zip(parts, made, strict=True):
            part.take(records[tick])
            part.publish()
        yield tick
