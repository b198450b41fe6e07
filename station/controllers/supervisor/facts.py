"""`Facts`: what the supervisor needs to know in a tick, and how device and controller are taken."""

from __future__ import annotations

import numpy as np

from station.controllers.controller import ControllerStatus
from station.controllers.supervisor.kernels import layout as at
from station.controllers.supervisor.kernels.layout import Floats
from station.controllers.supervisor.words import ArmFact
from station.devices.device import DeviceStatus

ARM_FACTS: dict[ControllerStatus, ArmFact] = {
    ControllerStatus.OPENING: ArmFact.OPENING,
    ControllerStatus.READY: ArmFact.READY,
    ControllerStatus.ACTIVE: ArmFact.ACTIVE,
    ControllerStatus.STOPPED: ArmFact.STOPPED,
    ControllerStatus.FAULT: ArmFact.FAULT,
    ControllerStatus.LOST: ArmFact.LOST,
    ControllerStatus.CLOSED: ArmFact.LOST,
}
_COMMANDS = {
    "engage": at.ASKED_ENGAGE,
    "hold": at.ASKED_HOLD,
    "reset": at.ASKED_RESET,
    "estop": at.ASKED_ESTOP,
    "shutdown": at.ASKED_SHUTDOWN,
    "release": at.ASKED_RELEASE,
}


class Facts:
    """One array, filled in place before each tick. Kernels write the same numbers into `facts.numbers`.

    Commands count for one tick: the supervisor takes them away. At first nothing is there.
    """

    def __init__(self) -> None:
        self.numbers: Floats = np.zeros(at.INPUTS_SIZE)
        self.numbers[at.SAMPLE_AGE] = self.numbers[at.MEASURED_AGE] = np.inf
        self.numbers[at.ARM] = ArmFact.LOST
        self.numbers[at.AT_REST] = self.numbers[at.FOLLOWS] = 1.0

    def device(self, status: DeviceStatus, age: float, *, dead_man: bool) -> None:
        """How the device is doing, age of its newest sample [s], whether the dead-man is held in it."""
        self.numbers[at.DEVICE_READY] = status is DeviceStatus.READY
        self.numbers[at.DEVICE_BAD] = status is DeviceStatus.FAULT
        self.numbers[at.SAMPLE_AGE], self.numbers[at.DEAD_MAN] = age, dead_man

    def arm(self, status: ControllerStatus | None, age: float = np.inf) -> None:
        """How the controller is doing, time since its newest measurement came in [s]; None: there is no arm."""
        self.numbers[at.ARM] = ArmFact.NONE if status is None else ARM_FACTS[status]
        self.numbers[at.MEASURED_AGE] = age

    def loop(self, *, haptics: int = 0, closure_lost: bool = False, late: bool = False) -> None:
        """Faults of the last tick of forces as bits, of the last step of the solver, and whether the tick was late."""
        self.numbers[at.HAPTICS], self.numbers[at.SOLVER_LOST], self.numbers[at.LATE] = haptics, closure_lost, late

    def shaping(self, stopped_for: int, *, at_rest: bool, follows: bool = True) -> None:
        """What the shaping has stopped for (`station.controllers.shaping.Stopped`), whether setpoints stand still.

        `follows`: the arm is where they send it, or none are being sent.
        """
        self.numbers[at.SHAPING], self.numbers[at.AT_REST] = stopped_for, at_rest
        self.numbers[at.FOLLOWS] = follows

    def starter(self, *, silent: bool) -> None:
        """Whether the process that started the servo gives no sign of life."""
        self.numbers[at.STARTER_SILENT] = silent

    def park(self, on: bool) -> None:
        """While engaged, move to the parking posture instead of following the hand."""
        self.numbers[at.ASKED_PARK] = on

    def ask(self, command: str) -> None:
        """A command, for the next tick: engage, hold, reset, estop, shutdown or release (of the torque)."""
        self.numbers[_COMMANDS[command]] = 1.0
