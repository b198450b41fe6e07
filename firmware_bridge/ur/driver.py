"""`URController`: a robot of Universal Robots over RTDE, with a program of ours on it that follows setpoints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from firmware_bridge.arm.linked import LinkedController
from firmware_bridge.arm.protocol import Request, State
from firmware_bridge.arm.requests import PendingRequest
from firmware_bridge.ur import script
from firmware_bridge.ur.activation import Activation
from firmware_bridge.ur.models import capabilities_of, check_limits
from firmware_bridge.ur.script import ScriptSettings, Wanted, at_rate
from firmware_bridge.ur.session import RtdeSession
from firmware_bridge.ur.side_ports import Dashboard, ProgramPort
from firmware_bridge.ur.telling import Beats, Told, told_by
from station.clock import Clock
from station.controllers.controller import ControlledJoint, Floats, LinkHealth, Measurement
from station.controllers.errors import ControllerError

INPUTS = (script.MODE, script.NUMBER, script.BEAT, *script.TARGET)
BEAT = 0.02  # time between two heartbeats while no setpoints are sent [s]
WHOLE = 0x3FFFFFFF  # numbers of setpoints as registers hold them
LARGEST = 100.0  # what no joint of a robot reaches [rad]
SHORT_WAIT = 0.5  # for the dashboard to tell the model [s]
PATIENCE = 20.0  # to switch the drives on and start a program; real brakes take some seconds [s]


class URController(LinkedController):
    """A robot behind RTDE; `settings` are those of the program on it."""

    def __init__(
        self,
        url: str,
        clock: Clock,
        session: RtdeSession,
        ports: tuple[ProgramPort, Dashboard],
        names: Sequence[str],
        settings: ScriptSettings,
    ) -> None:
        super().__init__(url, clock)
        self._session, (self._programs, self._dashboard) = session, ports
        self._settings = settings
        self._names = tuple(names)
        self._activation = Activation(self._settings, self._programs, self._dashboard)
        self._pending = PendingRequest()
        self._beats = Beats()
        self._told: Told | None = None
        self._latched = False  # stopped by the station, until it is reset
        self._wanted = Wanted.IDLE
        self._target = np.zeros(6)
        self._number = -2
        self._sent = self._connected_at = float("-inf")  # [s]
        self._give_up = float("inf")  # [s]
        self._count = 0
        self._introduced, self._model, self._serial = False, "", ""

    @property
    def health(self) -> LinkHealth:
        """How the link is doing."""
        health = self._meter.health
        return health._replace(refused=health.refused + self._session.refused)

    def check_scene(self, joints: Sequence[ControlledJoint]) -> None:
        """A ControllerMismatchError if a joint of the scene goes further than that of the robot."""
        check_limits(self.url, self.capabilities.joints, joints)

    # The link --------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._session.connect()
        self._programs.connect()
        self._dashboard.connect()
        self._dashboard.ask("get robot model", "get serial number")
        self._told, self._connected_at = None, self.clock.now()
        self._meter.begin()
        self._beats = Beats()

    def _disconnect(self) -> None:
        for port in (self._session, self._programs, self._dashboard):
            port.disconnect()

    def _hopeless(self, timed_out: bool) -> ControllerError | None:
        del timed_out
        return self._session.error

    def _part(self, now: float) -> None:
        self._wanted = Wanted.IDLE
        self._say(now)

    # Every tick ------------------------------------------------------------------------------------------

    def _exchange(self, now: float) -> Measurement | None:
        said = None
        for values in self._session.take():
            said = self._heed(told_by(values), now) or said
        self._programs.listen()
        for command, answer in self._dashboard.take(now):
            self._answered(command, answer)
        if self._told is not None:
            self._see_to_requests(self._told, now)
            if now - self._sent >= BEAT:
                self._say(now)
        return said

    def _heed(self, told: Told, now: float) -> Measurement | None:
        if not self._introduced:
            if not self._dashboard.idle and now < self._connected_at + SHORT_WAIT:
                return None  # which model it is, the dashboard tells
            self._introduced = True
            self._settings = at_rate(self._settings, self._session.rate)
            self._activation.settings = self._settings
            self.capabilities = capabilities_of(self._session, self._names, self._settings, self._model, self._serial)
            self._adapt_to(self.capabilities.rate)
        before, self._told = self._told, told
        if before is not None and told.time <= before.time:
            return None  # the clock of the robot stands
        self._count += 1
        sent = self._beats.sent_at(told.beat)
        if sent is not None:
            self._meter.exchange(sent, told.time, told.time, now, trip=True)
        if not self._meter.measurement(self._count, told.time, now):
            return None
        following = self._wanted is Wanted.FOLLOW and self._pending.request is not Request.ACTIVATE
        if following and self._activation.ended(told):
            self._wanted = Wanted.IDLE
        state, reason = self._state(told)
        self._report(int(state), reason, now)
        return Measurement(told.q, told.v, None, told.wrench, self._echo(told), told.time, now, self._count)

    def _state(self, told: Told) -> tuple[State, str]:
        hindered = told.hindrance
        if hindered is not None:
            return hindered
        if self._latched:
            return State.STOPPED, "emergency stop by the station: its program on the robot has ended; reset it"
        if told.follows(self._activation.nonce) and self._wanted is Wanted.FOLLOW and self._pending.request is None:
            return State.ACTIVE, ""
        return State.READY, self._activation.reason or told.power_reason

    def _echo(self, told: Told) -> int:
        """The sequence that the program has applied last; -1: none yet."""
        if told.nonce != self._activation.nonce or told.echo < 0 or self._last_sent < 0:
            return -1
        return self._last_sent - ((self._last_sent - told.echo) & WHOLE)

    def _see_to_requests(self, told: Told, now: float) -> None:
        request = self._pending.request
        if request is None:
            return
        if now > self._give_up:
            self._pending.request, self._wanted = None, Wanted.IDLE
            self.answer = f"{request.name.lower()}: {self._activation.waits_for or 'the robot does not answer'}"
        elif request is Request.ACTIVATE:
            self._go_active(told, now)
        elif request is Request.RESET:
            self._unlock(told, now)
        elif request is Request.RELEASE:
            self._dashboard.ask("power off")
            self._wanted = Wanted.IDLE
            self._pending.request = None

    def _go_active(self, told: Told, now: float) -> None:
        hindered = self._state(told)
        if hindered[0] in (State.STOPPED, State.FAULT):
            self._pending.request = None
            self.answer = f"activate refused: {hindered[1]}"
            return
        wanted = self._activation.step(told, now)
        if wanted is Wanted.FOLLOW and self._wanted is not Wanted.FOLLOW:
            self._number -= 1  # no sequence of the station is negative
            self._target = told.q.copy()
        if wanted is not self._wanted:
            self._wanted = wanted
            self._say(now)
        if wanted is Wanted.FOLLOW and told.follows(self._activation.nonce):
            self._pending.request = None
            self._activation.reason = ""

    def _unlock(self, told: Told, now: float) -> None:
        if told.hindrance is None:
            self._latched, self._wanted = False, Wanted.IDLE
            self._pending.request = None
            self._say(now)
        elif self._pending.due(now):
            self._dashboard.ask("close safety popup", "unlock protective stop")

    def _answered(self, command: str, answer: str) -> None:
        if command == "get robot model":
            self._model = answer if answer.startswith("UR") else ""
        elif command == "get serial number":
            self._serial = answer
        elif self._pending.request is not None and answer.lower().startswith(("could not", "failed", "cannot")):
            self.answer = f"{self._pending.request.name.lower()}: {answer}"

    # What we say -----------------------------------------------------------------------------------------

    def _say(self, now: float) -> bool:
        """Mode, number, heartbeat and target, in one package."""
        beat = self._beats.next(now)
        values: dict[str, float] = {script.MODE: int(self._wanted), script.NUMBER: self._number, script.BEAT: beat}
        values.update(zip(script.TARGET, self._target.tolist(), strict=True))
        sent = self._session.send(values)
        if sent:
            self._sent = now
        return sent

    def _send_setpoint(self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int) -> bool:
        del v, effort
        following = self._wanted is Wanted.FOLLOW and self._pending.request is None
        if not following or q.shape != (6,) or not bool((np.abs(q) < LARGEST).all()):  # NaN is not less either
            return False
        if not self._within(q):
            return False
        self._target, self._number = q.astype(np.float64), sequence & WHOLE
        return self._say(self.clock.now())

    def _within(self, q: Floats) -> bool:
        return all(
            joint.low is None or joint.high is None or joint.low <= value <= joint.high
            for joint, value in zip(self.capabilities.joints, q.tolist(), strict=True)
        )

    def _request(self, request: Request, now: float) -> None:
        if request is Request.DEACTIVATE:
            self._cancel_requests(Request.ACTIVATE)
            self._wanted = Wanted.IDLE
            self._activation.reason = ""
            self._say(now)
            return
        self._pending.ask(request, now)
        self._give_up = now + PATIENCE
        self._activation.begin()

    def _cancel_requests(self, only: Request | None = None) -> None:
        if only is None or self._pending.request is only:
            self._pending.request = None

    def _send_stop(self, now: float) -> None:
        """By two ways: the register that the program reads, and the dashboard, which ends the program."""
        if not self._latched or self._wanted is not Wanted.STOP:
            self._dashboard.at_once("stop")
        self._latched, self._wanted = True, Wanted.STOP
        self._say(now)
