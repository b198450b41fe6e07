"""`ModbusController`: an arm behind a register map, as PLC-class controllers have it. Map: docs/protocol_arm.md."""

from __future__ import annotations

from statistics import median

from firmware_bridge.arm.linked import STATUSES, LinkedController
from firmware_bridge.arm.messages import text_of
from firmware_bridge.arm.modbus import registers
from firmware_bridge.arm.modbus.commands import CommandWriter, measurement_of
from firmware_bridge.arm.modbus.framing import (
    READ,
    WRITE,
    Answer,
    coil_request,
    exchange_request,
    read_request,
    write_request,
)
from firmware_bridge.arm.modbus.introduction import Introduction
from firmware_bridge.arm.modbus.lines import Line
from firmware_bridge.arm.modbus.registers import MapCodec, State
from firmware_bridge.arm.protocol import Request, Role
from firmware_bridge.arm.requests import PendingRequest
from station.clock import Clock
from station.controllers.controller import LONGEST_LOST_AFTER, Capabilities, Floats, LinkHealth, Measurement
from station.controllers.errors import (
    ControllerBusyError,
    ControllerError,
    ControllerMismatchError,
    ControllerSlowError,
)

POLL = 0.002  # time after which the arm is asked though nobody sends a setpoint [s]
MISSED_TRIPS = 3  # exchanges that may be missing before the arm counts as lost
STOP_AGAIN = 0.02  # time until an emergency stop is said once more [s]


class ModbusController(LinkedController):
    """An arm at a Modbus address. `stop_line` is the way of emergency stops; without one they go before all else."""

    def __init__(self, url: str, clock: Clock, line: Line, stop_line: Line | None, role: Role = Role.COMMAND) -> None:
        super().__init__(url, clock, role)
        self._line, self._stop_line = line, stop_line
        self._introduction = Introduction(url)
        self._codec: MapCodec | None = None
        self._writer = CommandWriter()
        self._pending = PendingRequest()
        self._echoed = -1
        self._asking = ""  # what the request on the line is for
        self._begun = self._next_stop = float("-inf")  # [s]
        self._boot = self._numbered = self._newest_number = 0
        self._events, self._reason_known, self._arm_reason = 0, -1, ""
        self._error: ControllerError | None = None
        self._taken = False  # another station commands

    @property
    def health(self) -> LinkHealth:
        """How the link is doing; lost are requests that were never answered."""
        health = self._meter.health
        return health._replace(lost=self._line.timeouts, refused=health.refused + self._line.bad)

    # The link --------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._line.connect()
        if self._stop_line is not None:
            self._stop_line.connect()
        self._introduction, self._codec, self._asking = Introduction(self.url), None, ""

    def _disconnect(self) -> None:
        for line in (self._line, self._stop_line):
            if line is not None:
                line.disconnect()

    def _hopeless(self, timed_out: bool) -> ControllerError | None:
        if self._error is None and timed_out and self._taken:
            return ControllerBusyError(f"{self.url}: another station commands the arm; to watch it, add ?role=observe")
        if self._error is None and timed_out and self._line.late:
            return ControllerSlowError(
                f"{self.url}: it answers, but later than {1000.0 * self._line.timeout:.0f} ms; bring it nearer on the "
                "network, or lead it over the native link, which bears delay"
            )
        return self._error

    def _part(self, now: float) -> None:
        if self.role is Role.COMMAND and self._codec is not None and not self._taken:
            self._pending.ask(Request.DEACTIVATE, now)
            body = self._writer.block(self._codec, self._pending, now, mute=True, leave=True)
            self._line.send(write_request(registers.COMMAND_AT, body), now)

    # Every tick ------------------------------------------------------------------------------------------

    def _exchange(self, now: float) -> Measurement | None:
        answer, said = self._line.take(now), None
        if self._stop_line is not None:
            self._stop_line.take(now)
        if answer is not None:
            asking, self._asking = self._asking, ""
            said = self._heed(asking, answer, now)
        request = self._pending.request
        if request is not None and self._pending.expired(now):
            self.answer = f"{request.name.lower()}: the arm does not answer"
        if self._error is None and self._line.idle and (now - self._begun >= POLL or self._codec is None):
            self._begin(now)
        return said

    def _begin(self, now: float) -> None:
        """Send the next request."""
        codec = self._codec
        if self._stopping and self._stop_line is None and now >= self._next_stop:
            self._send_stop(now)
        elif codec is None:
            self._ask_line("introduction", self._introduction.request(), now)
        elif self._events != self._reason_known:
            self._reason_known = self._events
            self._ask_line("reason", read_request(registers.REASON_AT, registers.REASON_WORDS), now)
        elif self.role is Role.OBSERVE:
            self._ask_line("state", read_request(registers.STATE_AT, codec.state_words), now)
        elif self._introduction.combined:
            body = self._writer.block(codec, self._pending, now, mute=self._mute or self._stopping)
            pdu = exchange_request(registers.STATE_AT, codec.state_words, registers.COMMAND_AT, body)
            self._ask_line("state", pdu, now)
        elif self._wrote:
            self._wrote = False
            self._ask_line("state", read_request(registers.STATE_AT, codec.state_words), now)
        else:
            self._wrote = True
            body = self._writer.block(codec, self._pending, now, mute=self._mute or self._stopping)
            self._ask_line("write", write_request(registers.COMMAND_AT, body), now)

    _wrote = False  # without function 23 writes and reads take turns

    def _ask_line(self, asking: str, pdu: bytes, now: float) -> None:
        if self._line.send(pdu, now):
            self._asking, self._begun = asking, now

    # What the arm answers --------------------------------------------------------------------------------

    def _heed(self, asking: str, answer: Answer, now: float) -> Measurement | None:
        if answer.exception:
            self._meter.refused += 1
            self._taken = self._taken or answer.exception == 6
            if asking == "introduction":
                self._error = ControllerMismatchError(
                    f"{self.url}: what answers there is not an arm that we know: Modbus exception {answer.exception}"
                )
            self._read_instead(asking, now)
        elif asking == "introduction":
            self._introduced(answer.data)
        elif asking == "reason":
            self._arm_reason = text_of(answer.data)
        elif asking == "state" and self._codec is not None and len(answer.data) == 2 * self._codec.state_words:
            return self._measured(self._codec.read_state(answer.data), now)
        elif answer.function in (READ, WRITE) and asking not in ("stop", "write"):
            self._meter.refused += 1
        return None

    def _read_instead(self, asking: str, now: float) -> None:
        """A command was refused: look at the state all the same, to see why and to stay in the picture."""
        if asking == "state" and self._codec is not None and self._line.idle:
            self._ask_line("state", read_request(registers.STATE_AT, self._codec.state_words), now)

    def _introduced(self, data: bytes) -> None:
        known = self.capabilities if self._boot else None
        try:
            self._introduction.heed(data)
            able = self._introduction.capabilities
            if able is None:
                return
            if known is not None and able.joints != known.joints:
                raise ControllerMismatchError(f"{self.url}: an arm with other joints is there now; open it anew")
            self._adapt_to_trips(able, first=known is None)
        except (ControllerMismatchError, ControllerSlowError) as error:
            self._error = error
            self._lose(str(error))
            return
        self.capabilities = able
        self._adapt_to(able.rate)
        self._codec = MapCodec(len(able.joints))
        if self._introduction.boot != self._boot:
            self._boot, self._numbered = self._introduction.boot, self._newest_number
            self._meter.begin()
            self._last_sent, self._pending.sequence = -1, 0
            self._reason_known, self._arm_reason = -1, ""

    def _adapt_to_trips(self, able: Capabilities, first: bool) -> None:
        """A polled arm measures, and hears a setpoint, once per exchange.

        If that is too seldom, a ControllerSlowError; when it comes back in the middle of a run, the supervisor judges.
        """
        exchanges = 1 if self._introduction.combined or self.role is Role.OBSERVE else 2  # write and read take turns
        usual, least = (exchanges * time for time in (median(self._line.trips), min(self._line.trips)))
        longest = LONGEST_LOST_AFTER / MISSED_TRIPS
        if self.role is Role.COMMAND:
            longest = min(longest, able.watchdog)
        if first and least > longest:
            raise ControllerSlowError(
                f"{self.url}: a setpoint every {1000.0 * least:.0f} ms is all that the link can do, and this arm needs "
                f"one every {1000.0 * longest:.0f} ms; bring it nearer on the network, give it a longer watchdog (now "
                f"{1000.0 * able.watchdog:.0f} ms), or use the native link, which bears delay"
            )
        self.lost_after = max(self.lost_after, min(MISSED_TRIPS * usual, LONGEST_LOST_AFTER))

    def _measured(self, state: State, now: float) -> Measurement | None:
        if state.version != registers.MAP_VERSION or state.state >= len(STATUSES):
            self._meter.refused += 1
            return None
        if state.boot != self._boot:
            self._introduction, self._codec = Introduction(self.url), None
            self._lose(f"{self.url}: the arm was restarted")
            return None
        self._taken = state.holder not in (0, self._writer.holder)
        self._events = state.events
        self._answered(state)
        arm_time = 1e-6 * state.time
        if not self._meter.measurement(state.sequence, arm_time, now, polled=True):
            return None
        if state.heard != self._echoed and state.holder == self._writer.holder and state.held != 0xFFFF:
            self._echoed = state.heard
            sent = self._writer.sent_at(state.heard)
            self._meter.exchange(sent, arm_time - 1e-4 * state.held, arm_time, now, trip=True)
        if self.role is Role.COMMAND and state.holder != self._writer.holder:  # not ours yet, or not any more
            if self._taken and self._heard > float("-inf"):
                self._lose(f"{self.url}: another station commands the arm now")
            return None
        self._report(state.state, self._arm_reason, now)
        self._newest_number = self._numbered + state.sequence
        return measurement_of(state, len(self.capabilities.joints), self._last_sent, now, self._newest_number)

    def _answered(self, state: State) -> None:
        if state.holder != self._writer.holder or state.answered != self._pending.sequence & 0xFFFF:
            return
        done = self._pending.answered(self._pending.sequence)
        if done is not None and not state.accepted:
            self.answer = f"{done.name.lower()} refused: {self._arm_reason or 'no reason given'}"

    # What we say -----------------------------------------------------------------------------------------

    def _send_setpoint(self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int) -> bool:
        if self._codec is None or self._taken or len(q) != self._codec.joints:
            return False
        now = self.clock.now()
        if not self._writer.keep(q, v, effort, sequence, now):
            return False
        if self._line.idle and not self._wrote:
            self._begin(now)
        return True

    def _request(self, request: Request, now: float) -> None:
        self._pending.ask(request, now)

    def _cancel_requests(self, only: Request | None = None) -> None:
        if only is None or self._pending.request is only:
            self._pending.request = None

    def _send_stop(self, now: float) -> None:
        if now < self._next_stop:
            return
        if self._stop_line is not None:
            if self._stop_line.send(coil_request(registers.STOP_COIL), now):
                self._next_stop = now + STOP_AGAIN
        elif self._line.idle:
            self._ask_line("stop", coil_request(registers.STOP_COIL), now)
            self._next_stop = now + STOP_AGAIN
