"""A person at an emulated syntaxer: what is asked for happens on the emulator's table, and time passes meanwhile."""

from __future__ import annotations

import numpy as np

from calibration.errors import PoseError
from calibration.parameters import Floats
from calibration.syntaxer.bench import LOOK, TICK, Bench
from calibration.syntaxer.person import Fix, HoldAt, LeanOn, LetGo, Seat, Swing, Task
from calibration.syntaxer.swings import cap_at
from sim_devices.syntaxer.table import Table

QUICK = 0.24  # that the handle is carried at, mean of a way [m/s]
CARRY = 0.4  # time for a short way [s]
SWUNG = 0.25  # that the handle is swung at [m/s]
SETTLE = 0.3  # until it stands still there [s]


class EmulatedPerson:
    """Does at once what it is asked, and needs no words."""

    def __init__(self, table: Table, bench: Bench) -> None:
        """Stand at a table.

        Args:
            table: of the emulator.
            bench: whose time passes.
        """
        self.table, self.bench = table, bench

    def do(self, task: Task) -> None:
        """Act on the table."""
        match task:
            case LetGo():
                self.table.let_go()
                self.bench.idle(SETTLE)
            case HoldAt(place, turn):
                self._carry(np.array(place), np.array(turn))
            case Seat(_, place, turn):
                self._carry(np.array(place), np.array(turn), 0.0)
                self._clamp(np.array(place), np.array(turn))
            case Swing(_, foot, length, seconds):
                self._swing(np.array(foot), length, seconds)
            case LeanOn(_, _, place, beyond):
                self._carry(0.9 * np.array(place) + 0.1 * self.bench.model.middle, np.zeros(3))
                self.table.lean(beyond, CARRY)
                self.bench.idle(CARRY + SETTLE)
            case Fix(mass, place, cord, way, held):
                self.table.fix(mass, place)
                self.table.pull(cord, way, held)
                self.bench.idle(LOOK)

    def _carry(self, place: Floats, turn: Floats, settle: float = SETTLE) -> None:
        way = float(np.linalg.norm(place - self.table.plant.position))
        seconds = max(CARRY, way / QUICK)
        self.table.hold(place, turn, seconds)
        self.bench.idle(seconds + settle)

    def _swing(self, foot: Floats, length: float, seconds: float) -> None:
        """Begin to swing; whoever records lets the time pass."""
        cap = cap_at(self.bench.model.geometry.cylinder, foot, length)
        if cap is None:
            raise PoseError(f"from {foot} m the bar hardly reaches the workspace")
        path = cap.spiral(SWUNG * seconds, 1 + round(2.0 * seconds / TICK))
        self._carry(path[0], np.zeros(3), 0.0)
        self.table.swing(path, seconds)

    def _clamp(self, place: Floats, turn: Floats) -> None:
        try:
            self.table.clamp(place, turn)
        except ValueError as error:
            raise PoseError(str(error)) from None
