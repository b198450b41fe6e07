"""`ArmController`: an arm at the far end of any link that carries our messages. Protocol: docs/protocol_arm.md."""

from __future__ import annotations

from numpy import array

from firmware_bridge.arm.coupled import COUPLED_MEASUREMENT
from firmware_bridge.arm.link import ArmLink
from firmware_bridge.arm.linked import COMMAND, LIVE, STATUSES, LinkedController
from firmware_bridge.arm.native import ZeroMqMemory, native_arm, signed, zeromq_memory
from firmware_bridge.arm.protocol import Request, Role, State
from firmware_bridge.arm.session import ArmSession
from firmware_bridge.arm.stream import EFFORT, MEASURED_FIXED, VELOCITY, WRENCH
from station.clock import Clock
from station.controllers.controller import ControllerStatus, Floats, LinkHealth, Measurement
from station.controllers.errors import ControllerError, ControllerMismatchError
from station.controllers.native import NativeArm
from station.controllers.words import ArmWords, HandWords

LOOK = 0.005  # time between two looks at the way of answers while none is awaited [s]
_new = tuple.__new__  # a NamedTuple of known parts, without the time to sort arguments


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
        self._state = State.READY  # that the arm has reported last
        self._memory: ZeroMqMemory | None = None  # of compiled code that talks to the arm, once it is known

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
        said = None
        for data in (*self._left_by_native(), *self._link.measurements()):
            said = self._measured(data, now) or said
        self._see_to_session(now)
        return said

    def _see_to_session(self, now: float) -> None:
        session = self._session
        waiting = session.number == 0 or session.pending.request is not None
        if waiting or now >= self._next_look:
            self._next_look = now + LOOK
            self._attend(now)
        if waiting or now >= session.next_beat:
            session.upkeep(now)

    def _left_by_native(self) -> tuple[bytes, ...]:
        """What compiled code has received and left to be seen here."""
        self._learn_from_native()
        self._look()  # sockets may be closed from here on; whoever wants compiled code to go on asks for `native`
        memory = self._memory
        if memory is None or not memory.kept:
            return ()
        kept, memory.kept = memory.kept, 0
        return (memory.inbox[:kept].tobytes(),)

    def _learn_from_native(self) -> None:
        """What compiled code has heard and sent since it was last told."""
        memory = self._memory
        if memory is not None and memory.session == signed(self._session.number):
            self._heard, self._last_stamp = max(self._heard, memory.heard), memory.last_stamp
            self._last_sent = max(self._last_sent, memory.last_sent)
            self._newest_number = max(self._newest_number, memory.newest)

    @property
    def native(self) -> NativeArm | None:
        """While all is as usual: welcomed, no request on its way, nothing to be stopped, nothing lost."""
        session, sockets = self._session, self._link.sockets()
        usual = self._status in LIVE and not (self._mute or self._stopping) and self._connected
        if sockets is None or not (usual and session.number) or session.pending.request is not None:
            return None
        if self._memory is None:
            self._memory = zeromq_memory(len(self.capabilities.joints), self._meter.counts)
            if self._memory is None:
                return None
        self._learn_from_native()
        memory = self._memory
        memory.measurements, memory.setpoints = sockets
        memory.boot, memory.session, memory.numbered = signed(self._boot), signed(session.number), self._numbered
        memory.state, memory.last_stamp, memory.last_sent = self._state, self._last_stamp, self._last_sent
        memory.heard, memory.lost_after, memory.commands = self._heard, self.lost_after, self.role is COMMAND
        memory.usual = True
        return native_arm(memory, session.next_beat)

    def upkeep(self) -> float:
        """Heartbeats and what came beside measurements: stops and faults are in those, and nothing else is hurried."""
        self._guarded(lambda: self._see_to_session(self.clock.now()))
        return self._session.next_beat

    def _look(self) -> None:
        """Compiled code leaves all to Python, until `native` is asked for again."""
        if self._memory is not None:
            self._memory.usual = False

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
        self._state = State(state)
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
            self._look()
            self._status, self._reason = ControllerStatus.LOST, str(session.refusal)

    def _welcomed(self) -> None:
        session = self._session
        assert session.capabilities is not None
        self._look()
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
