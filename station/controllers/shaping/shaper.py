"""`Shaper`: predicted robot in, setpoint within the arm's own limits out, every tick; a thin class over the kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from station.controllers.shaping.errors import ShapingError
from station.controllers.shaping.kernels import layout as at
from station.controllers.shaping.kernels.layout import Floats
from station.controllers.shaping.kernels.park import pieces_at
from station.controllers.shaping.kernels.tick import shaping_tick
from station.controllers.shaping.limits import JointLimits, check_limits
from station.controllers.shaping.parking import planned
from station.controllers.shaping.results import Acting, Refusal, Shaped, Stopped
from station.controllers.shaping.settings import ShapingSettings

STRIDE = 5.0  # periods of the longest step in which a late tick is gone through
_STOPPED, _REFUSALS, _NOTHING = tuple(Stopped), tuple(Refusal), Acting.NOTHING


class ShapingInputs:
    """One array, filled in place before each tick. Kernels write the same numbers into `inputs.numbers`."""

    def __init__(self, joints: int) -> None:
        self.numbers: Floats = np.zeros(at.inputs_size(joints))
        rows = self.numbers[at.I_JOINTS :].reshape(joints, at.I_ROW)
        self.target = rows[:, at.TARGET]  # joints of the predicted robot [rad | m]
        self.target_v = rows[:, at.TARGET_V]  # their speeds [rad/s | m/s]; zeros if not known
        self.measured = rows[:, at.MEASURED]  # joints as the controller reports them [rad | m]
        self.measured_v = rows[:, at.MEASURED_V]  # [rad/s | m/s]; not a number: cannot be measured
        self.numbers[at.MEASURED_AGE] = math.inf

    def at(self, now: float, wanted: int, target_time: float | None = None) -> None:
        """Time of the tick [s], what is wanted (`Shape` of the supervisor), when the target was made [s]."""
        self.numbers[at.NOW], self.numbers[at.WANTED] = now, wanted
        self.numbers[at.TARGET_TIME] = now if target_time is None else target_time

    def link(self, age: float, delay: float = 0.0) -> None:
        """Age of the measurement [s], delay of the link there and back [s]."""
        self.numbers[at.MEASURED_AGE], self.numbers[at.DELAY] = age, delay

    def press(self, pressed: float) -> None:
        """How hard the tool presses on something: 0 little enough, 1 as hard as it may, 2 harder than that."""
        self.numbers[at.PRESSED] = pressed

    def start(self) -> None:
        """Begin in the next tick: go on with the motion that is being sent, else from where the arm is."""
        self.numbers[at.START] = 1.0


class Shaper:
    """Setpoints for one arm. A tick reads no clock, does not wait, allocates next to nothing and never raises."""

    def __init__(self, limits: Sequence[JointLimits], settings: ShapingSettings | None = None) -> None:
        if not limits:
            raise ShapingError("no joints; allowed: at least one")
        for number, joint in enumerate(limits, start=1):
            check_limits(str(number), joint)
        self.limits, self.settings = tuple(limits), settings or ShapingSettings()
        self.numbers: Floats = packed(self.limits, self.settings)
        self.state: Floats = np.zeros(at.state_size(len(limits)))
        self.setpoint: Floats = np.full((3, len(limits)), math.nan)
        self._rows = self.state[at.J_JOINTS :][: at.J_ROW * len(limits)].reshape(len(limits), at.J_ROW)
        self.tick(self.inputs())  # compile or load now, not in the first real tick
        self.state[:] = 0.0

    def inputs(self) -> ShapingInputs:
        """Inputs for an arm of so many joints."""
        return ShapingInputs(len(self.limits))

    def tick(self, inputs: ShapingInputs) -> Shaped:
        """One tick; `inputs.start()` is taken away."""
        shaping_tick(self.state, self.numbers, inputs.numbers, self.setpoint)
        inputs.numbers[at.START] = 0.0
        return self.shaped()

    def shaped(self) -> Shaped:
        """What the last tick said, also if it was done by a kernel."""
        state = self.state
        acting = int(state[at.ACTING])
        return Shaped(
            q=self.setpoint[0],
            v=self.setpoint[1],
            a=self.setpoint[2],
            running=bool(state[at.RUNNING] == 1.0),
            stopped=_STOPPED[int(state[at.STOPPED])],
            at_rest=bool(state[at.AT_REST] == 1.0),
            acting=Acting(acting) if acting else _NOTHING,
            slow=float(state[at.SLOW]),
            parked=bool(state[at.PARK_LOADED] == 1.0 and state[at.PARK_DONE] == 1.0),
            follows=bool(state[at.RUNNING] == 0.0 or state[at.FOLLOWING] == 1.0),
        )

    def park(self, posture: ArrayLike) -> float:
        """Plan the move to a posture [rad | m]; ticks that want `PARK` then go along it. Returns how long it takes [s].

        Must be running and at rest; not for within a tick. Raises a ShapingError for a posture outside the limits.
        """
        if not (self.state[at.RUNNING] == 1.0 and self.state[at.AT_REST] == 1.0):
            raise ShapingError("the arm is not started or moves; allowed: park from a standstill")
        start, goal = self._rows[:, at.Q], np.asarray(posture, dtype=float).ravel()
        moves, duration = planned(start, goal, self.limits)
        for i, pieces in enumerate(moves):
            first = pieces_at(len(self.limits), i)
            self.state[first] = len(pieces)
            self.state[first + 1 : first + 1 + pieces.size] = pieces.ravel()
        self.state[at.PARK_TIME], self.state[at.PARK_DONE], self.state[at.PARK_LOADED] = 0.0, 0.0, 1.0
        return duration

    @property
    def refusals(self) -> int:
        """Targets and setpoints that were refused, in all."""
        return int(self.state[at.REFUSALS])

    @property
    def last_refusal(self) -> tuple[Refusal, int]:
        """Why the last one was refused, and for which joint, from 0."""
        return _REFUSALS[int(self.state[at.REASON])], int(self.state[at.REASON_JOINT])

    @property
    def apart(self) -> Floats:
        """How far each joint was from where it was sent, in the last tick that compared [rad | m]."""
        return self._rows[:, at.APART].copy()


def packed(limits: Sequence[JointLimits], settings: ShapingSettings) -> Floats:
    """All settings in one array; `kernels/layout.py` says where."""
    numbers = np.zeros(at.settings_size(len(limits)))
    numbers[at.COUNT], numbers[at.PERIOD] = len(limits), settings.period
    numbers[at.STRIDE], numbers[at.GAIN] = STRIDE * settings.period, settings.gain
    numbers[at.LONGEST] = max(settings.longest, numbers[at.STRIDE])
    numbers[at.TARGET_LIMIT], numbers[at.MEASURED_LIMIT] = settings.target_limit, settings.measured_limit
    numbers[at.LAG], numbers[at.TUBE_ON], numbers[at.OUTSIDE] = settings.lag, settings.tube, settings.outside
    for i, joint in enumerate(limits):
        leap = 1.001 * joint.speed * numbers[at.STRIDE]
        row = (joint.low, joint.high, joint.speed, joint.acceleration, joint.jerk, joint.inner, joint.outer, leap)
        numbers[at.S_JOINTS + at.S_ROW * i : at.S_JOINTS + at.S_ROW * (i + 1)] = row
    return numbers
