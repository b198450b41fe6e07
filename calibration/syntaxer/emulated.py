"""A person at an emulated syntaxer: what is asked for happens on the emulator's table, and time passes meanwhile."""

from __future__ import annotations

import numpy as np

from calibration.errors import PoseError
from calibration.parameters import Floats
from calibration.syntaxer.bench import TICK, Bench
from calibration.syntaxer.person import Fix, HoldAt, LeanOn, LetGo, OnBar, Reading, Seat, Task
from sim_devices.syntaxer.table import Table

QUICK = 0.24  # that the handle is carried at, mean of a way [m/s]
CARRY = 0.4  # time for a short way [s]
SETTLE = 0.3  # until it stands still there [s]


class EmulatedPerson:
    """Does at once what it is asked, and needs no words."""

    def __init__(self, table: Table, bench: Bench, bar: float = 0.3) -> None:
        """Stand at a table.

        Args:
            table: of the emulator.
            bench: whose time passes.
            bar: length of the bar that is used [m].
        """
        self.table, self.bench, self.bar = table, bench, bar

    def do(self, task: Task) -> None:
        """Act on the table."""
        match task:
            case LetGo():
                self.table.let_go()
                self._live(SETTLE)
            case HoldAt(place, turn):
                self._carry(np.array(place), np.array(turn))
            case Seat(_, place, turn):
                self._carry(np.array(place), np.array(turn))
                self._clamp(np.array(place), np.array(turn))
            case OnBar(_, foot, place):
                along = np.array(place) - np.array(foot)
                held = np.array(foot) + self.bar * along / np.linalg.norm(along)
                self._carry(held, np.zeros(3))
                self._clamp(held, np.zeros(3))
            case LeanOn(_, _, place, beyond):
                self._carry(0.9 * np.array(place) + 0.1 * self.bench.model.middle, np.zeros(3))
                self.table.lean(beyond, CARRY)
                self._live(CARRY + SETTLE)
            case Fix(mass, place, cord, way, held):
                self.table.fix(mass, place)
                self.table.pull(cord, way, held)
                self._live(TICK)

    def read(self) -> Reading:
        """What the emulated tracker shows."""
        return Reading(*self.table.tracked())

    def _carry(self, place: Floats, turn: Floats) -> None:
        way = float(np.linalg.norm(place - self.table.plant.position))
        seconds = max(CARRY, way / QUICK)
        self.table.hold(place, turn, seconds)
        self._live(seconds + SETTLE)

    def _clamp(self, place: Floats, turn: Floats) -> None:
        try:
            self.table.clamp(place, turn)
        except ValueError as error:
            raise PoseError(str(error)) from None

    def _live(self, seconds: float) -> None:
        for _ in range(round(seconds / TICK)):
            self.bench.tick()
