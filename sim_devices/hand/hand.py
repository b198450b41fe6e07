"""`Hand`: a person's arm at a handle, following a script."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from sim_devices.hand.arm import Arm, ArmInputs, ArmState, step_arm, tremor_force
from sim_devices.hand.attention import Attention
from sim_devices.hand.errors import ScriptError
from sim_devices.hand.holding import Grasp
from sim_devices.hand.paths import Aim, Heed, Move, six
from sim_devices.hand.script import moves_of
from sim_devices.hand.timeline import Moment, Timeline
from sim_devices.hand.tremor import sines_of
from station.devices.syntaxer.model import BUTTONS
from station.kernel import Floats

NOTICE = 0.01  # how often errors, and the light, are noticed [s]
FADE = 0.06  # time constant with which corrections are forgotten [s]


class Hand:
    """An arm as mass, spring and damper; time is told to it, and only goes forward."""

    def __init__(
        self,
        script: str | Iterable[Move],
        seed: int = 0,
        *,
        buttons: Sequence[str] | Mapping[str, int] = BUTTONS,
        arm: Arm | None = None,
        has_light: bool = True,
    ) -> None:
        """Read a script; `buttons` are the names of those of the device, in the order of their bits or with them.

        `has_light`: there is a light that tells whether a robot follows, and somebody sets `lit`.
        """
        self.arm, self.timeline = arm or Arm(), Timeline(moves_of(script), buttons)
        self._watches = any(held.watched for held in self.timeline.holding)
        if self._watches and not has_light:
            raise ScriptError("watch: this device has no light to look at; allowed: with a syntaxer")
        self.lit = True  # the light that tells whether a robot follows
        self._attention = Attention(self.arm.reaction)
        self._sines = sines_of(seed)
        self._state, self._inputs, self._wrench = ArmState(), ArmInputs(), np.zeros(6)
        self._last: Moment | None = None
        self._then = 0.0  # time of the last call [s]
        self._has_handle = False
        self._correction = [0.0, 0.0, 0.0]  # of the target [m]
        self._noticed: deque[tuple[float, tuple[float, float, float]]] = deque()
        self._notice_at = 0.0
        self._stiffen(0.0)
        self._step(0.0, 0.0)  # compile it now

    def wrench(self, now: float, position: ArrayLike, rotation_vector: ArrayLike, velocity: ArrayLike) -> Floats:
        """Wrench on the handle [N, N·m], device frame, to be held until the next call.

        `now` [s] since the start; the handle's place [m], rotation vector [rad] and twist [m/s, rad/s], device frame.
        """
        inputs = self._inputs
        inputs.handle[:3], inputs.handle[3:], inputs.handle_speed[:] = position, rotation_vector, velocity
        if self._watches and now >= self._notice_at:
            self._look(now)
        moment = self._moment(now)
        held = self.timeline.held(moment)
        if not (held.holds and self._take_hold(moment)):
            self._has_handle, self._then, self._last = False, now, moment
            return np.zeros(6)
        if held.grip != self._grip:
            self._stiffen(held.grip)
        returning = self._attention.aim(now)  # with all its strength: a device that is off hangs from the hand
        aim = returning or self.timeline.aim(moment)
        self._heed(now, aim)
        x, y, z, *turned = aim.place
        u, v, w = self._correction
        inputs.target[:] = (x + u, y + v, z + w, *turned)
        inputs.target_speed[:] = aim.speed
        inputs.strength = min(self.arm.strength, aim.strength, math.inf if returning else held.strength)
        inputs.turning_strength = self.arm.turning_strength
        inputs.tremor = held.tremor * self._tremor_force
        self._step(now, max(now - self._then, 0.0))
        self._then, self._last = now, moment
        return self._wrench.copy()

    def _step(self, now: float, period: float) -> None:
        step_arm(self._impedance, self._sines, self._state, self._inputs, now, period, self._wrench)

    def force(self, position: ArrayLike, velocity: ArrayLike, now: float) -> Floats:
        """The same for a device of three axes [N]; place [m] and velocity [m/s], device frame."""
        twist = np.zeros(6)
        twist[:3] = velocity
        return self.wrench(now, position, (0.0, 0.0, 0.0), twist)[:3]

    def buttons(self, now: float) -> int:
        """Buttons that are down, bit i for button i."""
        moment = self._moment(now)
        down = self.timeline.buttons(moment)
        return down & ~self.timeline.held(moment).watched if self._attention.lets_go(now) else down

    def grip(self, now: float) -> float:
        """How tight the hand holds, 0 open to 1 tight."""
        return self.timeline.held(self._moment(now)).grip

    @property
    def duration(self) -> float:
        """How long the script takes [s]; infinite if it begins again."""
        return math.inf if self.timeline.repeats else self.timeline.length

    @property
    def target(self) -> Floats:
        """Where the arm wanted to be at the last call, corrections included [m, rad]."""
        target: Floats = self._inputs.target.copy()
        return target

    # Inside -----------------------------------------------------------------------------------------------

    def _moment(self, now: float) -> Moment:
        return self.timeline.at(self._attention.script_time(now))

    def _look(self, now: float) -> None:
        """At the light; what is done about it begins at once."""
        here = six(self._inputs.handle.tolist())
        if not all(map(math.isfinite, here)):
            return
        time = self._attention.script_time(now)
        moment = self.timeline.at(time)
        held = bool(self.timeline.buttons(moment) & self.timeline.held(moment).watched)
        self._attention.see(now, held, self.lit, here, self.timeline.begin_of_round(time))

    def _take_hold(self, moment: Moment) -> bool:
        """Note where the handle is, whenever the hand takes it; False if that is nowhere.

        Where the script begins again, go on from its end.
        """
        last = self._last
        if self._has_handle and last is not None and last[:2] == moment[:2]:
            return True
        here = six(self._inputs.handle.tolist())
        if not all(map(math.isfinite, here)):
            return self._has_handle
        if not self._has_handle:
            self._has_handle = True
            self._state.place[:] = self._state.handle[:] = self._inputs.handle
            self._state.speed[:] = self._inputs.handle_speed
            self._correction = [0.0, 0.0, 0.0]
            self._noticed.clear()
            if last is None:
                self.timeline.anchor(0, here)
        if last is not None and moment.rounds != last.rounds:
            self.timeline.anchor(0, self.timeline.last_place)
            last = None
        passed = range(0 if last is None else last.move + 1, moment.move + 1)
        for index in passed:
            if isinstance(self.timeline.moves[index], Grasp):
                self.timeline.anchor(index, here)
        return True

    def _stiffen(self, grip: float) -> None:
        """Another grip, another impedance."""
        self._grip, self._impedance = grip, self.arm.impedance(grip)
        self._tremor_force = tremor_force(self._impedance)

    def _heed(self, now: float, aim: Aim) -> None:
        """Voluntary corrections: what was noticed a reaction time ago is corrected in part."""
        if now < self._notice_at:
            return
        self._notice_at = max(self._notice_at, now - NOTICE) + NOTICE
        x, y, z = (float(wanted - self._inputs.handle[i]) for i, wanted in enumerate(aim.place[:3]))
        if math.isfinite(x + y + z):
            self._noticed.append((now, (x, y, z)))
        error = (0.0, 0.0, 0.0)
        while self._noticed and self._noticed[0][0] <= now - self.arm.reaction:
            error = self._noticed.popleft()[1]
        most = self.arm.most_correction
        for i in range(3):
            if aim.heed is Heed.CORRECT:
                changed = self._correction[i] + NOTICE * self.arm.correction * error[i]
                self._correction[i] = min(max(changed, -most), most)
            elif aim.heed is Heed.FORGET:
                self._correction[i] *= 1.0 - NOTICE / FADE
