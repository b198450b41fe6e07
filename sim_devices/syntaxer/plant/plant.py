"""`Plant`: the mechanics and electrics of a syntaxer, stepped by whoever emulates its firmware."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.devices.syntaxer.geometry import Syntaxer

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


class Energy(NamedTuple):
    """Where energy is and where it went since the start [J]; `balance` stays what it was."""

    kinetic: float
    potential: float  # weight, balancer, springs, stops that are pressed
    dissipated: float  # friction, dampers of the stops, inelastic catches
    motor_work: float  # of the currents on the mechanics
    heat: float  # of the currents in the windings
    hand_work: float

    @property
    def electrical(self) -> float:
        """What the amplifiers gave to the motors [J]."""
        return self.motor_work + self.heat

    @property
    def balance(self) -> float:
        """Constant, but for errors of integration [J]."""
        return self.kinetic + self.potential + self.dissipated - self.motor_work - self.hand_work


class Plant:
    """One syntaxer, at rest to begin with: hanging without current, or in the middle of its workspace."""

    def __init__(
        self, geometry: Syntaxer | None = None, seed: int = 0, *, start: Literal["rest", "middle"] = "rest"
    ) -> None:
        self.count_offset: Whole = np.zeros(6, dtype=np.int64)  # added to the counts: lost ones, or near the wrap
        self.source = 24.0  # voltage of the supply without load [V]; set it low for a brown-out

    def step(self, dt: float, currents: ArrayLike, brake: bool, hand_wrench: ArrayLike) -> None:
        """Live for `dt` [s] with commanded currents [A], windings shorted or not, and a wrench of the hand.

        The wrench [N, N·m] acts on the handle, at the ball, device frame, and stays the same during the step. What is
        not finite counts as zero, what is too large is cut.
        """

    @property
    def counts(self) -> Whole:
        """Six counters as the firmware sees them, 32 bits with sign."""
        return np.zeros(6, dtype=np.int64)

    @property
    def pose(self) -> Floats:
        """Pose of the handle, device frame, 4×4 [m]."""
        return np.eye(4)

    @property
    def position(self) -> Floats:
        """Where the handle is, device frame [m]."""
        return np.zeros(3)

    @property
    def rotation_vector(self) -> Floats:
        """How the handle is turned [rad]."""
        return np.zeros(3)

    @property
    def velocity(self) -> Floats:
        """Twist of the handle, device frame [m/s, rad/s]."""
        return np.zeros(6)

    @property
    def currents(self) -> Floats:
        """What really flows in the six windings [A]."""
        return np.zeros(6)

    @property
    def measured_currents(self) -> Floats:
        """What the firmware measures of it, with noise [A]."""
        return np.zeros(6)

    @property
    def temperature(self) -> float:
        """Of the hottest winding [°C]."""
        return 22.0

    @property
    def temperatures(self) -> Floats:
        """Of the six windings [°C]."""
        return np.zeros(6)

    def heat_to(self, celsius: float) -> None:
        """Make all windings so hot [°C], as a fault; they cool down by themselves."""

    @property
    def supply(self) -> float:
        """Voltage of the motor supply, under load [V]."""
        return 24.0

    @property
    def energy(self) -> Energy:
        """Where the energy is [J]."""
        return Energy(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def place(self, position: ArrayLike, rotation_vector: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Put the handle somewhere [m, rad], at rest; ValueError if it cannot be there."""

    def settle(self, seconds: float = 20.0) -> None:
        """Hang without current, windings shorted, until it stands still or so long [s]."""
