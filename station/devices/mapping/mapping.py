"""`Mapping`: samples of a hand in, the target of the followed frame out, every tick; a thin class over the kernels."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from station.devices.device import Sample
from station.devices.mapping.kernels import layout as at
from station.devices.mapping.kernels.layout import Floats
from station.devices.mapping.kernels.tick import mapping_tick, mapping_wrench
from station.devices.mapping.packing import packed
from station.devices.mapping.settings import MappingSettings


class Mode(IntEnum):
    """Whether the hand moves the robot, and if not, what is missing."""

    NO_SAMPLE = at.NO_SAMPLE  # the hand is not known: device not ready, lost, or its samples refused
    NOT_PERMITTED = at.NOT_PERMITTED  # the caller forbids it, or the robot's pose or the view is not known
    GUIDING = at.GUIDING  # the hand is led to the start
    RELEASE_FIRST = at.RELEASE_FIRST  # the dead-man must be let go and pressed again
    WAITING = at.WAITING  # the dead-man is up
    CLUTCHED = at.CLUTCHED  # the clutch is held: the hand moves alone
    ENGAGED = at.ENGAGED


class Cause(IntEnum):
    """Why the hand last ceased to move the robot."""

    NEVER = at.NEVER  # it has not ceased yet
    RELEASED = at.RELEASED  # the dead-man was let go
    CLUTCH = at.CLUTCH_HELD  # the clutch was pressed
    LOST = at.LOST  # no sample for too long, or the device is not ready
    UNREADABLE = at.UNREADABLE  # a sample held what is no number or no rotation
    GLITCH = at.GLITCH  # several samples in a row were faster than a hand, or came in the wrong order
    FORBIDDEN = at.FORBIDDEN  # the caller said so
    ROBOT_UNKNOWN = at.ROBOT_UNKNOWN  # the pose of the robot or of the view is not finite or no rotation


_MODES, _CAUSES = tuple(sorted(Mode)), tuple(sorted(Cause))

# A camera that looks along the world's y, z up: right, away and up are then x, y and z of the world.
LOOKING_ALONG_Y = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
LOOKING_ALONG_Y.flags.writeable = False


class Mapping:
    """Hand → target and wrench → hand, for one device and one followed frame. No method reads a clock or raises.

    Arrays that are handed out are the same every time and are overwritten by the next tick.
    """

    def __init__(self, settings: MappingSettings) -> None:
        self._settings = settings
        self.numbers: Floats = packed(settings)  # what is set, for other kernels
        self.state: Floats = np.zeros(at.STATE_SIZE)
        self._pose, self._velocity = np.eye(4), np.zeros(6)
        self._robot = np.eye(4)
        self.view: Floats = LOOKING_ALONG_Y.copy()  # pose of the camera, for motion in its axes
        self._wrench, self._hand_wrench, self._own = np.zeros(6), np.zeros(6), np.zeros(6)
        self.target: Floats = np.eye(4)  # where the followed frame is to be [m], world
        self.mode = Mode.NO_SAMPLE
        self.tick(0.0, None, self.target)  # compile or load now, not in the first real tick
        self.hand_wrench(self._wrench)
        self.state[:] = 0.0

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
        self.mode = _MODES[mode]
        return self.mode

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
        self._own[:3] = self.state[at.OWN : at.OWN + 3]
        return self._own

    @property
    def settings(self) -> MappingSettings:
        """What is set; change it with `change`."""
        return self._settings

    def change(self, settings: MappingSettings) -> None:
        """Use other settings from the next tick on; also while engaged, without a jump."""
        self.numbers[:] = packed(settings)
        self._settings = settings

    def guide(self, on: bool = True) -> None:
        """Lead the hand to the start before it engages (it disengages if it is), or no longer."""
        self.state[at.GUIDED] = 1.0 if on else 0.0

    @property
    def hand(self) -> Floats:
        """Last believed place of the hand, device frame [m]."""
        return self.state[at.HAND : at.HAND + 3].copy()

    @property
    def cause(self) -> Cause:
        """Why the hand last ceased to move the robot."""
        return _CAUSES[int(self.state[at.CAUSE])]

    @property
    def refused(self) -> int:
        """Samples that were not believed, in all."""
        return int(self.state[at.REFUSED])

    @property
    def disengagements(self) -> int:
        """How often the hand ceased to move the robot, other than by dead-man and clutch."""
        return int(self.state[at.DISENGAGED])
