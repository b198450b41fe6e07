"""Who is on the bus: each servo is asked for its EEPROM, one after the other, before anything is commanded."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.bus import Answers, Bus
from firmware_bridge.dynamixel.servos import Seat, Servo, servo_of
from station.controllers.errors import ControllerError, ControllerMismatchError, ControllerSilentError

TRIES = 3  # of each servo


class Introduction:
    """Asks until all have told what they are; `error` says what is in the way."""

    def __init__(self, url: str, seats: Sequence[Seat]) -> None:
        self._url, self._seats = url, tuple(seats)
        self._found: dict[int, Servo] = {}
        self._tries = dict.fromkeys((seat.ident for seat in seats), 0)
        self.error: ControllerError | None = None

    @property
    def servos(self) -> tuple[Servo, ...] | None:
        """All of them, in order, once they are known."""
        if len(self._found) < len(self._seats):
            return None
        return tuple(self._found[seat.ident] for seat in self._seats)

    def ask(self, bus: Bus, now: float) -> None:
        """Ask the next one at `now` [s]: whoever was asked least and has not answered."""
        unknown = [seat for seat in self._seats if seat.ident not in self._found]
        seat = min(unknown, key=lambda one: self._tries[one.ident])
        if self._tries[seat.ident] >= TRIES:
            self.error = self._silence(unknown)
            self._tries = dict.fromkeys(self._tries, 0)  # whoever goes on asking begins anew
        elif bus.read_one("introduction", seat.ident, 0, table.EEPROM_END, now):
            self._tries[seat.ident] += 1
            self.error = None

    def heed(self, answers: Answers) -> None:
        """What the one that was asked has said."""
        for ident, share in answers.shares.items():
            seat = next(seat for seat in self._seats if seat.ident == ident)
            try:
                self._found[ident] = servo_of(self._url, seat, share.data)
            except ControllerMismatchError as error:
                self.error = error

    def _silence(self, unknown: Sequence[Seat]) -> ControllerError:
        if not self._found:
            return ControllerSilentError(
                f"{self._url}: no servo answers; is the power on, and are baud and ids right? (asked: "
                f"{', '.join(str(seat.ident) for seat in self._seats)})"
            )
        there = ", ".join(str(ident) for ident in sorted(self._found))
        return ControllerMismatchError(
            f"{self._url}: {unknown[0].text} does not answer; these do: {there}; check the wiring or the ids"
        )
