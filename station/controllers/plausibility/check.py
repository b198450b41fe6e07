"""`Plausibility`: an arm's readings compared with each other, with what it was told, and with its own weight.

What joints say is all that a station knows of where an arm is, so a joint that lies is found only where something else
contradicts it: the reading before, the motion that it was told, or the efforts of the motors, which carry the weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from station.controllers.controller import ControlledJoint, Measurement
from station.controllers.plausibility.kernels import layout as at
from station.controllers.plausibility.kernels.layout import Floats
from station.controllers.plausibility.kernels.measured import judge_efforts, take_reading
from station.controllers.plausibility.kernels.told import judge_motion
from station.controllers.plausibility.settings import PlausibilitySettings
from station.controllers.shaping import JointLimits, Shaper, ShapingInputs, ShapingSettings
from station.mechanism import Mechanism
from station.mechanism.results import Joint

MILLI = 1000.0


class Plausibility:
    """One arm. `take`, `compare` and `stops` are parts of a tick: they neither wait nor raise.

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
        self._limits = np.zeros((at.LIMIT_ROWS, count))
        metre = ShapingSettings().metre
        for i, (limit, ours, theirs) in enumerate(zip(limits, joints, arm, strict=True)):
            efforts = [one.effort for one in (ours, theirs) if one.effort]
            scale = metre if limit.prismatic else 1.0
            self._limits[:, i] = limit.speed, limit.acceleration, min(efforts, default=math.inf), scale
        self._bounds = np.array(
            [
                self.settings.step_warn,
                self.settings.step_stop,
                self.settings.knock,
                self.settings.stands,
                self.settings.strain,
                self.settings.strain_time,
                self.settings.weight_warn,
                self.settings.weight_stop,
                self.settings.rest,
                self.settings.told,
                self.settings.free,
            ]
        )
        self._bodies, self.weighs = masses_of(measured)
        self._said = np.full((at.SAID_ROWS, count), math.nan)
        self._state, self._about, self.found = np.zeros((at.STATE_ROWS, count)), np.zeros(at.ABOUT), np.zeros(at.FOUND)
        self._about[at.TIME] = self._about[at.ARRIVAL] = -math.inf
        self.reason = ""  # what was found, for people

    def take(self, said: Measurement, frame: int, wrench: Floats | None, pose: Floats) -> bool:
        """Judge a reading; False: put it aside and wait for the next.

        Args:
            said: the reading.
            frame: number of the frame that the force is measured in.
            wrench: force on the tool in axes of the world [N, N·m]; None: not measured.
            pose: of that frame, 4×4 [m].
        """
        rows, about, found = self._said, self._about, self.found
        rows[at.SAID_Q] = said.q
        rows[at.SAID_V] = math.nan if said.v is None else said.v
        before = about[at.ARRIVAL]
        if not take_reading(
            rows, said.controller_time, said.arrival, self._bounds, self._limits, self._state, about, found
        ):
            return False
        passed = said.arrival - before
        if self.weighs and said.effort is not None and 0.0 < passed <= at.LONGEST:
            rows[at.SAID_EFFORT] = said.effort
            self._judge_efforts(passed, frame, wrench, pose)
        if found[at.NEWS] == 1.0:
            self._tell()
        return True

    def _judge_efforts(self, passed: float, frame: int, wrench: Floats | None, pose: Floats) -> None:
        memory = self._robot._mem
        judge_efforts(
            memory.block,
            self._said,
            passed,
            int(memory.frame_body[frame]),
            _NO_WRENCH if wrench is None else wrench,
            wrench is not None,
            pose,
            self._bodies,
            memory.rotation,
            memory.position,
            self._bounds,
            self._limits,
            self._state,
            self.found,
        )

    def begin(self, q: Floats) -> None:
        """The arm begins to be led from `q` [rad | m]: no joint was seen moving yet, and what was told is over."""
        self._state[at.BEGUN], self._state[at.RIGHT] = q, 0.0
        self.found[:], self.reason = 0.0, ""

    def compare(self, shaper: Shaper, inputs: ShapingInputs, wrench: Floats | None) -> None:
        """Compare what joints were told with what they did; `wrench` on the tool [N, N·m], None: not measured."""
        told = (shaper.state, shaper.numbers, inputs.numbers)
        force, known = (_NO_WRENCH, False) if wrench is None else (wrench, True)
        judge_motion(*told, force, known, self._bounds, self._limits, self._state, self.found)
        if self.found[at.NEWS] == 1.0:
            self._tell()

    def stops(self) -> bool:
        """Whether the arm must be stopped for what was found since the last question."""
        stop = bool(self.found[at.STOP] == 1.0)
        self.found[at.STOP] = 0.0
        return stop

    def warm_up(self) -> None:
        """Compile and load what the parts of a tick need; nothing is remembered."""
        kept = [each.copy() for each in (self._state, self._about, self.found)]
        rows = np.zeros_like(self._said)
        take_reading(rows, 0.0, 0.0, self._bounds, self._limits, self._state, self._about, self.found)
        if self.weighs:
            self._judge_efforts(0.0, 0, None, np.eye(4))
        limits = [JointLimits(-1.0, 1.0, 1.0, 1.0, 1.0, 0.1, 0.2)] * rows.shape[1]
        shaper = Shaper(limits)
        self.compare(shaper, shaper.inputs(), None)
        for each, before in zip((self._state, self._about, self.found), kept, strict=True):
            each[:] = before

    @property
    def may_run_away(self) -> bool:
        """Whether setpoints alone may not stop the arm: a joint whose encoder stands is driven on and on."""
        return bool(self.found[at.CODE] in (at.STRAINS, at.FROZEN))

    @property
    def glitches(self) -> int:
        """Readings that were put aside and not borne out by the next."""
        return int(self._about[at.GLITCHES])

    def _tell(self) -> None:
        found = self.found
        found[at.NEWS] = 0.0
        i, k, value = int(found[at.JOINT]), int(found[at.OTHER]), float(found[at.VALUE])
        name, slides = self._names[i], self._limits[at.SCALE, i] != 1.0
        way = f"{MILLI * value:.3g} {'mm' if slides else 'mrad'}"
        effort = f"{value:.3g} {'N' if slides else 'N·m'}"
        self.reason = {
            at.STEP: f"{name} was measured {way} away at once, further than it can move: see to its encoder",
            at.STRAINS: f"{name} stands, driven by {effort} that neither weight nor tool explain: its "
            "encoder is stuck, or something holds it",
            at.WEIGHT: f"{name} holds {effort} more at rest than the file's masses and the tool explain: check the "
            "order, zeros and load of the joints",
            at.ORDER: f"{name} was told to move and {self._names[k]} did: check the order of the joints",
            at.HELD: f"{name} was told to move by {way} and stands: something holds it, or its encoder",
            at.FROZEN: f"{name} was moving and told to, and now says the very same again and again: its encoder is "
            "stuck, or the joint",
            at.OPPOSITE: f"{name} was told to move by {way} and went the other way: check its drive and its sign",
        }[int(found[at.CODE])]


_NO_WRENCH = np.zeros(6)


def masses_of(robot: Mechanism) -> tuple[Floats, bool]:
    """Rows of mass and first moment of each body in its own axes [kg, kg·m], and whether efforts can be judged by them.

    They can if the file has the mass of every link and the robot has no passive joints.
    """
    memory, bodies = robot._mem, np.zeros((len(robot.joints), at.BODY_ROW))
    for item in robot.robot.placed():
        number = robot.frame_number(item.id)
        body = int(memory.frame_body[number])
        if body >= 0 and item.mass:
            offset: NDArray[np.float64] = memory.frame_offset[number]
            com = offset[:, :3] @ np.array(item.com or (0.0, 0.0, 0.0)) + offset[:, 3]
            bodies[body, at.MASS] += item.mass
            bodies[body, at.MOMENT :] += item.mass * com
    return bodies, bool((bodies[:, at.MASS] > 0.0).all() and all(joint.active for joint in robot.joints))


def _name(joint: Joint) -> str:
    return f"joint {joint.name!r}" if joint.name else f"joint {joint.id}"
