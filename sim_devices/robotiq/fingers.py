"""`Fingers`: how a gripper moves between what is in its way, and what it tells of that."""

from __future__ import annotations

from firmware_bridge.robotiq import registers
from firmware_bridge.robotiq.registers import Activity, Fault, GripperState, Met

COUNTS = 255.0
SLOWEST, FASTEST = 60.0, 450.0  # counts per second
RELEASE_SPEED = 30.0
ACTIVATION = 0.6  # that it takes to find its range; real ones take longer [s]
HOLDING = 20  # current while it holds with no force to speak of, in units of 10 mA


class Fingers:
    """Positions are counts: 0 open, 255 closed. `thing` is where fingers that close meet something."""

    def __init__(self) -> None:
        self.position = 0.0
        self.thing: float | None = None  # counts
        self.ring: float | None = None  # counts; where fingers that open meet something
        self.broken = Fault.NONE  # a fault that was put on from outside
        self._fault = Fault.NONE
        self._activity = Activity.RESET
        self._left = 0.0  # of the activation [s]
        self._action = self._goal = self._speed = self._force = 0
        self._met = Met.MOVING

    @property
    def command(self) -> bytes:
        """As it was last written."""
        return registers.pack_command(self._action, self._goal, self._speed, self._force)

    def write(self, command: bytes) -> None:
        """A command came in: bytes of three registers."""
        action, goal, speed, force = registers.COMMAND.unpack(command)
        on = bool(action & registers.ACTIVATE)
        if not on:
            self._activity, self._left, self.broken = Activity.RESET, 0.0, Fault.NONE
        elif self._activity is Activity.RESET:
            self._activity, self._left = Activity.ACTIVATING, ACTIVATION
        if goal != self._goal or (action & registers.GO_TO and not self._action & registers.GO_TO):
            self._met = Met.MOVING
        self._action, self._goal, self._speed, self._force = action, goal, speed, force
        going = bool(action & registers.GO_TO)
        self._fault = Fault.NONE
        if going and not on:
            self._fault = Fault.ACTIVATION_BIT
        elif going and self._activity is Activity.ACTIVATING:
            self._fault = Fault.ACTIVATE_FIRST

    def live(self, seconds: float) -> None:
        """Move for so long [s]."""
        if self.broken is not Fault.NONE and self.broken is not Fault.RELEASING:
            return
        if self._action & registers.RELEASE and self._action & registers.ACTIVATE:
            self._release(seconds)
        elif self._activity is Activity.ACTIVATING:
            self._activate(seconds)
        elif self._activity is Activity.ACTIVE and self._action & registers.GO_TO:
            self._go(seconds)

    def _activate(self, seconds: float) -> None:
        self._left -= seconds
        if self.thing is not None and self.thing < 0.5 * COUNTS:
            self.broken = Fault.ACTIVATION  # something thick is between the fingers
            return
        share = max(self._left, 0.0) / ACTIVATION
        self.position = COUNTS * (1.0 - abs(2.0 * share - 1.0))  # to the one end and back
        if self._left <= 0.0:
            self._activity, self._fault, self.position = Activity.ACTIVE, Fault.NONE, 0.0
            self._met = Met.AT_GOAL

    def _go(self, seconds: float) -> None:
        if self._met is not Met.MOVING:
            return
        way = (SLOWEST + (FASTEST - SLOWEST) * self._speed / COUNTS) * seconds
        if self._goal > self.position:
            end, met = self._goal, Met.AT_GOAL
            if self.thing is not None and self.position <= self.thing < self._goal:
                end, met = self.thing, Met.CLOSING  # type: ignore[assignment]
            self.position = min(self.position + way, end)
        else:
            end, met = self._goal, Met.AT_GOAL
            if self.ring is not None and self.position >= self.ring > self._goal:
                end, met = self.ring, Met.OPENING  # type: ignore[assignment]
            self.position = max(self.position - way, end)
        if self.position == end:
            self._met = met

    def _release(self, seconds: float) -> None:
        self.broken = Fault.RELEASING
        self.position = max(self.position - RELEASE_SPEED * seconds, 0.0)
        if self.position <= 0.0:
            self.broken = Fault.RELEASED

    @property
    def state(self) -> GripperState:
        """What it tells."""
        going = bool(self._action & registers.GO_TO)
        holds = self._met in (Met.OPENING, Met.CLOSING)
        current = HOLDING + self._force // 4 if holds and going else 30 if self._met is Met.MOVING and going else 0
        return GripperState(
            bool(self._action & registers.ACTIVATE),
            going,
            int(self._activity),
            int(self._met),
            int(self.broken or self._fault),
            self._goal,
            round(self.position),
            current,
        )
