"""A hand, a robot that obeys, and time, for tests of the mapping."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from station.devices.device import AxisKind, Sample
from station.devices.mapping import Engagement, Mapping, MappingSettings, Mode

Array = NDArray[np.float64]

DEAD_MAN, CLUTCH = 1, 2  # bits of buttons 0 and 1
BUTTONS = Engagement(dead_man=0, clutch=1)
POINTING = (AxisKind.ABSOLUTE,) * 6
TWISTING = (AxisKind.INCREMENTAL,) * 6
TICK = 1e-3  # [s]


def pose_of(place: object = (0.0, 0.0, 0.0), turn: object = (0.0, 0.0, 0.0)) -> Array:
    """4×4 of a position [m] and a rotation vector [rad]."""
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_rotvec(np.asarray(turn, np.float64)).as_matrix()
    pose[:3, 3] = np.asarray(place, np.float64)
    return pose


def turned(start: Array, end: Array) -> Array:
    """Rotation vector from one pose to another, world axes [rad]."""
    vector: Array = Rotation.from_matrix(end[:3, :3] @ start[:3, :3].T).as_rotvec()
    return vector


def moved(start: Array, end: Array) -> Array:
    """Translation and rotation vector from one pose to another, world axes [m, rad]."""
    return np.concatenate([end[:3, 3] - start[:3, 3], turned(start, end)])


class Bench:
    """A mapping that is driven by hand; the robot obeys at once unless it is held."""

    def __init__(self, settings: MappingSettings | None = None, robot: Array | None = None) -> None:
        self.mapping = Mapping(settings or MappingSettings(engagement=BUTTONS))
        self.robot = pose_of((0.5, 0.2, 0.3), (0.3, -0.2, 0.5)) if robot is None else robot.copy()
        self.held = False
        self.now, self.sequence = 10.0, 0
        self.hand, self.velocity, self.buttons = np.eye(4), np.zeros(6), 0
        self.view: Array | None = None

    def mode(self) -> Mode:
        """Of the mapping."""
        return self.mapping.mode

    def sample(self) -> Sample:
        """What the device says now."""
        self.sequence += 1
        return Sample(self.hand.copy(), self.velocity.copy(), self.buttons, 0.0, self.now, self.now, self.sequence)

    def tick(
        self, sample: Sample | str | None = "new", dt: float = TICK, *, ready: bool = True, permitted: bool = True
    ) -> Array:
        """Let time pass, take a sample (None: none has come); returns a copy of the target."""
        self.now += dt
        taken = self.sample() if isinstance(sample, str) else sample
        self.mapping.tick(self.now, taken, self.robot, self.view, ready=ready, permitted=permitted)
        if not self.held and self.mapping.mode is Mode.ENGAGED:
            self.robot = self.mapping.target.copy()
        return self.mapping.target.copy()

    def press(self, buttons: int) -> Array:
        """Change the buttons and tick."""
        self.buttons = buttons
        return self.tick()

    def engage(self) -> Array:
        """Dead-man up, then down; the target is the robot's pose."""
        self.press(0)
        target = self.press(DEAD_MAN)
        assert self.mapping.mode is Mode.ENGAGED
        return target

    def go(self, place: object = None, turn: object = None, ticks: int = 100) -> Array:
        """Move the hand there on a straight way; returns the target at the end."""
        start = self.hand.copy()
        end = pose_of(start[:3, 3] if place is None else place)
        end[:3, :3] = start[:3, :3] if turn is None else pose_of(turn=turn)[:3, :3]
        way = moved(start, end)
        for share in np.linspace(0.0, 1.0, ticks + 1)[1:]:
            self.hand = pose_of(start[:3, 3] + share * way[:3], share * way[3:])
            self.hand[:3, :3] = self.hand[:3, :3] @ start[:3, :3]
            self.tick()
        return self.mapping.target.copy()
