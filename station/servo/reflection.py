"""`Reflection`: contact at the arm on its way to the hand, by the method that is chosen; see `station.bilateral`.

The arm takes setpoints and reports, so the link has one end only, here: what comes in is observed with what it does at
the hand. Stops, obstacles and singularities are felt from the predicted robot as ever, without any delay.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from station.bilateral import Architecture, BilateralMethod, HandEnd
from station.bilateral.kernels import layout as link
from station.bilateral.kernels.station import station_tick
from station.controllers import Measurement
from station.controllers.controller import Floats
from station.devices.mapping.kernels.tick import mapping_wrench
from station.haptics.kernels import layout as felt
from station.servo.kernels.fields import numbers_of
from station.servo.shared.words import LinkMethod

if TYPE_CHECKING:
    from station.servo.servo import Servo


class Reflection:
    """The end of the link at the hand, in a servo. Neither method waits or raises."""

    def __init__(self, servo: Servo) -> None:
        self._servo = servo
        self.end = HandEnd(servo.rig.reflection)
        self._felt = np.zeros(6)
        self._state = numbers_of(self.end.state)
        self._code = LinkMethod[self.end.settings.method.name]
        self._heard = 0  # measurements

    @property
    def by_place(self) -> bool:
        """Whether the place of the arm makes a force, not only what it measures."""
        return self.end.settings.architecture is not Architecture.POSITION_FORCE

    def change(self, method: BilateralMethod) -> None:
        """Use another method; raises a SettingsError if it needs an end at the arm."""
        self.end.change(replace(self.end.settings, method=method))
        self._code = LinkMethod[method.name]

    def hear(self, said: Measurement, pose: Floats) -> None:
        """A measurement, and where it puts the followed frame [m]; what it measured is in the servo's memory."""
        servo, memory = self._servo, self._servo.memory
        mapping_wrench(memory.mapping_state, memory.measured_wrench, self._felt)
        place = self.end.place.copy()
        if self.by_place and self._felt_now:
            place[:3] -= memory.straight_back @ (memory.target[:3, 3] - pose[:3, 3])
        self._heard += 1  # controllers hand out the newest only, and may begin to count anew
        self.end.take_measurement(self._heard, said.controller_time, servo.clock.now(), self._felt, place)

    def tick(self, now: float) -> None:
        """Write what contact the hand is to feel, and show how that is doing."""
        servo, end, shared = self._servo, self.end, self._servo.shared
        memory, renderer = servo.memory, servo.rig.renderer
        shared.reflection_status[0] = station_tick(
            end.state,
            end.numbers,
            end.inputs,
            renderer.state,
            renderer.wrench,
            memory.sample_pose,
            memory.sample_velocity,
            now,
            servo.period,
            memory.felt_wrench,
            end.packet,
        )
        shared.reflection_method[0], shared.reflection_energy[0] = self._code, self._state[link.AVAILABLE]

    def warm_up(self) -> None:
        """Compile and load what a tick needs; nothing is remembered."""
        self.tick(0.0)
        self.end.take_measurement(1, 0.0, 0.0, self._felt, self.end.place)
        self.end.reset()
        self.end.inputs[:] = 0.0

    @property
    def _felt_now(self) -> bool:
        """Whether forces of the robot reach the hand: before, the way back from robot to hand means nothing."""
        return bool(self._servo.inputs.numbers[felt.ENGAGED] == 1.0)
