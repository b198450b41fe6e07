"""`DynamixelController`: an arm of bus servos. One tick is one sync write of goals and one fast sync read of the rest.

Setpoints are positions: an X servo in a position mode has no velocity to feed forward. What the servos echo is the goal
they hold, so a goal that a servo has refused is never told as applied.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from firmware_bridge.arm.linked import LinkedController
from firmware_bridge.arm.protocol import Request, State
from firmware_bridge.dynamixel.bus import Answers, Bus
from firmware_bridge.dynamixel.introduction import Introduction
from firmware_bridge.dynamixel.modes import CONDITION_AT, CONDITION_SIZE
from firmware_bridge.dynamixel.packets import ALERT, Instruction
from firmware_bridge.dynamixel.servos import Scale, Seat, Servo, capabilities_of, check_limits
from firmware_bridge.dynamixel.telling import (
    STATE_AT,
    STATE_SIZE,
    WARMTH,
    WARMTH_AT,
    ServoWarmth,
    Ticks,
    state_of,
    warmth_of,
)
from firmware_bridge.dynamixel.words import Words
from station.clock import Clock
from station.controllers.controller import ControlledJoint, Floats, LinkHealth, Measurement
from station.controllers.errors import ControllerError, ControllerMismatchError

POLL = 0.002  # time after which the servos are asked though nobody sends a setpoint [s]
STALE = 0.005  # age at which a setpoint that could not be sent is not sent any more [s]
LOOK = 0.02  # time between two looks at torque, watchdog and hardware errors [s]
FEEL = 0.5  # … at voltage and temperature [s]
FASTEST = 1000.0  # [Hz]


class DynamixelController(LinkedController):
    """An arm of servos on one bus. `watchdog` is in units of the servos, 20 ms."""

    def __init__(self, url: str, clock: Clock, bus: Bus, seats: Sequence[Seat], watchdog: int = 3) -> None:
        super().__init__(url, clock)
        self._bus, self._seats = bus, tuple(seats)
        self._idents = tuple(seat.ident for seat in seats)
        self._introduction = Introduction(url, seats)
        self._words = Words(seats, watchdog)
        self._scale: Scale | None = None
        self._ticks = Ticks()
        self._begun = self._looked = self._felt = float("-inf")  # [s]
        self._lost = self._number = 0
        self._missing: tuple[int, ...] = ()
        self.fast = True  # one packet for all answers; False: the firmware is too old for that
        self.servos: tuple[Servo, ...] = ()
        self.warmth: dict[str, ServoWarmth] = {}  # by the name of the joint; looked at twice a second

    @property
    def health(self) -> LinkHealth:
        """How the bus is doing; lost are questions that not all servos answered."""
        health = self._meter.health
        return health._replace(lost=self._lost, refused=health.refused + self._bus.bad)

    @property
    def temperatures(self) -> Floats | None:
        """Of the motors, in the order of the joints [°C]."""
        warmth = self.warmth
        return np.array([warmth[seat.name].celsius for seat in self._seats]) if warmth else None

    def check_scene(self, joints: Sequence[ControlledJoint]) -> None:
        """A ControllerMismatchError if a joint of the scene goes further than its servo."""
        check_limits(self.url, self.servos, joints)

    # The link --------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._bus.connect()
        self._introduction, self._scale = Introduction(self.url, self._seats), None

    def _disconnect(self) -> None:
        self._bus.disconnect()

    def _hopeless(self, timed_out: bool) -> ControllerError | None:
        del timed_out
        return self._introduction.error

    def _part(self, now: float) -> None:
        del now
        if self._scale is not None:
            self._bus.say(self._words.modes.parting())

    def _lose(self, reason: str) -> None:
        silent = [seat.text for seat in self._seats if seat.ident in self._missing]
        if silent and len(silent) < len(self._seats):
            reason += f"; {silent[0]} does not answer"
        super()._lose(reason)

    # Every tick ------------------------------------------------------------------------------------------

    def _exchange(self, now: float) -> Measurement | None:
        answers, said = self._bus.take(now), None
        if answers is not None:
            said = self._heed(answers, now)
            if self._introduction.error is not None:
                return said  # whoever opens it is told before anything else is asked
        self.answer = self._words.watch(now) or self.answer
        if self._bus.idle and (now - self._begun >= POLL or self._scale is None or self._stopping):
            self._begin(now)
        return said

    def _begin(self, now: float) -> None:
        """Say what is due, and ask."""
        if self._scale is None:
            self._introduction.ask(self._bus, now)
            return
        reboot = self._words.reboot(now)
        if reboot is not None and not self._stopping:
            self._bus.command("reboot", reboot, Instruction.REBOOT, now)
            return
        before, due = self._words.next(now, self._stopping, max(STALE, 2.0 / self.capabilities.rate))
        if due or now - self._looked >= LOOK:
            self._looked = now
            purpose, at, size = "condition", CONDITION_AT, CONDITION_SIZE
        elif now - self._felt >= FEEL:
            self._felt = now
            purpose, at, size = "warmth", WARMTH_AT, WARMTH.size
        else:
            purpose, at, size = "state", STATE_AT, STATE_SIZE
        if self._bus.read_all(purpose, self._idents, at, size, now, fast=self.fast, before=before):
            self._begun = now

    # What the servos answer ------------------------------------------------------------------------------

    def _heed(self, answers: Answers, now: float) -> Measurement | None:
        purpose = answers.question.purpose
        if purpose == "introduction":
            self._introduction.heed(answers)
            self._introduced()
        elif purpose == "reboot":
            pass  # whether it helps is seen by its condition
        elif answers.missing:
            self._lost += 1
            self._missing = answers.missing
            self._fall_back(answers)
        elif purpose == "condition":
            conditions = {ident: share.data for ident, share in answers.shares.items()}
            ended = self._words.told(conditions, answers.question.sent, now)
            self.answer = self.answer if ended is None else ended
        elif purpose == "warmth":
            self.warmth = {seat.name: warmth_of(answers.shares[seat.ident].data) for seat in self._seats}
        else:
            self._missing = ()
            if any(share.error & ALERT for share in answers.shares.values()) and not self._words.modes.faulty:
                self._looked = float("-inf")  # a hardware error: have a look at once
            return self._measured(answers, now)
        return None

    def _fall_back(self, answers: Answers) -> None:
        """If nobody has ever answered a fast question, ask in the old way."""
        if self.fast and not self._meter.received and len(answers.missing) == len(self._seats):
            self.fast = False

    def _introduced(self) -> None:
        servos = self._introduction.servos
        if self.servos and servos is not None and servos != self.servos:
            self._introduction = Introduction(self.url, self._seats)
            self._introduction.error = ControllerMismatchError(f"{self.url}: other servos are there now; open it anew")
        if self.servos and self._introduction.error is not None:
            self._lose(str(self._introduction.error))
        if servos is None or self._introduction.error is not None:
            return
        self.servos, self._scale = servos, Scale(servos)
        self._bus.return_delay = max(servo.return_delay for servo in servos)
        goals = len(self._words.modes.goals((0,) * len(servos)))
        rate = min(FASTEST, 1.0 / self._bus.seconds(STATE_SIZE, len(servos), goals))
        self.capabilities = capabilities_of(servos, self._scale, rate, self._words.silence)
        self._adapt_to(rate)

    def _measured(self, answers: Answers, now: float) -> Measurement | None:
        scale = self._scale
        assert scale is not None
        state = state_of([answers.shares[ident].data for ident in self._idents])
        time = self._ticks.unwrapped(state.tick, now)
        if time is None:
            return None  # the clock of the servo stands: it answers, but it is dead
        self._number += 1
        self._meter.exchange(answers.question.sent, time, time, now, trip=True)
        if not self._meter.measurement(self._number, time, now):
            return None
        words, modes = self._words, self._words.modes
        words.where = scale.within(state.position)
        if words.held(state.goal, self._stopping):
            self._report(int(modes.state), modes.reason, now)
        else:
            self._heard = now
        return Measurement(
            scale.joints(state.position),
            scale.speeds(state.velocity),
            scale.efforts(state.current) if scale.tells_effort else None,
            None,
            words.echo(state.goal),
            time,
            now,
            self._number,
        )

    # What we say -----------------------------------------------------------------------------------------

    def _send_setpoint(self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int) -> bool:
        del v, effort
        if self._scale is None or self._words.modes.state is not State.ACTIVE:
            return False
        goals = self._scale.counts(q)
        if goals is None:
            return False
        now = self.clock.now()
        self._words.aim(goals, sequence, now)
        if self._bus.idle:
            self._begin(now)
        return True

    def _request(self, request: Request, now: float) -> None:
        self._words.ask(request, now)

    def _cancel_requests(self, only: Request | None = None) -> None:
        self._words.cancel(only)

    def _send_stop(self, now: float) -> None:
        """At once if the line is free; if not, whatever was to be said next gives way."""
        if self._bus.idle and self._scale is not None:
            self._begin(now)
