"""`ArmController`: an arm at the far end of any link that carries our messages. Protocol: docs/protocol_arm.md."""

from __future__ import annotations

from numpy import array

from firmware_bridge.arm.coupled import COUPLED_MEASUREMENT
from firmware_bridge.arm.link import ArmLink
from firmware_bridge.arm.linked import COMMAND, STATUSES, LinkedController
from firmware_bridge.arm.protocol import Request, Role
from firmware_bridge.arm.session import ArmSession
from firmware_bridge.arm.stream import EFFORT, MEASURED_FIXED, VELOCITY, WRENCH
from station.clock import Clock
from station.controllers.controller import ControllerStatus, Floats, LinkHealth, Measurement
from station.controllers.errors import ControllerError, ControllerMismatchError
from station.controllers.words import ArmWords, HandWords

_new = tuple.__new__  # a NamedTuple of known parts, without the time to sort arguments
LOOK = 0.005  # time between two looks at the way of answers while none is awaited [s]


class ArmController(LinkedController):
    """An arm over a link. After `wait_until_ready` nothing waits and nothing raises."""

    def __init__(self, url: str, clock: Clock, link: ArmLink, role: Role = Role.COMMAND, name: str = "station") -> None:
        super().__init__(url, clock, role)
        self._link = link
        self._session = ArmSession(url, link, self._meter, role, name)
        self._boot = self._welcomes = 0
        self._next_look = float("-inf")  # [s]
        self._last_stamp = 0  # of what the arm has heard of us [ns]
        self.coupled: ArmWords | None = None
        self._words: HandWords | None = None
        self._numbered = self._newest_number = 0  # measurements of earlier starts of the arm; and of all

    @property
    def connections(self) -> int:
        """How many times the arm has welcomed us."""
        return self._session.connections

    @property
    def health(self) -> LinkHealth:
        """How the link is doing."""
        health = self._meter.health
        return health._replace(refused=health.refused + self._link.refused)

    # The link --------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._link.connect()

    def _disconnect(self) -> None:
        self._session.forget()
        self._link.disconnect()

    def _hopeless(self, timed_out: bool) -> ControllerError | None:
        refusal = self._session.refusal
        if timed_out:  # another station might have let go in the meantime
            return refusal or self._link.why_silent()
        return refusal if isinstance(refusal, ControllerMismatchError) else None

    def _part(self, now: float) -> None:
        if self._session.number:
            self._session.say_bye(now)

    # Every tick ------------------------------------------------------------------------------------------

    def _exchange(self, now: float) -> Measurement | None:
        session, said = self._session, None
        for data in self._link.measurements():
            said = self._measured(data, now) or said
        waiting = session.number == 0 or session.pending.request is not None
        if waiting or now >= self._next_look:
            self._next_look = now + LOOK
            self._attend(now)
        if waiting or now >= session.next_beat:
            session.upkeep(now)
        return said

    def _measured(self, data: bytes, now: float) -> Measurement | None:
        session, meter = self._session, self._meter
        codec = session.codec
        if codec is None or not session.number:
            return None  # not welcomed: it could not be read, or it would promise too much
        words, fields = None, codec.measured_fields(data)
        if fields is None and session.coupled is not None and session.coupled.is_sound(data, COUPLED_MEASUREMENT):
            words = session.coupled.arm_words(data)
            fields = codec.begun_fields(data) if words is not None else None
        if fields is None or fields[12] >= len(STATUSES):
            meter.refused += 1
            return None
        _, _, _, _, given, _, boot, number, moment, echo, heard, heard_at, state, _ = fields[:MEASURED_FIXED]
        if boot != self._boot:
            self._end_session(f"{self.url}: the arm was restarted")
            return None
        arm_time = 1e-9 * moment
        if not meter.measurement(number, arm_time, now):
            return None
        if heard and heard != self._last_stamp and self.role is COMMAND:
            self._last_stamp = heard
            meter.exchange(1e-9 * heard, 1e-9 * heard_at, arm_time, now, trip=True)
        self._report(state, session.reason, now)
        self.coupled = words
        self._newest_number = self._numbered + number
        n, block = codec.joints, array(fields[MEASURED_FIXED:])
        return _new(
            Measurement,
            (
                block[:n],
                block[n : 2 * n] if given & VELOCITY else None,
                block[2 * n : 3 * n] if given & EFFORT else None,
                block[3 * n :] if given & WRENCH else None,
                echo,
                arm_time,
                now,
                self._newest_number,
            ),
        )

    def _attend(self, now: float) -> None:
        """What came in beside measurements."""
        session = self._session
        for data in self._link.reliable():
            session.heed(data, now)
        self.answer = session.answer
        if session.ended:
            self._end_session(session.ended)
            session.ended = ""
        if session.connections != self._welcomes:
            self._welcomed()
        if session.refusal is not None and self.connections:
            self._status, self._reason = ControllerStatus.LOST, str(session.refusal)

    def _welcomed(self) -> None:
        session = self._session
        assert session.capabilities is not None
        self._welcomes, self.capabilities = session.connections, session.capabilities
        self._adapt_to(self.capabilities.rate)
        self._last_sent, self._last_stamp = -1, 0
        if session.boot != self._boot:  # its clock and its numbers begin anew
            self._boot, self._numbered = session.boot, self._newest_number
            self._meter.begin()

    def _end_session(self, reason: str) -> None:
        if self._session.number:
            self._lose(reason)
            self._session.forget()

    # What we say -----------------------------------------------------------------------------------------

    def _send_setpoint(self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int) -> bool:
        session = self._session
        if session.codec is None or not session.number:
            return False
        data = session.codec.setpoint(session.number, sequence, int(1e9 * self.clock.now()), q, v, effort)
        if data is not None and self._words is not None and session.coupled is not None:
            data = session.coupled.setpoint(data, self._words)
        return data is not None and self._link.send_setpoint(data)

    def couple(self, words: HandWords | None) -> None:
        """What the hand's end of a bilateral link says, with the next setpoints."""
        self._words = words

    def tare(self) -> bool:
        """Ask for it, unless another request is on its way, which it would take the place of."""
        able = self.capabilities.couples and self._status is ControllerStatus.READY and self.role is COMMAND
        if not able or self._session.pending.request is not None:
            return False
        self._ask(Request.TARE)
        return True

    def _request(self, request: Request, now: float) -> None:
        self._session.ask(request, now)

    def _cancel_requests(self, only: Request | None = None) -> None:
        pending = self._session.pending
        if only is None or pending.request is only:
            pending.request = None

    def _send_stop(self, now: float) -> None:
        self._session.say_stop(now)
