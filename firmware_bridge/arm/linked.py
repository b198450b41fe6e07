"""What all drivers of arms have in common: being there, being lost, coming back, stopping, and never waiting."""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Callable

from firmware_bridge.arm.protocol import Request, Role, State
from station.clock import Clock, Exchange
from station.controllers.controller import Controller, ControllerStatus, Floats, LinkHealth, Measurement
from station.controllers.errors import ControllerError, ControllerLostError, ControllerSilentError
from station.controllers.meter import LinkMeter

RETRY = 0.25  # time between two attempts to find a lost port again [s]
PAUSE = 0.0005  # time between two looks while being opened [s]
OPEN_TIMEOUT = 3.0  # [s]
MISSED = 5  # measurements that may be missing before an arm counts as lost

STATUSES = (ControllerStatus.READY, ControllerStatus.ACTIVE, ControllerStatus.STOPPED, ControllerStatus.FAULT)
LIVE = frozenset(STATUSES)
SAYS = {  # if the arm gives no reason of its own
    ControllerStatus.STOPPED: "the arm was stopped; reset it once it is safe",
    ControllerStatus.FAULT: "the arm reports a fault; see to it, then reset",
}
ACTIVE, STOPPED = int(State.ACTIVE), int(State.STOPPED)  # plain: enums are slow in a tick
CLOSED, COMMAND = ControllerStatus.CLOSED, Role.COMMAND  # and so are their members by name


class LinkedController(Controller):
    """A controller at the end of a link that may fail.

    A driver fills in the hooks below. They raise ControllerLostError when the link has ended; nothing else.
    """

    def __init__(self, url: str, clock: Clock, role: Role = Role.COMMAND) -> None:
        self.url = url
        self.clock = clock
        self.role = role
        self._meter = LinkMeter()
        self._status, self._reason = ControllerStatus.OPENING, "not connected yet"
        self._connected = False
        self._heard = self._next_try = float("-inf")  # [s]
        self._last_sent = -1  # sequence of the newest setpoint
        self._stopping = False  # an emergency stop is on its way
        self._mute = False  # after a loss nothing is commanded until the arm has left ACTIVE

    # Hooks -----------------------------------------------------------------------------------------------

    @abstractmethod
    def _connect(self) -> None:
        """Open the link, quickly; a ControllerError if that cannot be."""

    @abstractmethod
    def _disconnect(self) -> None:
        """Let the link go; may be called twice."""

    @abstractmethod
    def _exchange(self, now: float) -> Measurement | None:
        """Once per tick: take what came in, say what is due; the newest measurement."""

    @abstractmethod
    def _send_setpoint(self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int) -> bool:
        """A setpoint that may go out."""

    @abstractmethod
    def _request(self, request: Request, now: float) -> None:
        """Ask for a change of mode, again and again until it is answered."""

    @abstractmethod
    def _cancel_requests(self, only: Request | None = None) -> None:
        """What was asked for, or one kind of it, is not wanted any more."""

    @abstractmethod
    def _send_stop(self, now: float) -> None:
        """Emergency stop."""

    def _look(self) -> None:
        """Something was asked for, or lost: nothing goes on as usual, without this class, until it has looked."""

    def _part(self, now: float) -> None:
        """The last words before the link is closed."""

    def _hopeless(self, timed_out: bool) -> ControllerError | None:
        """While opening: why it will never be ready; if `timed_out`, also why it is not yet."""
        del timed_out
        return None

    # Opening ---------------------------------------------------------------------------------------------

    def wait_until_ready(self, timeout: float = OPEN_TIMEOUT) -> None:
        """For opening functions: return at the first measurement, or raise the ControllerError that says why not."""
        try:
            self._connect()
            self._connected = True
            end = self.clock.now() + timeout
            while self.newest() is None:
                timed_out = self.clock.now() >= end
                error = self._hopeless(timed_out)
                if error is not None:
                    raise error
                if not self._connected:
                    raise ControllerLostError(self._reason)
                if timed_out:
                    raise ControllerSilentError(
                        f"{self.url}: no answer; is this the right address, and is the arm switched on?"
                    )
                self.clock.sleep_until(self.clock.now() + PAUSE)
        except BaseException:
            self.close()
            raise

    # The interface ---------------------------------------------------------------------------------------

    @property
    def health(self) -> LinkHealth:
        """How the link is doing."""
        return self._meter.health

    @property
    def exchange(self) -> Exchange | None:
        """The newest exchange of messages."""
        return self._meter.newest

    def newest(self) -> Measurement | None:
        """The newest measurement that has not been returned yet, or None."""
        if self._status is CLOSED:
            return None
        now = self.clock.now()
        try:
            if not self._connected and not self._reconnect(now):
                return None
            said = self._exchange(now)
            if self._stopping:
                self._send_stop(now)
        except ControllerLostError as error:
            self._lose_link(error)
            return None
        if said is None and now - self._heard > self.lost_after and self._status in LIVE:
            self._lose(f"{self.url}: no measurement for {1000.0 * (now - self._heard):.0f} ms")
        return said

    def send(self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int) -> bool:
        """Send a setpoint [rad | m]; sequences must increase. Returns whether it went out."""
        if (
            self._status not in LIVE
            or self._mute
            or self._stopping
            or sequence <= self._last_sent
            or self.role is not COMMAND
        ):
            return False
        able = self.capabilities
        try:
            sent = self._send_setpoint(
                q, v if able.takes_velocity else None, effort if able.takes_effort else None, sequence
            )
        except ControllerLostError as error:
            self._lose_link(error)
            return False
        if sent:
            self._last_sent = sequence
        return sent

    def activate(self) -> None:
        """Ask the arm to follow setpoints."""
        if self._status in LIVE:
            self._ask(Request.ACTIVATE)

    def deactivate(self) -> None:
        """Ask the arm to hold."""
        self._ask(Request.DEACTIVATE)

    def reset(self) -> None:
        """Ask the arm to leave STOPPED or FAULT."""
        self._stopping = False
        self._ask(Request.RESET)

    def release(self) -> None:
        """Ask the arm to take the torque away."""
        self._ask(Request.RELEASE)

    def stop(self) -> None:
        """Emergency stop: at once, and again at every tick until the arm says that it has stopped."""
        if self._status is ControllerStatus.CLOSED:
            return
        self._look()
        self._stopping = True
        self._cancel_requests()
        if self._connected:
            self._guarded(lambda: self._send_stop(self.clock.now()))

    def close(self) -> None:
        """Let the arm hold, and let it go."""
        if self._status is ControllerStatus.CLOSED:
            return
        self._look()
        if self._connected:
            with contextlib.suppress(ControllerLostError):
                if self._status is ControllerStatus.ACTIVE and self.role is Role.COMMAND:
                    self._request(Request.DEACTIVATE, self.clock.now())
                self._part(self.clock.now())
        self._connected = False
        self._disconnect()
        self._status, self._reason = ControllerStatus.CLOSED, "closed"

    def _ask(self, request: Request) -> None:
        if self._status is not ControllerStatus.CLOSED and self.role is Role.COMMAND:
            self.answer = ""
            self._look()
            self._guarded(lambda: self._request(request, self.clock.now()))

    def _guarded(self, action: Callable[[], None]) -> None:
        try:
            action()
        except ControllerLostError as error:
            self._lose_link(error)

    def _adapt_to(self, rate: float) -> None:
        """An arm that measures seldom is not lost so soon; `rate` [Hz]."""
        self.lost_after = max(self.lost_after, MISSED / rate)

    # Being lost and found --------------------------------------------------------------------------------

    def _report(self, state: int, reason: str, now: float) -> None:
        """What the arm says of itself, in a measurement of `now` [s]."""
        self._heard = now
        if self._stopping and state == STOPPED:
            self._stopping = False
        if self._mute:
            if state == ACTIVE:  # it goes on without us; its watchdog, or our request, ends that
                return
            self._mute = False
        self._status = STATUSES[state]
        self._reason = "" if state == ACTIVE else reason or SAYS.get(self._status, "")

    def _reconnect(self, now: float) -> bool:
        if now < self._next_try:
            return False
        self._next_try = now + RETRY
        try:
            self._connect()
        except ControllerError as error:
            self._lose(str(error))
            return False
        self._connected = True
        return True

    def _lose_link(self, error: ControllerLostError) -> None:
        self._lose(str(error))
        self._connected = False
        self._disconnect()

    def _lose(self, reason: str) -> None:
        self._look()
        was_active = self._status is ControllerStatus.ACTIVE and self.role is Role.COMMAND
        self._status, self._reason = ControllerStatus.LOST, reason
        if was_active:
            self._mute = True
            with contextlib.suppress(ControllerLostError):
                self._request(Request.DEACTIVATE, self.clock.now())
        else:
            self._cancel_requests(Request.ACTIVATE)  # what was asked before a loss must not happen after it
