"""`ArmSession`: the station's half of the conversation: hello, heartbeat, requests, and what the arm answers."""

from __future__ import annotations

import secrets

from firmware_bridge.arm.coupled import CoupledCodec
from firmware_bridge.arm.link import ArmLink
from firmware_bridge.arm.messages import PAYLOAD, Message, pack, payload, text_of, unpack, unpack_welcome
from firmware_bridge.arm.protocol import VERSION, RefusalCode, Refused, Request, Role, Type
from firmware_bridge.arm.requests import PendingRequest
from firmware_bridge.arm.stream import StreamCodec
from station.controllers.controller import Capabilities
from station.controllers.errors import ControllerBusyError, ControllerError, ControllerMismatchError
from station.controllers.meter import LinkMeter

RETRY = 0.25  # time between two attempts to be welcomed [s]
NOT_SENT = 0.01  # the same while the link is not up yet, so that nobody can have heard [s]
HEARTBEAT = 0.05  # time between two heartbeats [s]


class ArmSession:
    """What is agreed on with the arm, and how it came about. `number` is 0 while nothing is."""

    def __init__(self, url: str, link: ArmLink, meter: LinkMeter, role: Role, name: str) -> None:
        self.url, self.role, self.name = url, role, name
        self.number = self.boot = 0
        self.connections = 0  # how many times we were welcomed
        self.capabilities: Capabilities | None = None
        self.codec: StreamCodec | None = None
        self.coupled: CoupledCodec | None = None  # if the arm runs its end of a bilateral link
        self.refusal: ControllerError | None = None  # why the arm does not welcome us
        self.ended = ""  # why the arm has ended the session; to be taken note of
        self.reason = ""  # that the arm gives for its state
        self.answer = ""  # why it has refused a request
        self.pending = PendingRequest()
        self._link, self._meter = link, meter
        self._resume = 0
        self._nonce = secrets.randbits(63) | 1  # the same until we are welcomed: answers may take seconds
        self._next_try = self.next_beat = float("-inf")  # when to say hello, and when the next heartbeat [s]
        self._beats = self._stops = 0

    def forget(self) -> None:
        """What was agreed on is void; ask anew at once."""
        self._resume = self.number or self._resume  # so that the arm knows who comes back
        self.number = 0
        self._nonce = secrets.randbits(63) | 1
        self._next_try = float("-inf")

    # What we say -----------------------------------------------------------------------------------------

    def upkeep(self, now: float) -> None:
        """Say what is due at `now` [s]: hello, heartbeat, and requests that were not answered."""
        if not self.number:
            if now >= self._next_try and not isinstance(self.refusal, ControllerMismatchError):
                hello = payload(Type.HELLO, int(self.role), self._nonce, self.name)
                self._next_try = now + (RETRY if self._say(Type.HELLO, 1, now, hello) else NOT_SENT)
            return
        if now >= self.next_beat:
            self.next_beat = now + HEARTBEAT
            self._beats += 1
            self._say(Type.HEARTBEAT, self._beats, now)
        request = self.pending.request
        if request is not None:
            self.say_request(now)
            if self.pending.expired(now):
                self.answer = f"{request.name.lower()}: the arm does not answer"

    def ask(self, request: Request, now: float) -> None:
        """Ask for a change of mode, now and again until it is answered."""
        self.answer = ""
        self.pending.ask(request, now)
        self.say_request(now)

    def say_request(self, now: float) -> None:
        """Send the request that is on its way, if it is time to."""
        if self.number and self.pending.due(now):
            request = self.pending.request
            assert request is not None
            self._say(Type.REQUEST, self.pending.sequence, now, payload(Type.REQUEST, int(request)))

    def say_stop(self, now: float) -> None:
        """Emergency stop, whether there is a session or not."""
        self._stops += 1
        self._link.send_stop(pack(Message(int(Type.STOP), 0, 0, self.number, self._stops, int(1e9 * now), b"")))

    def say_bye(self, now: float) -> None:
        """The session is over."""
        self._say(Type.BYE, 1, now)

    def _say(self, kind: Type, sequence: int, now: float, data: bytes = b"") -> bool:
        """Whether it went out."""
        session = self._resume if kind is Type.HELLO else self.number
        return self._link.send_reliable(pack(Message(int(kind), 0, 0, session, sequence, int(1e9 * now), data)))

    # What the arm answers --------------------------------------------------------------------------------

    def heed(self, data: bytes, now: float) -> None:
        """A message that came in at `now` [s]."""
        message = unpack(data)
        if isinstance(message, Refused):
            self._meter.refused += 1
        elif message.version != VERSION:
            self._foreign(message)
        elif message.type == Type.WELCOME:
            self._welcomed(message, now)
        elif message.type == Type.REFUSAL:
            self._refused(message)
        elif message.type == Type.STOPPED:
            self.reason = text_of(PAYLOAD[Type.STOPPED].unpack(message.payload)[1])
        elif message.session != self.number or not self.number:
            self._meter.refused += 1
        elif message.type == Type.ACK:
            self._acknowledged(message)
        elif message.type == Type.ECHO:
            self._echoed(message, now)
        elif message.type == Type.EVENT:
            self.reason = text_of(PAYLOAD[Type.EVENT].unpack(message.payload)[1])
        else:
            self._meter.refused += 1

    def _foreign(self, message: Message) -> None:
        self._meter.refused += 1
        if message.type != Type.HELLO and not self.number:
            self.refusal = ControllerMismatchError(
                f"{self.url}: the arm speaks version {message.version} of the protocol, this station version "
                f"{VERSION}; update the older of the two"
            )

    def _refused(self, message: Message) -> None:
        code, nonce, reason = PAYLOAD[Type.REFUSAL].unpack(message.payload)
        text = text_of(reason)
        if code == RefusalCode.SESSION and message.session == self.number and self.number:
            self.ended = f"{self.url}: the arm has ended this session: {text}"
        elif self.number:
            self._meter.refused += 1
        elif nonce == self._nonce and code == RefusalCode.BUSY:
            self.refusal = ControllerBusyError(f"{self.url}: {text}; to watch it, add ?role=observe")
        elif nonce == self._nonce and code == RefusalCode.VERSION:
            self.refusal = ControllerMismatchError(f"{self.url}: {text}")
        else:
            self._meter.refused += 1

    def _welcomed(self, message: Message, now: float) -> None:
        welcome = unpack_welcome(message)
        if isinstance(welcome, Refused) or welcome.nonce != self._nonce or welcome.role != self.role or self.number:
            self._meter.refused += 1
            return
        able = welcome.capabilities
        if self.capabilities is not None and able.joints != self.capabilities.joints:
            self.refusal = ControllerMismatchError(f"{self.url}: an arm with other joints is there now; open it anew")
            self._link.send_reliable(pack(Message(int(Type.BYE), 0, 0, message.session, 1, int(1e9 * now), b"")))
            return
        self.refusal, self.capabilities, self.codec = None, able, StreamCodec(len(able.joints))
        self.coupled = CoupledCodec(len(able.joints)) if able.couples else None
        self.number, self.boot = message.session, welcome.boot
        self.reason, self._beats = "", 0
        self.connections += 1
        self.pending.sequence = 0  # each session counts its own
        if self.pending.request is not None:
            self.pending.ask(self.pending.request, now)
        self._link.welcomed(welcome)

    def _acknowledged(self, message: Message) -> None:
        of, _, accepted, _, reason = PAYLOAD[Type.ACK].unpack(message.payload)
        done = self.pending.answered(of)
        if done is not None and not accepted:
            self.answer = f"{done.name.lower()} refused: {text_of(reason) or 'no reason given'}"

    def _echoed(self, message: Message, now: float) -> None:
        heard, heard_at, _, _, reason = PAYLOAD[Type.ECHO].unpack(message.payload)
        observes = self.role is Role.OBSERVE  # a commander's round trips are those of its setpoints
        self._meter.exchange(1e-9 * heard, 1e-9 * heard_at, 1e-9 * message.time, now, trip=observes)
        self.reason = text_of(reason)
