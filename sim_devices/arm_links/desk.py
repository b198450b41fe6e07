"""`Desk`: the arm's half of the conversation, whatever carries it. Who commands, what is let through, what is told.

No message can upset it: what makes no sense is counted by its reason and has no effect. To stop needs no session:
whoever can reach the arm may stop it. Nobody can shout another down: besides stops and setpoints, so much is heard of
each session, and so much of all who have none.
"""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING, NamedTuple

from firmware_bridge.arm.coupled import COUPLED_SETPOINT, CoupledCodec
from firmware_bridge.arm.messages import (
    PAYLOAD,
    Message,
    PackError,
    Welcome,
    pack,
    pack_welcome,
    payload,
    text_of,
    unpack,
)
from firmware_bridge.arm.protocol import VERSION, RefusalCode, Refused, Request, Role, State, Type
from firmware_bridge.arm.stream import Measured, Setpoint, StreamCodec
from sim_devices.arm.machine import ArmMachine, ArmState
from sim_devices.arm_links.allowance import Allowance
from sim_devices.arm_links.pulse import Pulse
from sim_devices.arm_links.seats import Peer, Seats, Session
from station.controllers.controller import Capabilities
from station.controllers.words import HandWords

if TYPE_CHECKING:
    from sim_devices.arm_links.coupling import Coupling

STATES = {ArmState.READY: 0, ArmState.ACTIVE: 1, ArmState.STOPPED: 2, ArmState.FAULT: 3}
_new = tuple.__new__  # a NamedTuple of known parts, without the time to sort arguments

EACH_RATE, EACH_BURST = 200.0, 20.0  # messages of a session [1/s]: heartbeats, requests and the like are about 30
STRANGERS_RATE, STRANGERS_BURST = 400.0, 40.0  # of all who have none, together

Answer = tuple[Peer, bytes]


class Arrivals(NamedTuple):
    """What became of the setpoints of those who commanded."""

    came: int = 0  # arrived, and newer than all before
    passed_over: int = 0  # of these: a newer one was there too when the arm looked
    lost: int = 0  # never arrived: numbers that are missing


class Desk:
    """Sessions, requests and setpoints of one arm."""

    def __init__(
        self,
        machine: ArmMachine,
        ports: tuple[int, int, int] = (0, 0, 0),
        boot: int | None = None,
        coupling: Coupling | None = None,
    ) -> None:
        self.machine = machine
        self.coupling = coupling  # the end of a bilateral link; None: it has none
        self.ports = ports
        self.boot = boot or secrets.randbits(63) | 1
        self.refused: Counter[Refused] = Counter()
        self.refused_setpoints = 0  # by the machine itself: not ACTIVE, or outside its limits
        able = machine.capabilities
        self._able = able  # what it measures stays the same, whatever befalls it
        self.codec = StreamCodec(len(able.joints))
        self.coupled = CoupledCodec(self.codec.joints)
        self.seats = Seats()
        self.each = Allowance(EACH_RATE, EACH_BURST)  # of a session, or a peer that has none
        self.strangers = Allowance(STRANGERS_RATE, STRANGERS_BURST)
        self.setpoints = 0  # let through
        self._arrived = self._passed_over = self._spanned = 0
        self._heard = self._heard_at = 0  # newest word of the commander [ns, its clock], [ns, ours]
        self._measurements = self._events = self._counter = 0
        self._last = b""  # measurement
        self._pulse = Pulse()
        self._told: tuple[ArmState, str] = (ArmState.READY, "")
        self._reading = machine.reading()
        self._looked = self._reading.at if isfinite(self._reading.at) else inf  # when that was so [s]; infinite: untold

    @property
    def arrivals(self) -> Arrivals:
        """What became of setpoints; an emulated network counts as part of their way."""
        return Arrivals(self._arrived, self._passed_over, self._spanned - self._arrived)

    # Time and state --------------------------------------------------------------------------------------

    def _arm_time(self, now: float) -> int:
        """The arm's own clock [ns], going on from the last look."""
        return int(1e9 * (self._reading.time + max(0.0, now - self._looked)))

    def _state(self) -> tuple[int, str]:
        said = self.machine.reading()
        return STATES[said.state], said.reason

    def _refuse(self, why: Refused) -> None:
        self.refused[why] += 1

    def _say(self, kind: Type, session: int, data: bytes, now: float, joints: int = 0) -> bytes:
        self._counter += 1
        return pack(Message(int(kind), joints, 0, session, self._counter, self._arm_time(now), data))

    # What comes in ---------------------------------------------------------------------------------------

    def hear(self, data: bytes, peer: Peer, now: float) -> list[Answer]:
        """A message of any kind from a peer at `now` [s]; what is to be answered."""
        if self.codec.is_setpoint(data):
            said = self.codec.read_setpoint(data)
            if isinstance(said, Refused):
                self._refuse(said)
            else:
                self._setpoint(said, now)
            return []
        if self.coupling is not None and self.coupled.is_sound(data, COUPLED_SETPOINT):
            self._coupled_setpoint(self.coupling, data, now)
            return []
        message = unpack(data)
        if isinstance(message, Refused):
            self._refuse(message)
            return []
        return self._understand(message, peer, now)

    def _is_heard(self, message: Message, peer: Peer, now: float) -> bool:
        """Whether its sender has not said too much; those who have a session do not suffer from those who have none."""
        session = self.seats.sessions.get(message.session)
        if session is not None and session.peer == peer:
            return self.each.grants(session.number, now)
        return self.each.grants(peer, now) and self.strangers.grants("all", now)

    def _understand(self, message: Message, peer: Peer, now: float) -> list[Answer]:
        if message.version != VERSION:
            return self._foreign(message, peer, now)
        if message.type == Type.STOP:
            return self._stop(message, peer, now)
        if not self._is_heard(message, peer, now):
            self._refuse(Refused.FLOOD)
            return []
        if message.type == Type.HELLO:
            return self._hello(message, peer, now)
        if message.type not in (Type.REQUEST, Type.HEARTBEAT, Type.BYE):
            known = (Type.SETPOINT,) if self.coupling is None else (Type.SETPOINT, Type.COUPLED_SETPOINT)
            self._refuse(Refused.LENGTH if message.type in known else Refused.TYPE)
            return []
        session = self.seats.sessions.get(message.session)
        if session is None or session.peer != peer:
            self._refuse(Refused.SESSION)
            if message.type in (Type.REQUEST, Type.HEARTBEAT):
                return [self._turn_away(RefusalCode.SESSION, "no such session", message, peer, now)]
            return []
        session.heard = now
        return self._in_session(message, session, now)

    def _in_session(self, message: Message, session: Session, now: float) -> list[Answer]:
        if message.type == Type.HEARTBEAT:
            return self._heartbeat(message, session, now)
        if message.type == Type.REQUEST:
            return self._request(message, session, now)
        self._end(session)
        return []

    def _foreign(self, message: Message, peer: Peer, now: float) -> list[Answer]:
        self._refuse(Refused.VERSION)
        if message.type != Type.HELLO or not self._is_heard(message, peer, now):
            return []
        text = f"the arm speaks version {VERSION} of the protocol, the station {message.version}; update the older"
        return [self._turn_away(RefusalCode.VERSION, text, message, peer, now)]

    def _turn_away(self, code: RefusalCode, reason: str, message: Message, peer: Peer, now: float) -> Answer:
        nonce = 0
        if message.type == Type.HELLO and len(message.payload) >= PAYLOAD[Type.HELLO].size:
            nonce = PAYLOAD[Type.HELLO].unpack_from(message.payload)[1]
        return peer, self._say(Type.REFUSAL, message.session, payload(Type.REFUSAL, int(code), nonce, reason), now)

    def _stop(self, message: Message, peer: Peer, now: float) -> list[Answer]:
        self.machine.stop()  # whoever says it, and however often; who says it too often is not answered
        if not self._is_heard(message, peer, now):
            return []
        session = next((known.number for known in self.seats.sessions.values() if known.peer == peer), 0)
        return [(peer, self._say(Type.STOPPED, session, payload(Type.STOPPED, *self._state()), now))]

    def _hello(self, message: Message, peer: Peer, now: float) -> list[Answer]:
        role, nonce, name = PAYLOAD[Type.HELLO].unpack(message.payload)
        if role not in (Role.OBSERVE, Role.COMMAND):
            self._refuse(Refused.RANGE)
            return []
        known = self.seats.known(peer, nonce)
        if known is not None:
            return [(peer, known.welcome)]  # it came twice
        if role == Role.COMMAND:
            holder = self.seats.in_the_way(message.session, now)
            if holder is not None:
                text = f"another station commands the arm: {holder.name or 'nameless'}"
                return [self._turn_away(RefusalCode.BUSY, text, message, peer, now)]
            if self.seats.commander is not None:
                self._end(self.seats.commander)
            self._heard = self._heard_at = 0
        session = self.seats.admit(peer, Role(role), text_of(name), nonce, now)
        welcome = Welcome(nonce, self.boot, role, self.ports, self._capabilities())
        joints = len(self.machine.capabilities.joints)
        session.welcome = self._say(Type.WELCOME, session.number, pack_welcome(welcome), now, joints)
        return [(peer, session.welcome)]

    def _capabilities(self) -> Capabilities:
        able = self.machine.capabilities
        return able if self.coupling is None else replace(able, couples=True)

    def _end(self, session: Session) -> None:
        """A session is over; nobody commands then, and the arm's own watchdog sees to what it was doing."""
        if self.seats.leave(session) and self.machine.reading().state is ArmState.ACTIVE:
            self.machine.deactivate()

    # What a session may do -------------------------------------------------------------------------------

    def _coupled_setpoint(self, coupling: Coupling, data: bytes, now: float) -> None:
        said, words = self.codec.read_setpoint(data), self.coupled.hand_words(data)
        if isinstance(said, Refused):
            self._refuse(said)
        elif isinstance(words, Refused):
            self._refuse(words)
        elif not coupling.makes_sense(words):
            self._refuse(Refused.RANGE)
        else:
            self._setpoint(said, now, words)

    def _setpoint(self, said: Setpoint, now: float, words: HandWords | None = None) -> None:
        session = self.seats.commander
        if session is None or said.session != session.number:
            self._refuse(Refused.SESSION)
            return
        if said.sequence <= session.setpoint:
            self._refuse(Refused.REPLAY)
            return
        session.setpoint, session.heard = said.sequence, now
        self._count(session, said.sequence)
        self._heard, self._heard_at = said.time, self._arm_time(now)
        q, v = said.q, said.v
        if self.coupling is not None:
            q, v = self.coupling.hear(q, v, words, now)
        if self.machine.setpoint(q, v, said.effort, said.sequence, 1e-9 * said.time):
            self.setpoints += 1
        else:
            self.refused_setpoints += 1

    def _count(self, session: Session, sequence: int) -> None:
        """Numbers from the first to the newest that did not come, in whatever order, are lost."""
        self._arrived += 1
        if session.newest < 0:
            session.oldest, session.newest, self._spanned = sequence, sequence, self._spanned + 1
        elif sequence > session.newest:
            self._spanned, session.newest = self._spanned + sequence - session.newest, sequence
        elif sequence < session.oldest:
            self._spanned, session.oldest = self._spanned + session.oldest - sequence, sequence

    def pass_over(self, sequence: int) -> None:
        """A sound setpoint of the commander came together with a newer one, and shall have no effect."""
        if self.seats.commander is not None:
            self._count(self.seats.commander, sequence)
            self._passed_over += 1

    def _heartbeat(self, message: Message, session: Session, now: float) -> list[Answer]:
        if message.sequence <= session.beat:
            self._refuse(Refused.REPLAY)
            return []
        session.beat = message.sequence
        heard_at = self._arm_time(now)
        state, reason = self._state()
        data = payload(Type.ECHO, message.time, heard_at, state, int(session.role), reason)
        return [(session.peer, self._say(Type.ECHO, session.number, data, now))]

    def _request(self, message: Message, session: Session, now: float) -> list[Answer]:
        (wanted,) = PAYLOAD[Type.REQUEST].unpack(message.payload)
        if session is not self.seats.commander:
            self._refuse(Refused.SESSION)
            text = "this session may only observe"
            return [self._turn_away(RefusalCode.NOT_COMMANDER, text, message, session.peer, now)]
        if message.sequence == session.request and session.answer:
            return [(session.peer, session.answer)]  # it did not hear the answer
        if message.sequence < session.request:
            self._refuse(Refused.REPLAY)
            return []
        if wanted not in Request.__members__.values():
            self._refuse(Refused.RANGE)
            return []
        accepted = self._do(Request(wanted))
        state, reason = self._state()
        data = payload(Type.ACK, message.sequence, wanted, int(accepted), state, reason)
        session.request, session.answer = message.sequence, self._say(Type.ACK, session.number, data, now)
        return [(session.peer, session.answer)]

    def _do(self, request: Request) -> bool:
        if request is Request.ACTIVATE:
            return self.machine.activate()
        if request is Request.RESET:
            return self.machine.reset()
        if request is Request.TARE:
            return self.coupling is not None and self.coupling.tare()
        if request is Request.RELEASE:
            self.machine.release()
        else:
            self.machine.deactivate()
        return True

    # What goes out ---------------------------------------------------------------------------------------

    def measurement(self, now: float) -> bytes | None:
        """The MEASUREMENT of this moment; None if the machine has no numbers to show."""
        said = self._reading = self.machine.reading()
        q, v, effort, wrench, state, _, echo, time, at = said
        self._looked = at if at == at else now  # nan: the moment of asking
        if self._pulse.stands(time, now) and self._last:
            return self._last  # it says the same again
        self._measurements += 1
        able = self._able
        numbers = (
            q,
            v if able.measures_velocity else None,
            effort if able.measures_effort else None,
            wrench if able.measures_wrench and said.has_wrench else None,
        )
        about = self.boot, self._measurements, int(1e9 * time), echo, self._heard, self._heard_at
        try:
            self._last = self.codec.measurement(_new(Measured, (*about, STATES[state], self._events, *numbers)))
            if self.coupling is not None:
                self._last = self.coupled.measurement(self._last, self.coupling.words)
        except (*PackError, ValueError):  # physics that has gone astray
            return None
        return self._last

    def events(self, now: float) -> list[Answer]:
        """An EVENT to every session if the state, or the reason for it, has changed."""
        said = (self._reading.state, self._reading.reason)
        if said == self._told:
            return []
        self._told = said
        self._events += 1
        data = payload(Type.EVENT, STATES[said[0]], said[1])
        return [(known.peer, self._say(Type.EVENT, known.number, data, now)) for known in self.seats.sessions.values()]


assert tuple(STATES.values()) == tuple(State)
