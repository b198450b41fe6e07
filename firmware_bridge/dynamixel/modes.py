"""Torque, watchdog and faults of a bus of servos: what is written to change the mode, and what the servos then say.

Servos know no 'active' or 'stopped': they follow any goal while their torque is on. So the mode is kept here, and what
the servos tell can only take it away: a hardware error, a watchdog that has spoken, a torque that is off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_bridge.arm.protocol import Request, State
from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.packets import sync_write_request
from firmware_bridge.dynamixel.servos import Counts, Seat
from firmware_bridge.dynamixel.table import Item

CONDITION_AT, CONDITION_SIZE = table.TORQUE.address, table.BUS_WATCHDOG.address + 1 - table.TORQUE.address
LIMP = "the torque is off; activate switches it on"


def to_all(item: Item, seats: Sequence[Seat], value: int | Sequence[int]) -> bytes:
    """A packet that writes one value, or one of each, to all servos."""
    values = [value] * len(seats) if isinstance(value, int) else value
    data = [(seat.ident, item.pack(int(one))) for seat, one in zip(seats, values, strict=True)]
    return sync_write_request(item.address, item.size, data)


class Modes:
    """The mode of an arm of servos."""

    def __init__(self, seats: Sequence[Seat], watchdog: int) -> None:
        self._seats = tuple(seats)
        self._watchdog = watchdog  # units of the servo
        self.state, self.reason = State.READY, ""
        self._faulty: dict[int, int] = {}  # hardware errors by id
        self.torque = False  # of all servos
        self.tripped = False  # the watchdog of a servo has spoken

    # What is written -------------------------------------------------------------------------------------

    def activation(self, goals: Counts) -> bytes:
        """Torque on, where the arm stands."""
        seats = self._seats
        return b"".join(
            (
                to_all(table.BUS_WATCHDOG, seats, 0),  # if it has spoken, goals can be written again
                to_all(table.PROFILE_ACCELERATION, seats, 0),
                to_all(table.PROFILE_VELOCITY, seats, 0),  # setpoints are shaped by the station: no second shaping
                self.goals(goals),
                to_all(table.TORQUE, seats, 1),
                to_all(table.BUS_WATCHDOG, seats, self._watchdog),
            )
        )

    def goals(self, goals: Counts) -> bytes:
        """Where to go."""
        return to_all(table.GOAL_POSITION, self._seats, goals)

    def release(self) -> bytes:
        """Torque off."""
        return to_all(table.TORQUE, self._seats, 0)

    def parting(self) -> bytes:
        """Nobody will speak any more, and that is no fault: the arm goes on holding."""
        return to_all(table.BUS_WATCHDOG, self._seats, 0)

    # What the servos say ---------------------------------------------------------------------------------

    @property
    def faulty(self) -> tuple[int, ...]:
        """Ids of servos that complain."""
        return tuple(self._faulty)

    def heed(self, conditions: Mapping[int, bytes]) -> None:
        """The condition of every servo: bytes from the torque to the watchdog."""

        def read(item: Item, ident: int) -> int:
            return item.read(conditions[ident], CONDITION_AT)

        idents = [seat.ident for seat in self._seats]
        self.torque = all(read(table.TORQUE, ident) for ident in idents)
        spoken = [s for s in self._seats if read(table.BUS_WATCHDOG, s.ident) == table.WATCHDOG_TRIPPED]
        self.tripped = bool(spoken)
        errors = {ident: read(table.HARDWARE_ERROR, ident) for ident in idents}
        self._faulty = {ident: bits for ident, bits in errors.items() if bits}
        if self._faulty:
            self.enter(State.FAULT, "; ".join(self._complaint(s) for s in self._seats if s.ident in self._faulty))
        elif self.state is State.ACTIVE and spoken:
            self.enter(State.READY, f"the bus watchdog of {spoken[0].text} has spoken; activate again")
        elif self.state is State.ACTIVE and not self.torque:
            off = next(s for s in self._seats if not read(table.TORQUE, s.ident))
            self.enter(State.READY, f"the torque of {off.text} is off; activate switches it on")
        elif self.state is State.READY and not self.torque and not self.reason:
            self.reason = LIMP

    def _complaint(self, seat: Seat) -> str:
        said = table.hardware_errors(self._faulty[seat.ident])
        return f"{seat.text}: {said}; see to the cause, then reset, which starts it anew"

    def settled(self, request: Request) -> str | None:
        """What became of a request, by what servos have just told: why it is refused; empty: done; None: not yet."""
        if request is Request.ACTIVATE:
            return self._activated()
        if request is Request.RESET:
            if self.faulty:
                return None
            if self.state is not State.ACTIVE:
                self.enter(State.READY, "" if self.torque else LIMP)
        elif request is Request.RELEASE:
            if self.torque:
                return None
            if self.state in (State.READY, State.ACTIVE):
                self.enter(State.READY, LIMP)
        return ""

    def _activated(self) -> str | None:
        if self.state is State.READY:
            if not self.torque or self.tripped:
                return None
            self.enter(State.ACTIVE, "")
        return "" if self.state is State.ACTIVE else self.reason

    def enter(self, state: State, reason: str) -> None:
        """Change the mode, and say why."""
        self.state, self.reason = state, reason
