"""Recordings for tests."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from station.devices.device import Axis, AxisKind, Capabilities, Sample
from station.devices.replay import SampleWriter

POINT = Axis(kind=AxisKind.ABSOLUTE, low=-0.05, high=0.05, force=4.0, peak=8.0, stiffness=3000.0)
TURN = Axis(kind=AxisKind.INCREMENTAL, low=-0.5, high=0.5)
CAPABILITIES = Capabilities(
    model="Wand",
    serial_number="W-1",
    axes=(POINT, POINT, POINT, TURN, TURN, Axis()),
    buttons=("dead-man", "clutch"),
    grip=True,
    rate=1000.0,
    homing=True,
)


def made_up(count: int = 200, seed: int = 1, period: float = 0.001, start: float = 1234.5) -> list[Sample]:
    """Samples with all bits in use: a hand goes round a circle and ends where it began."""
    dice = np.random.default_rng(seed)
    samples = []
    for index in range(count):
        angle = 2.0 * math.pi * index / count
        pose = np.eye(4)
        pose[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        pose[:3, 3] = 0.03 * math.cos(angle), 0.03 * math.sin(angle), dice.normal() * 1e-6
        arrival = start + index * period + dice.uniform(0.0, 0.2) * period
        buttons, grip = int(dice.integers(0, 4)), float(dice.uniform())
        samples.append(Sample(pose, dice.normal(size=6), buttons, grip, 7.0 + index * period, arrival, 10 + index))
    return samples


def write(path: Path, samples: list[Sample], capabilities: Capabilities = CAPABILITIES) -> Path:
    """A recording of these samples."""
    with SampleWriter(path, capabilities, "sim:wand") as writer:
        for sample in samples:
            writer.write(sample)
    return path


def bits(sample: Sample) -> tuple[object, ...]:
    """All of a sample, comparable bit by bit."""
    numbers = np.array([sample.grip, sample.device_time, sample.arrival])
    return sample.pose.tobytes(), sample.velocity.tobytes(), numbers.tobytes(), sample.buttons, sample.sequence
