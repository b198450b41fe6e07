"""`Steering`: the on-screen device leads a frame of the virtual robot, by the mapping and the solver of the servo."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from station.clock import VirtualClock
from station.devices.mapping import Mapping, MappingSettings, settings_from_device
from station.devices.software.deflection import AXES
from station.devices.software.panel import PanelDevice
from station.mad.scene import Device, ReferenceFrame
from station.mechanism.mechanism import ALL_AXES, Along
from station.mechanism.results import Step
from station.view.design.contacts import Around
from station.view.design.errors import DesignError
from station.view.design.leading import axes_of, led_frame, of_device, stepped, turn_between
from station.view.design.model import Design

Pose = NDArray[np.float64]

STEP = 0.01  # of the solver [s]
MOST_STEPS = 10  # per frame
STEP_LENGTH, STEP_TURN = 0.005, math.radians(2.0)  # of one push of a step button [m], [rad]
PUSHED_FOR = 0.5  # time that the robot has for it [s]


class Steering:
    """Six deflections that move a frame, as those of any device that springs back.

    Args:
        design: whose robot it moves.
    """

    def __init__(self, design: Design) -> None:
        self._design = design
        self._clock = VirtualClock()  # time passes only while a window lives
        self.device = PanelDevice("panel:design", self._clock)
        self.reference = ReferenceFrame.WORLD
        self.sensitivity = 1.0
        self.robot, self.frame, self.axes = "", -1, ALL_AXES
        self._mapping = Mapping(self._settings())
        self.in_use = False  # whether a panel shows it
        self._steps = np.zeros(6)  # of step buttons, still to be gone [m | rad]
        self._goal, self._goal_left = np.eye(4), 0.0  # of the last push, and time left for it [s]
        self._rank, self._known = 6, (-1, "", -1)  # of the frame's motion; scene, robot and frame it is of
        self._around: Around | None = None
        self._find()

    def lead(self, robot: str, frame: int) -> None:
        """Act at another frame from now on."""
        known = [item.id for item in self._design.robot(robot).placed()]
        if frame not in known:
            raise DesignError(f"robot {robot} has no part {frame}; there are: {', '.join(map(str, known))}")
        self.robot, self.frame, self.axes = robot, frame, ALL_AXES
        self._mapping = Mapping(self._settings())  # what it was on the way to is forgotten

    def release(self) -> None:
        """Act again where the file says."""
        self.robot, self.frame = "", -1
        self._find()

    def set(self, reference: ReferenceFrame | None = None, sensitivity: float | None = None) -> None:
        """In whose axes it moves, and how far."""
        self.reference = reference or self.reference
        self.sensitivity = self.sensitivity if sensitivity is None else sensitivity
        self._mapping.change(self._settings())

    def deflect(self, shares: Sequence[float]) -> None:
        """Hold six deflections along and about the reference frame's axes, -1 to 1; once per frame."""
        for axis, share in zip(AXES, of_device(shares), strict=True):
            self.device.set_axis(axis, share)

    def push(self, axis: int, sign: int) -> None:
        """One push of a step button: a small way along or about an axis of the reference frame."""
        if self._goal_left > 0.0:  # pushes come faster than the robot: none gets lost
            self._steps += self._left_to_go()
        self._steps[axis] += sign * self.sensitivity * (STEP_LENGTH if axis < 3 else STEP_TURN)

    def _left_to_go(self) -> Pose:
        """What is left of the push before, along and about the axes of the reference frame [m | rad]."""
        mechanism, frame = self._design.led(self.robot, self.frame)
        pose = mechanism.pose(frame)
        axes = axes_of(self.reference, pose, self._mapping.view)
        turn = turn_between(pose, self._goal)
        return np.concatenate([axes.T @ (self._goal[:3, 3] - pose[:3, 3]), axes.T @ turn])

    def follow(self, elapsed: float, view: Pose) -> Step | None:
        """Let the robot follow for some time [s], seen by a camera at `view`; returns the last step, if it moved."""
        step = None
        self._find()
        for _ in range(min(math.ceil(elapsed / STEP), MOST_STEPS)):
            self._clock.sleep_until(self._clock.now() + STEP)
            step = self._one(view) or step
        if step is not None:
            self._design.settle(self.robot)
        return step

    def _find(self) -> None:
        """What is led may have gone with an edit: then what the file says is led."""
        names = [robot.name for robot in self._design.bench.robots]
        if not names:
            raise DesignError("no robot to be led")
        if self.robot not in names:
            self.robot, self.frame = names[0], -1
        robot = self._design.robot(self.robot)
        if self.frame not in [item.id for item in robot.placed()]:
            self.frame, self.axes = led_frame(robot)

    def _one(self, view: Pose) -> Step | None:
        mechanism, frame = self._design.led(self.robot, self.frame)
        pose = mechanism.pose(frame)
        self.device.refresh()
        sample = self.device.newest()
        resting = sample is None or np.array_equal(sample.pose, np.eye(4))
        # At rest, what else moves the robot takes the target along: it never jumps back.
        left_behind = resting and not np.allclose(self._mapping.target, pose, atol=1e-9)
        self._mapping.tick(self._clock.now(), sample, pose, view, permitted=not left_behind)
        if self._steps.any():
            self._goal = stepped(pose, self._steps, axes_of(self.reference, pose, view))
            self._steps[:], self._goal_left = 0.0, PUSHED_FOR
        if not resting:
            self._goal_left = 0.0
            return self._go(self._mapping.target.copy())
        if self._goal_left > 0.0:
            self._goal_left -= STEP
            return self._go(self._goal)
        mechanism.interrupted()
        return None

    def _go(self, target: Pose, dt: float = STEP) -> Step:
        """One step of the solver; place before orientation where the robot cannot have both."""
        mechanism, frame = self._design.led(self.robot, self.frame)
        key = (self._design.revision, self.robot, self.frame)
        if key != self._known or self._around is None:
            self._rank, self._known = mechanism.rank(frame), key
            self._around = Around(self._design.bench, mechanism)
        contacts = self._around.contacts(dt)
        if self.axes != ALL_AXES or self._rank == len(AXES):
            step = mechanism.step({frame: Along(target, self.axes)}, dt, contacts=contacts)
        else:
            place, turn = (Along(target, axes) for axes in ("x y z", "rx ry rz"))
            step = mechanism.step({frame: place}, dt, then=({frame: turn},), contacts=contacts)
        self._around.stepped()
        return step

    def _settings(self) -> MappingSettings:
        described = Device(
            id=1, reference=self.reference, straight_scale=self.sensitivity, turning_scale=self.sensitivity
        )
        settings = settings_from_device(described, self.device.capabilities)
        return replace(settings, engagement=replace(settings.engagement, dead_man=None, clutch=None))
