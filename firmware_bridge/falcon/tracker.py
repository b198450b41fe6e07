"""From answers to samples: counts checked, made a place and a velocity; homing watched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from firmware_bridge.falcon.conversation import Answer
from firmware_bridge.falcon.frames import Reply
from station.devices.device import Floats, Sample
from station.devices.falcon.encoders import EncoderCheck, Reading, within_reach
from station.devices.falcon.kinematics import FalconModel
from station.devices.velocity import VelocityEstimator

HOMED_AFTER = 3  # answers in a row that say so
GUIDE = "pull the grip all the way out towards you, then push it all the way in"


class Tracked(NamedTuple):
    """The newest that is known; one object, so that another thread sees all of it or nothing."""

    sample: Sample
    homed: bool
    to_do: str  # what the person has to do before places mean anything; empty if nothing
    problem: str  # why the sample is not to be used; empty if it is


class Tracker:
    """Takes every answer in turn; `newest` is what came of it."""

    def __init__(self, model: FalconModel) -> None:
        self._model = model
        self._check = EncoderCheck()
        self._velocity = VelocityEstimator()
        self._six = np.zeros(6)
        self._homed_in_a_row = 0
        self._offset = 0  # of sequence numbers, so that they go on when the conversation starts anew
        self._sequence = 0
        self.newest: Tracked | None = None

    @property
    def homed(self) -> bool:
        """Whether places mean anything."""
        return self._homed_in_a_row >= HOMED_AFTER

    def begin(self) -> None:
        """A new conversation: whatever was before may have been another day."""
        self._forget()
        self._homed_in_a_row = 0
        self._offset = self._sequence + 1  # a gap: nobody may take it for continuous

    def take(self, answer: Answer) -> None:
        """Make of an answer what can be made of it."""
        if not answer.trusted:
            self._check.note(answer.reply.counts)
            return
        self._sequence = self._offset + answer.number
        if not answer.reply.all_homed:
            if self.homed:
                self._forget()
            self._homed_in_a_row = 0
            self.newest = Tracked(self._sample(answer, np.zeros(3)), False, _guide(answer.reply), "")
            return
        was_homed = self.homed
        self._homed_in_a_row = min(self._homed_in_a_row + 1, HOMED_AFTER)
        if self.homed:
            if not was_homed:  # coordinates have jumped: nothing before that belongs to what follows
                self._velocity.reset()
            self._follow(answer)
        else:  # this one may be from before or after the jump
            self._check.forget()
            self._check.note(answer.reply.counts)

    def _follow(self, answer: Answer) -> None:
        counts = answer.reply.counts
        reading = self._check.take(counts, answer.asked)
        if reading is Reading.SUSPECT:
            return
        if reading is Reading.JUMPED:
            self._velocity.reset()
        position = self._model.position_of_counts(counts) if within_reach(counts) else None
        problem = self._problem(reading, counts, position)
        sample = self._sample(answer, np.zeros(3) if position is None else position)
        self.newest = Tracked(sample, True, "", problem)

    def _problem(self, reading: Reading, counts: tuple[int, int, int], position: Floats | None) -> str:
        if position is None:
            return f"encoder counts {counts} are outside of its reach; switch it off and on and home it again"
        if reading is Reading.JUMPED:
            return "the encoders have jumped; check where the grip is before force is enabled again"
        if self._check.stuck is not None:
            return f"the encoder of leg {self._check.stuck + 1} stands still while the others move; it needs repair"
        return ""

    def _sample(self, answer: Answer, position: Floats) -> Sample:
        pose = np.eye(4)
        pose[:3, 3] = position
        self._six[:3] = position
        return Sample(
            pose=pose,
            velocity=self._velocity.update(answer.asked, self._six).copy(),
            buttons=answer.reply.buttons,
            grip=0.0,
            device_time=answer.asked,  # it has no clock; it looks at its encoders when it is asked
            arrival=answer.arrived,
            sequence=self._sequence,
        )

    def _forget(self) -> None:
        self._check.forget()
        self._velocity.reset()


def _guide(reply: Reply) -> str:
    missing = [str(leg + 1) for leg in range(3) if not reply.homed >> leg & 1]
    legs = f" (leg{'s' if len(missing) > 1 else ''} {', '.join(missing)} not found yet)" if missing else ""
    return f"{GUIDE}{legs}; the lamp turns from red to green, and there is no force before"
