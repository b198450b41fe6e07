"""`Reflection`: contact at the arm on its way to the hand, by the method that is chosen; see `station.bilateral`.

An arm that only takes setpoints and reports has no end of the link: what comes in is observed here, with what it does
at the hand. With one that `couples` the two ends talk: packets go with setpoints and come with measurements. Stops,
obstacles and singularities are felt from the predicted robot as ever, without any delay.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from station.bilateral import Architecture, BilateralMethod, HandEnd
from station.bilateral.kernels import layout as link
from station.bilateral.kernels.station import station_tick
from station.bilateral.packing import ARCHITECTURES, METHODS
from station.controllers import Measurement
from station.controllers.controller import Floats
from station.controllers.words import ArmWords, HandWords
from station.devices.mapping.kernels.layout import STRAIGHT
from station.devices.mapping.kernels.tick import mapping_wrench
from station.haptics.kernels import layout as felt
from station.servo.kernels.fields import numbers_of
from station.servo.shared.words import LinkMethod

if TYPE_CHECKING:
    from station.servo.arm import ArmSide
    from station.servo.servo import Servo

MOST_HELD = 0.25  # of a joint, that an arm may hold back on purpose [rad | m]
SINGULAR = 1e-6  # of a mapping: it cannot be turned around
COUNTED = 2**32 - 1  # what a field of a message can count


class Reflection:
    """The end of the link at the hand, in a servo. Neither method waits or raises."""

    def __init__(self, servo: Servo) -> None:
        self._servo = servo
        self.end = HandEnd(servo.rig.reflection)
        self._felt = np.zeros(6)
        self._state = numbers_of(self.end.state)
        self._code = LinkMethod[self.end.settings.method.name]
        self._heard = 0  # measurements
        self._start, self._epochs = 1, 0
        self._epoch = 0  # of the books that both ends have; 0: nothing is coupled
        self._straight = np.zeros((3, 3))  # motion of the target per motion of the hand

    @property
    def by_place(self) -> bool:
        """Whether the place of the arm makes a force, not only what it measures."""
        return self.end.settings.architecture is not Architecture.POSITION_FORCE

    def change(self, method: BilateralMethod) -> None:
        """Use another method; raises a SettingsError if it needs an end at the arm."""
        self.end.change(replace(self.end.settings, method=method))
        self._code = LinkMethod[method.name]
        self._epoch = 0  # the next tick begins new books

    def start_anew(self) -> None:
        """Setpoints begin where the arm was measured, and so do both ends."""
        self._start += 1
        self._epoch = 0

    def words(self) -> HandWords | None:
        """What goes with the next setpoint; None: the arm has no end."""
        now = self.end.settings
        if not now.two_port:
            return None
        return HandWords(
            self._start % COUNTED,
            self._epoch % COUNTED,
            METHODS[now.method],
            ARCHITECTURES[now.architecture],
            now.force_scale,
            now.stiffness,
            now.impedance,
            self._straight,
            self.end.packet,
        )

    def held_back(self, said: ArmWords | None) -> Floats | float:
        """What the arm has added to setpoints on purpose [rad | m], as far as that is believed: no following error."""
        if said is None or said.start != self._start % COUNTED:
            return 0.0
        return np.clip(said.held, -MOST_HELD, MOST_HELD)

    def hear(self, said: Measurement, pose: Floats, has_wrench: bool) -> None:
        """A measurement, and where it puts the followed frame [m]; what it measured is in the servo's memory.

        Without a force on the tool its place may still make one; if not, nothing was heard.
        """
        servo, memory = self._servo, self._servo.memory
        mapping_wrench(memory.mapping_state, memory.measured_wrench, self._felt)
        place = self.end.place.copy()
        if self.by_place and self._felt_now:
            place[:3] -= memory.straight_back @ (memory.target[:3, 3] - pose[:3, 3])
        if self.end.settings.two_port and self._can_couple:
            self._hear_the_end(servo.arm)
            return
        if not (has_wrench or self.by_place):
            return
        self._heard += 1  # controllers hand out the newest only, and may begin to count anew
        self.end.take_measurement(self._heard, said.controller_time, servo.clock.now(), self._felt, place)

    def _hear_the_end(self, arm: ArmSide | None) -> None:
        said = None if arm is None else arm.controller.coupled
        if said is None or self._epoch == 0 or said.epoch != self._epoch % COUNTED:
            return  # of books that are closed
        if self.end.settings.turns:  # the end at the arm knows straight motion only
            said.packet[link.FORCE + 3 : link.FORCE + 6] = self.end.settings.force_scale * self._felt[3:]
        self.end.take(said.packet, self._servo.clock.now())

    def _keep_epoch(self) -> None:
        """New books whenever the hand begins to lead the robot; none while it does not, or by rate, or with locks."""
        self._straight = self._servo.memory.mapping_state[STRAIGHT : STRAIGHT + 9].reshape(3, 3).copy()
        if not (self._felt_now and self._can_couple):
            self._epoch = 0
        elif self._epoch == 0:
            self._epochs += 1
            self._epoch = self._epochs
            self.end.reset()

    @property
    def _can_couple(self) -> bool:
        """Whether every motion of the hand is one of the robot, and the other way round."""
        return abs(float(np.linalg.det(self._straight))) > SINGULAR

    def tick(self, now: float) -> None:
        """Write what contact the hand is to feel, and show how that is doing."""
        servo, end, shared = self._servo, self.end, self._servo.shared
        if end.settings.two_port:
            self._keep_epoch()
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
