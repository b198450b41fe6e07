"""`Plausibility`: an arm's readings compared with each other, with what it was told, and with its own weight.

What joints say is all that a station knows of where an arm is, so a joint that lies is found only where something else
contradicts it: the reading before, the motion that it was told, or the efforts of the motors, which carry the weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from station.controllers.controller import ControlledJoint, Measurement
from station.controllers.plausibility.motions import judge_motion
from station.controllers.plausibility.readings import judge_reading
from station.controllers.plausibility.state import (
    Doubt,
    PlausibilityBounds,
    PlausibilitySettings,
    PlausibilityState,
    Reading,
)
from station.controllers.shaping import JointLimits, Shaper, ShapingInputs, ShapingSettings
from station.kernel import Floats
from station.mechanism import Mechanism
from station.mechanism.results import Joint

MILLI = 1000.0


class Plausibility:
    """One arm; its records are what a tick works on. `take`, `compare` and `stops` neither wait nor raise.

    Args:
        measured: the robot as it is measured; its bodies are placed by whoever takes readings.
        arm: joints as the controller tells them.
        limits: within which they are led.
        settings: bounds.
    """

    def __init__(
        self,
        measured: Mechanism,
        arm: Sequence[ControlledJoint],
        limits: Sequence[JointLimits],
        settings: PlausibilitySettings | None = None,
    ) -> None:
        self.settings = settings or PlausibilitySettings()
        self._robot, joints = measured, [joint for joint in measured.joints if joint.active]
        self._names, count = [_name(joint) for joint in joints], len(joints)
        self.bounds = PlausibilityBounds(n=count, b=len(measured.joints), **asdict(self.settings))
        metre = ShapingSettings().metre
        for i, (limit, ours, theirs) in enumerate(zip(limits, joints, arm, strict=True)):
            efforts = [one.effort for one in (ours, theirs) if one.effort]
            self.bounds.speed[i], self.bounds.acceleration[i] = limit.speed, limit.acceleration
            self.bounds.effort[i] = min(efforts, default=math.inf)
            self.bounds.scale[i] = metre if limit.prismatic else 1.0
        self.bounds.weighs = fill_masses(measured, self.bounds)
        self.reading, self.state = Reading(n=count), PlausibilityState(n=count)
        self._reason = ""  # what was found, for people

    def take(self, said: Measurement, frame: int, wrench: Floats | None, pose: Floats) -> bool:
        """Judge a reading; False: put it aside and wait for the next.

        Args:
            said: the reading.
            frame: number of the frame that the force is measured in.
            wrench: force on the tool in axes of the world [N, N·m]; None: not measured.
            pose: of that frame, 4×4 [m].
        """
        reading, memory = self.reading, self._robot.memory
        reading.q[:] = said.q
        reading.v[:] = math.nan if said.v is None else said.v
        reading.effort[:] = math.nan if said.effort is None else said.effort
        force, known = (_NO_WRENCH, False) if wrench is None else (wrench, True)
        tool, times = int(memory.frame_body[frame]), (said.controller_time, said.arrival)
        return bool(judge_reading(self.state, self.bounds, reading, *times, memory, tool, force, known, pose))

    def begin(self, q: Floats) -> None:
        """The arm begins to be led from `q` [rad | m]: no joint was seen moving yet, and what was told is over."""
        self.state.begun[:], self.state.right[:] = q, False
        self.state.found.reset()
        self._reason = ""

    def compare(self, shaper: Shaper, inputs: ShapingInputs, wrench: Floats | None) -> None:
        """Compare what joints were told with what they did; `wrench` on the tool [N, N·m], None: not measured."""
        force, known = (_NO_WRENCH, False) if wrench is None else (wrench, True)
        judge_motion(self.state, self.bounds, shaper.state, shaper.numbers, inputs, force, known)

    def stops(self) -> bool:
        """Whether the arm must be stopped for what was found since the last question."""
        stop = self.state.found.stop
        self.state.found.stop = False
        return stop

    @property
    def glitches(self) -> int:
        """Readings that were put aside and not borne out by the next."""
        return self.state.glitches

    @property
    def reason(self) -> str:
        """What was found since the arm is led: one line, empty if nothing was."""
        if self.state.found.news:
            self.state.found.news = False
            self._reason = self._told()
        return self._reason

    def _told(self) -> str:
        found = self.state.found
        name, slides, value = self._names[found.joint], self.bounds.scale[found.joint] != 1.0, found.value
        way = f"{MILLI * value:.3g} {'mm' if slides else 'mrad'}"
        effort = f"{value:.3g} {'N' if slides else 'N·m'}"
        return {
            Doubt.STEP: f"{name} was measured {way} away at once, further than it can move: see to its encoder",
            Doubt.STRAINS: f"{name} stands, driven by {effort} that neither weight nor tool explain: its "
            "encoder is stuck, or something holds it",
            Doubt.WEIGHT: f"{name} holds {effort} more at rest than the file's masses and the tool explain: check the "
            "order, zeros and load of the joints",
            Doubt.ORDER: f"{name} was told to move and {self._names[found.other]} did: check the order of the joints",
            Doubt.HELD: f"{name} was told to move by {way} and stands: something holds it, or its encoder",
            Doubt.FROZEN: f"{name} was moving and told to, and now says the very same again and again: its encoder is "
            "stuck, or the joint",
            Doubt.OPPOSITE: f"{name} was told to move by {way} and went the other way: check its drive and its sign",
        }[found.doubt]


_NO_WRENCH = np.zeros(6)


def fill_masses(robot: Mechanism, bounds: PlausibilityBounds) -> bool:
    """Mass and first moment of each body in its own axes; returns whether efforts can be judged by them.

    They can if the file has the mass of every link and the robot has no passive joints.
    """
    memory = robot.memory
    for item in robot.robot.placed():
        number = robot.frame_number(item.id)
        body = int(memory.frame_body[number])
        if body >= 0 and item.mass:
            offset: Floats = memory.frame_offset[number]
            com = offset[:, :3] @ np.array(item.com or (0.0, 0.0, 0.0)) + offset[:, 3]
            bounds.mass[body] += item.mass
            bounds.moment[body] += item.mass * com
    return bool((bounds.mass > 0.0).all() and all(joint.active for joint in robot.joints))


def _name(joint: Joint) -> str:
    return f"joint {joint.name!r}" if joint.name else f"joint {joint.id}"
