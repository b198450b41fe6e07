"""What is to be said to the servos next: a stop before a request, a request before goals. And what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_bridge.arm.protocol import Request, State
from firmware_bridge.arm.requests import PendingRequest
from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.modes import Modes
from firmware_bridge.dynamixel.servos import Counts, Seat
from firmware_bridge.dynamixel.telling import Echoes

REBOOT = 1.0  # that a servo is given to start anew before it is told to once more [s]
NEVER = float("inf")


class Words:
    """Goals and requests on their way to the servos of an arm. `watchdog` is in units of the servos."""

    def __init__(self, seats: Sequence[Seat], watchdog: int) -> None:
        self.modes = Modes(seats, watchdog)
        self.silence = watchdog * table.WATCHDOG_UNIT  # after which setpoints count as ended [s]
        self.where: Counts | None = None  # newest position
        self._pending, self._echoes = PendingRequest(), Echoes()
        self._goal: tuple[Counts, int, float] | None = None  # to be sent: goals, sequence, when
        self._halt: Counts | None = None  # goals of an emergency stop that is on its way
        self._fresh = -NEVER  # when the newest setpoint came [s]
        self._asked_at = NEVER  # when the request on its way was written [s]
        self._reboots: dict[int, float] = {}  # when each may be told to start anew once more [s]

    # What the station wants ------------------------------------------------------------------------------

    def aim(self, goals: Counts, sequence: int, now: float) -> None:
        """A setpoint; a newer one takes its place."""
        self._goal, self._fresh = (goals, sequence, now), now

    def ask(self, request: Request, now: float) -> None:
        """A change of mode; to hold needs no servo's consent."""
        if request is Request.DEACTIVATE:
            self._goal = None
            self.cancel(Request.ACTIVATE)
            if self.modes.state is State.ACTIVE:
                self.modes.enter(State.READY, "")
            return
        self._pending.ask(request, now)
        self._asked_at = NEVER
        self._reboots.clear()

    def cancel(self, only: Request | None = None) -> None:
        """What was asked for, or one kind of it, is not wanted any more."""
        if only is None or self._pending.request is only:
            self._pending.request = None

    def watch(self, now: float) -> str:
        """Setpoints that have ended, and requests that nobody has answered; what to say of these."""
        if self.modes.state is State.ACTIVE and now - self._fresh > self.silence:
            self.modes.enter(State.READY, f"no fresh setpoint for {1000.0 * self.silence:.0f} ms; activate again")
        request = self._pending.request
        expired = request is not None and self._pending.expired(now)
        return f"{request.name.lower()}: the servos do not answer" if expired and request is not None else ""

    # What goes out ---------------------------------------------------------------------------------------

    def reboot(self, now: float) -> int | None:
        """A servo that is to start anew now, if a reset was asked for: each alone, since each answers."""
        if self._pending.request is Request.RESET:
            for ident in self.modes.faulty:
                if now >= self._reboots.get(ident, -NEVER):
                    self._reboots[ident] = now + REBOOT
                    return ident
        return None

    def next(self, now: float, stopping: bool, stale: float) -> tuple[bytes, bool]:
        """What nobody answers, to be said at `now` [s]; and whether servos must tell at once what it did.

        Setpoints older than `stale` [s] are not sent any more.
        """
        goal, self._goal = self._goal, None
        if stopping:
            return self._stop(), False
        if self._pending.due(now):
            self._asked_at = now
            return self._request(), True
        if goal is None or self.modes.state is not State.ACTIVE or now - goal[2] > stale:
            return b"", False
        self._echoes.sent(goal[1], goal[0])
        return self.modes.goals(goal[0]), False

    def _request(self) -> bytes:
        request, modes = self._pending.request, self.modes
        if request is Request.ACTIVATE and modes.state is State.READY and self.where is not None:
            self._echoes.clear()
            return modes.activation(self.where)
        return modes.release() if request is Request.RELEASE else b""

    def _stop(self) -> bytes:
        """The goals of an emergency stop: where the arm was when it was asked for."""
        modes = self.modes
        if modes.state is not State.FAULT:
            modes.enter(State.STOPPED, "emergency stop: the arm holds where it was; reset it")
        if self.where is None or not modes.torque or modes.tripped:
            self._halt = None  # nothing drives it
            return b""
        if self._halt is None:
            self._halt = self.where
        return modes.goals(self._halt)

    # What the servos say ---------------------------------------------------------------------------------

    def told(self, conditions: Mapping[int, bytes], asked: float, now: float) -> str | None:
        """All servos have told their condition, asked at `asked` [s]; how a request has ended, None: it has not."""
        self.modes.heed(conditions)
        request = self._pending.request
        if request is None or asked < self._asked_at:
            return None
        refusal = self.modes.settled(request)
        if refusal is None:
            return None  # not yet: it is written again
        if request is Request.ACTIVATE and not refusal:
            self._fresh = now
        self._pending.request = None
        return f"{request.name.lower()} refused: {refusal}" if refusal else ""

    def held(self, goals: Counts, stopping: bool) -> bool:
        """Whether the servos hold what they were told last; an emergency stop that they do not hold is said again."""
        if stopping and self._halt is not None and goals != self._halt:
            return False
        self._halt = None
        return True

    def echo(self, goals: Counts) -> int:
        """The newest setpoint whose goals all servos hold; -1: none yet."""
        return self._echoes.newest(goals)
