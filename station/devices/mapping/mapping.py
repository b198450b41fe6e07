"""`mapping_tick`, `mapping_wrench` and `Mapping`: samples of a hand in, the target of the followed frame out.

`guidance` is what a person is told on the way to engaging: homing, back to the start, dead-man.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from station.devices.device import DeviceStatus, Sample
from station.devices.mapping.engagement import believe, decide, trouble_of_age
from station.devices.mapping.motion import fill_jacobians, fill_own_force, follow_hand, follow_rates
from station.devices.mapping.settings import MappingSettings
from station.devices.mapping.state import (
    Cause,
    MappingNumbers,
    MappingState,
    Mode,
    Reference,
    fill_numbers,
    keep,
    numbers_of,
    place_of,
    turn_of,
)
from station.kernel import Floats, Floats1, Floats2, entry, kernel
from station.kernel.so3 import applied_back, is_pose, quaternion_of, rotation, write_rotation

# A camera that looks along the world's y, z up: right, away and up are then x, y and z of the world.
LOOKING_ALONG_Y = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
LOOKING_ALONG_Y.flags.writeable = False


@entry
def mapping_tick(
    state: MappingState,
    numbers: MappingNumbers,
    now: float,
    ready: bool,
    permitted: bool,
    fresh: bool,
    pose: Floats2,
    velocity: Floats1,
    buttons: int,
    device_time: float,
    arrival: float,
    sequence: int,
    robot: Floats2,
    view: Floats2,
    target: Floats2,
) -> Mode:
    """One tick at `now` [s]; writes the 4×4 target [m]; returns the mode, as `Mode`.

    `pose` to `sequence` are a sample and count only if it is `fresh`. `robot` is the pose of the followed frame as it
    is (predicted), `view` that of the camera, both in the world. While not engaged the target is the robot's pose.
    """
    trouble = Cause.LOST if state.known and not (ready and math.isfinite(now)) else Cause.NEVER
    if fresh and ready and trouble == Cause.NEVER:
        trouble = believe(state, numbers, pose, velocity, buttons, device_time, arrival, sequence)
    if trouble == Cause.NEVER:
        trouble = trouble_of_age(state, numbers, now)
    known = is_pose(robot) and (numbers.reference != Reference.VIEW or is_pose(view))
    mode = decide(state, numbers, trouble, permitted, robot, known)
    dt = duration(state, numbers, now)
    if mode == Mode.ENGAGED:
        fill_jacobians(state, numbers, robot, view, dt)
        follow_hand(state, numbers, dt)
        follow_rates(state, numbers, dt, robot)
        write_target(state, target)
    elif known:
        keep(state.target, (robot[0, 3], robot[1, 3], robot[2, 3]), quaternion_of(robot))
        for i in range(3):
            for k in range(4):
                target[i, k] = robot[i, k]
    fill_own_force(state, numbers, mode, dt)
    return mode


@kernel
def duration(state: MappingState, numbers: MappingNumbers, now: float) -> float:
    """Time since the last tick [s]; 0 in the first and where time goes back, at most what a sample is good for."""
    passed = now - state.now if state.ticked else 0.0
    if math.isfinite(now):
        state.now, state.ticked = now, True
    return min(passed, numbers.stale_after) if passed > 0.0 else 0.0


@kernel
def write_target(state: MappingState, target: Floats2) -> None:
    """The target in the state as a 4×4 pose [m]."""
    target[0, 3], target[1, 3], target[2, 3] = place_of(state.target)
    write_rotation(turn_of(state.target), target)


@entry
def mapping_wrench(state: MappingState, wrench: Floats1, hand: Floats1) -> None:
    """A wrench at the followed frame, world axes, as the hand is to feel it, device axes [N, N·m]; 0 if not engaged."""
    total = 0.0
    for i in range(6):
        total += wrench[i]
        hand[i] = 0.0
    if state.mode == Mode.ENGAGED and math.isfinite(total):
        hand[0], hand[1], hand[2] = applied_back(state.force_back, (wrench[0], wrench[1], wrench[2]))
        hand[3], hand[4], hand[5] = applied_back(state.torque_back, (wrench[3], wrench[4], wrench[5]))


class Mapping:
    """Hand → target and wrench → hand, for one device and one followed frame. No method reads a clock or raises.

    Arrays that are handed out are the same every time and are overwritten by the next tick.
    """

    def __init__(self, settings: MappingSettings) -> None:
        self._settings = settings
        self.numbers, self.state = numbers_of(settings), MappingState()  # for other kernels, too
        self._pose, self._velocity = np.eye(4), np.zeros(6)
        self._robot = np.eye(4)
        self.view: Floats = LOOKING_ALONG_Y.copy()  # pose of the camera, for motion in its axes
        self._wrench, self._hand_wrench, self._own = np.zeros(6), np.zeros(6), np.zeros(6)
        self.target: Floats = np.eye(4)  # where the followed frame is to be [m], world
        self.tick(0.0, None, self.target)  # compile or load now, not in the first real tick
        self.hand_wrench(self._wrench)
        self.state.reset()

    def tick(
        self,
        now: float,
        sample: Sample | None,
        robot: Floats,
        view: Floats | None = None,
        *,
        ready: bool = True,
        permitted: bool = True,
    ) -> Mode:
        """One tick at `now` [s] with the newest sample, or None if there is no new one; updates `target`.

        `robot` is the 4×4 pose of the followed frame as it is (predicted) [m], `view` that of the camera (x right,
        y down, z away); without one the last is kept. `ready`: whether the device is; `permitted`: whether the
        supervisor lets the hand move the robot.
        """
        self._robot[:] = robot
        if view is not None:
            self.view[:] = view
        fresh, buttons, device_time, arrival, sequence = False, 0, 0.0, 0.0, 0
        if sample is not None:
            self._pose[:], self._velocity[:] = sample.pose, sample.velocity
            fresh, buttons, sequence = True, sample.buttons, sample.sequence
            device_time, arrival = float(sample.device_time), float(sample.arrival)
        mode = mapping_tick(
            self.state,
            self.numbers,
            float(now),
            ready,
            permitted,
            fresh,
            self._pose,
            self._velocity,
            buttons,
            device_time,
            arrival,
            sequence,
            self._robot,
            self.view,
            self.target,
        )
        return Mode(mode)

    def hand_wrench(self, wrench: Floats) -> Floats:
        """A wrench at the followed frame, world axes, as the hand is to feel it, device axes [N, N·m].

        Uses the frames, scale and locks of the last tick; zero unless engaged.
        """
        self._wrench[:] = wrench
        mapping_wrench(self.state, self._wrench, self._hand_wrench)
        return self._hand_wrench

    @property
    def own_wrench(self) -> Floats:
        """What edge, bubble and guidance ask for, device axes [N, N·m]; zero while the hand is not known."""
        self._own[:3] = self.state.own_force
        return self._own

    @property
    def settings(self) -> MappingSettings:
        """What is set; change it with `change`."""
        return self._settings

    def change(self, settings: MappingSettings) -> None:
        """Use other settings from the next tick on; also while engaged, without a jump."""
        fill_numbers(self.numbers, settings)
        self._settings = settings

    def guide(self, on: bool = True) -> None:
        """Lead the hand to the start before it engages (it disengages if it is), or no longer."""
        self.state.guided = on

    @property
    def mode(self) -> Mode:
        """Whether the hand moves the robot, and if not, what is missing."""
        return self.state.mode

    @property
    def hand(self) -> Floats:
        """Last believed place of the hand, device frame [m]."""
        return self.state.hand.place.copy()

    @property
    def cause(self) -> Cause:
        """Why the hand last ceased to move the robot."""
        return self.state.cause

    @property
    def refused(self) -> int:
        """Samples that were not believed, in all."""
        return self.state.refused

    @property
    def disengagements(self) -> int:
        """How often the hand ceased to move the robot, other than by dead-man and clutch."""
        return self.state.disengaged


SMALLEST = 0.001  # a way shorter than this is not told [m]


class Stage(StrEnum):
    """How far the person has come."""

    DEVICE = "device"  # the device is not ready; its own reason says what to do
    HOMING = "homing"  # the device must be moved to its ends by hand; it cannot push
    TO_START = "to start"  # the hand is led to the start
    ENGAGE = "engage"  # only the person's buttons are missing
    FORBIDDEN = "forbidden"  # the station does not permit it
    DONE = "done"  # the hand moves the robot


class Guidance(NamedTuple):
    """What to do next."""

    stage: Stage
    text: str  # one line for the person
    distance: float = 0.0  # from the start [m], while on the way to it


def guidance(mapping: Mapping, status: DeviceStatus, reason: str = "") -> Guidance:
    """What the person is to do next; for the view, not for every tick."""
    if status is DeviceStatus.HOMING:
        return Guidance(Stage.HOMING, reason or "move the handle gently to all its ends and back to the middle")
    if status is not DeviceStatus.READY:
        return Guidance(Stage.DEVICE, reason or f"the device is {status.value}")
    if mapping.mode is Mode.GUIDING:
        way = np.array(mapping.settings.guide.start) - mapping.hand
        return Guidance(
            Stage.TO_START, f"bring the handle to the start: {_told(mapping, way)}", float(np.hypot.reduce(way))
        )
    texts = {
        Mode.NO_SAMPLE: (Stage.DEVICE, "waiting for the device"),
        Mode.NOT_PERMITTED: (Stage.FORBIDDEN, "the station does not let the hand move the robot now"),
        Mode.RELEASE_FIRST: (Stage.ENGAGE, "let go of the dead-man button, then hold it to move the robot"),
        Mode.WAITING: (Stage.ENGAGE, "hold the dead-man button to move the robot"),
        Mode.CLUTCHED: (Stage.ENGAGE, "the hand moves alone; let go of the clutch to move the robot"),
        Mode.ENGAGED: (Stage.DONE, "the hand moves the robot"),
    }
    return Guidance(*texts[mapping.mode])


def _told(mapping: Mapping, way: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    """A way as the person sees it, longest part first."""
    right, away, up = rotation(np.array(mapping.settings.seat)) @ way
    parts = [(right, "right", "left"), (away, "away from you", "towards you"), (up, "up", "down")]
    parts = sorted((part for part in parts if abs(part[0]) >= SMALLEST), key=lambda part: -abs(part[0]))
    words = [f"{1000.0 * abs(length):.0f} mm {one if length > 0.0 else other}" for length, one, other in parts]
    return ", ".join(words) or "you are there"
